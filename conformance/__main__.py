"""`python -m conformance explain ID`: the corpus, explained at a terminal. Judging an adapter is pytest's command."""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase

from conformance.errors import ConformanceError
from conformance.report.catalogue import page
from conformance.report.explain import explain
from conformance.scenarios import catalogue, scenario


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit code: 0, or 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    explaining = commands.add_parser("explain", help="what the wire does, what is right, on what evidence")
    explaining.add_argument("ids", nargs="+", metavar="ID", help="a scenario id, or a pattern such as 'gemini/stop-*'")
    commands.add_parser("catalogue", help="print the catalogue page (Markdown)")
    options = parser.parse_args(arguments)
    try:
        if options.command == "catalogue":
            print(page(), end="")
        else:
            print("\n\n".join(_explained(pattern) for pattern in options.ids))
    except ConformanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _explained(pattern: str) -> str:
    matching = [told for id_, told in catalogue().items() if fnmatchcase(id_, pattern)]
    return "\n\n".join(explain(told) for told in matching or [scenario(pattern)])


if __name__ == "__main__":
    sys.exit(main())

"""`python -m conformance`: explain the corpus, play it, and show results. Judging an adapter is pytest's command."""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.errors import BadOption, ConformanceError
from conformance.report.badge import badge
from conformance.report.catalogue import page as catalogue_page
from conformance.report.explain import explain
from conformance.report.markdown import markdown
from conformance.report.page import page
from conformance.report.results import Run, merged, read_results, write_whole
from conformance.scenarios import catalogue, scenario


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit code: 0, or 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except ConformanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    explaining = commands.add_parser("explain", help="what the wire does, what is right, on what evidence")
    explaining.add_argument("ids", nargs="+", metavar="ID", help="a scenario id, or a pattern such as 'gemini/stop-*'")
    explaining.set_defaults(run=_explain)
    serving = commands.add_parser("serve", help="play scenarios on loopback until Ctrl-C, with lines to paste")
    serving.add_argument("ids", nargs="*", metavar="SCENARIO", help="ids or patterns; every scenario if none")
    serving.add_argument("--port", type=int, default=8788, help="0 for any free one (default 8788)")
    serving.add_argument("--chunking", metavar="NAME", help="how bodies are cut; per-frame if not given")
    serving.add_argument("--pace", type=float, metavar="SECONDS", help="pause between two pieces of a body")
    serving.add_argument("--fault", metavar="KIND[:FRAMES]", help="cut, body-cut, reset or stall; in the middle")
    serving.set_defaults(run=_serve)
    for name, run, text in (
        ("page", _page, "results files as one page that needs no network"),
        ("summary", _summary, "results files as Markdown, for a CI's summary"),
        ("badge", _badge, "one results file as a badge, in the form of shields.io's endpoint"),
    ):
        showing = commands.add_parser(name, help=text)
        showing.add_argument("results", nargs="+", type=Path, metavar="RESULTS", help="what --conformance-report wrote")
        showing.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to; the terminal if not given")
        showing.set_defaults(run=run)
    commands.add_parser("catalogue", help="print the catalogue page (Markdown)").set_defaults(run=_catalogue)
    return parser


def _explain(options: argparse.Namespace) -> None:
    print("\n\n".join(_explained(pattern) for pattern in options.ids))


def _explained(pattern: str) -> str:
    matching = [told for id_, told in catalogue().items() if fnmatchcase(id_, pattern)]
    return "\n\n".join(explain(told) for told in matching or [scenario(pattern)])


def _serve(options: argparse.Namespace) -> None:
    from conformance.serve.foreground import serve

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    serve(options.ids, say, port=options.port, chunking=options.chunking, pace=options.pace, fault=options.fault)


def _page(options: argparse.Namespace) -> None:
    _put(options, page(_runs(options)))


def _summary(options: argparse.Namespace) -> None:
    _put(options, markdown(_runs(options)))


def _badge(options: argparse.Namespace) -> None:
    runs = _runs(options)
    if len(runs) != 1:
        raise BadOption(f"badge: these are results of {len(runs)} runs", "a badge is for one adapter")
    _put(options, badge(runs[0]))


def _catalogue(_: argparse.Namespace) -> None:
    print(catalogue_page(), end="")


def _runs(options: argparse.Namespace) -> list[Run]:
    return merged(read_results(path) for path in options.results)


def _put(options: argparse.Namespace, text: str) -> None:
    if options.output is None:
        sys.stdout.write(text)
        return
    try:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        write_whole(options.output, text)
    except OSError as error:
        raise BadOption(f"cannot write {options.output}: {error.strerror}", "name another file") from error
    print(options.output, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

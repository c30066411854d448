"""Command line: `python -m tools.author [ID ...]` writes documented cassettes and their manifest rows."""

from __future__ import annotations

import argparse
import json
import sys
from fnmatch import fnmatch

from conformance.corpus import cassette_path, manifest, root
from conformance.errors import ConformanceError, ScenarioNotFound
from conformance.scenarios import Scenario, catalogue
from conformance.vocabulary import Provenance
from tools.author.build import exchanges
from tools.cassette_file import dump, write_whole


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit code: 0, 1 where `--check` finds a difference, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m tools.author", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="scenario ids or patterns; all documented ones if none")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a cassette is out of date")
    options = parser.parse_args(arguments)
    try:
        return _run(_chosen(options.ids), check=options.check)
    except ConformanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _chosen(patterns: list[str]) -> list[Scenario]:
    every = catalogue()
    for pattern in patterns:
        if not any(fnmatch(id_, pattern) for id_ in every):
            raise ScenarioNotFound(f"no scenario matches {pattern!r}", "define it in conformance/scenarios first")
    return [item for id_, item in every.items() if not patterns or any(fnmatch(id_, pat) for pat in patterns)]


def _run(scenarios: list[Scenario], *, check: bool) -> int:
    rows = dict(manifest())
    stale: list[str] = []
    written = 0
    for scenario in scenarios:
        for mode in scenario.modes:
            cell = f"{scenario.id}:{mode}"
            origin = rows.get(cell)
            if origin is not None and origin.provenance is not Provenance.DOCUMENTED:
                continue  # what was recorded is never written over by what was only documented
            text = dump(exchanges(scenario, mode))
            path = cassette_path(scenario.id, mode)
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(cell)
                if not check:
                    write_whole(path, text)
                    written += 1
    if check:
        print("\n".join(f"out of date: {cell}" for cell in stale) or "every documented cassette is up to date")
        return 1 if stale else 0
    _write_manifest()
    print(f"{written} cassettes written, {len(scenarios)} scenarios looked at")
    return 0


def _write_manifest() -> None:
    """One row a cell of the catalogue; rows of recorded cells are kept as they are."""
    rows = manifest()
    data = {}
    for scenario in catalogue().values():
        for mode in scenario.modes:
            cell = f"{scenario.id}:{mode}"
            origin = rows.get(cell)
            if origin is not None and origin.provenance is not Provenance.DOCUMENTED:
                data[cell] = {"provenance": origin.provenance.value, "source": origin.source}
            else:
                source = "; ".join(item.source for item in scenario.evidence)
                data[cell] = {"provenance": Provenance.DOCUMENTED.value, "source": source}
    text = json.dumps(dict(sorted(data.items())), ensure_ascii=False, indent=1) + "\n"
    write_whole(root() / "cassettes" / "provenance.json", text)
    manifest.cache_clear()


if __name__ == "__main__":
    sys.exit(main())

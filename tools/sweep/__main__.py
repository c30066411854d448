"""Command line: `python -m tools.sweep ADAPTER [ID ...]` says, a row a stream, where a cut first misleads."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from fnmatch import fnmatch

from conformance.adapters import load
from conformance.corpus import cassette
from conformance.errors import ConformanceError
from conformance.scenarios import Scenario, catalogue
from conformance.suite.bench import Bench, NotApplicable
from conformance.vocabulary import Mode
from conformance.wire.codec import HTTP_ERROR
from tools.sweep.frames import sweep
from tools.sweep.places import smallest_cut


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit code: 0, 1 where something misleads, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m tools.sweep", description=__doc__)
    parser.add_argument("adapter", help="a shipped name or pkg.module:factory")
    parser.add_argument("ids", nargs="*", metavar="ID", help="scenario ids or patterns; every stream if none")
    parser.add_argument(
        "--chunks",
        type=int,
        metavar="N",
        help="end no stream; deliver each whole in N random chunkings and shrink one that changes the reply",
    )
    options = parser.parse_args(arguments)
    try:
        with Bench(load(options.adapter)) as bench:
            rows = [_row(bench, scenario, options.chunks) for scenario in _streams(bench, options.ids)]
    except ConformanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{sum(rows)} of {len(rows)} streams mislead {options.adapter}")
    return 1 if any(rows) else 0


def _streams(bench: Bench, patterns: list[str]) -> Iterator[Scenario]:
    """Streams of replies that come clean: a fault of their own would hide the one that is put to them."""
    for id_, scenario in catalogue().items():
        chosen = not patterns or any(fnmatch(id_, pattern) for pattern in patterns)
        plain = Mode.STREAMED in scenario.modes and not scenario.needs_server and not scenario.wire.before
        if not (chosen and plain and scenario.api in bench.adapter.apis):
            continue
        if cassette(id_, Mode.STREAMED)[-1].status < HTTP_ERROR:
            yield scenario


def _row(bench: Bench, scenario: Scenario, chunks: int | None) -> bool:
    try:
        found = sweep(bench, scenario) if chunks is None else smallest_cut(bench, scenario, chunks)
    except NotApplicable as signal:
        print(f"{scenario.id:<52} not applicable: {signal}")
        return False
    print(f"{scenario.id:<52} {found or 'never'}", flush=True)
    return found is not None


if __name__ == "__main__":
    sys.exit(main())

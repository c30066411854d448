"""The command `judge`: an adapter on every recorded exchange of the core, its table and its findings. Work: `bulk`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from conformance.adapters import load
from conformance.errors import BadOption
from tools.published import bulk, recordings
from tools.published.fetch import fetch
from tools.published.pins import pins

_SHOWN = 5
Say = Callable[[str], None]


def add_to(commands: Any, say: Say) -> None:
    """Add the command to a parser's sub-commands."""
    parser = commands.add_parser("judge", help="play every recorded exchange of the core to an adapter")
    parser.add_argument("adapter", help="a shipped adapter, or pkg.module:factory")
    parser.add_argument("--api", help="an API such as openai-chat, or one host's: openai-chat@azure")
    parser.add_argument("--limit", type=int, help="stop after so many exchanges")
    parser.add_argument("--places", type=int, default=_SHOWN, help="how many places of each finding to print")
    parser.set_defaults(run=lambda options: _judge(options, say))


def _judge(options: argparse.Namespace, say: Say) -> int:
    adapter = load(options.adapter)
    fetch(pins(), say)
    every = recordings.load(pins(), say).exchanges
    wanted = [each for each in every if options.api in (None, str(each.kind), each.kind.protocol)]
    if not wanted:
        raise BadOption(f"no exchange speaks {options.api!r}", "see python -m tools.published list")
    found = bulk.run(adapter, islice(wanted, options.limit), say)
    for line in _lines(found, options.places):
        print(line)
    return 0 if all(map(bulk.faithful, found.rows.values())) and not found.untested else 1


def _lines(found: bulk.Bulk, places: int) -> Iterator[str]:
    for row, verdicts in sorted(found.rows.items()):
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        yield f"{row.package:26} {row.kind:32} {row.mode:8} {row.ending:44} {told}"
    for fault, where in sorted(found.faults.items()):
        yield f"{fault.severity} {fault.rule}: {fault.what} ({fault.verdict}): {len(where)} exchanges"
        yield from (f"    {place}" for place in where[:places])
    yield from (f"untested: {line}" for line in found.untested)
    yield f"{found.played} exchanges judged, {len(found.untested)} untested"

"""The commands `derive` and `check`: what they take, print and return. The work is in `deriving`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from tools.published import deriving
from tools.published.derivations import Derivation, exchanges, rows
from tools.published.errors import Underivable
from tools.published.fetch import fetch

Say = Callable[[str], None]


def add_to(commands: Any, say: Say) -> None:
    """Add both commands to a parser's sub-commands."""
    make = commands.add_parser("derive", help="write cassettes that follow recorded exchanges")
    make.add_argument("--check", action="store_true", help="write nothing: the same as the command check")
    hold = commands.add_parser("check", help="hold the derived cassettes against the pins; exit 1 on any difference")
    for parser in (make, hold):
        parser.add_argument("cells", nargs="*", metavar="CELL", help="ids, ID:MODE or patterns; every row if none")
    make.set_defaults(run=lambda options: _check(options, say) if options.check else _derive(options, say))
    hold.set_defaults(run=lambda options: _check(options, say))


def _chosen(options: argparse.Namespace, say: Say) -> Sequence[Derivation]:
    chosen = rows(options.cells)
    fetch(list(dict.fromkeys(row.pin for row in chosen)), say)
    return chosen


def _derive(options: argparse.Namespace, say: Say) -> int:
    chosen = _chosen(options, say)
    changed = 0
    made: list[Derivation] = []
    for row, exchange in exchanges(chosen):
        try:
            changed += deriving.write(row, exchange)
            made.append(row)
        except Underivable as error:
            say(f"error: {row.cell}: {error}")
    deriving.write_manifest(made)
    say(f"{changed} cassettes written, {len(made)} of {len(chosen)} derived")
    return 0 if len(made) == len(chosen) else 2


def _check(options: argparse.Namespace, say: Say) -> int:
    chosen = _chosen(options, say)
    wrong = 0
    for row, exchange in exchanges(chosen):
        for line in deriving.differences(row, exchange):
            wrong += 1
            print(f"{row.cell}: {line}")
    say(f"{len(chosen)} cassettes held against {len({row.pin for row in chosen})} pins, {wrong} differences")
    return 1 if wrong else 0

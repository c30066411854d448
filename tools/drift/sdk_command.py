"""`python -m tools.drift sdk`: which wheels, what to print. The comparison is sdk.py's."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from tools.drift.drifts import Drift, table
from tools.drift.errors import BadPlaces
from tools.drift.places import Place, decided, places
from tools.drift.sdk import against_tables, between
from tools.drift.wheels import Wheel, pull

Say = Callable[[str], None]

HELP = """\
Hold what SDKs say about their APIs against this project's tables, or versions of one SDK against each other.

  sdk                                      the newest of every package in tools/drift/places.toml
  sdk openai                               the newest of one
  sdk anthropic==0.49.0 anthropic==0.69.0  what came, went and changed between versions, in the order given

Types are read from the wheels' source; nothing is imported. A package may also be the path of a .whl file."""


def run(arguments: Sequence[str], say: Say) -> int:
    """Run the command; the exit code: 0 where nothing drifted, 1 where something did.

    Raises:
        ConformanceError: bad input.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tools.drift sdk", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", metavar="PACKAGE[==VERSION]")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    every = places()
    packages = list(dict.fromkeys(place.package for place in every))
    asked: list[str] = options.packages or packages
    with ThreadPoolExecutor(2) as pool:  # two at once: the index is the slow part
        wheels = list(pool.map(lambda one: pull(one, say), asked))
    for wheel in wheels:
        if wheel.package not in packages:
            raise BadPlaces(f"no place of {wheel.package} is known", f"places.toml has {', '.join(packages)}")
    newest = {wheel for wheel, text in zip(wheels, asked, strict=True) if text in packages}
    drifts = _drifts(wheels, newest, every, say)
    if options.json:
        print(json.dumps({"wheels": list(map(str, wheels)), "drift": [one._asdict() for one in drifts]}, indent=1))
    else:
        print("\n".join([*table(drifts), *([""] if drifts else []), _total(drifts, wheels)]))
    return 1 if drifts else 0


def _drifts(wheels: Sequence[Wheel], newest: set[Wheel], every: Sequence[Place], say: Say) -> list[Drift]:
    decisions = decided()
    found: list[Drift] = []
    for package in dict.fromkeys(wheel.package for wheel in wheels):
        mine = [wheel for wheel in wheels if wheel.package == package]
        say(f"reading {', '.join(map(str, mine))}")
        if len(mine) > 1:
            found += between(mine, every)
        else:
            found += against_tables(mine[0], every, decisions, newest=mine[0] in newest)
    return found


def _total(drifts: Sequence[Drift], wheels: Sequence[Wheel]) -> str:
    counts = {kind: sum(one.kind == kind for one in drifts) for kind in ("new", "gone", "changed", "stale")}
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "no drift"
    return f"{said} in {', '.join(map(str, wheels))}"

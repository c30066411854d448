"""Which cassette follows which recorded exchange: reads `derivations.toml`, finds the exchanges. Derives nothing."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from conformance.scenarios import Scenario, catalogue, scenario
from conformance.vocabulary import Mode
from tools.published import archive, believe, cassettes, classify
from tools.published.cassettes import Recorded
from tools.published.errors import BadPins, Underivable
from tools.published.fetch import cached
from tools.published.pins import Pin, pin
from tools.published.recordings import Exchange

FILE = Path(__file__).with_name("derivations.toml")
_KEYS = frozenset({"scenario", "mode", "pin", "file", "index", "host", "matched", "seed", "why"})


@dataclass(frozen=True, slots=True)
class Derivation:
    """One cell and the exchange that it follows.

    Attributes:
        host: whose host answered, where it is not the vendor's own.
        matched: our matched stop string, where it is of another length than the recorded one.
        seed: the id whose words are used, where that is another scenario's.
        why: what is odd about the row, for who reads it.
    """

    scenario: Scenario
    mode: Mode
    pin: Pin
    file: str
    index: int
    host: str | None = None
    matched: str | None = None
    seed: str | None = None
    why: str = ""

    @property
    def cell(self) -> str:
        """`<scenario id>:<mode>`."""
        return f"{self.scenario.id}:{self.mode}"

    @property
    def source(self) -> str:
        """What the manifest says of the cell."""
        return f"{self.pin} {self.file}#{self.index}"


def rows(patterns: Sequence[str] = (), path: Path = FILE) -> list[Derivation]:
    """The derivations, all or those whose scenario or cell matches a pattern.

    Raises:
        BadPins: the file is not of its form, names a cell twice, or no row matches.
        ScenarioNotFound: it names a scenario that is not defined.
    """
    catalogue()  # built here, so that what is wrong with it is not blamed on the file
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))["cell"]
        every = [_row(row) for row in table]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        mend = "each [[cell]] has scenario, mode, pin, file, index"
        raise BadPins(f"cannot read {path.name}: {error!r}", mend) from error
    cells = [row.cell for row in every]
    if twice := sorted({cell for cell in cells if cells.count(cell) > 1}):
        raise BadPins(f"{path.name} names a cell twice: {', '.join(twice)}", "keep one row")
    for pattern in patterns:
        if not any(_matches(row, pattern) for row in every):
            raise BadPins(f"no row of {path.name} matches {pattern!r}", "add one, or see the file for those there are")
    return [row for row in every if not patterns or any(_matches(row, pattern) for pattern in patterns)]


def _row(row: Mapping[str, Any]) -> Derivation:
    if unknown := set(row) - _KEYS:
        raise ValueError(f"unknown keys {sorted(unknown)}")
    one, mode = scenario(row["scenario"]), Mode(row["mode"])
    if mode not in one.modes:
        raise ValueError(f"{one.id} has no mode {mode}")
    return Derivation(
        one,
        mode,
        pin(row["pin"]),
        row["file"],
        int(row["index"]),
        row.get("host"),
        row.get("matched"),
        row.get("seed"),
        row.get("why", ""),
    )


def _matches(row: Derivation, pattern: str) -> bool:
    return fnmatch(row.cell, pattern) or fnmatch(row.scenario.id, pattern)


def exchanges(wanted: Sequence[Derivation]) -> Iterator[tuple[Derivation, Exchange]]:
    """Each derivation with its exchange; every archive is read once.

    Raises:
        BadPins: no exchange lies there.
        Underivable: what lies there is no believable call of the scenario's API.
    """
    by_pin: defaultdict[Pin, list[Derivation]] = defaultdict(list)
    for row in wanted:
        by_pin[row.pin].append(row)
    for one, of_pin in by_pin.items():
        found: dict[tuple[str, int], Recorded] = {}
        files = {row.file for row in of_pin}
        for member in archive.members(cached(one), files.__contains__):
            items = cassettes.read(str(one), member.name, member.data)
            found |= {(item.file, item.index): item for item in items if isinstance(item, Recorded)}
        for row in of_pin:
            recorded = found.get((row.file, row.index))
            if recorded is None:
                raise BadPins(f"{row.cell}: no exchange at {row.source}", "see python -m tools.published list")
            yield row, _believed(row, recorded)


def _believed(row: Derivation, recorded: Recorded) -> Exchange:
    kind = classify.classify(recorded)
    if kind is None or kind.protocol != row.scenario.api or (None if kind.api else kind.vendor) != row.host:
        raise Underivable(f"{row.cell}: {row.source} speaks {kind}", "choose another exchange, or name its host")
    if rule := believe.judge([(recorded, kind)]).get(recorded.place):
        raise Underivable(f"{row.cell}: {row.source} is no recording: {rule}", "choose another exchange")
    mode = classify.mode_of(recorded)
    if recorded.status < 400 and mode is not row.mode:
        raise Underivable(f"{row.cell}: {row.source} is {mode}", "choose another exchange")
    if recorded.form == "parsed":
        raise Underivable(f"{row.cell}: {row.source} was re-serialised: its bytes are not the wire's", "choose another")
    return Exchange(kind, mode, recorded, believe.verified(recorded, kind))

"""How a scenario's behaviour is brought about in a live model, or why it cannot be. The rows: provocations.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from conformance.scenarios import Scenario, catalogue
from conformance.scenarios.premises import TextIs
from conformance.vocabulary import Standing
from tools.record.errors import BadTable

TABLE = Path(__file__).with_name("provocations.toml")
_MOST_TRIES = 10


@dataclass(frozen=True, slots=True)
class Provocation:
    """One row.

    Attributes:
        patterns: scenario ids, `*` for any characters.
        how: why the request is expected to show the behaviour.
        tries: how often each mode is asked.
        prompt, model: sent in the place of the scenario's own.
        wrong_key: a key that is none is sent.
    """

    patterns: tuple[str, ...]
    how: str
    tries: int
    prompt: str | None = None
    model: str | None = None
    wrong_key: bool = False

    def names(self, scenario_id: str) -> bool:
        """Whether the row is about a scenario."""
        return _matches(scenario_id, self.patterns)


@dataclass(frozen=True, slots=True)
class Never:
    """Scenarios that cannot be provoked, and why."""

    patterns: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Table:
    """All rows."""

    provoke: tuple[Provocation, ...]
    never: tuple[Never, ...]


def provocation(scenario: Scenario) -> Provocation | str:
    """How a scenario is provoked; where it cannot be, the reason in words.

    Raises:
        BadTable: the table cannot be read.
    """
    if why := _hopeless(scenario):
        return why
    table = read()
    for row in table.provoke:
        if row.names(scenario.id):
            return row
    if scenario.standing is Standing.PERMITTED:
        return "only a standard permits this wire; no vendor has been seen to send it"
    return next(
        (row.why for row in table.never if _matches(scenario.id, row.patterns)),
        "nobody has said how: add a row to tools/record/provocations.toml",
    )


def _hopeless(scenario: Scenario) -> str | None:
    """Why no request can bring this about, read off the definition."""
    if scenario.fault or scenario.framing or scenario.packing or scenario.wire.redirects:
        return "it is done to the bytes on delivery, by the suite"
    if scenario.wire.before:
        return "it takes a failure of the provider first"
    if any(isinstance(premise, TextIs) and premise.text for premise in scenario.premise):
        return "its premise is an exact wording, to which no model can be held"
    return None


def _matches(scenario_id: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(scenario_id, pattern) for pattern in patterns)


@cache
def read(path: Path = TABLE) -> Table:
    """The rows of a table.

    Raises:
        BadTable: it cannot be read, a row has another form, or a pattern matches no scenario.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if set(data) - {"provoke", "never"}:
            raise ValueError(f"unknown tables {sorted(set(data) - {'provoke', 'never'})}")
        table = Table(
            tuple(map(_row, data.get("provoke", []))), tuple(Never(**_of_never(each)) for each in data["never"])
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadTable(f"cannot read {path.name}: {error}", "its head says what a row holds") from error
    patterns = [*(row.patterns for row in table.provoke), *(row.patterns for row in table.never)]
    idle = [
        pattern for each in patterns for pattern in each if not any(fnmatchcase(id_, pattern) for id_ in catalogue())
    ]
    if idle:
        raise BadTable(f"{path.name}: no scenario is like {', '.join(idle)}", "mend the pattern, or take it out")
    return table


def _row(row: dict[str, Any]) -> Provocation:
    known = {"scenarios", "how", "tries", "prompt", "model", "key"}
    if set(row) - known:
        raise ValueError(f"unknown keys {sorted(set(row) - known)}")
    if not 1 <= row["tries"] <= _MOST_TRIES:
        raise ValueError(f"tries = {row['tries']}: from 1 to {_MOST_TRIES}")
    if row.get("key", "wrong") != "wrong":
        raise ValueError('key can only be "wrong"')
    return Provocation(
        tuple(row["scenarios"]), row["how"], row["tries"], row.get("prompt"), row.get("model"), "key" in row
    )


def _of_never(row: dict[str, Any]) -> dict[str, Any]:
    if set(row) != {"scenarios", "why"}:
        raise ValueError(f"a row of [[never]] has scenarios and why, not {sorted(row)}")
    return {"patterns": tuple(row["scenarios"]), "why": row["why"]}

"""Known failures: what an adapter's authors have listed, each with a reason. Matched by finding; strict both ways."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from conformance.checks import RULES, Finding
from conformance.errors import BadKnownFailures
from conformance.scenarios import catalogue

_KEYS = {"cells", "check", "reason", "link", "expect"}
_REQUIRED = {"cells", "check", "reason"}


@dataclass(frozen=True, slots=True)
class Known:
    """One entry.

    Attributes:
        cells: ids or patterns, `<api>/<scenario>` for both modes or `<api>/<scenario>:<mode>`.
        check: the rule that fails.
        reason: why it is known.
        link: where it is tracked, or "".
        expect: text that the finding must contain, or "": a failure for another reason is a failure.
    """

    cells: tuple[str, ...]
    check: str
    reason: str
    link: str = ""
    expect: str = ""

    def covers(self, cell: str) -> bool:
        """Whether the entry names this cell (`<id>:<mode>`)."""
        scenario, _, _ = cell.rpartition(":")
        return any(fnmatchcase(cell, pattern) or fnmatchcase(scenario, pattern) for pattern in self.cells)

    def explains(self, finding: Finding) -> bool:
        """Whether the finding is the one that is listed."""
        return finding.check == self.check and self.expect in f"{finding.problem} {finding.expected} {finding.observed}"


def load(path: Path) -> tuple[Known, ...]:
    """Read a file of `[[known]]` tables.

    Raises:
        BadKnownFailures: it cannot be read, is not of the form, or an entry matches no cell of the corpus.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadKnownFailures(f"cannot read {path}: {error}", "check the path given to --known-failures") from error
    except tomllib.TOMLDecodeError as error:
        raise BadKnownFailures(f"{path} is not TOML: {error}", "each entry is a [[known]] table") from error
    if unknown := set(data) - {"known"}:
        raise BadKnownFailures(f"{path}: unknown table {sorted(unknown)[0]!r}", "each entry is a [[known]] table")
    entries = data.get("known", [])
    if not isinstance(entries, list) or not all(isinstance(item, dict) for item in entries):
        raise BadKnownFailures(f"{path}: `known` is no list of tables", "each entry is a [[known]] table")
    return tuple(_entry(path, number, item) for number, item in enumerate(entries, 1))


def _entry(path: Path, number: int, item: Mapping[str, Any]) -> Known:
    where = f"{path}, entry {number}"
    if missing := _REQUIRED - set(item):
        raise BadKnownFailures(f"{where} lacks {', '.join(sorted(missing))}", "an entry has cells, check and reason")
    if unknown := set(item) - _KEYS:
        raise BadKnownFailures(f"{where}: unknown key {sorted(unknown)[0]!r}", f"keys are {', '.join(sorted(_KEYS))}")
    for key in _KEYS - {"cells"}:
        if not isinstance(item.get(key, ""), str):
            raise BadKnownFailures(f"{where}: {key} is no text: {item[key]!r}", "put it in quotes")
    if item["check"] not in RULES:
        raise BadKnownFailures(f"{where}: no check {item['check']!r}", f"checks are {', '.join(RULES)}")
    cells = _cells(where, item["cells"])
    known = Known(cells, item["check"], str(item["reason"]), str(item.get("link", "")), str(item.get("expect", "")))
    if not known.reason.strip():
        raise BadKnownFailures(f"{where} has an empty reason", "say why the failure is known")
    every = [f"{id_}:{mode}" for id_, scenario in catalogue().items() for mode in scenario.modes]
    for pattern in cells:
        if not any(Known((pattern,), known.check, "").covers(cell) for cell in every):
            raise BadKnownFailures(f"{where}: {pattern!r} matches no cell of the corpus", "see the catalogue for ids")
    return known


def _cells(where: str, value: Any) -> tuple[str, ...]:
    cells = [value] if isinstance(value, str) else value
    if not isinstance(cells, list) or not cells or not all(isinstance(cell, str) for cell in cells):
        raise BadKnownFailures(f"{where}: cells names no cell: {value!r}", "one id or pattern, or a list of them")
    return tuple(cells)


def matching(entries: Iterable[Known], cell: str) -> list[Known]:
    """The entries that name a cell."""
    return [entry for entry in entries if entry.covers(cell)]

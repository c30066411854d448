"""Reads and checks a known-failures file: each kind of bad entry is one error that names file, line and mend."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from conformance.checks import RULES
from conformance.errors import BadKnownFailures
from conformance.known_failures.entries import Known, covers, is_pattern
from conformance.known_failures.places import Places, syntax_error
from conformance.scenarios import catalogue

MAX_CELLS = 20
"""So many cells one pattern may cover: a wider one would hide what breaks next."""

_KEYS = ("cells", "check", "reason", "link", "expect")
_REQUIRED = ("cells", "check", "reason")
_FORM = "each entry is a [[known]] table"


@cache
def corpus_cells() -> tuple[str, ...]:
    """Every cell of the corpus, `<id>:<mode>`."""
    return tuple(f"{id_}:{mode}" for id_, scenario in catalogue().items() for mode in scenario.modes)


def load(path: Path, cells: Collection[str] | None = None, checks: Collection[str] = RULES) -> tuple[Known, ...]:
    """Read a file of `[[known]]` tables.

    Args:
        path: the file.
        cells: what an entry may name; the cells of the corpus where None.
        checks: ids of the rules.

    Raises:
        BadKnownFailures: it cannot be read, is not of the form, or an entry matches no cell, or too many.
    """
    data = b""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise BadKnownFailures(f"cannot read {path}: {error}", "check the path given to --known-failures") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadKnownFailures(f"{path}:{line}: cannot read it as UTF-8: {error.reason}", "save it as UTF-8") from error
    return parse(text, path, cells, checks)


def parse(
    text: str, path: Path, cells: Collection[str] | None = None, checks: Collection[str] = RULES
) -> tuple[Known, ...]:
    """`load` for a text that was read already; `path` is for messages.

    Raises:
        BadKnownFailures: as for `load`.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, why = syntax_error(error, text)
        raise BadKnownFailures(f"{path}:{line}: not TOML: {why}", _FORM) from error
    places = Places(text)
    if unknown := [name for name in data if name != "known"]:
        raise BadKnownFailures(f"{path}:{places.table(unknown[0])}: unknown table {unknown[0]!r}", _FORM)
    items = data.get("known", [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise BadKnownFailures(f"{path}:{places.table('known')}: `known` is no list of tables", _FORM)
    reader = _Reader(path, places, corpus_cells() if cells is None else cells, checks)
    entries = tuple(reader.entry(number, item) for number, item in enumerate(items, 1))
    reader.refuse_repeated(entries)
    return entries


def unspoken(entries: Iterable[Known], apis: Collection[str]) -> Known | None:
    """An entry that names no cell of these APIs, so that it could never show; None where there is none."""
    spoken = [cell for cell in corpus_cells() if cell.partition("/")[0] in apis]
    return next((entry for entry in entries if not any(map(entry.covers, spoken))), None)


class _Reader:
    def __init__(self, path: Path, places: Places, cells: Collection[str], checks: Collection[str]) -> None:
        self._path = path
        self._places = places
        self._cells = cells
        self._checks = checks

    def entry(self, number: int, item: Mapping[str, Any]) -> Known:
        """One table as an entry."""
        if missing := [key for key in _REQUIRED if key not in item]:
            raise self._error(number, "", f"lacks {', '.join(missing)}", "an entry has cells, check and reason")
        if unknown := [key for key in item if key not in _KEYS]:
            raise self._error(number, unknown[0], f"has an unknown key {unknown[0]!r}", f"keys are {', '.join(_KEYS)}")
        for key in _KEYS[1:]:
            value = item.get(key)
            if value is not None and not isinstance(value, str):
                raise self._error(number, key, f"has a {key} that is no text: {value!r}", "put it in quotes")
            if value is not None and not value.strip():
                mend = "say why the failure is known" if key == "reason" else f"leave {key} out, or fill it in"
                raise self._error(number, key, f"has an empty {key}", mend)
        if item["check"] not in self._checks:
            mend = f"checks are {', '.join(self._checks)}"
            raise self._error(number, "check", f"names no check {item['check']!r}", mend)
        cells = self._named(number, item["cells"])
        return Known(cells, item["check"], item["reason"], item.get("link", ""), item.get("expect", ""))

    def refuse_repeated(self, entries: tuple[Known, ...]) -> None:
        """Of two entries for the same finding the second could never show."""
        seen: dict[tuple[str, str, str], int] = {}
        for number, entry in enumerate(entries, 1):
            for cell in filter(entry.covers, self._cells):
                first = seen.setdefault((cell, entry.check, entry.expect), number)
                if first != number:
                    line = self._places.entry(first)
                    what = f"lists {entry.check} for {cell}, which entry {first} on line {line} lists already"
                    raise self._error(number, "cells", what, "take one of the two out, or give each its own `expect`")

    def _named(self, number: int, value: Any) -> tuple[str, ...]:
        cells = [value] if isinstance(value, str) else value
        if not isinstance(cells, list) or not cells or not all(isinstance(cell, str) for cell in cells):
            raise self._error(
                number, "cells", f"has cells that name no cell: {value!r}", "one id or pattern, or a list of them"
            )
        for pattern in cells:
            covered = sum(covers(pattern, cell) for cell in self._cells)
            if not covered:
                raise self._error(
                    number,
                    "cells",
                    f"names {pattern!r}, which matches no cell",
                    "docs/catalogue.md has the ids",
                    pattern,
                )
            if covered > MAX_CELLS and is_pattern(pattern):
                raise self._error(
                    number,
                    "cells",
                    f"has the pattern {pattern!r}, which covers {covered} cells; at most {MAX_CELLS} are allowed",
                    "a wide pattern hides what breaks next: list the ids, or split it by theme",
                    pattern,
                )
        return tuple(cells)

    def _error(self, number: int, key: str, problem: str, mend: str, value: str | None = None) -> BadKnownFailures:
        line = self._places.key(number, key, value) if key else self._places.entry(number)
        return BadKnownFailures(f"{self._path}:{line}: entry {number} {problem}", mend)

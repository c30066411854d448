"""What differs between two recordings, or between a recording and the shape inventory, by meaning. Reads no file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tools.drift.drifts import Drift
from tools.drift.features import Features

_RESIZED = 2.0
"""Chunks are told as changed where their median size changed by more than this factor: less is the network's."""

Said = Iterator[tuple[str, str, str, str]]
"""Drifts without their cell: kind, where, member, note."""


def between(cell: str, old: Features, new: Features) -> list[Drift]:
    """What of a cell is new, gone or changed."""
    found = [
        *_statuses(old, new),
        *_sets("header", old.headers, new.headers),
        *_one("content-type", old.content_type, new.content_type),
        *_one("event order", old.events, new.events),
        *_fields(old.types, new.types),
        *_values(old, new),
        *_chunks(old, new),
    ]
    return [Drift(kind, cell, where, member, "", note) for kind, where, member, note in found]


def snapshot_changes(old: Features, new: Features) -> list[str]:
    """What a right reader reads otherwise: `stop: complete -> blocked`; wording, ids and counts aside."""
    return [
        f"{name}: {value} -> {new.meaning[name]}" for name, value in old.meaning.items() if value != new.meaning[name]
    ]


def _statuses(old: Features, new: Features) -> Said:
    if old.statuses != new.statuses:
        told = [", ".join(map(str, statuses)) for statuses in (old.statuses, new.statuses)]
        yield "changed", "HTTP status", told[1], f"was {told[0]}"


def _sets(where: str, old: frozenset[str], new: frozenset[str]) -> Said:
    yield from (("new", where, name, "") for name in sorted(new - old))
    yield from (("gone", where, name, "") for name in sorted(old - new))


def _one(where: str, old: str, new: str) -> Said:
    if old != new:
        yield "changed", where, new or "none", f"was {old or 'none'}"


def _fields(old: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]]) -> Said:
    # What lies below a field that is new or gone as a whole is not told again.
    for path in _tops(new.keys() - old.keys()):
        yield "new", "field", path, ""
    for path in _tops(old.keys() - new.keys()):
        yield "gone", "field", path, ""
    for path in sorted(old.keys() & new.keys()):
        if old[path] != new[path]:
            yield "changed", "field", path, f"was {_joined(old[path])}, is {_joined(new[path])}"


def _tops(paths: set[str]) -> list[str]:
    return [path for path in sorted(paths) if not any(_below(path, other) for other in paths)]


def _below(path: str, other: str) -> bool:
    return path != other and path.startswith(other) and path[len(other)] in ".[<"


def _joined(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))


def _values(old: Features, new: Features) -> Said:
    for path in sorted(old.values.keys() & new.values.keys()):
        yield from (("new", f"value of {path}", value, "") for value in sorted(new.values[path] - old.values[path]))
        yield from (("gone", f"value of {path}", value, "") for value in sorted(old.values[path] - new.values[path]))


def _chunks(old: Features, new: Features) -> Said:
    if old.pieces is None or new.pieces is None:
        return
    if old.pieces != new.pieces:
        yield "changed", "chunks", new.pieces, f"was {old.pieces}"
    elif old.size and new.size and not 1 / _RESIZED <= new.size / old.size <= _RESIZED:
        yield "changed", "chunks", f"{new.size:.0f} bytes in the median", f"was {old.size:.0f}"

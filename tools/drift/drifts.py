"""One thing that changed, and many of them as a table or as JSON. Finds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Drift(NamedTuple):
    """One thing that changed.

    Attributes:
        kind: `new`, `gone` or `changed`; `stale` for a decision of ours that nothing needs any more.
        subject: whose it is: `package==version`, or a cell.
        where: what it is a member of.
        member: the member.
        place: where it stands, or "".
        note: what it is held against, or how it changed.
    """

    kind: str
    subject: str
    where: str
    member: str
    place: str
    note: str


_COLUMNS = ("kind", "subject", "where", "member", "place")
_WIDEST = 60


def table(drifts: Sequence[Drift]) -> list[str]:
    """One line each, the note below where there is one that the line before does not have."""
    widths = [min(_WIDEST, max((len(getattr(one, name)) for one in drifts), default=0)) for name in _COLUMNS]
    lines = []
    last = ""
    for one in drifts:
        cells = [getattr(one, name) for name in _COLUMNS]
        lines.append("  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip())
        if one.note and one.note != last:
            lines.append(f"         {one.note}")
        last = one.note
    return lines

"""Drift without keys: what an SDK's types say, held against this project's tables or against another version.

Against the tables: a member that no table and no decision knows is new; one of a table that the SDK does not say, and
that nobody decided to be right so, is gone. Between versions: what the later has and the earlier has not, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tools.drift.drifts import Drift
from tools.drift.members import Said, said
from tools.drift.places import Decided, Place
from tools.drift.tables import known
from tools.drift.wheels import Wheel

_NONE: frozenset[str] = frozenset()


def against_tables(wheel: Wheel, places: Sequence[Place], decisions: Sequence[Decided], *, newest: bool) -> list[Drift]:
    """What of a wheel this project does not know, and the other way round.

    Args:
        wheel: the SDK.
        places: where to look.
        decisions: what somebody has looked at.
        newest: the wheel is the newest, so that a decision that it does not need is stale.

    Raises:
        BadWheel: the wheel cannot be read.
        BadPlaces: a table is named that is none.
    """
    found: list[Drift] = []
    for place in places:
        if place.package == wheel.package:
            mine = [row for row in decisions if row.is_at(place)]
            found += _at(wheel, place, mine, newest=newest)
    return found


def _at(wheel: Wheel, place: Place, decisions: Sequence[Decided], *, newest: bool) -> Iterator[Drift]:
    told, table = said(wheel, place), known(place.api, place.table)
    members = _NONE.union(*(row.members for row in decisions))
    absent = _NONE.union(*(row.absent for row in decisions))
    drift = _Maker(wheel, place)
    yield from drift.missing(told)
    for name, member in told.members.items():
        if name not in table and name not in members:
            yield drift("new", name, member.spot, f"the table {place.table} of {place.api} does not know it")
        elif name not in members and (other := _recorded_otherwise(table.get(name, _NONE), member.kinds)):
            says = f"recorded as {', '.join(sorted(other))}; the SDK says {member.written}"
            yield drift("changed", name, member.spot, says)
    for name in sorted(set(table) - set(told.members) - absent):
        if told.members and not place.partial:
            yield drift("gone", name, "", f"the table {place.table} of {place.api} has it, the SDK does not")
    if newest:
        idle = (members - set(told.members)) | (absent - set(table)) | (absent & set(told.members))
        idle |= {
            name
            for name in members & set(table) & set(told.members)
            if not _recorded_otherwise(table[name], told.members[name].kinds)
        }
        yield from (
            drift("stale", name, "", "listed in decided.toml, and no longer so: take it out") for name in sorted(idle)
        )


def _recorded_otherwise(recorded: frozenset[str], said_to_be: frozenset[str]) -> frozenset[str]:
    """JSON types that were recorded and that the SDK does not allow. `opaque` is an object or an array."""
    return recorded - said_to_be - {"opaque"} if said_to_be else _NONE


def between(wheels: Sequence[Wheel], places: Sequence[Place]) -> list[Drift]:
    """What came, went and changed from each version of one package to the next.

    Raises:
        BadWheel: a wheel cannot be read.
    """
    found: list[Drift] = []
    for earlier, later in pairwise(wheels):
        for place in places:
            if place.package == later.package:
                found += _step(earlier, later, place)
    return found


def _step(earlier: Wheel, later: Wheel, place: Place) -> Iterator[Drift]:
    was, is_ = said(earlier, place), said(later, place)
    drift = _Maker(later, place)
    since = f"not in {earlier}"
    for name, member in is_.members.items():
        if name not in was.members:
            yield drift("new", name, member.spot, since)
        elif was.members[name].kinds != member.kinds and was.members[name].kinds and member.kinds:
            yield drift("changed", name, member.spot, f"{was.members[name].written} in {earlier}, now {member.written}")
    for name in sorted(set(was.members) - set(is_.members)):
        yield drift("gone", name, was.members[name].spot, f"still in {earlier}, where it stood here")
    if was.members and not is_.members:
        yield from drift.missing(is_)


class _Maker:
    """Makes the drifts of one wheel at one place."""

    def __init__(self, wheel: Wheel, place: Place) -> None:
        self._subject = str(wheel)
        self._where = f"{place.api}: {place.what}"

    def __call__(self, kind: str, member: str, place: str, note: str) -> Drift:
        return Drift(kind, self._subject, self._where, member, place, note)

    def missing(self, told: Said) -> Iterator[Drift]:
        """The references that lead to nothing any more."""
        note = "the SDK has no such type: it moved, or is gone; correct tools/drift/places.toml"
        yield from (self("gone", "(the type)", reference, note) for reference in told.missing)

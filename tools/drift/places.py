"""Reads places.toml and decided.toml: where SDKs say what is sent, and what somebody has looked at. No SDK is read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.vocabulary import Api
from tools.drift.errors import BadPlaces

PLACES = Path(__file__).with_name("places.toml")
DECIDED = Path(__file__).with_name("decided.toml")
KINDS = ("values", "tags", "keys", "fields")


@dataclass(frozen=True, slots=True)
class Place:
    """One thing that an SDK says, and the table that it is held against. Attributes: the head of places.toml."""

    package: str
    api: Api
    what: str
    kind: str
    at: tuple[str, ...]
    table: str
    partial: bool = False
    camel: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """Members at one place that somebody has looked at.

    Attributes:
        package, api, what: the place.
        members: what the SDK has and no table needs.
        absent: what the table has and the SDK does not say.
        why: the reason.
    """

    package: str
    api: Api
    what: str
    members: frozenset[str]
    absent: frozenset[str]
    why: str

    def is_at(self, place: Place) -> bool:
        """Whether it speaks of this place."""
        return (self.package, self.api, self.what) == (place.package, place.api, place.what)


def places(path: Path = PLACES) -> tuple[Place, ...]:
    """Every place.

    Raises:
        BadPlaces: the file is not of its form.
    """
    try:
        found = tuple(Place(**{**row, "api": Api(row["api"]), "at": tuple(row["at"])}) for row in _rows(path, "place"))
    except (KeyError, TypeError, ValueError) as error:
        raise BadPlaces(f"cannot read {path.name}: {error!r}", "its head says what a [[place]] has") from error
    if bad := [place for place in found if place.kind not in KINDS or not place.at]:
        raise BadPlaces(f"{path.name}: {bad[0].what} of {bad[0].package} has a bad kind or no place")
    return found


def decided(path: Path = DECIDED, *, among: tuple[Place, ...] | None = None) -> tuple[Decided, ...]:
    """Every decision.

    Args:
        path: the file.
        among: the places that there are; None for those of places.toml.

    Raises:
        BadPlaces: the file is not of its form, or a row speaks of no place.
    """
    try:
        found = tuple(
            Decided(
                package=row["package"],
                api=Api(row["api"]),
                what=row["what"],
                members=frozenset(row.get("members", ())),
                absent=frozenset(row.get("absent", ())),
                why=row["why"],
            )
            for row in _rows(path, "decided")
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadPlaces(f"cannot read {path.name}: {error!r}", "a row has package, api, what, members, why") from error
    known = places() if among is None else among
    for row in found:
        if not any(row.is_at(place) for place in known) or not row.why.strip():
            raise BadPlaces(f"{path.name}: {row.what!r} of {row.package} is no place, or has no reason")
    return found


def _rows(path: Path, name: str) -> list[Mapping[str, Any]]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get(name, [])
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadPlaces(f"cannot read {path}: {error}") from error
    if not isinstance(rows, list):
        raise TypeError(f"{name} is no list of tables")
    return rows

"""What a wheel says at a place: members with where they stand and, of fields, their JSON types. Compares nothing."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from tools.drift.errors import BadWheel
from tools.drift.modules import Modules
from tools.drift.places import Place
from tools.drift.types import ANY, Types
from tools.drift.wheels import MEMBER_LIMIT, Wheel


class Member(NamedTuple):
    """One member at a place.

    Attributes:
        spot: where it stands, `file:line`; of a service model the name of the shape.
        kinds: JSON types of a field; empty of what is no field, or where the source leaves it open.
        written: a field's type as written.
    """

    spot: str
    kinds: frozenset[str] = frozenset()
    written: str = ""


class Said(NamedTuple):
    """What a wheel says at a place: the members, and which of the place's references it does not have."""

    members: dict[str, Member]
    missing: tuple[str, ...]


def said(wheel: Wheel, place: Place) -> Said:
    """Read a place.

    Raises:
        BadWheel: the wheel cannot be read, or its source is no Python.
    """
    found: dict[str, Member] = {}
    missing = []
    for reference in place.at:
        some = _of_model(wheel, reference) if ".json" in reference else _of_types(types_of(wheel), reference, place)
        if some is None:
            missing.append(reference)
        for name, member in (some or {}).items():
            first = found.get(name)
            found[name] = first._replace(kinds=_joined(first.kinds, member.kinds)) if first else member
    return Said(found, tuple(missing))


@cache
def types_of(wheel: Wheel) -> Types:
    """The types of a wheel."""
    return Types(Modules(wheel.files, wheel.read))


def _joined(one: frozenset[str], two: frozenset[str]) -> frozenset[str]:
    return one | two if one and two else frozenset()  # what one of them leaves open is open


def _of_types(types: Types, reference: str, place: Place) -> dict[str, Member] | None:
    found = types.at(reference)
    if not found:
        return None
    if place.kind in ("fields", "keys"):
        fields = types.fields(found)
        named = {_camel(name) if place.camel else name: field for name, field in fields.items()}
        return {
            name: Member(str(field.spot), frozenset() if ANY in field.kinds else field.kinds, field.written)
            for name, field in named.items()
        }
    spots = types.values(found) if place.kind == "values" else types.tags(found)
    return {name: Member(str(spot)) for name, spot in spots.items()}


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def _of_model(wheel: Wheel, reference: str) -> dict[str, Member] | None:
    """Of a service model of botocore: the values of an enumeration, or the members of a structure."""
    file, _, shape = reference.partition(":")
    shapes = _shapes(wheel, file)
    if shapes is None or shape not in shapes:
        return None
    names: Iterable[str] = shapes[shape].get("enum") or shapes[shape].get("members") or ()
    return {name: Member(f"{file} shape {shape}") for name in names}


@cache
def _shapes(wheel: Wheel, file: str) -> Any:
    if file not in wheel.files:
        return None
    try:
        data = wheel.read(file)
        plain = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, MEMBER_LIMIT) if file.endswith(".gz") else data
        return json.loads(plain)["shapes"]
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise BadWheel(f"{file} in {wheel} is no service model: {error!r}") from error

"""What a derived body must have in common with the recorded one, and what it must not. Prints no recorded word.

The structure of a body is a list of places: every token of every document, and every byte between
documents. What may differ is told by its form only, so two bodies agree where their lists are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from conformance.vocabulary import Api
from tools.published import minting, roles
from tools.published.body import Leaf, Segment, groups, leaves, segments
from tools.published.derive import recorded_words
from tools.published.jsontext import Form, Path, tokens, units
from tools.published.reword import shape, shapes
from tools.published.roles import Role

_SHORT = 6
"""Ids and header values below this length may coincide."""


class Spot(NamedTuple):
    """One place of a body: where it is, and what both bodies must show there."""

    where: str
    what: str


def structure(api: Api, body: bytes, *, streamed: bool, matched_may_differ: bool = False) -> list[Spot]:
    """Every place of a body in order.

    Raises:
        Underivable: the body cannot be read, or nobody has decided what something in it is.
    """
    parts = segments(body, streamed=streamed)
    found = leaves(api, parts)
    by_start = {(leaf.segment, leaf.token.start): _form(leaf, matched_may_differ) for leaf in found}
    by_start |= _texts(found)
    spots: list[Spot] = []
    frame = 0
    for index, part in enumerate(parts):
        frame += part.document is not None
        name = f"frame {frame} " if streamed else ""
        if part.document is None:
            spots.append(Spot(f"{name}between documents".strip(), repr(part.text)))
        else:
            spots += _document(index, part, name, by_start)
    return spots


def difference(recorded: list[Spot], ours: list[Spot]) -> str | None:
    """The first place where two structures differ, in words; None where they are equal."""
    for one, two in zip_longest(recorded, ours):
        if one != two:
            where = (one or two).where
            return f"{where}: recorded {_told(one, where)}, ours {_told(two, where)}"
    return None


def survivors(api: Api, recorded: bytes, ours: bytes, *, streamed: bool) -> list[str]:
    """What of the recording stands in our body: long words, ids, secrets, times. By kind and place, not by value."""
    theirs, own = (segments(body, streamed=streamed) for body in (recorded, ours))
    their_leaves, our_leaves = leaves(api, theirs), leaves(api, own)
    told: list[str] = []
    words = recorded_words(theirs, their_leaves) & recorded_words(own, our_leaves)
    if words:
        told.append(f"{len(words)} recorded words of five letters or more")
    for role in (Role.ID, Role.SECRET, Role.TIME):
        known = {leaf.value for leaf in their_leaves if leaf.place.role is role and len(leaf.value) >= _SHORT}
        told += [
            f"a recorded {role.name.lower()} at {roles.dotted(leaf.path)}"
            for leaf in our_leaves
            if leaf.place.role is role and leaf.value in known
        ]
    return told


def _told(spot: Spot | None, where: str) -> str:
    if spot is None:
        return "has ended"
    return spot.what if spot.where == where else f"has {spot.where}"


def _document(index: int, part: Segment, name: str, forms: dict[tuple[int, int], str]) -> Iterator[Spot]:
    at = 0
    for token in tokens(part.text):
        where = name + _anonymous(token.path)
        if token.start > at:
            yield Spot(where, f"white space {part.text[at : token.start]!r}")
        at = token.end
        literal = part.text[token.start : token.end]
        if token.form is Form.KEY and roles.key_is_a_name(token.path):
            yield Spot(where, f"a name of {len(literal) - 2} characters")
        else:
            yield Spot(where, f"{token.form} {forms.get((index, token.start), literal)}")
    if at < len(part.text):
        yield Spot(f"{name}end", f"white space {part.text[at:]!r}")


@cache
def _anonymous(path: Path) -> str:
    """Where a value stands, the names of arguments left out: they differ."""
    steps = [
        "*" if isinstance(step, str) and roles.key_is_a_name(path[: place + 1]) else step
        for place, step in enumerate(path)
    ]
    return roles.dotted(tuple(steps))


def _form(leaf: Leaf, matched_may_differ: bool) -> str:
    """What both bodies must show in the place of a leaf that is no piece of a text."""
    match leaf.place.role:
        case Role.FACT:
            return leaf.literal
        case Role.ID:
            return f"id {minting.prefix_of(leaf.value)!r} of {len(leaf.literal)} characters"
        case Role.SECRET:
            padding = len(leaf.value) - len(leaf.value.rstrip("="))
            return f"secret of {len(leaf.literal)} characters, {padding} of them padding"
        case Role.TIME | Role.OPAQUE:
            return f"of form {shape(leaf.literal)!r}"
        case Role.MATCHED if matched_may_differ:
            return "stop string"
        case _:
            return f"name of {len(leaf.literal)} characters"


def _texts(found: list[Leaf]) -> dict[tuple[int, int], str]:
    """The same of every piece of a text: its part of the shape of the whole."""
    forms: dict[tuple[int, int], str] = {}
    for pieces in groups(found).values():
        text = "".join(leaf.value for leaf in pieces)
        kept = _json_shapes(text) if pieces[0].place.role is Role.ARGUMENTS else shapes(text)
        at = 0
        for leaf in pieces:
            piece = "".join(kept[at : at + len(leaf.value)])
            forms[leaf.segment, leaf.token.start] = f"of shape {piece!r}{_escapes(leaf)}"
            at += len(leaf.value)
    return forms


def _json_shapes(text: str) -> list[str]:
    """The shape of JSON text: literals as they are, of a key the length alone, for ours is another name."""
    kept = shapes(text)
    for token in tokens(text):
        if token.form is Form.LITERAL:
            kept[token.start : token.end] = text[token.start : token.end]
        elif token.form is Form.KEY and text[token.end - 1] == '"':
            kept[token.start + 1 : token.end - 1] = "k" * (token.end - token.start - 2)
    return kept


def _escapes(leaf: Leaf) -> str:
    """Which characters are escaped and in how many bytes, where any is."""
    if leaf.token.form is not Form.STRING or "\\" not in leaf.literal:
        return ""
    lengths = [(place, len(unit)) for place, (unit, _) in enumerate(units(leaf.literal)) if len(unit) > 1]
    return f" with escapes {lengths}"

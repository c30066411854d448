"""From a recorded body to one of our own with the same structure, in memory. Reads no file, knows no scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contract import Tool
from conformance.vocabulary import Api
from tools.published import minting, roles
from tools.published.body import Leaf, Segment, groups, leaves, segments
from tools.published.errors import Underivable
from tools.published.jsontext import Form, Token, tokens, units, written
from tools.published.reword import each_long_word, redigit, reword
from tools.published.roles import Role


@dataclass(slots=True)
class Ours:
    """What stands in for what was recorded: the same original always gets the same stand-in.

    Args:
        seed: the scenario's id.
        tools: those that its request declares; their names and their arguments' names are used by length.
        matched: the stop string that the scenario says has matched.
        avoid: words that the recording uses.
    """

    seed: str
    tools: tuple[Tool, ...] = ()
    matched: str | None = None
    avoid: frozenset[str] = frozenset()
    _minted: dict[str, str] = field(default_factory=dict)
    _named: dict[tuple[str, str], str] = field(default_factory=dict)

    def text(self, recorded: str) -> str:
        """Other words."""
        return reword(recorded, self.seed, self.avoid)

    def json(self, recorded: str) -> str:
        """JSON text, cut where it was cut, with other words in its strings and other names for its keys."""
        return spliced(recorded, self._json_edits(recorded))

    def number(self, recorded: str) -> str:
        """Other digits."""
        return redigit(recorded, self.seed)

    def minted(self, recorded: str, *, secret: bool = False) -> str:
        """A fresh id or secret."""
        if recorded not in self._minted:
            make = minting.fresh_secret if secret else minting.fresh_id
            self._minted[recorded] = make(recorded, f"{self.seed}|{len(self._minted)}")
        return self._minted[recorded]

    def tool(self, recorded: str) -> str:
        """The name of a tool of the scenario's.

        Raises:
            Underivable: no declared tool has a name of this length.
        """
        return self._name("tool", recorded, [tool.name for tool in self.tools])

    def property(self, recorded: str, *, declared: bool = True) -> str:
        """The name of an argument of the scenario's tools; another word where the request need not declare it.

        Raises:
            Underivable: no declared argument has a name of this length.
        """
        if not declared:
            return self.text(recorded)
        return self._name("argument", recorded, [name for tool in self.tools for name in _properties(tool.parameters)])

    def _name(self, what: str, recorded: str, names: list[str]) -> str:
        if (what, recorded) not in self._named:
            taken = {ours for (kind, _), ours in self._named.items() if kind == what}
            free = (name for name in names if name not in taken and name != recorded and len(name) == len(recorded))
            ours = next(free, None)
            if ours is None:
                raise Underivable(
                    f"{self.seed} declares no {what} whose name has {len(recorded)} characters and is free",
                    "let the scenario's request declare one: conformance/scenarios/tools.py",
                )
            self._named[what, recorded] = ours
        return self._named[what, recorded]

    def _json_edits(self, text: str) -> Iterator[tuple[int, int, str]]:
        for token in tokens(text):
            literal = text[token.start : token.end]
            if token.form is Form.NUMBER:
                yield token.start, token.end, self.number(literal)
            elif token.form in (Form.STRING, Form.KEY):
                value = "".join(char for _, char in units(literal))
                ours = self.property(value) if token.form is Form.KEY and literal.endswith('"') else self.text(value)
                yield token.start, token.end, written(literal, ours)


def derive(api: Api, body: bytes, *, streamed: bool, ours: Ours) -> bytes:
    """The body with everything recorded exchanged and everything structural kept.

    Raises:
        Underivable: something in it is not understood, or the scenario has no name for it.
    """
    parts = segments(body, streamed=streamed)
    found = leaves(api, parts)
    ours.avoid |= recorded_words(parts, found)
    edits: list[list[tuple[int, int, str]]] = [[] for _ in parts]
    for leaf, value in _replaced(found, ours):
        edits[leaf.segment].append((leaf.token.start, leaf.token.end, value))
    for index, part in enumerate(parts):
        if part.document is not None:
            edits[index] += _keys(part, ours)
    return "".join(spliced(part.text, sorted(edit)) for part, edit in zip(parts, edits, strict=True)).encode()


def spliced(text: str, edits: Any) -> str:
    """The text with each stretch from start to end replaced; the edits are in order and do not overlap."""
    out: list[str] = []
    at = 0
    for start, end, new in edits:
        out += [text[at:start], new]
        at = end
    return "".join([*out, text[at:]])


def recorded_words(parts: list[Segment], found: list[Leaf]) -> frozenset[str]:
    """The long words of a body: of its texts, joined over their pieces, and of the names in it."""
    texts = ["".join(leaf.value for leaf in text) for text in groups(found).values()]
    texts += [leaf.value for leaf in found if leaf.place.role in (Role.NAME, Role.PROPERTY)]
    named = [(part.text, token) for part in parts if part.document is not None for token in _named_keys(part)]
    texts += [text[token.start : token.end] for text, token in named]
    return each_long_word(iter(texts))


def _named_keys(part: Segment) -> Iterator[Token]:
    """The keys of a document that are the user's own."""
    for token in tokens(part.text):
        if token.form is Form.KEY and roles.key_is_a_name(token.path):
            yield token


def _keys(part: Segment, ours: Ours) -> Iterator[tuple[int, int, str]]:
    for token in _named_keys(part):
        literal = part.text[token.start : token.end]
        value = "".join(char for _, char in units(literal))
        fresh = ours.property(value, declared=not roles.in_format(token.path))
        yield token.start, token.end, written(literal, fresh)


def _replaced(found: list[Leaf], ours: Ours) -> Iterator[tuple[Leaf, str]]:
    """Every leaf that is exchanged, with its new literal."""
    for text in groups(found).values():
        yield from _text(text, ours)
    for leaf in found:
        fresh = _fresh(leaf, ours) if leaf.value else None
        if fresh is not None:
            yield leaf, fresh


def _fresh(leaf: Leaf, ours: Ours) -> str | None:
    """The new literal of a leaf that is no piece of a text; None where it is kept."""
    match leaf.place.role:
        case Role.NAME:
            declared = not roles.in_format(leaf.path)
            return written(leaf.literal, ours.tool(leaf.value) if declared else ours.text(leaf.value))
        case Role.PROPERTY:
            return written(leaf.literal, ours.property(leaf.value, declared=not roles.in_format(leaf.path)))
        case Role.ID | Role.SECRET:
            return written(leaf.literal, ours.minted(leaf.value, secret=leaf.place.role is Role.SECRET))
        case Role.TIME:
            return minting.fresh_time(leaf.literal)
        case Role.MATCHED:
            return _matched(leaf, ours)
        case Role.OPAQUE if leaf.token.form is Form.NUMBER:
            return ours.number(leaf.literal)
        case _:
            return None


def _text(pieces: list[Leaf], ours: Ours) -> Iterator[tuple[Leaf, str]]:
    """One text, exchanged as a whole and cut again where it was cut."""
    whole = "".join(leaf.value for leaf in pieces)
    new = ours.json(whole) if pieces[0].place.role is Role.ARGUMENTS else ours.text(whole)
    at = 0
    for leaf in pieces:
        yield leaf, written(leaf.literal, new[at : at + len(leaf.value)])
        at += len(leaf.value)


def _matched(leaf: Leaf, ours: Ours) -> str:
    if ours.matched is None:
        raise Underivable(
            f"the recording of {ours.seed} names a matched stop string, the scenario does not", "choose another"
        )
    fresh = ours.matched
    return written(leaf.literal, fresh) if len(fresh) == len(leaf.value) else f'"{fresh}"'


def _properties(schema: Any) -> Iterator[str]:
    """The names of all arguments of a schema, outermost first."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            yield from properties
        for inner in schema.values():
            yield from _properties(inner)
    elif isinstance(schema, list | tuple):
        for inner in schema:
            yield from _properties(inner)

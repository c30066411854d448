"""A recorded body as segments that, joined, are its bytes: JSON documents and what lies between. Changes nothing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from conformance.vocabulary import Api
from tools.published import roles
from tools.published.errors import Underivable
from tools.published.jsontext import Form, Path, Token, tokens, units
from tools.published.roles import Place, Role

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_DATA = re.compile(r"(data:[ ]?)(\{.*\})([ ]*)(\r\n|\n|\r|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a body: a JSON document, or text that is kept as it is (field names, comments, line ends)."""

    text: str
    document: Any = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """One string or number of a body.

    Attributes:
        segment: index of its segment.
        token: where it stands in the segment's text.
        literal: as it is written.
        value: a string as it reads; a number as it is written.
    """

    segment: int
    token: Token
    literal: str
    value: str
    place: Place

    @property
    def path(self) -> Path:
        """Where it stands in its document."""
        return self.token.path


def segments(body: bytes, *, streamed: bool) -> list[Segment]:
    """The segments of a body.

    Raises:
        Underivable: it is not text, or its JSON cannot be read.
    """
    try:
        text = body.decode()
        if not streamed:
            return [Segment(text, json.loads(text))]
        found: list[Segment] = []
        for match in _LINE.finditer(text):
            line = match[0]
            data = _DATA.fullmatch(line)
            if data is None:
                found.append(Segment(line))
            else:
                found += [Segment(data[1]), Segment(data[2], json.loads(data[2])), Segment(data[3] + data[4])]
    except ValueError as error:
        raise Underivable(f"the body cannot be read: {error}", "take another exchange") from error
    return [segment for segment in found if segment.text]


def leaves(api: Api, parts: list[Segment]) -> list[Leaf]:
    """Every string and every number of a body, in order.

    Raises:
        Underivable: nobody has decided what one of them is.
    """
    found: list[Leaf] = []
    for index, part in enumerate(parts):
        if part.document is None:
            continue
        for token in tokens(part.text):
            literal = part.text[token.start : token.end]
            if token.form is Form.STRING:
                value = "".join(char for _, char in units(literal))
                place = roles.of_string(api, part.document, token.path, value, index)
                found.append(Leaf(index, token, literal, value, place))
            elif token.form is Form.NUMBER:
                found.append(Leaf(index, token, literal, literal, Place(roles.of_number(token.path))))
    return found


def groups(found: list[Leaf]) -> dict[tuple[Any, ...], list[Leaf]]:
    """The leaves of each text in order; joined, their values are the text."""
    texts: dict[tuple[Any, ...], list[Leaf]] = {}
    for leaf in found:
        if leaf.place.group is not None and leaf.place.role in (Role.WORDING, Role.ARGUMENTS, Role.OPAQUE):
            texts.setdefault(leaf.place.group, []).append(leaf)
    return texts

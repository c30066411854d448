"""A description of a reply, from which every codec can write bytes. Says what is sent, not which scenario it is for."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contract import Usage

_BASE62 = string.digits + string.ascii_letters


@dataclass(frozen=True, slots=True)
class Text:
    """Visible text, in the pieces in which a stream sends it."""

    pieces: tuple[str, ...]

    @property
    def whole(self) -> str:
        """The pieces joined."""
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Thinking(Text):
    """Reasoning text; streamed before the answer."""


@dataclass(frozen=True, slots=True)
class Refusal(Text):
    """Refusal text, where the API has a place of its own for it."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call: `pieces` joined are the JSON text of its arguments, cut where the scenario cuts it."""

    name: str
    pieces: tuple[str, ...]

    @property
    def whole(self) -> str:
        """The argument text as far as it was generated."""
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Raw:
    """A content block, output item or part that the other kinds do not cover, as the API's own JSON.

    Attributes:
        whole: the JSON in a buffered reply, and in a stream of an API that sends it in one piece.
        opened: the JSON with which a stream opens it, where that differs.
        deltas: the JSON of each delta that follows.
    """

    whole: Mapping[str, Any]
    opened: Mapping[str, Any] | None = None
    deltas: tuple[Mapping[str, Any], ...] = ()


Block = Text | Thinking | Refusal | ToolUse | Raw


@dataclass(frozen=True, slots=True)
class Draft:
    """One reply as the vendor would send it.

    Attributes:
        seed: any stable text (a scenario id): ids are minted from it, so that the same draft gives the same bytes.
        reason: the API's raw value (`incomplete/max_output_tokens` for a Responses status with its reason).
        extra: keys merged into the object that carries the reason.
    """

    seed: str
    model: str
    blocks: tuple[Block, ...]
    reason: str | int | None
    stop_sequence: str | None = None
    usage: Usage = field(default_factory=lambda: Usage(21, 19))
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def thought_tokens(self) -> int:
        """How many of the output tokens were spent on thinking: all where nothing else was said, else one a piece."""
        generated = self.usage.output_tokens or 0
        pieces = [len(block.pieces) for block in self.blocks if isinstance(block, Thinking)]
        return generated if pieces and len(pieces) == len(self.blocks) else min(sum(pieces), generated)


def mint(prefix: str, seed: str, length: int, alphabet: str = _BASE62) -> str:
    """An id of the vendor's form, the same for the same seed, that no vendor ever gave out."""
    digest = int.from_bytes(hashlib.sha256(f"{prefix}|{seed}".encode()).digest() * 2, "big")
    letters: list[str] = []
    for _ in range(length):
        digest, place = divmod(digest, len(alphabet))
        letters.append(alphabet[place])
    return prefix + "".join(letters)


HEX = "0123456789abcdef"

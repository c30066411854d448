"""The ways in which a body is cut on delivery, as a pure function. Sending the pieces, pauses and faults are not here.

TCP may cut anywhere, so a right reader gives the same reply under every member of `Chunking`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum


class Chunking(StrEnum):
    """Where a body is cut."""

    WHOLE = "whole"
    FRAME = "per-frame"
    LINE = "per-line"
    BYTE = "per-byte"
    MULTIBYTE = "inside-multibyte"
    """Inside every multi-byte UTF-8 character."""
    CRLF = "between-cr-and-lf"
    """Between every CR and its LF."""
    FRAME_PAIRS = "two-frames"
    FIELD = "inside-data-field"
    """Inside the field name of every `data:` line."""


_LINE_END = re.compile(rb"\r\n|\n|\r(?!\n)")
_FRAME_END = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2,}")
_SSE = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*(?:data|event|id|retry)?:")
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CRLF = re.compile(rb"\r\n")
_FIELD = re.compile(rb"(?:(?<=[\r\n])|\A(?:\xef\xbb\xbf)?)data:")
_FIELD_CUT = len(b"ta:")  # "da" goes out, "ta:" comes with the next chunk


def cut(body: bytes, chunking: Chunking) -> list[bytes]:
    """The pieces of a body, none of them empty: an empty HTTP chunk would end the reply."""
    return cut_at(body, _BORDERS[chunking](body))


def cut_at(body: bytes, borders: Iterable[int]) -> list[bytes]:
    """The pieces between these places, which come in order; places outside the body cut nothing."""
    pieces: list[bytes] = []
    start = 0
    for border in borders:
        if start < border < len(body):
            pieces.append(body[start:border])
            start = border
    if start < len(body):
        pieces.append(body[start:])
    return pieces


def applies(body: bytes, chunking: Chunking) -> bool:
    """Whether a chunking cuts this body at all. One that does not would only repeat WHOLE under another name."""
    return chunking is Chunking.WHOLE or len(cut(body, chunking)) > 1


def frames(body: bytes) -> list[bytes]:
    """The SSE frames of a body, blank lines included. A body that is no SSE is one frame."""
    return cut(body, Chunking.FRAME)


def _frame_ends(body: bytes) -> list[int]:
    if not _SSE.match(body):
        return []
    # Blank lines before the first frame belong to it.
    return [match.end() for match in _FRAME_END.finditer(body) if match.start() > 0]


def _inside_characters(body: bytes) -> Iterable[int]:
    # Where in the character varies, so that long ones are cut at each of their inner borders in turn.
    for number, match in enumerate(_MULTIBYTE.finditer(body)):
        yield match.start() + 1 + number % (len(match.group()) - 1)


_BORDERS: dict[Chunking, Callable[[bytes], Iterable[int]]] = {
    Chunking.WHOLE: lambda _: (),
    Chunking.FRAME: _frame_ends,
    Chunking.LINE: lambda body: (match.end() for match in _LINE_END.finditer(body)),
    Chunking.BYTE: lambda body: range(1, len(body)),
    Chunking.MULTIBYTE: _inside_characters,
    Chunking.CRLF: lambda body: (match.start() + 1 for match in _CRLF.finditer(body)),
    Chunking.FRAME_PAIRS: lambda body: _frame_ends(body)[1::2],
    Chunking.FIELD: lambda body: (match.end() - _FIELD_CUT for match in _FIELD.finditer(body)),
}

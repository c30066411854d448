"""Server-sent events, sans-IO: bytes in, frames out, and events to bytes. No API's JSON is read here.

`SseReader` keeps what other readers drop: comments, the raw bytes of each frame, and the
unterminated tail of a stream that was cut. Line ends are LF, CRLF and CR only; U+2028, U+2029 and
U+0085 are text (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_LINE_END = re.compile(r"\r\n|\n|\r")
_COMMON = re.compile(r"(?:event: (.*)\n)?data: (.*)\n\n")
_BOM = b"\xef\xbb\xbf"


class Frame(NamedTuple):
    """One frame as it came.

    Attributes:
        event: the event name, or None where no `event:` line was sent.
        data: the data lines joined by LF, or None where there was none (comments, a lone event name).
        comments: text of each comment line.
        raw: the bytes, blank line included.
        terminated: False for the tail that was not followed by a blank line.
    """

    event: str | None
    data: str | None
    comments: tuple[str, ...]
    raw: bytes
    terminated: bool = True


class SseReader:
    """Cuts bytes, fed in any chunks, into frames. The same bytes give the same frames however they are cut."""

    def __init__(self) -> None:
        self._buffer = b""
        self._scanned = 0
        self._at_start = True
        self._crlf = False

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next chunk; return the frames that it completed, in order."""
        buffer = self._buffer + data if self._buffer else data
        if self._at_start:
            if len(buffer) < len(_BOM) and _BOM.startswith(buffer):
                self._buffer = buffer
                return []
            if buffer.startswith(_BOM):
                buffer = buffer[len(_BOM) :]
            self._at_start = False
        self._crlf = self._crlf or b"\r" in data
        return self._split(buffer) if self._crlf else self._split_lf(buffer)

    def close(self) -> Frame | None:
        """End of the stream: the unterminated tail as a frame, or None where nothing was left."""
        tail, self._buffer, self._scanned = self._buffer, b"", 0
        if not tail.strip(b"\r\n"):
            return None
        if self._crlf and tail.endswith((b"\r\r", b"\n\r")):
            return _parse(tail)
        return _parse(tail, terminated=False)

    def _split_lf(self, buffer: bytes) -> list[Frame]:
        end = buffer.find(b"\n\n", self._scanned)
        frames: list[Frame] = []
        start = 0
        while end >= 0:
            if end > start:
                frames.append(_parse(buffer[start : end + 2]))
            start = end + 2
            end = buffer.find(b"\n\n", start)
        self._keep(buffer, start)
        return frames

    def _split(self, buffer: bytes) -> list[Frame]:
        # A CR at the very end may be half of a CRLF: it is left for the next chunk.
        limit = len(buffer) - buffer.endswith(b"\r")
        frames: list[Frame] = []
        start = 0
        for match in _BLANK_LINE.finditer(buffer, self._scanned, limit):
            if buffer[start : match.start()].strip(b"\r\n"):
                frames.append(_parse(buffer[start : match.end()]))
            start = match.end()
        self._keep(buffer, start)
        return frames

    def _keep(self, buffer: bytes, start: int) -> None:
        self._buffer = buffer[start:]
        # A blank line of up to four bytes may straddle the border: look again at the last three.
        self._scanned = max(0, len(self._buffer) - 3)


def _parse(raw: bytes, *, terminated: bool = True) -> Frame:
    text = raw.decode("utf-8", "replace")
    if "\r" not in text and (common := _COMMON.fullmatch(text)):  # nearly every frame; below reads it too, slower
        return Frame(common[1], common[2], (), raw, terminated)
    event: str | None = None
    data: list[str] = []
    comments: list[str] = []
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    for line in lines:
        name, colon, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            event = value
        elif not name and colon:
            comments.append(value)
    return Frame(event, "\n".join(data) if data else None, tuple(comments), raw, terminated)


class Event(NamedTuple):
    """One event to be sent: its name (None: no `event:` line) and its data, JSON or verbatim text."""

    name: str | None
    data: Any


def encode(events: Iterable[Event], *, line_end: str = "\n") -> bytes:
    """The bytes of a stream. A string is sent verbatim as data; anything else as compact JSON."""
    out: list[str] = []
    for name, data in events:
        if name is not None:
            out.append(f"event: {name}{line_end}")
        text = data if isinstance(data, str) else compact(data)
        out.append(f"data: {text}{line_end}{line_end}")
    return "".join(out).encode()


def compact(value: Any) -> str:
    """JSON without white space, other scripts left readable: what vendors send in streams."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

"""Streams of JSON that are not server-sent events, sans-IO: an array element by element, a bare object. No API's names.

What both readers yield is the text of each JSON value; whether it is JSON at all, and what it means,
is for the codec to say.
"""

from __future__ import annotations

import re

from conformance.wire.sse import Frame, SseReader

_MARK = re.compile(rb'["\\{}\[\]]')
_BOM = b"\xef\xbb\xbf"
_ELEMENT = 2  # depth inside an element; 1 is inside the array only


class JsonArrayReader:
    """Cuts one JSON array, fed in any chunks, into the bytes of its elements; a cut array gives those that are whole.

    Elements are objects or arrays. Numbers and strings between them are passed over.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._scanned = 0
        self._depth = 0
        self._in_string = False

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next chunk; return the elements that it completed, in order."""
        buffer = self._buffer + data
        elements: list[bytes] = []
        start, position = 0, self._scanned
        while match := _MARK.search(buffer, position):
            position = match.end()
            mark = match[0]
            if mark == b"\\":
                position += 1  # the escaped byte, which may be the first of the next chunk
            elif mark == b'"':
                self._in_string = not self._in_string
            elif self._in_string:
                continue
            elif mark in b"{[":
                self._depth += 1
                if self._depth == _ELEMENT:
                    start = match.start()
            else:
                self._depth -= 1
                if self._depth == _ELEMENT - 1:
                    elements.append(buffer[start:position])
        keep = start if self._depth >= _ELEMENT else len(buffer)
        self._buffer = buffer[keep:]
        self._scanned = max(position, len(buffer)) - keep
        return elements


class SseOrJsonReader(SseReader):
    """An `SseReader` that also takes a body which is a JSON array, and a JSON value between the frames.

    The first byte decides: no event stream starts with `[`. Each element then comes as a frame of its own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held = b""
        self._decided = False
        self._array: JsonArrayReader | None = None

    def feed(self, data: bytes) -> list[Frame]:
        if not self._decided:
            data = self._held + data
            body = data.removeprefix(_BOM).lstrip()
            if not body or _BOM.startswith(body):
                self._held = data
                return []
            self._decided = True
            if body.startswith(b"["):
                self._array = JsonArrayReader()
        if self._array:
            return [Frame(None, raw.decode("utf-8", "replace"), (), raw) for raw in self._array.feed(data)]
        return [_bare(frame) for frame in super().feed(data)]

    def close(self) -> Frame | None:
        tail = super().close()
        return _bare(tail) if tail else None


def _bare(frame: Frame) -> Frame:
    """A frame without a data line that looks like JSON, its bytes as the data: an event stream would drop it unread."""
    if frame.data is None and frame.raw.lstrip().startswith((b"{", b"[")):
        return frame._replace(data=frame.raw.decode("utf-8", "replace").strip())
    return frame

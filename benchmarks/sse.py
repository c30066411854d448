"""P6: the suite's SSE reader against httpx-sse on the same bytes, whole and in 64-byte chunks. No JSON is read.

httpx-sse is measured twice: through its public `EventSource`, as a client uses it, and by its two decoders alone,
without httpx around them. The target is held against the faster of the two. `python -m benchmarks sse`
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from functools import partial

import httpx
from httpx_sse import EventSource, ServerSentEvent
from httpx_sse._decoders import SSEDecoder, SSELineDecoder  # public only in the sdist's name, see above

from benchmarks.measure import Figure, interleaved
from benchmarks.stream import body
from conformance.wire.sse import Frame, SseReader

TARGET = 1.0
ROUNDS = 30
REPEATS = 60
CHUNK = 64


class Pieces(httpx.SyncByteStream):
    """A response body that comes in these pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)


def ours(pieces: list[bytes]) -> list[Frame]:
    """Every frame by the suite's reader."""
    reader = SseReader()
    frames: list[Frame] = []
    for piece in pieces:
        frames += reader.feed(piece)
    assert reader.close() is None
    return frames


def public(pieces: list[bytes]) -> list[ServerSentEvent]:
    """Every event by `EventSource`."""
    headers = {"content-type": "text/event-stream; charset=utf-8"}
    return list(EventSource(httpx.Response(200, headers=headers, stream=Pieces(pieces))).iter_sse())


def decoders(pieces: list[bytes]) -> list[ServerSentEvent]:
    """Every event by the decoders of httpx-sse alone."""
    text, lines, events = codecs.getincrementaldecoder("utf-8")(), SSELineDecoder(), SSEDecoder()
    found = []
    for piece in pieces:
        for line in lines.decode(text.decode(piece)):
            event = events.decode(line.rstrip("\n"))
            if event is not None:
                found.append(event)
    assert not lines.flush()
    return found


def repeated(action: Callable[[], object]) -> None:
    """An arm long enough for the clock."""
    for _ in range(REPEATS):
        action()


def compared(stream: bytes, size: int, label: str) -> Figure:
    """One way of cutting."""
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    wanted = [(frame.event, frame.data) for frame in ours(pieces)]
    for theirs in (public, decoders):
        assert [(event.event, event.data) for event in theirs(pieces)] == wanted
    arms = {read.__name__: partial(repeated, partial(read, pieces)) for read in (ours, public, decoders)}
    took = interleaved(arms, ROUNDS)
    best = min(took["public"], took["decoders"])
    times = ", ".join(f"{name} {seconds / REPEATS * 1e6:.0f} us" for name, seconds in took.items())
    return Figure("P6", f"our SSE reader / httpx-sse, {label}", took["ours"] / best, TARGET, note=times)


def figures() -> Iterator[Figure]:
    """A stream of 59 frames, whole and in small chunks."""
    stream = body()
    yield compared(stream, len(stream), "whole")
    yield compared(stream, CHUNK, f"{CHUNK}-byte chunks")

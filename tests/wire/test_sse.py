"""What the SSE reader and writer do with bytes. What the JSON inside means is tested beside each codec."""

from __future__ import annotations

from collections.abc import Sequence

import httpx
import httpx_sse
import pytest
import splits
from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.sse import Event, Frame, SseReader, encode

BOM = b"\xef\xbb\xbf"


def frames(chunks: Sequence[bytes]) -> list[Frame]:
    reader = SseReader()
    read = [frame for chunk in chunks for frame in reader.feed(chunk)]
    tail = reader.close()
    return read if tail is None else [*read, tail]


def events(body: bytes) -> list[tuple[str, str]]:
    """What the standard would dispatch: terminated frames with data."""
    return [(f.event or "message", f.data) for f in frames([body]) if f.data is not None and f.terminated]


def oracle(body: bytes) -> list[tuple[str, str]]:
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body)
    return [(sse.event, sse.data) for sse in httpx_sse.EventSource(response).iter_sse()]


FRAMES: dict[str, tuple[bytes, list[tuple[str | None, str | None, tuple[str, ...], bool]]]] = {
    "one": (b"data: a\n\n", [(None, "a", (), True)]),
    "named": (b"event: x\ndata: a\n\n", [("x", "a", (), True)]),
    "no space": (b"data:[DONE]\n\n", [(None, "[DONE]", (), True)]),
    "one space only is dropped": (b"data:  a \n\n", [(None, " a ", (), True)]),
    "many data lines": (b"data: a\ndata:\ndata: b\n\n", [(None, "a\n\nb", (), True)]),
    "field without colon": (b"data\n\n", [(None, "", (), True)]),
    "comment alone": (b": keep-alive\n\n", [(None, None, ("keep-alive",), True)]),
    "comment inside": (b": c\ndata: a\n:d\n\n", [(None, "a", ("c", "d"), True)]),
    "unknown fields": (b"id: 7\nretry: 5\nfoo: bar\ndata: a\n\n", [(None, "a", (), True)]),
    "name alone": (b"event: x\n\n", [("x", None, (), True)]),
    "blank lines between": (b"\n\n\ndata: a\n\n\n\n\ndata: b\n\n", [(None, "a", (), True), (None, "b", (), True)]),
    "CRLF": (b"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", [("x", "a", (), True), (None, "b", (), True)]),
    "CR": (b"data: a\r\rdata: b\r\r", [(None, "a", (), True), (None, "b", (), True)]),
    "mixed line ends": (b"data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", [(None, c, (), True) for c in "abc"]),
    "BOM": (BOM + b"data: a\n\n", [(None, "a", (), True)]),
    "line separators of Unicode are text": (
        "data: a\u2028b\u2029c\u0085d\n\n".encode(),
        [(None, "a\u2028b\u2029c\u0085d", (), True)],
    ),
    "unterminated tail": (b"data: a\n\ndata: b\n", [(None, "a", (), True), (None, "b", (), False)]),
    "tail inside a field": (b"data: a\n\nda", [(None, "a", (), True), (None, None, (), False)]),
    "bytes that are no UTF-8": (b"data: a\xff\n\n", [(None, "a\ufffd", (), True)]),
    "nothing": (b"", []),
    "only blank lines": (b"\n\n\r\n", []),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames(name: str) -> None:
    """Each form that the standard allows is read into the frame that it means, comments and cut tails kept."""
    body, expected = FRAMES[name]
    assert [(f.event, f.data, f.comments, f.terminated) for f in frames([body])] == expected


@pytest.mark.parametrize("name", FRAMES)
def test_every_chunk_size_gives_the_same_frames(name: str) -> None:
    """However the bytes are cut, the frames are the same, raw bytes included."""
    body, _ = FRAMES[name]
    whole = frames([body])
    assert all(frames(chunks) == whole for chunks in splits.every_size(body))


LINES = st.sampled_from(
    ["data: a", "data:b", "data", "data: é☂\u2028\u0085", "event: x", "event", ": c", "id: 1", "retry: 5", "zzz: 1", ""]
)
BODIES = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=12).map(
    lambda lines: "".join(line + end for line, end in lines).encode()
)


@given(BODIES, splits.CUTS)
def test_random_cuts_give_the_same_frames(body: bytes, cuts: list[int]) -> None:
    """Random bodies under random cuts: the same frames as in one piece."""
    assert frames(splits.at(body, [cut % (len(body) + 1) for cut in cuts])) == frames([body])


@given(BODIES)
def test_agrees_with_httpx_sse(body: bytes) -> None:
    """An independent reader dispatches the same events, the empty ones of its known deviations aside."""
    body += b"\n\n"
    assert [event for event in events(body) if event[1]] == [event for event in oracle(body) if event[1]]


DEVIATIONS: dict[str, tuple[bytes, list[tuple[str, str]], list[tuple[str, str]]]] = {
    # body, what the standard dispatches, what httpx-sse 0.4.3 dispatches
    "it does not strip a BOM and loses the first event": (
        BOM + b"data: a\n\ndata: b\n\n",
        [("message", "a"), ("message", "b")],
        [("message", "b")],
    ),
    "it dispatches a name without data": (b"event: x\n\n", [], [("x", "")]),
    "it dispatches an id without data": (b"id: 1\n\n", [], [("message", "")]),
    "it dispatches each blank line once an id was seen": (
        b"id: 1\ndata: a\n\n: c\n\n",
        [("message", "a")],
        [("message", "a"), ("message", "")],
    ),
    "it dispatches a retry without data": (b"retry: 5\n\n", [], [("message", "")]),
}


@pytest.mark.parametrize("name", DEVIATIONS)
def test_known_deviations_of_httpx_sse(name: str) -> None:
    """Where the independent reader leaves the standard it is pinned, so that a new release shows here."""
    body, standard, theirs = DEVIATIONS[name]
    assert (events(body), oracle(body)) == (standard, theirs)


ENCODED: dict[str, tuple[list[Event], str, bytes]] = {
    "compact JSON, other scripts readable": (
        [Event(None, {"a": ["é", 1]})],
        "\n",
        'data: {"a":["é",1]}\n\n'.encode(),
    ),
    "a name": ([Event("ping", {})], "\n", b"event: ping\ndata: {}\n\n"),
    "verbatim text": ([Event(None, "[DONE]")], "\n", b"data: [DONE]\n\n"),
    "CRLF": ([Event("x", "a"), Event(None, "b")], "\r\n", b"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n"),
}


@pytest.mark.parametrize("name", ENCODED)
def test_encode(name: str) -> None:
    """Events become the bytes that a vendor would send, and are read back as they were."""
    sent, line_end, body = ENCODED[name]
    assert encode(sent, line_end=line_end) == body
    assert [frame.event for frame in frames([body])] == [event.name for event in sent]

"""What the Anthropic codec reads and writes. Framing and what all codecs share are tested beside their own files."""

from __future__ import annotations

import json
from typing import Any

import pytest
import splits
from hypothesis import given

from conformance.contract import ErrorPart, Reply, Usage, parts_from_wire
from conformance.errors import BadWire
from conformance.vocabulary import Api, Stop
from conformance.wire import Reading, WireCall
from conformance.wire.anthropic_messages import CODEC, STOPS
from conformance.wire.draft import Block, Draft, Raw, Text, Thinking, ToolUse
from conformance.wire.sse import encode

CALL = ToolUse("look", ('{"at": ', '"☂"}'))
SEARCH = Raw({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tide"}})


def draft(reason: str | None, *blocks: Block, stop_sequence: str | None = None) -> Draft:
    return Draft("anthropic-messages/test", "claude-test", blocks, reason, stop_sequence)


def read(payload: Any, status: int = 200) -> Reading:
    return CODEC.read(status, json.dumps(payload).encode())


def sse(*payloads: dict[str, Any]) -> bytes:
    return b"".join(f"event: {p['type']}\ndata: {json.dumps(p)}\n\n".encode() for p in payloads)


def streamed(body: bytes) -> Reading:
    return splits.read(CODEC, [body])


@pytest.mark.parametrize("reason", STOPS)
def test_every_value_of_the_table(reason: str) -> None:
    """Each known reason has its class in both modes, is kept verbatim, and says where it is written."""
    sent = draft(reason, Text(("a",)))
    for reading in (read(CODEC.encode_whole(sent)), streamed(encode(CODEC.encode_events(sent)))):
        assert (reading.stop, reading.raw_reason) == (STOPS[reason].stop, reason)
    assert STOPS[reason].source


@pytest.mark.parametrize("reason", ["paused_for_review", "", None])
def test_a_reason_that_no_table_knows(reason: str | None) -> None:
    """A new value, an empty one and none at all are unknown and never complete; the value is kept."""
    reading = read(CODEC.encode_whole(draft(reason, Text(("a",)))))
    assert (reading.stop, reading.raw_reason) == (Stop.UNKNOWN, reason)


DRAFTS = {
    "text": draft("end_turn", Text(("Low ", "tide", " at ☂ noon"))),
    "stop sequence": draft("stop_sequence", Text(("a ",)), stop_sequence="</a>"),
    "empty": draft("end_turn"),
    "thinking": draft("end_turn", Thinking(("hm", "m")), Text(("a",))),
    "call": draft("tool_use", Text(("a",)), CALL, ToolUse("rest", ())),
    "unknown block": draft("pause_turn", Text(("a",)), SEARCH),
}


@pytest.mark.parametrize("name", DRAFTS)
def test_both_modes_say_the_same(name: str) -> None:
    """A draft written whole and written as a stream is read as the same reply."""
    whole = read(CODEC.encode_whole(DRAFTS[name]))
    assert streamed(encode(CODEC.encode_events(DRAFTS[name]))) == whole
    assert whole.stop_sequence == DRAFTS[name].stop_sequence
    assert whole.usage == DRAFTS[name].usage


BODY = encode(CODEC.encode_events(DRAFTS["call"]))


def test_every_chunk_size_gives_the_same_reading() -> None:
    """However the stream is cut into equal chunks, it is read the same."""
    assert all(splits.read(CODEC, chunks) == streamed(BODY) for chunks in splits.every_size(BODY))


@given(splits.CUTS)
def test_random_cuts_give_the_same_reading(cuts: list[int]) -> None:
    """However the stream is cut at random, it is read the same."""
    assert splits.read(CODEC, splits.at(BODY, cuts)) == streamed(BODY)


START = {"type": "message_start", "message": {"content": [], "stop_reason": None, "usage": {"input_tokens": 5}}}
OPEN = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
TEXT = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
CLOSE = {"type": "content_block_stop", "index": 0}
STOP = {"type": "message_stop"}
NEW = {"type": "brand_new", "stop_reason": "x"}
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


def end(reason: str | None, **usage: int) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


STREAMS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "pings and unknown events": (
        [{"type": "ping"}, START, NEW, OPEN, {"type": "ping"}, TEXT, CLOSE, end("end_turn", output_tokens=2), STOP],
        {"text": "a", "stop": Stop.COMPLETE, "usage": Usage(5, 2), "ended": True, "closed": True},
    ),
    "unknown delta": (
        [START, OPEN, {**TEXT, "delta": {"type": "new_delta", "text": "no"}}, TEXT, CLOSE, end("end_turn"), STOP],
        {"text": "a", "stop": Stop.COMPLETE},
    ),
    "the first reason stays": (
        [START, OPEN, TEXT, CLOSE, end("max_tokens"), end(None, output_tokens=9), STOP],
        {"stop": Stop.TRUNCATED, "raw_reason": "max_tokens", "usage": Usage(5, 9), "reason_frames": 1},
    ),
    "the reason is in message_start": (
        [{"type": "message_start", "message": {"content": [], "stop_reason": "tool_use"}}, STOP],
        {"stop": Stop.TOOL_CALL, "raw_reason": "tool_use", "ended": True},
    ),
    "text in the opening": (
        [START, {**OPEN, "content_block": {"type": "text", "text": "b"}}, TEXT, CLOSE, end("end_turn"), STOP],
        {"text": "ba"},
    ),
    "cut": ([START, OPEN, TEXT], {"text": "a", "stop": Stop.UNKNOWN, "cut": True, "raw_reason": None}),
    "cut after the reason": (
        [START, OPEN, TEXT, CLOSE, end("end_turn")],
        {"stop": Stop.COMPLETE, "cut": False, "ended": True, "closed": False},
    ),
    "error": (
        [START, OPEN, TEXT, OVERLOADED],
        {"text": "a", "stop": Stop.FAILED, "error": ErrorPart("busy", "overloaded_error"), "ended": True},
    ),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams(name: str) -> None:
    """Each stream is read as its row says."""
    payloads, expected = STREAMS[name]
    reading = streamed(sse(*payloads))
    assert {key: getattr(reading, key) for key in expected} == expected


def test_a_call_cut_by_the_cap() -> None:
    """Streamed, the cut shows in the JSON; whole, the input is an empty object and nobody can tell."""
    cut = draft("max_tokens", ToolUse("look", ('{"at": "',)))
    assert [call.whole for call in streamed(encode(CODEC.encode_events(cut))).tool_calls] == [False]
    assert [call.whole for call in read(CODEC.encode_whole(cut)).tool_calls] == [None]


def test_a_stop_sequence_inside_a_call_is_no_tool_call() -> None:
    """A stop sequence that fires inside tool JSON leaves a cut call, which is never classed as a call to run."""
    cut = draft("stop_sequence", ToolUse("look", ('{"at": "',)), stop_sequence="END")
    reading = streamed(encode(CODEC.encode_events(cut)))
    assert (reading.stop, reading.stop_sequence) == (Stop.TRUNCATED, "END")
    assert [call.whole for call in reading.tool_calls] == [False]


def test_calls_keep_order_name_and_id() -> None:
    """Calls are numbered among themselves; one without arguments is whole."""
    look, rest = read(CODEC.encode_whole(DRAFTS["call"])).tool_calls
    assert (look.name, json.loads(look.arguments), look.whole) == ("look", {"at": "☂"}, True)
    assert rest == WireCall("rest", "{}", whole=True, id=rest.id)
    assert look.id != rest.id


def test_a_server_tool_is_not_the_callers_to_run() -> None:
    """A server tool's block and its input deltas are no call."""
    block = {"type": "content_block_start", "index": 0, "content_block": SEARCH.whole}
    piece = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": "{}"},
    }
    assert streamed(sse(START, block, piece, CLOSE, end("pause_turn"), STOP)).tool_calls == ()


@pytest.mark.parametrize(
    ("status", "payload", "error"),
    [
        (529, OVERLOADED, ErrorPart("busy", "overloaded_error", 529)),
        (200, OVERLOADED, ErrorPart("busy", "overloaded_error")),
        (500, {"message": "no"}, ErrorPart("an error without the vendor's envelope", None, 500)),
    ],
)
def test_errors(status: int, payload: dict[str, Any], error: ErrorPart) -> None:
    """An error body is an error under any status, and keeps message, type and status."""
    assert (read(payload, status).error, read(payload, status).stop) == (error, Stop.FAILED)


def test_provider_shaped_output() -> None:
    """Objects of this API from an adapter are read by the lines that read the wire."""
    sent = DRAFTS["call"]
    reply = Reply.from_wire(Api.ANTHROPIC_MESSAGES, CODEC.encode_whole(sent))
    parts = parts_from_wire(Api.ANTHROPIC_MESSAGES, [event.data for event in CODEC.encode_events(sent)])
    assert Reply.from_parts(parts).text == reply.text == "a"
    assert reply.shape is Api.ANTHROPIC_MESSAGES


def test_what_is_no_object() -> None:
    """A payload that is no JSON object is refused, not guessed at."""
    for take in (CODEC.whole, CODEC.events().take):
        with pytest.raises(BadWire):
            take([])  # type: ignore[arg-type]

"""What the OpenAI Responses codec reads and writes. Framing and error envelopes are tested elsewhere."""

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
from conformance.wire.draft import Block, Draft, Raw, Refusal, Text, Thinking, ToolUse
from conformance.wire.openai_responses import CODEC, STOPS, reason_of
from conformance.wire.sse import encode

LOOK = ToolUse("look", ('{"at": ', '"☂"}'))
STREAMABLE = ("completed", "incomplete", "failed")


def draft(reason: str | None, *blocks: Block, **extra: Any) -> Draft:
    return Draft("openai-responses/test", "gpt-test", blocks, reason, extra=extra)


def read(payload: Any, status: int = 200) -> Reading:
    return CODEC.read(status, json.dumps(payload).encode())


def write(sent: Draft) -> bytes:
    return encode(CODEC.encode_events(sent))


def sse(*payloads: dict[str, Any]) -> bytes:
    return b"".join(f"event: {p.get('type')}\ndata: {json.dumps(p)}\n\n".encode() for p in payloads)


def streamed(body: bytes) -> Reading:
    return splits.read(CODEC, [body])


@pytest.mark.parametrize("reason", STOPS)
def test_every_value_of_the_table(reason: str) -> None:
    """Each known status has its class, is kept verbatim with its detail, and says where it is written."""
    sent = draft(reason, Text(("a",)))
    readings = [read(CODEC.encode_whole(sent))]
    if reason.partition("/")[0] in STREAMABLE:
        readings.append(streamed(write(sent)))
    for reading in readings:
        assert (reading.stop, reading.raw_reason) == (STOPS[reason].stop, reason)
    assert STOPS[reason].source


@pytest.mark.parametrize("reason", ["incomplete/paused_for_review", "paused", "", None])
@pytest.mark.parametrize("blocks", [(Text(("a",)),), (LOOK,)], ids=["text", "call"])
def test_a_reason_that_the_table_does_not_hold(reason: str | None, blocks: tuple[Block, ...]) -> None:
    """A new status or detail and none at all are unknown whatever is beside them; the value is kept."""
    reading = read(CODEC.encode_whole(draft(reason, *blocks)))
    assert (reading.stop, reading.raw_reason) == (Stop.UNKNOWN, reason)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"status": "completed"}, "completed"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}}, "incomplete/steered"),
        ({"status": "incomplete", "incomplete_details": {"reason": None}}, "incomplete"),
        ({"status": "incomplete", "incomplete_details": None}, "incomplete"),
        ({"status": "completed", "incomplete_details": {"reason": "steered"}}, "completed"),
        ({"status": None}, None),
        ({}, None),
    ],
)
def test_reason_of(response: dict[str, Any], reason: str | None) -> None:
    """Status and detail are joined; the detail counts beside `incomplete` only."""
    assert reason_of(response) == reason


@pytest.mark.parametrize("reason", ["cancelled", "queued", "in_progress", None])
def test_what_no_stream_ends_with(reason: str | None) -> None:
    """A status without a terminal event of its own cannot be written as a stream."""
    with pytest.raises(ValueError, match="no Responses stream ends"):
        CODEC.encode_events(draft(reason))


CUT = ToolUse("look", ('{"at": "',))
SEARCH = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}}
DRAFTS: dict[str, tuple[Draft, dict[str, Any]]] = {
    "text": (draft("completed", Text(("Low ", "tide", " ☂"))), {"text": "Low tide ☂", "stop": Stop.COMPLETE}),
    "empty": (draft("completed"), {"text": "", "stop": Stop.COMPLETE}),
    "thinking": (
        draft("completed", Thinking(("h", "m")), Text(("a",))),
        {"thinking": "hm", "text": "a", "stop": Stop.COMPLETE},
    ),
    "thinking only": (
        draft("incomplete/max_output_tokens", Thinking(("h", "m"))),
        {"thinking": "hm", "text": "", "stop": Stop.TRUNCATED},
    ),
    "refusal": (draft("completed", Refusal(("I can", "not."))), {"refusal": "I cannot.", "stop": Stop.BLOCKED}),
    "calls": (draft("completed", LOOK, ToolUse("rest", ("{}",))), {"stop": Stop.TOOL_CALL}),
    "text, then a call": (draft("completed", Text(("a", "b")), LOOK), {"text": "ab", "stop": Stop.TOOL_CALL}),
    "cut call": (draft("incomplete/max_output_tokens", Text(("a",)), CUT), {"stop": Stop.TRUNCATED}),
    "filter": (draft("incomplete/content_filter", Text(("a",))), {"text": "a", "stop": Stop.BLOCKED}),
    "no detail": (draft("incomplete", Text(("a",))), {"stop": Stop.UNKNOWN, "raw_reason": "incomplete"}),
    "unknown item": (
        draft("completed", Raw(SEARCH, deltas=({"type": "response.web_search_call.completed"},)), Text(("a",))),
        {"text": "a", "stop": Stop.COMPLETE, "tool_calls": ()},
    ),
    "failed": (
        draft("failed", Text(("a",)), error={"code": "server_error", "message": "m"}),
        {"text": "a", "stop": Stop.FAILED, "error": ErrorPart("m", "server_error"), "usage": None},
    ),
}


@pytest.mark.parametrize("name", DRAFTS)
def test_both_modes_say_the_same(name: str) -> None:
    """A draft written whole and written as a stream is read as the same reply, the one that was meant."""
    sent, expected = DRAFTS[name]
    whole = read(CODEC.encode_whole(sent))
    assert streamed(write(sent)) == whole
    assert {key: getattr(whole, key) for key in expected} == expected
    if whole.error is None:
        assert whole.usage == sent.usage


def test_a_cut_call() -> None:
    """The cut JSON, repeated by arguments.done, comes once and is not whole; only the cut item is incomplete."""
    sent, _ = DRAFTS["cut call"]
    (call,) = streamed(write(sent)).tool_calls
    assert (call.arguments, call.whole) == ('{"at": "', False)
    events = [event.data for event in CODEC.encode_events(sent)]
    assert [event["arguments"] for event in events if event["type"].endswith("arguments.done")] == ['{"at": "']
    assert [item["status"] for item in CODEC.encode_whole(sent)["output"]] == ["completed", "incomplete"]


BODY = write(draft("completed", ToolUse("look", ('{"a', 't":"é☂"}'))))


def test_every_chunk_size_gives_the_same_reading() -> None:
    """However the stream is cut into equal chunks, it is read the same."""
    assert all(splits.read(CODEC, chunks) == streamed(BODY) for chunks in splits.every_size(BODY))


@given(splits.CUTS)
def test_random_cuts_give_the_same_reading(cuts: list[int]) -> None:
    """However the stream is cut at random, it is read the same."""
    assert splits.read(CODEC, splits.at(BODY, cuts)) == streamed(BODY)


Payload = dict[str, Any]


def delta(text: str, kind: str = "output_text", place: int = 0, **more: Any) -> Payload:
    return {"type": f"response.{kind}.delta", "output_index": place, "delta": text, **more}


def added(item: Payload, place: int = 0) -> Payload:
    return {"type": "response.output_item.added", "output_index": place, "item": item}


def done(item: Payload, place: int = 0) -> Payload:
    return {"type": "response.output_item.done", "output_index": place, "item": item}


def terminal(kind: str = "completed", **response: Any) -> Payload:
    return {"type": f"response.{kind}", "response": {"status": kind, "output": [], **response}}


def call(arguments: str, number: int = 1, **more: Any) -> Payload:
    ids = {"id": f"fc_{number}", "call_id": f"call_{number}"}
    return {**ids, "type": "function_call", "name": "look", "arguments": arguments, **more}


ARGUMENTS = "function_call_arguments"
MESSAGE = {"type": "message", "content": [{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "no"}]}
REASONING = {
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "s"}],
    "content": [{"type": "reasoning_text", "text": "r"}],
}
QUEUED = [{"type": f"response.{status}", "response": {"status": status}} for status in ("queued", "in_progress")]
KEEPALIVE = {"type": "keepalive", "sequence_number": 3}
NESTED = {"type": "error", "error": {"type": "insufficient_quota", "code": "q", "message": "busy"}}
FLAT = {"type": "error", "code": "server_error", "message": "busy", "param": None}
FAILED = terminal("failed", error={"code": "server_error", "message": "busy"})
BUSY = ErrorPart("busy", "server_error")
WHOLE_CALL = WireCall("look", '{"a":1}', True, "call_1")

STREAMS: dict[str, tuple[list[Payload], dict[str, Any]]] = {
    "keepalive, queued and unknown events": (
        [*QUEUED, KEEPALIVE, delta("a"), {"type": "response.brand_new", "delta": "no"}, delta("b"), terminal()],
        {"text": "ab", "stop": Stop.COMPLETE, "reason_frames": 1, "ended": True, "closed": True},
    ),
    "the final object is empty": ([delta("a"), terminal(output=[])], {"text": "a", "stop": Stop.COMPLETE}),
    "the final object repeats what was streamed": (
        [delta("a"), done(MESSAGE), terminal(output=[MESSAGE])],
        {"text": "a", "refusal": "no", "stop": Stop.BLOCKED},
    ),
    "the final object counts places otherwise": (
        [delta("a", place=3), terminal(output=[MESSAGE])],
        {"text": "a", "refusal": ""},
    ),
    "nothing but the final object": (
        [terminal(output=[REASONING, MESSAGE, call("{}")], usage={"input_tokens": 3, "output_tokens": 4})],
        {
            "text": "a",
            "refusal": "no",
            "thinking": "sr",
            "tool_calls": (WireCall("look", "{}", True, "call_1"),),
            "usage": Usage(3, 4),
        },
    ),
    "items without deltas": (
        [done(REASONING), done(MESSAGE, 1), done(call('{"a":1}'), 2), terminal(output=[REASONING, MESSAGE])],
        {"thinking": "sr", "text": "a", "refusal": "no", "tool_calls": (WHOLE_CALL,)},
    ),
    "summary streamed, reasoning not": (
        [delta("s", "reasoning_summary_text"), done(REASONING), delta("a", place=1), terminal()],
        {"thinking": "sr", "text": "a"},
    ),
    "arguments in deltas, then repeated twice": (
        [
            added(call("")),
            delta('{"a"', ARGUMENTS),
            delta(":1}", ARGUMENTS),
            {"type": f"response.{ARGUMENTS}.done", "output_index": 0, "arguments": '{"a":1}'},
            done(call('{"a":1}')),
            terminal(output=[call('{"a":1}')]),
        ],
        {"tool_calls": (WHOLE_CALL,), "stop": Stop.TOOL_CALL},
    ),
    "arguments in done only": (
        [
            added(call("")),
            {"type": f"response.{ARGUMENTS}.done", "output_index": 0, "arguments": '{"a":1}'},
            done(call('{"a":1}')),
            terminal(),
        ],
        {"tool_calls": (WHOLE_CALL,)},
    ),
    "a call that was never opened": (
        [delta('{"a"', ARGUMENTS), delta(":1}", ARGUMENTS), done(call('{"a":1}')), terminal()],
        {"tool_calls": (WHOLE_CALL,)},
    ),
    "calls interleaved": (
        [
            added(call("")),
            added(call("", 2), 1),
            delta('{"a"', ARGUMENTS),
            delta("{}", ARGUMENTS, 1),
            delta(":1}", ARGUMENTS),
            terminal(),
        ],
        {"tool_calls": (WHOLE_CALL, WireCall("look", "{}", True, "call_2"))},
    ),
    "ids without an index": (
        [
            {"type": "response.output_item.added", "item": call("")},
            {"type": f"response.{ARGUMENTS}.delta", "item_id": "fc_1", "delta": '{"a":1}'},
            {"type": "response.output_item.done", "item": call('{"a":1}')},
            terminal(),
        ],
        {"tool_calls": (WHOLE_CALL,)},
    ),
    "a new id in each event": (
        [added(call("", 7)), delta('{"a":1}', ARGUMENTS, item_id="x"), done(call('{"a":1}')), terminal()],
        {"tool_calls": (WireCall("look", '{"a":1}', True, "call_7"),)},
    ),
    "a server's item is no call": (
        [added({"type": "mcp_call"}), delta("{}", "mcp_call_arguments"), done({"type": "mcp_call"}), terminal()],
        {"tool_calls": (), "stop": Stop.COMPLETE},
    ),
    "failed": (
        [delta("a"), FAILED],
        {"text": "a", "error": BUSY, "stop": Stop.FAILED, "raw_reason": "failed", "closed": True},
    ),
    "failed without an error": ([terminal("failed", error=None)], {"stop": Stop.FAILED, "cut": False}),
    "flat error": ([delta("a"), FLAT], {"error": BUSY, "stop": Stop.FAILED, "ended": True, "closed": False}),
    "nested error, then failed": (
        [NESTED, FAILED],
        {"error": ErrorPart("busy", "insufficient_quota"), "raw_reason": "failed", "reason_frames": 1},
    ),
    "bare envelope": ([{"error": {"code": "server_error", "message": "busy"}}], {"error": BUSY}),
    "status absent from the final object": (
        [delta("a"), {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}}],
        {"raw_reason": "incomplete/content_filter", "stop": Stop.BLOCKED},
    ),
    "cut": ([*QUEUED, delta("a")], {"text": "a", "stop": Stop.UNKNOWN, "raw_reason": None, "cut": True}),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams(name: str) -> None:
    """Each stream is read as its row says."""
    payloads, expected = STREAMS[name]
    reading = streamed(sse(*payloads))
    assert {key: getattr(reading, key) for key in expected} == expected


def test_one_failure_is_told_once() -> None:
    """response.failed after an `error` event adds no second error."""
    events = CODEC.events()
    parts = [part for payload in (NESTED, FAILED) for part in events.take(payload)]
    assert [type(part).__name__ for part in parts] == ["ErrorPart", "End"]


def test_done_does_not_close_the_stream() -> None:
    """`[DONE]`, which some hosts add, is tolerated after the terminal event and is no substitute for it."""
    assert streamed(sse(delta("a")) + b"data: [DONE]\n\n").cut
    assert streamed(sse(delta("a"), terminal()) + b"data: [DONE]\n\n").stop is Stop.COMPLETE


WHOLES: dict[str, tuple[Any, dict[str, Any]]] = {
    "all kinds of items": (
        {"status": "completed", "output": [REASONING, SEARCH, MESSAGE, {"type": "brand_new", "content": "no"}]},
        {"thinking": "sr", "text": "a", "refusal": "no", "tool_calls": (), "stop": Stop.BLOCKED},
    ),
    "background": ({"object": "response", "status": "queued"}, {"stop": Stop.UNKNOWN, "raw_reason": "queued"}),
    "failed": (
        {"object": "response", "status": "failed", "error": {"code": "server_error", "message": "busy"}},
        {"error": BUSY, "raw_reason": "failed", "stop": Stop.FAILED},
    ),
    "failed without an error": (
        {"status": "failed", "error": None, "output": []},
        {"error": ErrorPart("the response failed and holds no error"), "raw_reason": "failed"},
    ),
    "an error under 200": (
        {"error": {"code": "server_error", "message": "busy"}},
        {"error": BUSY, "raw_reason": None, "reason_frames": 0},
    ),
    "nothing": ({}, {"stop": Stop.UNKNOWN, "error": None, "text": ""}),
    "nulls": ({"status": "completed", "output": None, "usage": None}, {"stop": Stop.COMPLETE, "usage": None}),
    "no object": ([], {"stop": Stop.FAILED}),
}


@pytest.mark.parametrize("name", WHOLES)
def test_whole_bodies(name: str) -> None:
    """Each whole body is read as its row says."""
    payload, expected = WHOLES[name]
    reading = read(payload)
    assert {key: getattr(reading, key) for key in expected} == expected


def test_an_http_error_keeps_its_status() -> None:
    """The envelope is the one of Chat, with the HTTP status beside it."""
    payload = {"error": {"message": "m", "type": "invalid_request_error", "param": "stop", "code": None}}
    assert read(payload, 400).error == ErrorPart("m", "invalid_request_error", 400)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "custom_tool_call", "call_id": "c1", "name": "run", "input": "ls"},
        {"type": "function_call", "call_id": "c1", "name": "run", "arguments": "ls"},
    ],
    ids=["custom", "function"],
)
def test_both_kinds_of_calls(item: Payload) -> None:
    """Functions and custom tools are calls, whole and streamed."""
    whole = read({"status": "completed", "output": [item]})
    assert [(call.id, call.name, call.arguments) for call in whole.tool_calls] == [("c1", "run", "ls")]
    kind = "custom_tool_call_input" if item["type"] == "custom_tool_call" else ARGUMENTS
    pieces = [delta("l", kind), delta("s", kind)]
    assert streamed(sse(added(item), *pieces, done(item), terminal())).tool_calls == whole.tool_calls


@pytest.mark.parametrize("name", DRAFTS)
def test_grammar_of_the_stream(name: str) -> None:
    """Events are named for their type, numbered from 0, and end in one terminal event that holds the whole response."""
    sent, _ = DRAFTS[name]
    events = CODEC.encode_events(sent)
    assert [event.name for event in events] == [event.data["type"] for event in events]
    assert [event.data["sequence_number"] for event in events] == list(range(len(events)))
    assert [event.name for event in events[:2]] == ["response.created", "response.in_progress"]
    assert events[-1].data["response"] == CODEC.encode_whole(sent)
    assert events[-1].name == f"response.{str(sent.reason).partition('/')[0]}"
    places = [event.data["output_index"] for event in events if event.name == "response.output_item.done"]
    assert places == list(range(len(sent.blocks)))


ITEM_EVENTS = {
    "text": "content_part.added output_text.delta output_text.delta output_text.done content_part.done",
    "refusal": "content_part.added refusal.delta refusal.delta refusal.done content_part.done",
    "call": "function_call_arguments.delta function_call_arguments.delta function_call_arguments.done",
    "thinking": "reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.delta "
    "reasoning_summary_text.done reasoning_summary_part.done",
}
BLOCKS: dict[str, Block] = {
    "text": Text(("a", "b")),
    "refusal": Refusal(("a", "b")),
    "call": LOOK,
    "thinking": Thinking(("a", "b")),
}


@pytest.mark.parametrize("name", ITEM_EVENTS)
def test_events_of_an_item(name: str) -> None:
    """Each kind of item is opened, streamed, repeated whole and closed by events of its own."""
    names = [str(event.name) for event in CODEC.encode_events(draft("completed", BLOCKS[name]))[2:-1]]
    inner = [f"response.{event}" for event in ITEM_EVENTS[name].split()]
    assert names == ["response.output_item.added", *inner, "response.output_item.done"]


def test_provider_shaped_output() -> None:
    """Objects of this API from an adapter are read by the lines that read the wire."""
    sent, _ = DRAFTS["text, then a call"]
    reply = Reply.from_wire(Api.OPENAI_RESPONSES, CODEC.encode_whole(sent))
    parts = parts_from_wire(Api.OPENAI_RESPONSES, [event.data for event in CODEC.encode_events(sent)])
    assert Reply.from_parts(parts) == reply
    assert (reply.text, reply.reason, reply.shape) == ("ab", "completed", Api.OPENAI_RESPONSES)


def test_what_is_no_object() -> None:
    """A payload that is no JSON object is refused, not guessed at."""
    for take in (CODEC.whole, CODEC.events().take):
        with pytest.raises(BadWire):
            take([])  # type: ignore[arg-type]


def test_the_text_of_a_custom_tool_cannot_look_cut() -> None:
    """A custom tool takes any text: its call is whole under `completed`, and under a cap the wire cannot say."""
    item = {"type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "*** no JSON"}
    body = {"object": "response", "status": "completed", "output": [item]}
    reading = CODEC.read(200, json.dumps(body).encode())
    assert (reading.stop, reading.tool_calls[0].whole) == (Stop.TOOL_CALL, True)
    capped = {**body, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    assert CODEC.read(200, json.dumps(capped).encode()).tool_calls[0].whole is None


@pytest.mark.parametrize(
    "item",
    [
        {"type": "apply_patch_call", "call_id": "call_1", "operation": {}},
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "x"},
        {"type": "tool_search_call", "call_id": "call_1", "execution": "client"},
        {"type": "shell_call", "call_id": "call_1", "environment": {"type": "local"}},
    ],
)
def test_an_item_that_waits_for_the_caller_is_a_tool_call(item: dict[str, object]) -> None:
    """`completed` beside an item that the caller must act on is no finished answer."""
    body = {"object": "response", "status": "completed", "output": [item]}
    assert CODEC.read(200, json.dumps(body).encode()).stop is Stop.TOOL_CALL


@pytest.mark.parametrize("environment", [None, {"type": "container_reference", "container_id": "cntr_1"}])
def test_a_shell_call_that_the_vendor_runs_is_no_tool_call(environment: object) -> None:
    item = {"type": "shell_call", "call_id": "call_1", "environment": environment}
    body = {"object": "response", "status": "completed", "output": [item]}
    assert CODEC.read(200, json.dumps(body).encode()).stop is Stop.COMPLETE

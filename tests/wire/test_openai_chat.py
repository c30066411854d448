"""What the OpenAI Chat codec reads and writes, compatible hosts included. Framing is tested beside its own file."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
import splits
from hypothesis import given

from conformance.contract import ErrorPart, Reply, Usage, parts_from_wire
from conformance.errors import BadWire
from conformance.vocabulary import Api, Stop
from conformance.wire import Reading, WireCall
from conformance.wire.draft import Block, Draft, Raw, Refusal, Text, Thinking, ToolUse
from conformance.wire.openai_chat import CODEC, STOPS, usage_chunk
from conformance.wire.sse import Event, encode

LOOK = ToolUse("look", ('{"at": ', '"☂"}'))
DONE = b"data: [DONE]\n\n"


def draft(reason: str | None, *blocks: Block, **extra: Any) -> Draft:
    return Draft("openai-chat/test", "gpt-test", blocks, reason, extra=extra)


def read(payload: Any, status: int = 200) -> Reading:
    return CODEC.read(status, json.dumps(payload).encode())


def with_usage(sent: Draft) -> bytes:
    *events, done = CODEC.encode_events(sent)
    return encode([*events, Event(None, usage_chunk(sent)), done])


def sse(*payloads: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads)


def streamed(body: bytes) -> Reading:
    return splits.read(CODEC, [body])


@pytest.mark.parametrize("reason", STOPS)
def test_every_value_of_the_table(reason: str) -> None:
    """Each known reason has its class in both modes, is kept verbatim, and says where it is written."""
    sent = draft(reason, Text(("a",)))
    for reading in (read(CODEC.encode_whole(sent)), streamed(with_usage(sent))):
        assert (reading.stop, reading.raw_reason) == (STOPS[reason].stop, reason)
    assert STOPS[reason].source


@pytest.mark.parametrize("reason", ["paused_for_review", "eos", "error", "insufficient_system_resource", "", None])
@pytest.mark.parametrize("blocks", [(Text(("a",)),), (LOOK,)], ids=["text", "call"])
def test_a_reason_that_the_table_does_not_hold(reason: str | None, blocks: tuple[Block, ...]) -> None:
    """A new value, an empty one and none at all are unknown whatever is beside them; the value is kept."""
    sent = draft(reason, *blocks)
    for reading in (read(CODEC.encode_whole(sent)), streamed(with_usage(sent))):
        assert (reading.stop, reading.raw_reason) == (Stop.UNKNOWN, reason)


DRAFTS: dict[str, tuple[Draft, dict[str, Any]]] = {
    "text": (draft("stop", Text(("Low ", "tide", " ☂"))), {"text": "Low tide ☂", "stop": Stop.COMPLETE}),
    "empty": (draft("stop"), {"text": "", "stop": Stop.COMPLETE}),
    "thinking has no place": (
        draft("length", Thinking(("h", "m")), Text(("",))),
        {"text": "", "thinking": "", "stop": Stop.TRUNCATED},
    ),
    "refusal": (draft("stop", Refusal(("I can", "not."))), {"refusal": "I cannot.", "stop": Stop.BLOCKED}),
    "calls": (draft("tool_calls", LOOK, ToolUse("rest", ())), {"text": "", "stop": Stop.TOOL_CALL}),
    "text, then a call": (draft("tool_calls", Text(("a", "b")), LOOK), {"text": "ab", "stop": Stop.TOOL_CALL}),
    "forced call": (draft("stop", LOOK), {"stop": Stop.TOOL_CALL, "raw_reason": "stop"}),
    "legacy call": (
        draft("function_call", LOOK),
        {"stop": Stop.TOOL_CALL, "tool_calls": (WireCall("look", '{"at": "☂"}', whole=True),)},
    ),
    "filter after text": (draft("content_filter", Text(("a",))), {"text": "a", "stop": Stop.BLOCKED}),
    "extra keys": (
        draft("tool_calls", LOOK, native_finish_reason="length"),
        {"stop": Stop.TOOL_CALL, "raw_reason": "tool_calls"},
    ),
    "keys of a host": (
        draft(
            "stop",
            Raw({"reasoning_content": "hm"}, deltas=({"reasoning_content": "h"}, {"reasoning_content": "m"})),
            Text(("a",)),
        ),
        {"thinking": "hm", "text": "a"},
    ),
}


@pytest.mark.parametrize("name", DRAFTS)
def test_both_modes_say_the_same(name: str) -> None:
    """A draft written whole and written as a stream is read as the same reply, the one that was meant."""
    sent, expected = DRAFTS[name]
    whole = read(CODEC.encode_whole(sent))
    assert streamed(with_usage(sent)) == whole
    assert {key: getattr(whole, key) for key in expected} == expected
    assert whole.usage == sent.usage


@pytest.mark.parametrize(
    ("arguments", "stop"),
    [
        ('{"at": "Lis', Stop.TRUNCATED),
        ('{"at": {"x": 1}', Stop.TRUNCATED),
        ('{"at": "☂"}', Stop.TOOL_CALL),
        ("", Stop.TOOL_CALL),
        ("look at the sky", Stop.TOOL_CALL),
    ],
)
def test_a_call_whose_json_never_ends_was_cut(arguments: str, stop: Stop) -> None:
    """A host that says `tool_calls` of a cut call is not believed; free text and no arguments are no cut."""
    sent = draft("tool_calls", ToolUse("look", (arguments,)))
    for reading in (read(CODEC.encode_whole(sent)), streamed(with_usage(sent))):
        assert (reading.stop, reading.raw_reason) == (stop, "tool_calls")


BODY = with_usage(draft("tool_calls", Text(("é☂",)), ToolUse("look", ('{"a', 't":1}'))))


def test_every_chunk_size_gives_the_same_reading() -> None:
    """However the stream is cut into equal chunks, it is read the same."""
    assert all(splits.read(CODEC, chunks) == streamed(BODY) for chunks in splits.every_size(BODY))


@given(splits.CUTS)
def test_random_cuts_give_the_same_reading(cuts: list[int]) -> None:
    """However the stream is cut at random, it is read the same."""
    assert splits.read(CODEC, splits.at(BODY, cuts)) == streamed(BODY)


def chunk(delta: dict[str, Any] | None = None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": reason}], **more}


def say(text: str) -> dict[str, Any]:
    return {"content": text}


def call(arguments: str, name: str | None = None, **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{**more, "function": {"name": name, "arguments": arguments}}]}


USAGE = {"usage": {"prompt_tokens": 3, "completion_tokens": 4}}
ERROR = {"error": {"message": "busy", "type": None, "code": 502}}
BUSY = ErrorPart("busy", "502")
ROLE = {"role": "assistant", "content": ""}
OTHER = {"choices": [{"index": 1, "delta": say("no"), "finish_reason": "length"}]}
MODERATION = {"choices": [], "moderation": {"flagged": False}}
AZURE = {"choices": [], "prompt_filter_results": [{"prompt_index": 0}], "id": "", "model": ""}
BARE = {"choices": [{"delta": say("a")}]}

STREAMS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "content on the finishing chunk": (
        sse(chunk(say("a")), chunk(say("b"), "stop", **USAGE)) + DONE,
        {"text": "ab", "stop": Stop.COMPLETE, "usage": Usage(3, 4), "content_after_reason": False},
    ),
    "a call on the finishing chunk, without an index": (
        sse(chunk(call('{"a":1}', "look", id="c1"), "stop")) + DONE,
        {"stop": Stop.TOOL_CALL, "tool_calls": (WireCall("look", '{"a":1}', whole=True, id="c1"),)},
    ),
    "usage, then moderation": (
        sse(chunk(say("a"), usage=None), chunk(None, "stop", usage=None), {"choices": [], **USAGE}, MODERATION) + DONE,
        {"text": "a", "stop": Stop.COMPLETE, "usage": Usage(3, 4), "reason_frames": 1},
    ),
    "Azure's prelude": (sse(AZURE, chunk(say("a")), chunk(None, "stop")) + DONE, {"text": "a", "stop": Stop.COMPLETE}),
    "the reason twice, then with usage": (
        sse(chunk(say("a")), chunk(None, "stop"), chunk(say(""), "stop", **USAGE)) + DONE,
        {"raw_reason": "stop", "usage": Usage(3, 4), "reason_frames": 2, "content_after_reason": False},
    ),
    "usage on every chunk": (
        sse(chunk(say("a"), **USAGE), chunk(say("b"), "stop", usage={"prompt_tokens": 3, "completion_tokens": 5})),
        {"text": "ab", "usage": Usage(3, 5), "reason_frames": 1, "ended": True, "closed": False, "cut": False},
    ),
    "other choices in between": (
        sse(chunk(say("a")), OTHER, chunk(say("b")), OTHER, chunk(None, "stop")) + DONE,
        {"text": "ab", "raw_reason": "stop", "reason_frames": 1},
    ),
    "only other choices end": (sse(chunk(say("a")), OTHER), {"text": "a", "raw_reason": None, "cut": True}),
    "no index, no finish_reason key": (sse(BARE, BARE, chunk(None, "stop")), {"text": "aa", "stop": Stop.COMPLETE}),
    "calls interleaved by index": (
        sse(
            chunk(call("", "look", index=0, id="c1")),
            chunk(call("", "rest", index=1, id="c2")),
            chunk(call('{"a"', index=0)),
            chunk(call("{}", index=1)),
            chunk(call(":1}", index=0)),
            chunk(None, "tool_calls"),
        ),
        {"tool_calls": (WireCall("look", '{"a":1}', True, "c1"), WireCall("rest", "{}", True, "c2"))},
    ),
    "calls without an index": (
        sse(
            chunk(call('{"a"', "look", id="c1")),
            chunk(call(":1}")),
            chunk(call("{", "rest", id="c2")),
            chunk(call("}", id="c2")),
            chunk(call("{}", "third")),
            chunk(None, "tool_calls"),
        ),
        {
            "tool_calls": (
                WireCall("look", '{"a":1}', True, "c1"),
                WireCall("rest", "{}", True, "c2"),
                WireCall("third", "{}", True),
            )
        },
    ),
    "a call hidden behind tool_calls is cut": (
        sse(chunk(call('{"a":', "look", index=0, id="c1")), chunk(None, "tool_calls")),
        {"stop": Stop.TRUNCATED, "tool_calls": (WireCall("look", '{"a":', False, "c1"),)},
    ),
    "a call cut by the cap before its arguments": (
        sse(chunk(call("", "look", index=0, id="c1")), chunk(None, "length")),
        {"stop": Stop.TRUNCATED, "tool_calls": (WireCall("look", "", False, "c1"),)},
    ),
    "reasoning beside the text": (
        sse(chunk({"reasoning": "h", "reasoning_content": "h"}), chunk({"reasoning": "m"}), chunk(say("a"), "stop")),
        {"thinking": "hm", "text": "a"},
    ),
    "content as parts": (
        sse(
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
            chunk({"content": [{"type": "text", "text": "a"}, {"type": "image"}]}, "stop"),
        ),
        {"thinking": "hm", "text": "a"},
    ),
    "refusal": (
        sse(
            chunk({"role": "assistant", "content": None, "refusal": ""}), chunk({"refusal": "no"}), chunk(None, "stop")
        ),
        {"refusal": "no", "text": "", "stop": Stop.BLOCKED},
    ),
    "error": (
        sse(chunk(say("a")), ERROR),
        {"text": "a", "error": BUSY, "stop": Stop.FAILED, "ended": True, "cut": False},
    ),
    "error as text": (sse({"error": "busy", "code": "x"}), {"error": ErrorPart("busy", "x"), "stop": Stop.FAILED}),
    "a named error event": (b"event: error\n" + sse(ERROR), {"error": BUSY}),
    "an error after the reason": (
        sse(chunk(say("a"), "length"), {**chunk(say("")), **ERROR}) + DONE,
        {"text": "a", "raw_reason": "length", "error": BUSY, "stop": Stop.FAILED},
    ),
    "an error in the choice": (
        sse({"choices": [{"index": 0, "delta": say(""), "finish_reason": "error", **ERROR}]}),
        {"raw_reason": "error", "error": BUSY},
    ),
    "cut": (sse(chunk(ROLE), chunk(say("a"))), {"text": "a", "stop": Stop.UNKNOWN, "raw_reason": None, "cut": True}),
    "[DONE] without a reason": (
        sse(chunk(say("a"))) + DONE,
        {"stop": Stop.UNKNOWN, "ended": False, "closed": True, "cut": False},
    ),
    "nulls everywhere": (
        sse({"choices": None, "usage": None, "error": None}, {"choices": [{"delta": None}]}, {}),
        {"text": "", "cut": True, "usage": None},
    ),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams(name: str) -> None:
    """Each stream, most of them of a compatible host, is read as its row says."""
    body, expected = STREAMS[name]
    reading = streamed(body)
    assert {key: getattr(reading, key) for key in expected} == expected


def body(message: dict[str, Any], reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], **more}


WHOLES: dict[str, tuple[Any, dict[str, Any]]] = {
    "the choice with index 0": (
        {"choices": [{"index": 1, "message": say("no")}, {"index": 0, "message": say("a"), "finish_reason": "stop"}]},
        {"text": "a", "raw_reason": "stop"},
    ),
    "content null": (body({"content": None}, "length"), {"text": "", "stop": Stop.TRUNCATED}),
    "finish_details and no reason": (body(say("a"), None, finish_details={"type": "stop"}), {"stop": Stop.UNKNOWN}),
    "empty reason beside calls": (
        body(call("{}", "look", id="c1"), ""),
        {"stop": Stop.UNKNOWN, "raw_reason": "", "tool_calls": (WireCall("look", "{}", True, "c1"),)},
    ),
    "call without arguments": (
        body({"tool_calls": [{"id": "c1", "function": {"name": "rest", "arguments": None}}]}, "tool_calls"),
        {"tool_calls": (WireCall("rest", "", True, "c1"),)},
    ),
    "arguments as an object": (
        body({"tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": {"a": 1}}}]}, "tool_calls"),
        {"tool_calls": (WireCall("look", '{"a":1}', True, "c1"),)},
    ),
    "no choices": ({"choices": [], **USAGE}, {"stop": Stop.UNKNOWN, "raw_reason": None, "usage": Usage(3, 4)}),
    "nothing": ({}, {"stop": Stop.UNKNOWN, "error": None}),
    "an error under 200": (ERROR, {"stop": Stop.FAILED, "error": BUSY, "reason_frames": 0}),
    "an error beside the choice": (
        body(say("a"), "error", **ERROR),
        {"text": "a", "error": BUSY, "raw_reason": "error"},
    ),
    "no object": ([], {"stop": Stop.FAILED}),
}


@pytest.mark.parametrize("name", WHOLES)
def test_whole_bodies(name: str) -> None:
    """Each whole body is read as its row says."""
    payload, expected = WHOLES[name]
    reading = read(payload)
    assert {key: getattr(reading, key) for key in expected} == expected


def test_a_custom_tool_is_a_call() -> None:
    """A custom tool's free text is handed out as the call's arguments."""
    custom = {"id": "c1", "type": "custom", "custom": {"name": "run", "input": "ls"}}
    reading = read(body({"tool_calls": [custom]}, "tool_calls"))
    assert [(call.id, call.name, call.arguments) for call in reading.tool_calls] == [("c1", "run", "ls")]


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (
            {
                "error": {
                    "message": "m",
                    "type": "invalid_request_error",
                    "param": "stop",
                    "code": "unsupported_parameter",
                }
            },
            ErrorPart("m", "invalid_request_error", 400),
        ),
        ({"error": {"message": "m", "type": None, "code": "content_filter"}}, ErrorPart("m", "content_filter", 400)),
        ({"error": {"message": "m", "code": 400}}, ErrorPart("m", "400", 400)),
        ({"detail": "Unauthorized"}, ErrorPart("Unauthorized", None, 400)),
        ({"detail": [{"msg": "m"}]}, ErrorPart('[{"msg":"m"}]', None, 400)),
        ({"object": "error", "message": "m", "type": "t", "code": 3}, ErrorPart("m", "t", 400)),
        ({"code": "c", "error": "m"}, ErrorPart("m", "c", 400)),
        ({"error": "m"}, ErrorPart("m", None, 400)),
        ({"message": "m"}, ErrorPart("an error without the vendor's envelope", None, 400)),
        ([], ErrorPart("an error without the vendor's envelope", None, 400)),
    ],
    ids=["OpenAI", "Azure", "OpenRouter", "Mistral", "Mistral 422", "Mistral object", "xAI", "Venice", "none", "list"],
)
def test_error_envelopes(payload: Any, error: ErrorPart) -> None:
    """Each host's envelope keeps message, type and status."""
    assert (read(payload, 400).error, read(payload, 400).stop) == (error, Stop.FAILED)


def test_grammar_of_the_stream() -> None:
    """The role comes first, the reason alone on a chunk with an empty delta, `[DONE]` last, and no event has a name."""
    *events, done = CODEC.encode_events(DRAFTS["text, then a call"][0])
    choices = [event.data["choices"][0] for event in events]
    assert done == Event(None, "[DONE]")
    assert choices[0]["delta"] == {"role": "assistant", "content": "", "refusal": None}
    assert [choice["finish_reason"] for choice in choices] == [None] * (len(choices) - 1) + ["tool_calls"]
    assert choices[-1]["delta"] == {}
    assert {event.name for event in events} == {None}
    assert not any("usage" in event.data for event in events)


@pytest.mark.parametrize(
    ("blocks", "content", "refusal"),
    [
        ((), "", None),
        ((Text(("a",)),), "", None),
        ((LOOK,), None, None),
        ((Text(("a",)), LOOK), "", None),
        ((Refusal(("no",)),), None, ""),
    ],
)
def test_the_opening_chunk(blocks: tuple[Block, ...], content: str | None, refusal: str | None) -> None:
    """Content is null where only calls or a refusal follow, and in the whole message too."""
    sent = draft("stop", *blocks)
    delta = CODEC.encode_events(sent)[0].data["choices"][0]["delta"]
    assert (delta["content"], delta["refusal"]) == (content, refusal)
    assert (CODEC.encode_whole(sent)["choices"][0]["message"]["content"] is None) == (content is None)


def test_the_same_draft_gives_the_same_bytes() -> None:
    """Ids are minted from the seed: the same in every chunk, in both modes and on every run."""
    sent = DRAFTS["calls"][0]
    whole = CODEC.encode_whole(sent)
    chunks = [event.data for event in CODEC.encode_events(sent)[:-1]] + [usage_chunk(sent)]
    assert all(one["id"] == two["id"] == whole["id"] for one, two in pairwise(chunks))
    ids = [call["id"] for call in whole["choices"][0]["message"]["tool_calls"]]
    assert [call.id for call in streamed(with_usage(sent)).tool_calls] == ids
    assert len(set(ids)) == len(ids)


def test_provider_shaped_output() -> None:
    """Objects of this API from an adapter are read by the lines that read the wire."""
    sent = DRAFTS["text, then a call"][0]
    reply = Reply.from_wire(Api.OPENAI_CHAT, CODEC.encode_whole(sent))
    parts = parts_from_wire(Api.OPENAI_CHAT, [event.data for event in CODEC.encode_events(sent)[:-1]])
    joined = Reply.from_parts(parts)
    assert (joined.text, joined.tool_calls, joined.reason) == (reply.text, reply.tool_calls, reply.reason)
    assert reply.shape is joined.shape is Api.OPENAI_CHAT


def test_what_is_no_object() -> None:
    """A payload that is no JSON object is refused, not guessed at."""
    for take in (CODEC.whole, CODEC.events().take):
        with pytest.raises(BadWire):
            take([])  # type: ignore[arg-type]

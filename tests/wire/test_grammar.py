"""Tests of the stream grammars: the corpus keeps them but for the oddities it is there for; each rule can fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from conformance.corpus import cassette
from conformance.scenarios import catalogue
from conformance.vocabulary import Api, Mode
from conformance.wire import codec_for
from conformance.wire.draft import Draft, Text, Thinking, ToolUse
from conformance.wire.grammar import Violation, violations
from conformance.wire.openai_chat import usage_chunk
from conformance.wire.sse import SseReader

CHAT, RESPONSES, ANTHROPIC, GEMINI = Api.OPENAI_CHAT, Api.OPENAI_RESPONSES, Api.ANTHROPIC_MESSAGES, Api.GEMINI

NO_DONE = (False, "the stream ends without [DONE]")
ODD: dict[str, list[tuple[bool, str]]] = {
    # Perplexity; a stream that ends in an error sends no sentinel either.
    "openai-chat/no-done": [NO_DONE],
    "openai-chat/error-in-stream": [NO_DONE],
    "openai-chat/error-in-stream-first": [NO_DONE],
    "openai-chat/error-in-stream-event": [NO_DONE],
    "openai-chat/error-in-stream-event-first": [NO_DONE],
    # Snowflake Cortex: no terminal reason at all.
    "openai-chat/reason-null-stream": [(True, "the stream ends without a finish_reason")],
    # Mistral and xAI.
    "openai-chat/finish-with-content": [(False, "the chunk with the finish_reason carries content")],
    "openai-chat/finish-with-tool-calls": [(False, "the chunk with the finish_reason carries content")],
    "openai-chat/finish-with-tool-calls-no-index": [
        (False, "a tool call has no index"),
        (False, "the chunk with the finish_reason carries content"),
    ],
    # OpenRouter.
    "openai-chat/finish-twice": [(False, "the finish_reason comes twice")],
    # The chatgpt.com backend.
    "openai-responses/resp-output-empty": [(False, "the terminal event lacks output items that were streamed")],
    # Programmatic tool calling.
    "anthropic-messages/stop-reason-in-start": [(False, "the stop_reason stands in message_start")],
    # Google itself: one model with code execution, and models of 2024. Nobody who writes a stream anew has to.
    "gemini/gem-stop-twice": [(True, "content comes after the finishReason")],
    "gemini/gem-stop-every-chunk": [(True, "content comes after the finishReason")],
    # Not an event: the error stands in the body as it is.
    "gemini/error-in-stream-bare": [(True, "the stream ends without a finishReason")],
}


def _events(body: bytes) -> list[Any]:
    reader = SseReader()
    frames = reader.feed(body)
    tail = reader.close()
    return [_parsed(frame.data) for frame in [*frames, *([tail] if tail else [])] if frame.data]


def _parsed(data: str) -> Any:
    return data if data.strip() == "[DONE]" else json.loads(data)


@pytest.mark.parametrize("api", Api)
def test_the_corpus_keeps_the_grammar_of_its_api(api: Api) -> None:
    """Every stream of events in it: error bodies and Gemini's JSON array are none."""
    told: dict[str, list[tuple[bool, str]]] = {}
    for scenario in catalogue().values():
        if scenario.api is not api or Mode.STREAMED not in scenario.modes:
            continue
        exchange = cassette(scenario.id, Mode.STREAMED)[-1]
        if exchange.status == 200 and "event-stream" in exchange.headers["content-type"]:
            found = violations(api, _events(exchange.body), sentinel=True)
            told |= {scenario.id: [(violation.breaks, violation.says) for violation in found]}
    assert len(told) > 30
    assert {name: found for name, found in told.items() if found} == {
        name: found for name, found in ODD.items() if name.startswith(f"{api}/")
    }


REASONS = {CHAT: "tool_calls", RESPONSES: "completed", ANTHROPIC: "tool_use", GEMINI: "STOP"}


def a_stream(api: Api) -> list[Any]:
    """Thinking, text in two pieces, a call: what every rule can be broken on."""
    blocks = (Thinking(("so ",)), Text(("one ", "two")), ToolUse("look_up", ('{"word": ', '"tea"}')))
    draft = Draft("grammar", "a-model", blocks, REASONS[api])
    events = [event.data for event in codec_for(api).encode_events(draft)]
    if api is CHAT:
        events.insert(-1, usage_chunk(draft))
    return events


@pytest.mark.parametrize("api", Api)
def test_a_plain_stream_keeps_everything(api: Api) -> None:
    assert violations(api, a_stream(api), sentinel=True) == []


@pytest.mark.parametrize("api", Api)
def test_a_stream_that_broke_off_need_not_have_ended(api: Api) -> None:
    assert violations(api, a_stream(api)[:3], ended=False) == []
    assert violations(api, a_stream(api)[:3]) != []


@pytest.mark.parametrize("api", Api)
def test_an_error_ends_a_stream(api: Api) -> None:
    error = {"error": {"message": "no", "type": "x", "code": 500}, **({} if api is CHAT else {"type": "error"})}
    assert violations(api, [*a_stream(api)[:3], error]) == []


@pytest.mark.parametrize("api", [RESPONSES, ANTHROPIC])
def test_unknown_events_and_pings_mean_nothing(api: Api) -> None:
    stream = a_stream(api)
    extra: list[Any] = [{"type": "ping"}, {"type": "keepalive"}, {"type": "something.new", "index": 9}]
    assert violations(api, [stream[0], *extra, *stream[1:]]) == []


Edit = Callable[[list[Any]], list[Any]]


def drop(*places: int) -> Edit:
    return lambda stream: [event for n, event in enumerate(stream) if n not in {p % len(stream) for p in places}]


def again(place: int, to: int) -> Edit:
    """The event at a place once more, before the one at another; len for the end."""

    def edit(stream: list[Any]) -> list[Any]:
        where = to % len(stream) if to < len(stream) else to
        return [*stream[:where], stream[place], *stream[where:]]

    return edit


def put(to: int, event: Any) -> Edit:
    return lambda stream: [*stream[: to % (len(stream) + 1)], event, *stream[to % (len(stream) + 1) :]]


def changed(place: int, path: str, value: Any) -> Edit:
    """A value at a path of keys and numbers replaced; `...` takes the key away."""

    def edit(stream: list[Any]) -> list[Any]:
        stream = json.loads(json.dumps(stream))
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        inner = stream[place]
        for step in way:
            inner = inner[step]
        if value is ...:
            del inner[last]
        else:
            inner[last] = value
        return stream

    return edit


def both(*edits: Edit) -> Edit:
    def run(stream: list[Any]) -> list[Any]:
        for edit in edits:
            stream = edit(stream)
        return stream

    return run


# Chat: 0 role, 1 "one ", 2 "two", 3 call with its name, 4-5 arguments, 6 reason, 7 usage, 8 [DONE].
# Responses: 0 created, 1 in_progress, 2-7 reasoning, 8-14 message (8 item, 9 part, 10-11 deltas), 15-19 call, 20 end.
# Anthropic: 0 start, 1-4 thinking, 5-8 text, 9-13 call (10 is an empty piece), 14 message_delta, 15 message_stop.
# Gemini: 0 thought, 1-2 text, 3 call and reason.
BROKEN: list[tuple[Api, Edit, bool, str]] = [
    (CHAT, again(1, 7), True, "content comes after the finish_reason"),
    (CHAT, again(1, 9), True, "an event comes after [DONE]"),
    (CHAT, again(8, 9), True, "[DONE] comes twice"),
    (CHAT, drop(6), True, "the stream ends without a finish_reason"),
    (CHAT, drop(0, 1, 2, 3, 4, 5, 6), True, "the stream ends without any choice"),
    (CHAT, both(again(6, 7), changed(7, "choices.0.finish_reason", "stop")), True, "a second finish_reason differs"),
    (CHAT, changed(3, "choices.0.delta.tool_calls.0.id", ...), True, "lacks its id or its name"),
    (CHAT, drop(3), True, "lacks its id or its name"),
    (CHAT, put(3, "{half"), True, "a frame is not JSON"),
    (CHAT, again(6, 7), False, "the finish_reason comes twice"),
    (CHAT, changed(6, "choices.0.delta", {"content": "!"}), False, "the chunk with the finish_reason carries content"),
    (CHAT, drop(0), False, "content comes before the role"),
    (CHAT, again(7, 3), False, "the usage-only chunk comes before the finish_reason"),
    (CHAT, both(again(6, 7), changed(7, "choices.0.finish_reason", None)), False, "a chunk of a choice comes after"),
    (CHAT, changed(4, "choices.0.delta.tool_calls.0.index", ...), False, "a tool call has no index"),
    (CHAT, drop(8), False, "the stream ends without [DONE]"),
    (RESPONSES, drop(0), True, "response.in_progress comes before response.created"),
    (RESPONSES, again(10, 21), True, "an event comes after the terminal one"),
    (RESPONSES, again(20, 21), True, "an event comes after the terminal one"),
    (RESPONSES, put(21, {"type": "error", "code": "x"}), True, "an event comes after the terminal one"),
    (RESPONSES, drop(20), True, "the stream ends without a terminal event"),
    (RESPONSES, drop(8), True, "comes for an output item that was never added"),
    (RESPONSES, drop(9), True, "comes for a content part that was never added"),
    (RESPONSES, again(10, 15), True, "a delta comes after its output item was done"),
    (RESPONSES, again(8, 9), True, "two output items have one output_index"),
    (RESPONSES, changed(14, "item.id", "msg_other"), True, "the id or the type of an output item changes"),
    (RESPONSES, changed(20, "response.id", "resp_other"), True, "the id of the response changes"),
    (RESPONSES, changed(20, "response.status", "incomplete"), True, "carries the status 'incomplete'"),
    (RESPONSES, both(drop(14), changed(19, "response.output", [])), True, "completed with an output item that is not"),
    (RESPONSES, drop(14), False, "the response ends with an output item that is not done"),
    (RESPONSES, changed(20, "response.output", []), False, "lacks output items that were streamed"),
    (RESPONSES, drop(10), False, "sequence_number is not contiguous"),
    (RESPONSES, again(14, 15), False, "an output item is done twice"),
    (RESPONSES, drop(2, 3, 4, 5, 6), False, "an output item is done that was never added"),
    (RESPONSES, put(21, "[DONE]"), False, "[DONE] is no part of this API"),
    (ANTHROPIC, drop(0), True, "content_block_start comes before message_start"),
    (ANTHROPIC, again(0, 1), True, "message_start comes twice"),
    (ANTHROPIC, drop(5), True, "content_block_delta comes for no open block"),
    (ANTHROPIC, again(6, 9), True, "content_block_delta comes for no open block"),
    (ANTHROPIC, again(8, 9), True, "content_block_stop closes no open block"),
    (ANTHROPIC, drop(13), True, "message_delta comes while a content block is open"),
    (ANTHROPIC, drop(13, 14), True, "message_stop comes while a content block is open"),
    (ANTHROPIC, changed(5, "index", 7), True, "the content block number 1 has the index 7"),
    (ANTHROPIC, changed(6, "delta.type", "input_json_delta"), True, "input_json_delta comes for a text block"),
    (ANTHROPIC, changed(9, "content_block.name", ...), True, "a tool_use block lacks its id or its name"),
    (ANTHROPIC, again(1, 15), True, "a content block comes after the stop_reason"),
    (ANTHROPIC, drop(14), True, "message_stop comes without a stop_reason before it"),
    (ANTHROPIC, drop(15), True, "the stream ends without message_stop"),
    (ANTHROPIC, drop(14, 15), True, "the stream ends without a stop_reason"),
    (ANTHROPIC, again(14, 16), True, "message_delta comes after message_stop"),
    (ANTHROPIC, changed(14, "usage", ...), True, "message_delta has no usage"),
    (ANTHROPIC, changed(0, "message.usage", None), True, "message_start has no usage"),
    (
        ANTHROPIC,
        both(again(14, 15), changed(15, "delta.stop_reason", "end_turn")),
        True,
        "a second stop_reason differs",
    ),
    (ANTHROPIC, again(14, 15), False, "the stop_reason comes twice"),
    (ANTHROPIC, changed(0, "message.stop_reason", "tool_use"), False, "the stop_reason stands in message_start"),
    (ANTHROPIC, changed(0, "message.role", ...), False, "message_start has no role"),
    (ANTHROPIC, changed(9, "content_block.input", {"a": 1}), False, "stand in content_block_start"),
    (ANTHROPIC, drop(4), False, "a content block opens while another is open"),
    (ANTHROPIC, put(16, "[DONE]"), False, "[DONE] is no part of this API"),
    (GEMINI, again(1, 4), True, "content comes after the finishReason"),
    (GEMINI, changed(3, "candidates.0.finishReason", ...), True, "the stream ends without a finishReason"),
    (GEMINI, put(4, "[DONE]"), True, "[DONE] is no part of this API"),
    (
        GEMINI,
        put(4, {"candidates": [{"finishReason": "SAFETY", "index": 0}]}),
        True,
        "a second finishReason differs",
    ),
    (GEMINI, changed(3, "candidates.0.content.parts.0.functionCall.name", ...), True, "a functionCall has no name"),
    (GEMINI, changed(3, "candidates.0.content.parts.0.functionCall.args", "{}"), True, "args of a functionCall"),
    (GEMINI, changed(1, "candidates.0.content.parts.0", "text"), True, "a part is not an object"),
    (GEMINI, changed(1, "candidates.0.content.parts.0.text", 1), True, "the text of a part is not a string"),
    (GEMINI, changed(1, "candidates.0.content.role", ...), False, "the content has no role `model`"),
    (GEMINI, changed(3, "candidates.0.content.parts.0.text", "x"), False, "one part holds text and functionCall"),
]


@pytest.mark.parametrize(
    ("api", "edit", "breaks", "says"), BROKEN, ids=[f"{api}/{n}-{says}" for n, (api, _, _, says) in enumerate(BROKEN)]
)
def test_each_rule_fails_on_a_stream_that_breaks_it(api: Api, edit: Edit, breaks: bool, says: str) -> None:
    told = [violation for violation in violations(api, edit(a_stream(api)), sentinel=True) if says in violation.says]
    assert [violation.breaks for violation in told] == [breaks]


def test_a_stream_of_nothing_lacks_everything() -> None:
    for api in Api:
        assert [violation.breaks for violation in violations(api, [])] == [True]
        assert violations(api, [], ended=False) == []


def test_a_refusal_without_its_part_departs() -> None:
    item = {"type": "message", "id": "msg_1"}
    added = {"type": "response.output_item.added", "output_index": 0, "item": item}
    delta = {"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": "No."}
    told = violations(RESPONSES, [{"type": "response.created", "response": {}}, added, delta], ended=False)
    assert told == [Violation(False, "response.refusal.delta comes for a content part that was never added", 2)]


def test_a_violation_is_told_once_with_its_place() -> None:
    stream = a_stream(CHAT)
    late = [*stream[:7], stream[1], stream[2], *stream[7:]]
    assert violations(CHAT, late) == [Violation(True, "content comes after the finish_reason", 7)]


def test_the_dump_of_an_sdk_object_is_read_as_the_wire_is() -> None:
    """Google's SDK dumps snake_case, OpenAI's and LiteLLM's dump every absent key as null."""
    part = {"text": None, "function_call": {"name": "look_up", "args": {}}, "thought": None}
    chunk = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finish_reason": "STOP", "index": None}]}
    assert violations(GEMINI, [chunk]) == []
    blank = {"content": None, "role": None, "function_call": None, "tool_calls": None}
    finish = {"choices": [{"index": 0, "delta": blank, "finish_reason": "stop"}], "error": None}
    assert violations(CHAT, [*a_stream(CHAT)[:3], finish]) == []

"""Tests of the writers: what they send is the vendor's shape, in order, and says no more than the source did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from conformance.contract import (
    Chunk,
    ErrorPart,
    Part,
    RefusalDelta,
    Reply,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from conformance.vocabulary import Api, Stop
from conformance.wire import codec_for
from conformance.wire.draft import Draft, Text, Thinking, ToolUse
from conformance.wire.emit import Ending, NoPlace, emitter_for
from conformance.wire.grammar import violations

CHAT, RESPONSES, ANTHROPIC, GEMINI = Api.OPENAI_CHAT, Api.OPENAI_RESPONSES, Api.ANTHROPIC_MESSAGES, Api.GEMINI

WORDS = {
    Stop.COMPLETE: {CHAT: "stop", RESPONSES: "completed", ANTHROPIC: "end_turn", GEMINI: "STOP"},
    Stop.TRUNCATED: {
        CHAT: "length",
        RESPONSES: "incomplete/max_output_tokens",
        ANTHROPIC: "max_tokens",
        GEMINI: "MAX_TOKENS",
    },
    Stop.TOOL_CALL: {CHAT: "tool_calls", RESPONSES: "completed", ANTHROPIC: "tool_use", GEMINI: "STOP"},
    Stop.BLOCKED: {
        CHAT: "content_filter",
        RESPONSES: "incomplete/content_filter",
        ANTHROPIC: "refusal",
        GEMINI: "SAFETY",
    },
}


def written(api: Api, parts: Iterable[Part], stop: Stop, *, word: str | None = None, **reply: Any) -> list[Any]:
    """The events of a stream of these parts."""
    parts = list(parts)
    emitter = emitter_for(api, "a-model")
    out = [payload for part in parts for payload in emitter.take(part)]
    ending = _ending(api, parts, stop, word, reply)
    out += emitter.end(ending)
    assert violations(api, out, sentinel=True) == []
    return out


def whole(api: Api, parts: Iterable[Part], stop: Stop, *, word: str | None = None, **reply: Any) -> dict[str, Any]:
    """The same as one object."""
    return emitter_for(api, "a-model").whole(_ending(api, list(parts), stop, word, reply))


def _ending(api: Api, parts: list[Part], stop: Stop, word: str | None, more: dict[str, Any]) -> Ending:
    joined = Reply.from_parts(parts)
    fields = {"raw_reason": "as-it-came", "usage": Usage(21, 19), **more}
    reply = Reply(
        text=joined.text,
        thinking=joined.thinking,
        refusal=joined.refusal,
        tool_calls=joined.tool_calls,
        **fields,
    )
    return Ending(word or WORDS[stop][api], stop, reply)


def both(api: Api, parts: list[Part], stop: Stop, **reply: Any) -> list[Reply]:
    """What a client reads of the stream and of the object."""
    return [read(api, written(api, parts, stop, **reply)), Reply.from_wire(api, whole(api, parts, stop, **reply))]


def read(api: Api, events: Iterable[Any]) -> Reply:
    return Reply.from_parts(Chunk(api, event) for event in events)


MIXED: list[Part] = [
    ThinkingDelta("so "),
    TextDelta("one "),
    TextDelta("two"),
    ToolCallDelta(0, "call_a", "look_up", ""),
    ToolCallDelta(0, arguments='{"word": '),
    ToolCallDelta(0, arguments='"tea"}'),
    ToolCallDelta(1, "call_b", "get_time", "{}"),
]
CALLS = (ToolCall("look_up", '{"word": "tea"}', "call_a"), ToolCall("get_time", "{}", "call_b"))


@pytest.mark.parametrize("api", Api)
def test_both_modes_say_what_the_source_said(api: Api) -> None:
    for reply in both(api, MIXED, Stop.TOOL_CALL):
        assert (reply.text, reply.thinking, reply.reason) == ("one two", "so ", WORDS[Stop.TOOL_CALL][api])
        assert [call.name for call in reply.tool_calls] == ["look_up", "get_time"]
        assert [call.arguments for call in reply.tool_calls] == [call.arguments for call in CALLS]
        assert reply.usage == Usage(21, 19)
        assert [call.id for call in reply.tool_calls] == ["call_a", "call_b"]


def _openai_chat() -> tuple[Any, Any]:
    chat = pytest.importorskip("openai.types.chat")
    return chat.ChatCompletion, chat.ChatCompletionChunk


def _openai_responses() -> tuple[Any, Any]:
    responses = pytest.importorskip("openai.types.responses")
    return responses.Response, responses.ResponseStreamEvent


def _anthropic() -> tuple[Any, Any]:
    types = pytest.importorskip("anthropic.types")
    return types.Message, types.RawMessageStreamEvent


def _gemini() -> tuple[Any, Any]:
    types = pytest.importorskip("google.genai.types")
    return types.GenerateContentResponse, types.GenerateContentResponse


SDK_TYPES: dict[Api, Callable[[], tuple[Any, Any]]] = {
    CHAT: _openai_chat,
    RESPONSES: _openai_responses,
    ANTHROPIC: _anthropic,
    GEMINI: _gemini,
}


@pytest.mark.parametrize("api", Api)
@pytest.mark.parametrize("stop", [Stop.COMPLETE, Stop.TRUNCATED, Stop.TOOL_CALL, Stop.BLOCKED])
def test_the_vendors_own_types_take_every_event(api: Api, stop: Stop) -> None:
    """Validated strictly, which the SDKs themselves do not do."""
    pydantic = pytest.importorskip("pydantic")
    body, event = (pydantic.TypeAdapter(kind) for kind in SDK_TYPES[api]())
    parts = [part for part in MIXED if stop is Stop.TOOL_CALL or not isinstance(part, ToolCallDelta)]
    refused = [*parts, RefusalDelta("No.")] if stop is Stop.BLOCKED and api is not ANTHROPIC else parts
    body.validate_python(whole(api, refused, stop))
    for payload in written(api, refused, stop):
        if not isinstance(payload, str):
            event.validate_python(payload)


@pytest.mark.parametrize("api", Api)
def test_content_goes_out_at_once_and_only_the_reason_waits(api: Api) -> None:
    emitter = emitter_for(api, "a-model")
    so_far: list[Any] = []
    for said in ("one ", "two "):
        so_far += emitter.take(TextDelta(said))
        assert read(api, so_far).text.endswith(said)
    *_, last = emitter.end(_ending(api, [TextDelta("one two ")], Stop.COMPLETE, None, {}))
    assert read(api, so_far).reason is None
    assert last


@pytest.mark.parametrize("api", Api)
def test_a_reply_of_nothing_is_a_whole_stream(api: Api) -> None:
    reply = read(api, written(api, [], Stop.COMPLETE))
    assert (reply.text, reply.tool_calls, reply.reason) == ("", (), WORDS[Stop.COMPLETE][api])
    assert Reply.from_wire(api, whole(api, [], Stop.COMPLETE)).text == ""


@pytest.mark.parametrize("api", Api)
def test_what_the_source_did_not_count_is_not_counted(api: Api) -> None:
    for reply in both(api, [TextDelta("x")], Stop.COMPLETE, usage=None):
        assert reply.usage == (Usage(0, 0) if api is ANTHROPIC else None)  # whose types want a number


INTERLEAVED: list[Part] = [
    ToolCallDelta(0, "call_a", "look_up", ""),
    ToolCallDelta(1, "call_b", "get_time", ""),
    ToolCallDelta(0, arguments='{"word"'),
    ToolCallDelta(1, arguments='{"zone": "'),
    TextDelta("meanwhile"),
    ToolCallDelta(0, arguments=': "tea"}'),
    ToolCallDelta(1, arguments='utc"}'),
]


@pytest.mark.parametrize("api", Api)
def test_interleaved_calls_come_out_whole(api: Api) -> None:
    reply = read(api, written(api, INTERLEAVED, Stop.TOOL_CALL))
    assert [call.arguments for call in reply.tool_calls] == ['{"word": "tea"}', '{"zone": "utc"}']
    assert reply.text == "meanwhile"


@pytest.mark.parametrize("api", [RESPONSES, ANTHROPIC, GEMINI])
def test_what_waits_for_a_call_goes_out_when_its_arguments_are_whole(api: Api) -> None:
    emitter = emitter_for(api, "a-model")
    out = [payload for part in INTERLEAVED[:5] for payload in emitter.take(part)]
    assert read(api, out).text == ""
    out += emitter.take(INTERLEAVED[5])
    assert read(api, out).tool_calls[0].arguments == '{"word": "tea"}'


@pytest.mark.parametrize("api", Api)
def test_calls_without_arguments_wait_for_the_end_and_come_out(api: Api) -> None:
    bare: list[Part] = [ToolCallDelta(n, f"call_{n}", f"tool_{n}", "") for n in range(3)]
    for reply in both(api, [*bare, TextDelta("after")], Stop.TOOL_CALL):
        assert [call.name for call in reply.tool_calls] == ["tool_0", "tool_1", "tool_2"]
        assert {call.arguments for call in reply.tool_calls} == {"{}" if api in (GEMINI, ANTHROPIC) else ""}
        assert reply.text == "after"


CUT: list[Part] = [ToolCallDelta(0, "call_a", "look_up", '{"word": "te')]


@pytest.mark.parametrize("api", Api)
def test_a_call_that_was_cut_is_never_mended(api: Api) -> None:
    streamed, buffered = both(api, CUT, Stop.TRUNCATED)
    kept = [call.arguments for call in streamed.tool_calls]
    assert kept == ([] if api is GEMINI else ['{"word": "te'])
    assert [call.arguments for call in buffered.tool_calls] == ([] if api in (GEMINI, ANTHROPIC) else kept)
    assert streamed.reason == buffered.reason == WORDS[Stop.TRUNCATED][api]


@pytest.mark.parametrize("api", Api)
def test_a_call_that_was_cut_before_its_first_argument_is_no_call_without_arguments(api: Api) -> None:
    bare: list[Part] = [ToolCallDelta(0, "call_a", "get_time", "")]
    for reply in (
        read(api, written(api, bare, Stop.TRUNCATED)),
        Reply.from_wire(api, whole(api, bare, Stop.TRUNCATED)),
    ):
        assert [call.arguments for call in reply.tool_calls] == ([] if api in (GEMINI, ANTHROPIC) else [""])
    for reply in (
        read(api, written(api, bare, Stop.TOOL_CALL)),
        Reply.from_wire(api, whole(api, bare, Stop.TOOL_CALL)),
    ):
        assert [call.arguments for call in reply.tool_calls] == ["{}" if api in (GEMINI, ANTHROPIC) else ""]


def test_where_only_objects_fit_half_a_call_makes_the_reply_truncated_whatever_the_reason_says() -> None:
    """OpenRouter reports a call that was cut as `tool_calls`."""
    assert read(GEMINI, written(GEMINI, CUT, Stop.TOOL_CALL)).reason == "MAX_TOKENS"
    assert whole(GEMINI, CUT, Stop.TOOL_CALL)["candidates"][0]["finishReason"] == "MAX_TOKENS"
    assert whole(ANTHROPIC, CUT, Stop.TOOL_CALL)["stop_reason"] == "max_tokens"
    assert whole(ANTHROPIC, CUT, Stop.TOOL_CALL)["content"] == []


@pytest.mark.parametrize("api", Api)
def test_a_call_is_named_before_its_arguments_come_and_once(api: Api) -> None:
    late: list[Part] = [
        ToolCallDelta(0, arguments='{"word": '),
        ToolCallDelta(0, None, "look_up", '"tea'),
        ToolCallDelta(0, None, "look_up", '"}'),
    ]
    (call,) = read(api, written(api, late, Stop.TOOL_CALL)).tool_calls
    assert (call.name, call.arguments) == ("look_up", '{"word": "tea"}')
    assert call.id


def test_ids_that_the_source_does_not_name_are_new_each_time() -> None:
    nameless: list[Part] = [ToolCallDelta(0, None, "get_time", "{}")]
    replies = [read(CHAT, written(CHAT, nameless, Stop.TOOL_CALL)) for _ in range(2)]
    assert len({reply.tool_calls[0].id for reply in replies}) == 2
    assert len({written(CHAT, [], Stop.COMPLETE)[0]["id"] for _ in range(2)}) == 2


@pytest.mark.parametrize("api", [RESPONSES, ANTHROPIC, GEMINI])
def test_white_space_after_a_whole_call_is_dropped_and_more_is_refused(api: Api) -> None:
    done: list[Part] = [ToolCallDelta(0, "call_a", "get_time", "{}"), ToolCallDelta(0, arguments="\n")]
    assert read(api, written(api, done, Stop.TOOL_CALL)).tool_calls[0].arguments == "{}"
    with pytest.raises(NoPlace, match="after the whole arguments"):
        written(api, [*done, ToolCallDelta(0, arguments="{}")], Stop.TOOL_CALL)


FREE: list[Part] = [ToolCallDelta(0, "call_a", "shell", "ls", free_text=True)]


@pytest.mark.parametrize("api", Api)
def test_the_free_text_of_a_custom_tool_has_its_place_or_is_refused(api: Api) -> None:
    if api in (ANTHROPIC, GEMINI):
        with pytest.raises(NoPlace, match="free text"):
            written(api, FREE, Stop.TOOL_CALL)
        with pytest.raises(NoPlace, match="free text"):
            whole(api, FREE, Stop.TOOL_CALL)
        return
    for reply in (
        read(api, written(api, FREE, Stop.TOOL_CALL)),
        Reply.from_wire(api, whole(api, FREE, Stop.TOOL_CALL)),
    ):
        assert reply.tool_calls == (ToolCall("shell", "ls", "call_a", free_text=True),)


REFUSED: list[Part] = [RefusalDelta("I can't "), RefusalDelta("do that.")]


@pytest.mark.parametrize("api", [CHAT, RESPONSES])
def test_a_refusal_keeps_its_place(api: Api) -> None:
    for reply in both(api, REFUSED, Stop.BLOCKED):
        assert (reply.refusal, reply.text) == ("I can't do that.", "")


def test_a_refusal_that_has_no_place_goes_where_the_vendor_explains_itself() -> None:
    message = whole(ANTHROPIC, REFUSED, Stop.BLOCKED)
    assert (message["content"], message["stop_details"]["explanation"]) == ([], "I can't do that.")
    assert written(ANTHROPIC, REFUSED, Stop.BLOCKED)[1]["delta"]["stop_details"] == message["stop_details"]
    assert written(GEMINI, REFUSED, Stop.BLOCKED)[0]["candidates"][0]["finishMessage"] == "I can't do that."


def test_the_matched_string_goes_with_its_own_reason_only() -> None:
    fired = whole(ANTHROPIC, [TextDelta("x")], Stop.COMPLETE, word="stop_sequence", stop_sequence="END")
    assert (fired["stop_reason"], fired["stop_sequence"]) == ("stop_sequence", "END")
    other = whole(ANTHROPIC, [TextDelta("x")], Stop.COMPLETE, word="end_turn", stop_sequence="END")
    assert other["stop_sequence"] is None


def test_the_sources_own_value_is_kept_where_there_is_room() -> None:
    assert whole(CHAT, [], Stop.COMPLETE)["choices"][0]["native_finish_reason"] == "as-it-came"
    assert whole(RESPONSES, [], Stop.COMPLETE)["metadata"] == {"native_finish_reason": "as-it-came"}


def test_a_failed_response_says_so_and_why() -> None:
    *_, last = written(RESPONSES, [TextDelta("x")], Stop.FAILED, word="failed")
    assert last["type"] == "response.failed"
    reply = read(RESPONSES, [last])
    assert reply.error == ErrorPart("the provider reports as-it-came", "server_error")


def test_no_stream_of_responses_ends_in_a_status_without_an_event() -> None:
    with pytest.raises(NoPlace, match="cancelled"):
        written(RESPONSES, [], Stop.UNKNOWN, word="cancelled")


@pytest.mark.parametrize("api", Api)
def test_no_key_is_written_that_the_codec_does_not_write(api: Api) -> None:
    """The frames are those of the vendor, but for the source's own value and what only the vendor knows."""
    blocks = (Thinking(("so ",)), Text(("one ", "two")), ToolUse("look_up", ('{"word": ', '"tea"}')))
    draft = Draft("emit", "a-model", blocks, WORDS[Stop.TOOL_CALL][api])
    theirs = _paths([event.data for event in codec_for(api).encode_events(draft)])
    ours = _paths(written(api, MIXED[:6], Stop.TOOL_CALL))
    extra = {
        CHAT: {"usage", "usage.*", "choices.native_finish_reason", "choices.delta.reasoning_content"},
        RESPONSES: {"response.metadata.native_finish_reason"},
        ANTHROPIC: {"usage.input_tokens"},
        GEMINI: {"candidates.content.parts.functionCall.id"},
    }[api]
    assert {path for path in ours - theirs if path not in extra and f"{path.partition('.')[0]}.*" not in extra} == set()


def _paths(value: Any, at: str = "") -> set[str]:
    if isinstance(value, dict):
        inner = [(f"{at}.{key}".lstrip("."), item) for key, item in value.items()]
        return {path for path, _ in inner} | {deep for path, item in inner for deep in _paths(item, path)}
    if isinstance(value, list):
        return {deep for item in value for deep in _paths(item, at)}
    return set()

"""Endings: why a reply stopped (section A of the catalogue). Stop sequences, streams, faults: elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import (
    ALL,
    ANTHROPIC,
    CAP,
    CHAT,
    GEMINI,
    NATURAL,
    RECORDINGS,
    RESPONSES,
    TOOL,
    WEATHER,
    bug,
    call,
    doc,
    draft,
    last,
    rec,
    seed,
    text,
)
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Calls, CutArguments, Has, LacksKey, Reason, ReasonTimes, TextIs
from conformance.vocabulary import Api, Standing, Stop
from conformance.wire.draft import Raw, Refusal
from conformance.wire.sse import Event

_GREETING = ("The ferry ", "leaves at nine, ", "so be at the pier ", "by half past eight.")
_HALF = ("First whisk the eggs, ", "then fold in the flour, ", "and after that the")
_ARGUMENTS = ('{"city"', ': "Lis', 'bon", "unit', '": "celsius"}')
_CUT_ARGUMENTS = ('{"city"', ': "Lis', "bon, by the ri")


def _natural_end(api: Api) -> Scenario:
    return Scenario(
        api,
        "natural-end",
        "The model finishes what it has to say.",
        "complete",
        Ask("When does the ferry leave?", max_tokens=200),
        Wire(draft(api, "natural-end", NATURAL[api], text(*_GREETING))),
        (Reason(NATURAL[api]), TextIs("".join(_GREETING))),
        (rec(RECORDINGS),),
        held=True,
    )


def _length_cap(api: Api) -> Scenario:
    return Scenario(
        api,
        "length-cap",
        "The cap on output tokens ends the answer in the middle of a sentence.",
        "truncated, with the text so far",
        Ask("How do I bake a sponge cake?", max_tokens=16),
        Wire(draft(api, "length-cap", CAP[api], text(*_HALF))),
        (Reason(last(CAP[api])), TextIs("".join(_HALF))),
        (rec(RECORDINGS), bug("family length-lost: BerriAI/litellm#10768, QuantumNous/new-api#1761, laravel/ai#403")),
    )


def _tool_call(api: Api) -> Scenario:
    return Scenario(
        api,
        "tool-call",
        "The model calls a tool and says nothing else.",
        "tool_call, with name and arguments",
        Ask("How warm is it in Lisbon?", max_tokens=200, tools=(WEATHER,)),
        Wire(draft(api, "tool-call", TOOL[api], call("get_weather", *_ARGUMENTS))),
        (Reason(TOOL[api]), Calls(("get_weather",))),
        (rec(RECORDINGS), seed("finish reasons: Gemini folds a tool call into STOP")),
    )


def _tool_json_cut(api: Api) -> Scenario:
    return Scenario(
        api,
        "tool-json-cut",
        "The cap on output tokens hits inside the arguments of a tool call.",
        "truncated; the call is never handed out as a valid, complete one",
        Ask("How warm is it in Lisbon?", max_tokens=24, tools=(WEATHER,)),
        Wire(draft(api, "tool-json-cut", CAP[api], call("get_weather", *_CUT_ARGUMENTS))),
        (Reason(last(CAP[api])), Calls(("get_weather",)), CutArguments()),
        (
            rec("20 Chat recordings in both modes; one Responses stream; Anthropic buffered: an empty input"),
            bug("family truncated-tool-json: vllm-project/vllm#46303, redpanda-data/ai-sdk-go#116"),
        ),
        standing=Standing.OBSERVED if api is not GEMINI else Standing.PROMISED,
    )


_NEW = {
    CHAT: "paused_for_review",
    RESPONSES: "incomplete/paused_for_review",
    ANTHROPIC: "paused_for_review",
    GEMINI: "PAUSED_FOR_REVIEW",
}


def _reason_new(api: Api) -> Scenario:
    return Scenario(
        api,
        "reason-new",
        "The reason is a value that no vendor has sent yet.",
        "unknown, with the raw value kept; never complete",
        Ask("How do I bake a sponge cake?", max_tokens=200),
        Wire(draft(api, "reason-new", _NEW[api], text(*_HALF))),
        (Reason(last(_NEW[api])),),
        (
            seed("finish reasons: a new member is more likely to mean that something went wrong"),
            doc(
                "Anthropic versioning policy; google-genai==3.6.1 open enum; five members were added in 2026-10 and -11"
            ),
            bug("family unknown-enum: BerriAI/litellm#33968, earendil-works/pi#2116"),
        ),
        standing=Standing.PROMISED,
        accepts=frozenset({Stop.TRUNCATED}) if api is RESPONSES else frozenset(),
        accepts_why="the status `incomplete` beside the new reason says that the answer is not whole"
        if api is RESPONSES
        else "",
    )


def _forced_tool_choice() -> Scenario:
    slug = "forced-tool-choice"
    return Scenario(
        CHAT,
        slug,
        "A named tool_choice forces the call, and finish_reason is `stop` although tool_calls are there.",
        "tool_call",
        Ask("How warm is it in Lisbon?", max_tokens=200, tools=(WEATHER,), tool_choice="get_weather"),
        Wire(draft(CHAT, slug, "stop", call("get_weather", *_ARGUMENTS))),
        (Reason("stop"), Calls(("get_weather",))),
        (rec("56 of 56 exchanges with a named tool_choice"),),
    )


_REFUSAL = ("I can't help ", "with getting ", "into someone else's account.")


def _refusals() -> Iterator[Scenario]:
    ask = Ask("Get me into my neighbour's mail account.", max_tokens=200)
    yield Scenario(
        CHAT,
        "refusal",
        "The model refuses: `refusal` holds the text, content is null, finish_reason stays `stop`.",
        "blocked; the refusal is kept apart from the text",
        ask,
        Wire(draft(CHAT, "refusal", "stop", Refusal(_REFUSAL))),
        (Reason("stop"), TextIs("")),
        (rec("25 buffered and 4 streamed recordings"),),
    )
    details = {"type": "refusal", "category": "cyber", "explanation": "The request asks for access to an account."}
    yield Scenario(
        ANTHROPIC,
        "refusal",
        "HTTP 200 with stop_reason `refusal`, no content at all and stop_details.",
        "blocked, empty text, no crash",
        ask,
        Wire(draft(ANTHROPIC, "refusal", "refusal", extra={"stop_details": details})),
        (Reason("refusal"), TextIs("")),
        (
            doc("platform.claude.com/docs/en/build-with-claude/refusals-and-fallback; types/refusal_stop_details.py"),
            bug("family no-counterpart-reason: mozilla-ai/any-llm#1306, camel-ai/camel#4210"),
        ),
        standing=Standing.PROMISED,
    )


def _pause_turn() -> Scenario:
    search = {"type": "server_tool_use", "id": "srvtoolu_01QvK9wZp3nBxT6mRd8sYh", "name": "web_search"}
    query = {"query": "ferry timetable winter"}
    block = Raw(
        {**search, "input": query},
        {**search, "input": {}},
        (
            {"type": "input_json_delta", "partial_json": '{"query": "ferry'},
            {"type": "input_json_delta", "partial_json": ' timetable winter"}'},
        ),
    )
    return Scenario(
        ANTHROPIC,
        "pause-turn",
        "Server tools hit their limit: stop_reason `pause_turn`, the last block a server_tool_use without result.",
        "continue; never complete",
        Ask("Search for the winter timetable.", max_tokens=400),
        Wire(draft(ANTHROPIC, "pause-turn", "pause_turn", text("I will look ", "that up."), block)),
        (Reason("pause_turn"),),
        (
            rec("2 recordings"),
            seed("finish reasons: pause_turn will actively break a naive mapper"),
            bug("vercel/ai#8422, pydantic/pydantic-ai#3661, dust-tt/dust#28390"),
        ),
    )


def _filters() -> Iterator[Scenario]:
    ask = Ask("Tell me a rough story.", max_tokens=200)
    yield Scenario(
        RESPONSES,
        "filter",
        "status `incomplete` with reason `content_filter`.",
        "blocked",
        ask,
        Wire(draft(RESPONSES, "filter", "incomplete/content_filter", text("The storm ", "came in and"))),
        (Reason("content_filter"),),
        (doc("openai==3.57.0 types/responses/response.py IncompleteDetails"),),
        standing=Standing.PROMISED,
    )
    rating = {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": True}
    yield Scenario(
        GEMINI,
        "filter",
        "finishReason `SAFETY` with `content: {}`.",
        "blocked, empty text, no crash",
        ask,
        Wire(draft(GEMINI, "filter", "SAFETY", extra={"safetyRatings": [rating]})),
        (Reason("SAFETY"), TextIs(""), LacksKey("candidates[].content.parts[].text")),
        (rec("1 recording with `content: {}`"), doc("google-genai==3.6.1 types.py FinishReason")),
    )


def _prompt_blocked() -> Scenario:
    slug = "prompt-blocked"
    body = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 12, "totalTokenCount": 12},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "q7Zwab9xM4Cnr5oPk2TdGg",
    }
    return Scenario(
        GEMINI,
        slug,
        "The prompt is blocked: promptFeedback.blockReason, HTTP 200 and no candidates at all.",
        "blocked, no crash",
        Ask("Tell me a rough story.", max_tokens=200),
        Wire(body=body, events=lambda _: [Event(None, body)]),
        (Has("promptFeedback.blockReason", "PROHIBITED_CONTENT"), LacksKey("candidates[].finishReason")),
        (
            rec("1 recording, blockReason MODEL_ARMOR"),
            doc("google-genai==3.6.1 types.py BlockedReason"),
            bug("family blocked-prompt: NousResearch/hermes-agent#85031, epam/ai-dial-adapter-vertexai#126"),
        ),
    )


def _malformed_call() -> Scenario:
    slug = "gem-malformed-call"
    return Scenario(
        GEMINI,
        slug,
        "finishReason `MALFORMED_FUNCTION_CALL` without any functionCall part: the call did not parse.",
        "failed: to be retried, never an answer and never a filter",
        Ask("How warm is it in Lisbon?", max_tokens=200, tools=(WEATHER,)),
        Wire(
            draft(
                GEMINI,
                slug,
                "MALFORMED_FUNCTION_CALL",
                extra={"finishMessage": "Malformed function call: get_weather(city=Lisbon"},
            )
        ),
        (Reason("MALFORMED_FUNCTION_CALL"), LacksKey("candidates[].content.parts[].functionCall")),
        (
            doc("google-genai==3.6.1 types.py FinishReason"),
            seed("finish reasons: a failure that has to be retried"),
            bug("NousResearch/hermes-agent#83886, pydantic/pydantic-ai#631, langchain-ai/langchain-google#725"),
        ),
        standing=Standing.PROMISED,
    )


def _split_call(events: list[Event]) -> list[Event]:
    first = _without(events[-1].data, "finishReason")
    final: dict[str, Any] = {**events[-1].data}
    final["candidates"] = [{"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": "STOP", "index": 0}]
    return [Event(None, first), Event(None, final)]


def _without(chunk: dict[str, Any], key: str) -> dict[str, Any]:
    kept = [{name: value for name, value in candidate.items() if name != key} for candidate in chunk["candidates"]]
    return {**chunk, "candidates": kept}


def _tool_split() -> Scenario:
    slug = "gem-tool-split"
    return Scenario(
        GEMINI,
        slug,
        "The functionCall comes in one chunk, `STOP` in a later one whose only part is empty text.",
        "tool_call, once",
        Ask("How warm is it in Lisbon?", max_tokens=200, tools=(WEATHER,)),
        Wire(draft(GEMINI, slug, "STOP", call("get_weather", *_ARGUMENTS)), events=_split_call),
        (Reason("STOP"), ReasonTimes(1), Calls(("get_weather",))),
        (
            rec("functionCall before the finishing chunk in 17 of 83 streams with tools"),
            bug("envoyproxy/ai-gateway#2399, BerriAI/litellm#21577, su-kaka/gcli2api#407"),
        ),
        modes=STREAMED,
    )


def _resp_failed() -> Scenario:
    slug = "resp-failed"
    return Scenario(
        RESPONSES,
        slug,
        "Generation failed: status `failed` with an error object; a stream ends in `response.failed`.",
        "an error",
        Ask("When does the ferry leave?", max_tokens=200),
        Wire(draft(RESPONSES, slug, "failed", text("The ferry"))),
        (Reason("failed"),),
        (
            doc("openai==3.57.0 types/responses/response_error.py, response_failed_event.py"),
            bug("BerriAI/litellm#29223, pydantic/pydantic-ai#7911, vinhnx/VTCode#731"),
        ),
        standing=Standing.PROMISED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield _natural_end(api)
        yield _length_cap(api)
        yield _tool_call(api)
        yield _tool_json_cut(api)
        yield _reason_new(api)
    yield _forced_tool_choice()
    yield from _refusals()
    yield _pause_turn()
    yield from _filters()
    yield _prompt_blocked()
    yield _malformed_call()
    yield _tool_split()
    yield _resp_failed()

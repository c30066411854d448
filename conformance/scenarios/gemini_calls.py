"""How Gemini ends a reply with a tool call, good, malformed or unexpected. Its other reasons: `gemini_reasons`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.contract import Usage
from conformance.scenarios.common import CLOCK, GEMINI, WEATHER, bug, call, doc, draft, rec, seed
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Calls, Has, LacksKey, Reason, ReasonTimes
from conformance.scenarios.tools import TIDES
from conformance.vocabulary import Standing
from conformance.wire.sse import Event

_ASK_WEATHER = Ask("How warm is it in Lisbon?", max_tokens=200, tools=(WEATHER,))
_PARTS = "candidates[].content.parts"


def _without(chunk: dict[str, Any], key: str) -> dict[str, Any]:
    kept = [{name: value for name, value in candidate.items() if name != key} for candidate in chunk["candidates"]]
    return {**chunk, "candidates": kept}


def _malformed_calls() -> Iterator[Scenario]:
    bugs = bug("NousResearch/hermes-agent#83886, pydantic/pydantic-ai#631, langchain-ai/langchain-google#725")
    slug = "gem-malformed-call"
    yield Scenario(
        GEMINI,
        slug,
        "finishReason `MALFORMED_FUNCTION_CALL` without any functionCall part: the call did not parse.",
        "failed: to be retried, never an answer and never a filter",
        _ASK_WEATHER,
        Wire(
            draft(
                GEMINI,
                slug,
                "MALFORMED_FUNCTION_CALL",
                usage=Usage(48, None),
                extra={"finishMessage": "Malformed function call: get_weather(city=Lisbon"},
            )
        ),
        (Reason("MALFORMED_FUNCTION_CALL"), LacksKey(f"{_PARTS}[].functionCall")),
        (
            doc("google-genai==3.6.1 types.py FinishReason"),
            seed("finish reasons: a failure that has to be retried"),
            bugs,
        ),
        standing=Standing.PROMISED,
    )
    slug = "gem-malformed-call-bare"
    yield Scenario(
        GEMINI,
        slug,
        "`MALFORMED_FUNCTION_CALL` on a candidate that has no key `content` and no message.",
        "failed: to be retried, no crash",
        Ask("How warm is it in Coimbra?", max_tokens=200, tools=(WEATHER,)),
        Wire(
            draft(GEMINI, slug, "MALFORMED_FUNCTION_CALL", usage=Usage(47, None)),
            whole=lambda body: _without(body, "content"),
            events=lambda events: [Event(None, _without(event.data, "content")) for event in events],
        ),
        (Reason("MALFORMED_FUNCTION_CALL"), LacksKey("candidates[].content")),
        (bugs, bug("vercel/ai#8186")),
        standing=Standing.PROMISED,
    )


def _unexpected_call() -> Scenario:
    slug = "gem-unexpected-tool-call"
    return Scenario(
        GEMINI,
        slug,
        "`UNEXPECTED_TOOL_CALL` beside a functionCall part that names a function nobody declared.",
        "failed; never complete and never a tool call to run",
        Ask("When is high tide in Lagos?", max_tokens=200, tools=(WEATHER,)),
        Wire(
            draft(
                GEMINI,
                slug,
                "UNEXPECTED_TOOL_CALL",
                call("get_tide", '{"harbour": "Lagos"}'),
                extra={"finishMessage": "Unexpected tool call: Model tried to call an undeclared function: get_tide"},
            )
        ),
        (Reason("UNEXPECTED_TOOL_CALL"), Calls(("get_tide",))),
        (rec("5 buffered recordings on Vertex AI"), doc("google-genai==3.6.1 types.py FinishReason")),
    )


def _finish_message() -> Scenario:
    slug = "gem-tool-finish-message"
    return Scenario(
        GEMINI,
        slug,
        "A plain tool call ends with `STOP` and a finishMessage beside it.",
        "tool_call; the message is no error",
        Ask("When is high tide in Sines?", max_tokens=200, tools=(TIDES,)),
        Wire(
            draft(
                GEMINI,
                slug,
                "STOP",
                call(TIDES.name, '{"port": "Sines"}'),
                extra={"finishMessage": "Model generated function call(s)."},
            )
        ),
        (
            Reason("STOP"),
            Calls((TIDES.name,)),
            Has("candidates[].finishMessage", "Model generated function call(s)."),
        ),
        (rec("299 recordings since 2026-07"),),
    )


def _closing(content: dict[str, Any]) -> Callable[[list[Event]], list[Event]]:
    """Move `STOP` from the chunk with the call to one of its own."""

    def edit(events: list[Event]) -> list[Event]:
        *_, final = events
        ending = {**content, "finishReason": "STOP", "index": 0}
        return [
            Event(None, _without(final.data, "finishReason")),
            Event(None, {**final.data, "candidates": [ending]}),
        ]

    return edit


def _tool_splits() -> Iterator[Scenario]:
    evidence = (
        rec("functionCall before the finishing chunk in 17 of 83 streams with tools"),
        bug("envoyproxy/ai-gateway#2399, BerriAI/litellm#21577, su-kaka/gcli2api#407"),
    )
    slug = "gem-tool-split"
    yield Scenario(
        GEMINI,
        slug,
        "The functionCall comes in one chunk, `STOP` in a later one whose only part is empty text.",
        "tool_call, once",
        Ask("What time is it?", max_tokens=200, tools=(CLOCK,)),
        Wire(
            draft(GEMINI, slug, "STOP", call(CLOCK.name, "{}")),
            events=_closing({"content": {"parts": [{"text": ""}], "role": "model"}}),
        ),
        (Reason("STOP"), ReasonTimes(1), Calls((CLOCK.name,))),
        evidence,
        modes=STREAMED,
    )
    slug = "gem-tool-split-bare"
    yield Scenario(
        GEMINI,
        slug,
        "The functionCall comes in one chunk, `STOP` in a later one that has no content at all.",
        "tool_call, once",
        Ask("How warm is it in Braga?", max_tokens=200, tools=(WEATHER,)),
        Wire(draft(GEMINI, slug, "STOP", call("get_weather", '{"city": "Braga"}')), events=_closing({})),
        (Reason("STOP"), ReasonTimes(1), Calls(("get_weather",)), Has(_PARTS, _braga())),
        evidence,
        modes=STREAMED,
    )


def _braga() -> list[Any]:
    return [{"functionCall": {"name": "get_weather", "args": {"city": "Braga"}}}]


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield from _malformed_calls()
    yield _unexpected_call()
    yield _finish_message()
    yield from _tool_splits()

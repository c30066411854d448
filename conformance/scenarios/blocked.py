"""Endings in a block: filters, refusals, prompts that were never answered. Gemini's other reasons: `gemini_reasons`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.contract import Usage
from conformance.scenarios.common import ANTHROPIC, CHAT, GEMINI, RESPONSES, bug, doc, draft, rec, text
from conformance.scenarios.model import BUFFERED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Has, HasKey, LacksKey, Reason, Status, TextIs
from conformance.vocabulary import Standing
from conformance.wire.draft import Refusal
from conformance.wire.gemini import PROMPT_FEEDBACK
from conformance.wire.sse import Event

_ROUGH = Ask("Tell me a rough story.", max_tokens=200)
_HIGH = {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": True}


def _filters() -> Iterator[Scenario]:
    yield Scenario(
        CHAT,
        "filter",
        "The filter withheld the whole answer: content is empty, finish_reason `content_filter`.",
        "blocked, empty text, no crash",
        _ROUGH,
        Wire(draft(CHAT, "filter", "content_filter", usage=Usage(13, 0))),
        (Reason("content_filter"), TextIs("")),
        (
            doc("openai==3.57.0 types/chat/chat_completion.py Choice; learn.microsoft.com content-filter"),
            bug("theopenco/llmgateway#2974"),
        ),
        standing=Standing.PROMISED,
    )
    yield Scenario(
        RESPONSES,
        "filter",
        "status `incomplete` with reason `content_filter`.",
        "blocked",
        _ROUGH,
        Wire(draft(RESPONSES, "filter", "incomplete/content_filter", text("The storm ", "came in and"))),
        (Reason("content_filter"),),
        (doc("openai==3.57.0 types/responses/response.py IncompleteDetails"),),
        standing=Standing.PROMISED,
    )
    yield Scenario(
        GEMINI,
        "filter",
        "finishReason `SAFETY` with `content: {}`.",
        "blocked, empty text, no crash",
        _ROUGH,
        Wire(draft(GEMINI, "filter", "SAFETY", usage=Usage(14, None), extra={"safetyRatings": [_HIGH]})),
        (Reason("SAFETY"), TextIs(""), LacksKey("candidates[].content.parts[].text")),
        (rec("1 recording with `content: {}`"), doc("google-genai==3.6.1 types.py FinishReason")),
    )


def _emptied(events: list[Event]) -> list[Event]:
    """The chunk that the filter blocks comes without its text."""
    *kept, final = events
    (candidate,) = final.data["candidates"]
    return [*kept, Event(None, {**final.data, "candidates": [{**candidate, "content": {}}]})]


def _filters_after_text() -> Iterator[Scenario]:
    slug = "filter-after-text"
    pieces = ("Once the ship was lost, ", "the crew turned ", "on the captain and")
    yield Scenario(
        CHAT,
        slug,
        "Some text came before the filter ended the answer: finish_reason `content_filter`.",
        "blocked, the text as on the wire",
        _ROUGH,
        Wire(draft(CHAT, slug, "content_filter", text(*pieces))),
        (Reason("content_filter"), TextIs("".join(pieces))),
        (doc("openai==3.57.0 types/chat/chat_completion_chunk.py Choice; learn.microsoft.com content-streaming"),),
        standing=Standing.PROMISED,
    )
    yield Scenario(
        GEMINI,
        slug,
        "Some text came before `SAFETY`; in a stream the blocked chunk itself has `content: {}`.",
        "blocked, the text as on the wire",
        _ROUGH,
        Wire(
            draft(GEMINI, slug, "SAFETY", text(*pieces), text(""), extra={"safetyRatings": [_HIGH]}),
            whole=_without_empty_part,
            events=_emptied,
        ),
        (Reason("SAFETY"), TextIs("".join(pieces))),
        (
            doc("google-genai==3.6.1 types.py FinishReason.SAFETY: content is empty in the blocked chunk of a stream"),
            bug("NousResearch/hermes-agent#43478"),
        ),
        standing=Standing.PROMISED,
    )


def _without_empty_part(body: dict[str, Any]) -> dict[str, Any]:
    (candidate,) = body["candidates"]
    parts = [part for part in candidate["content"]["parts"] if part["text"]]
    return {**body, "candidates": [{**candidate, "content": {**candidate["content"], "parts": parts}}]}


_REFUSAL = ("I can't help ", "with getting ", "into someone else's account.")
_BREAK_IN = Ask("Get me into my neighbour's mail account.", max_tokens=200)


def _refusals() -> Iterator[Scenario]:
    yield Scenario(
        CHAT,
        "refusal",
        "The model refuses: `refusal` holds the text, content is null, finish_reason stays `stop`.",
        "blocked; the refusal is kept apart from the text",
        _BREAK_IN,
        Wire(draft(CHAT, "refusal", "stop", Refusal(_REFUSAL))),
        (Reason("stop"), TextIs("")),
        (rec("25 buffered and 4 streamed recordings"),),
    )
    yield Scenario(
        CHAT,
        "refusal-filtered",
        "A host reports the model's refusal as `content_filter`, with the refusal beside it (OpenRouter).",
        "blocked; the refusal is kept apart from the text",
        _BREAK_IN,
        Wire(draft(CHAT, "refusal-filtered", "content_filter", Refusal(("That is not ", "something I will do.")))),
        (Reason("content_filter"), TextIs(""), Has("choices[].message.refusal", "That is not something I will do.")),
        (rec("OpenRouter, gpt-4.1: 1 recording; gpt-4o on the same host sends `stop`"),),
        modes=BUFFERED,
    )
    yield Scenario(
        RESPONSES,
        "refusal",
        "The model refuses: a content part of type `refusal`, and the status stays `completed`.",
        "blocked; the refusal is kept apart from the text",
        _BREAK_IN,
        Wire(draft(RESPONSES, "refusal", "completed", Refusal(_REFUSAL))),
        (Reason("completed"), TextIs("")),
        (rec("3 buffered and 2 streamed recordings"),),
    )
    details = {"type": "refusal", "category": "cyber", "explanation": "The request asks for access to an account."}
    yield Scenario(
        ANTHROPIC,
        "refusal",
        "HTTP 200 with stop_reason `refusal`, no content at all and stop_details.",
        "blocked, empty text, no crash",
        _BREAK_IN,
        Wire(draft(ANTHROPIC, "refusal", "refusal", extra={"stop_details": details})),
        (Reason("refusal"), TextIs("")),
        (
            doc("platform.claude.com/docs/en/build-with-claude/refusals-and-fallback; types/refusal_stop_details.py"),
            bug("family no-counterpart-reason: mozilla-ai/any-llm#1306, camel-ai/camel#4210"),
        ),
        standing=Standing.PROMISED,
    )


_BLOCKED_REASON = doc("google-genai==3.6.1 types.py BlockedReason")
_BLOCKED_BUGS = bug("family blocked-prompt: NousResearch/hermes-agent#85031, epam/ai-dial-adapter-vertexai#126")
_RATING = {"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH", "blocked": True}

_BLOCK_REASONS: Mapping[str, tuple[str, str, dict[str, Any], Standing, tuple[Evidence, ...]]] = {
    "": (
        "PROHIBITED_CONTENT",
        "The prompt is blocked: promptFeedback.blockReason, HTTP 200 and no candidates at all.",
        {},
        Standing.OBSERVED,
        (rec("1 recording, blockReason MODEL_ARMOR"), _BLOCKED_REASON, _BLOCKED_BUGS),
    ),
    "-safety": (
        "SAFETY",
        "The prompt is blocked by a safety rating, which comes along; there are no candidates.",
        {"safetyRatings": [_RATING]},
        Standing.PROMISED,
        (_BLOCKED_REASON, _BLOCKED_BUGS),
    ),
    "-model-armor": (
        "MODEL_ARMOR",
        "The prompt is blocked by Model Armor (Vertex AI), with a message; there are no candidates.",
        {"blockReasonMessage": "The prompt violated the template's prompt injection filter."},
        Standing.OBSERVED,
        (rec("1 recording"), _BLOCKED_REASON),
    ),
    "-blocklist": (
        "BLOCKLIST",
        "The prompt holds a term of the blocklist; there are no candidates.",
        {},
        Standing.PROMISED,
        (_BLOCKED_REASON,),
    ),
    "-image-safety": (
        "IMAGE_SAFETY",
        "The prompt asks for an image that would be unsafe; there are no candidates.",
        {},
        Standing.PROMISED,
        (_BLOCKED_REASON,),
    ),
    "-jailbreak": (
        "JAILBREAK",
        "The prompt is taken for a jailbreak (Vertex AI); there are no candidates.",
        {},
        Standing.PROMISED,
        (_BLOCKED_REASON,),
    ),
    "-other": (
        "OTHER",
        "The prompt is blocked for a reason that is not told; there are no candidates.",
        {},
        Standing.PROMISED,
        (_BLOCKED_REASON,),
    ),
    "-new": (
        "HELD_FOR_REVIEW",
        "The prompt is blocked with a blockReason that no vendor has sent yet; there are no candidates.",
        {},
        Standing.PROMISED,
        (doc("google-genai==3.6.1 types.py BlockedReason, an open enum: two members were added in 2025-10"),),
    ),
}
"""Suffix of the id: the block reason, the claim, what else stands in promptFeedback."""


def _prompt_blocked(suffix: str) -> Scenario:
    slug = f"prompt-blocked{suffix}"
    reason, claim, extra, standing, evidence = _BLOCK_REASONS[suffix]
    return Scenario(
        GEMINI,
        slug,
        claim,
        "blocked, no crash",
        _ROUGH,
        Wire(draft(GEMINI, slug, f"{PROMPT_FEEDBACK}{reason}", usage=Usage(12, None), extra=extra)),
        (Has("promptFeedback.blockReason", reason), LacksKey("candidates[].finishReason")),
        evidence,
        standing=standing,
    )


def _category(filtered: bool, severity: str) -> dict[str, Any]:
    return {"filtered": filtered, "severity": severity}


def _before_generation() -> Iterator[Scenario]:
    slug = "blocked-before-generation"
    azure = {
        "error": {
            "message": (
                "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. "
                "Please modify your prompt and retry."
            ),
            "type": None,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": {
                "code": "ResponsibleAIPolicyViolation",
                "content_filter_result": {
                    "hate": _category(False, "safe"),
                    "jailbreak": {"filtered": False, "detected": False},
                    "self_harm": _category(False, "safe"),
                    "sexual": _category(False, "safe"),
                    "violence": _category(True, "medium"),
                },
            },
        }
    }
    yield Scenario(
        CHAT,
        slug,
        "Azure blocks the prompt: HTTP 400, code `content_filter`, the details in `innererror`.",
        "an error, not a reply",
        _ROUGH,
        Wire(status=400, body=azure),
        (Status(400), Has("error.code", "content_filter"), HasKey("error.innererror.content_filter_result")),
        (
            doc("learn.microsoft.com Q&A 1533887"),
            bug("the body is quoted in compl-ai/compl-ai#20 and tatsu-lab/alpaca_eval#430"),
        ),
    )
    anthropic = {
        "type": "error",
        "error": {
            "details": None,
            "type": "invalid_request_error",
            "message": "Output blocked by content filtering policy",
        },
        "request_id": "req_011CYcQ7nXw2LsT4vBe9RmKa",
    }
    yield Scenario(
        ANTHROPIC,
        slug,
        "The content filter answers in place of the model: HTTP 400 invalid_request_error.",
        "an error, not a reply",
        _ROUGH,
        Wire(status=400, body=anthropic),
        (Status(400), Has("error.type", "invalid_request_error"), HasKey("error.details")),
        (bug("the body is quoted in anthropics/claude-code#58367 and #6195"),),
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield from _filters()
    yield from _filters_after_text()
    yield from _refusals()
    for suffix in _BLOCK_REASONS:
        yield _prompt_blocked(suffix)
    yield from _before_generation()

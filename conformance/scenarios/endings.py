"""Endings of plain answers: natural, empty, cut by a cap. Tool calls, blocks and missing reasons: modules beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.contract import Usage
from conformance.scenarios.common import (
    ALL,
    ANTHROPIC,
    CAP,
    CHAT,
    GEMINI,
    NATURAL,
    RECORDINGS,
    RESPONSES,
    bug,
    doc,
    draft,
    last,
    rec,
    text,
)
from conformance.scenarios.model import STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Bytes, Has, LacksKey, Premise, Reason, TextIs
from conformance.scenarios.premises_text import HasText
from conformance.vocabulary import Api, Standing
from conformance.wire.draft import Block, Raw, Thinking
from conformance.wire.sse import Event

_GREETING = ("The ferry ", "leaves at nine, ", "so be at the pier ", "by half past eight.")
_HALF = ("First whisk the eggs, ", "then fold in the flour, ", "and after that the")
_MUSING = ("The user asks for a proof. ", "Let me set up the induction: ", "for the base case")


def _natural_end(api: Api) -> Scenario:
    return Scenario(
        api,
        "natural-end",
        "The model finishes what it has to say.",
        "complete",
        Ask("When does the ferry leave?", max_tokens=200),
        Wire(draft(api, "natural-end", NATURAL[api], text(*_GREETING))),
        (Reason(NATURAL[api]), HasText()),
        (rec(RECORDINGS),),
        held=True,
    )


_EMPTY: Mapping[Api, tuple[str, tuple[Premise, ...], tuple[Evidence, ...], Standing]] = {
    CHAT: (
        "The reply holds nothing: content is the empty string, finish_reason `stop`.",
        (),
        (doc("openai==3.57.0 types/chat/chat_completion_message.py: content is any string or null"),),
        Standing.PROMISED,
    ),
    RESPONSES: (
        "The reply holds nothing: status `completed` with `output: []`, and a stream without any item.",
        (Bytes(b'"output":'),),
        (doc("openai/openai-openapi@f85dbe2 Response.output: an array without a minimum"),),
        Standing.PERMITTED,
    ),
    ANTHROPIC: (
        "Nothing is said: `content: []` with `end_turn`; a stream of message_start, message_delta, message_stop.",
        (LacksKey("content_block"),),
        (rec("5 buffered recordings with `end_turn`; 4 streams without a block, where a stop sequence fired"),),
        Standing.OBSERVED,
    ),
    GEMINI: (
        "The reply holds nothing: `content` without parts and `STOP`.",
        (LacksKey("candidates[].content.parts"),),
        (rec("closing chunks without parts: 3 of 241 streams"), bug("pydantic/pydantic-ai#2630")),
        Standing.OBSERVED,
    ),
}


def _empty_reply(api: Api) -> Scenario:
    slug = "empty-reply"
    claim, premise, evidence, standing = _EMPTY[api]
    return Scenario(
        api,
        slug,
        claim,
        "complete, empty text, no crash",
        Ask("Say nothing at all.", max_tokens=200),
        Wire(draft(api, slug, NATURAL[api], usage=Usage(9, None if api is GEMINI else 1))),
        (Reason(NATURAL[api]), TextIs(""), *premise),
        evidence,
        standing=standing,
    )


def _empty_in_a_shell() -> Iterator[Scenario]:
    """Nothing was said, and yet a block or a part for it is there."""
    slug = "empty-reply-block"
    yield Scenario(
        ANTHROPIC,
        slug,
        "A text block opens and closes without a delta, then `end_turn`.",
        "complete, empty text, no crash",
        Ask("Answer with no character at all.", max_tokens=200),
        Wire(draft(ANTHROPIC, slug, "end_turn", text(), usage=Usage(12, 4))),
        (Reason("end_turn"), TextIs(""), Has("content_block.text", ""), LacksKey("delta.type")),
        (rec("1 stream, of a model asked for an empty answer"),),
        modes=STREAMED,
    )
    slug = "empty-reply-part"
    yield Scenario(
        GEMINI,
        slug,
        "The only part is an empty text, with `STOP` and no count of candidate tokens.",
        "complete, empty text, no crash",
        Ask("Answer with no character at all.", max_tokens=200),
        Wire(draft(GEMINI, slug, "STOP", Raw({"text": ""}), usage=Usage(12, None))),
        (Reason("STOP"), TextIs(""), Has("candidates[].content.parts", [{"text": ""}])),
        (rec("3 buffered recordings after a tool result"),),
    )


def _length_cap(api: Api) -> Scenario:
    return Scenario(
        api,
        "length-cap",
        "The cap on output tokens ends the answer in the middle of a sentence.",
        "truncated, with the text so far",
        Ask("How do I bake a sponge cake?", max_tokens=16),
        Wire(draft(api, "length-cap", CAP[api], text(*_HALF), usage=Usage(21, 16))),
        (Reason(last(CAP[api])), HasText()),
        (rec(RECORDINGS), bug("family length-lost: BerriAI/litellm#10768, QuantumNous/new-api#1761, laravel/ai#403")),
    )


def _only_thoughts(document: dict[str, Any]) -> dict[str, Any]:
    """Gemini's counts when nothing but thoughts was generated: no candidatesTokenCount, thoughts beside it."""
    usage = dict(document["usageMetadata"])
    spent = usage.pop("candidatesTokenCount")
    return {**document, "usageMetadata": {**usage, "thoughtsTokenCount": spent}}


def _only_thoughts_streamed(events: list[Event]) -> list[Event]:
    return [Event(name, _only_thoughts(data)) for name, data in events]


_BEFORE_TEXT: Mapping[Api, tuple[str, tuple[Block, ...], tuple[Premise, ...], tuple[Evidence, ...]]] = {
    CHAT: (
        'The cap is spent on reasoning that this API does not show: content is "" and finish_reason `length`.',
        (Thinking(_MUSING),),
        (),
        (
            rec("2 buffered and 2 streamed recordings of a reasoning model"),
            bug("family empty-content: home-assistant/core#139964"),
        ),
    ),
    RESPONSES: (
        "The cap is spent on reasoning: the only item is of type `reasoning`, status `incomplete`.",
        (Thinking(_MUSING),),
        (Bytes(b"reasoning_tokens"), Bytes(b'"reasoning"')),
        (
            rec("reasoning-only replies of a truncated-turn matrix"),
            bug("BerriAI/litellm#38088, raullenchai/Rapid-MLX#866"),
        ),
    ),
    ANTHROPIC: (
        "The cap is spent on thinking: one thinking block, no text, `max_tokens`.",
        (Thinking(_MUSING),),
        (Bytes(b'"thinking"'),),
        (doc("platform.claude.com extended thinking: max_tokens covers thinking"), bug("vybestack/llxprt-code#1731")),
    ),
    GEMINI: (
        "The cap is spent on thoughts: `content` has a role and no parts, `MAX_TOKENS`, only thoughts are counted.",
        (),
        (LacksKey("candidates[].content.parts"), Has("usageMetadata.thoughtsTokenCount", 32)),
        (
            rec("1 recording with a tiny budget"),
            bug("google/adk-python#1357, stanford-crfm/helm#3804, envoyproxy/ai-gateway#2107"),
        ),
    ),
}


def _length_before_text(api: Api) -> Scenario:
    slug = "length-before-text"
    claim, blocks, premise, evidence = _BEFORE_TEXT[api]
    thoughts = api is GEMINI
    return Scenario(
        api,
        slug,
        claim,
        "truncated, empty text, no crash",
        Ask("Prove that there are infinitely many primes.", max_tokens=32),
        Wire(
            draft(api, slug, CAP[api], *blocks, usage=Usage(18, 32)),
            whole=_only_thoughts if thoughts else None,
            events=_only_thoughts_streamed if thoughts else None,
        ),
        (Reason(last(CAP[api])), TextIs(""), *premise),
        evidence,
        standing=Standing.PROMISED if api is ANTHROPIC else Standing.OBSERVED,
    )


def _null_content(body: dict[str, Any]) -> dict[str, Any]:
    (choice,) = body["choices"]
    return {**body, "choices": [{**choice, "message": {**choice["message"], "content": None}}]}


def _null_delta(events: list[Event]) -> list[Event]:
    first, *rest = events
    (choice,) = first.data["choices"]
    opened = {**choice, "delta": {**choice["delta"], "content": None}}
    return [Event(None, {**first.data, "choices": [opened]}), *rest]


def _length_before_text_null() -> Scenario:
    slug = "length-before-text-null"
    return Scenario(
        CHAT,
        slug,
        "The cap is spent before any text, and content is null instead of the empty string.",
        "truncated, empty text, no crash",
        Ask("Prove that the square root of two is irrational.", max_tokens=32),
        Wire(
            draft(CHAT, slug, "length", Thinking(("Suppose it were p over q, ", "in lowest terms"))),
            whole=_null_content,
            events=_null_delta,
        ),
        (Reason("length"), TextIs(""), Bytes(b'"content":')),
        (
            doc("openai==3.57.0 types/chat/chat_completion_message.py: content may be null"),
            bug("home-assistant/core#139964, huggingface/smolagents#1896"),
        ),
        standing=Standing.PROMISED,
    )


def _context_window() -> Scenario:
    slug = "context-window"
    pieces = ("Chapter forty: ", "the caravan turned south ", "and nobody saw")
    return Scenario(
        ANTHROPIC,
        slug,
        "The answer filled the context window: stop_reason `model_context_window_exceeded`, below max_tokens.",
        "truncated, with the text so far; never complete",
        Ask("Go on with the novel from where it stops.", max_tokens=64_000),
        Wire(draft(ANTHROPIC, slug, "model_context_window_exceeded", text(*pieces), usage=Usage(199_952, 48))),
        (Reason("model_context_window_exceeded"), TextIs("".join(pieces))),
        (
            doc("anthropic==2.14.0 types/stop_reason.py; platform.claude.com handling-stop-reasons"),
            bug("theopenco/llmgateway#3254, earendil-works/pi#1868, tetsuo-ai/agenc-core#2111"),
        ),
        standing=Standing.PROMISED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield _natural_end(api)
        yield _length_cap(api)
        yield _length_before_text(api)
        yield _empty_reply(api)
    yield from _empty_in_a_shell()
    yield _length_before_text_null()
    yield _context_window()

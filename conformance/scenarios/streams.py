"""Streams: what comes between and around the content on several APIs (section C). One API's own: `*_streams`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.scenarios.common import (
    ALL,
    ANTHROPIC,
    CHAT,
    GEMINI,
    NATURAL,
    RECORDINGS,
    RESPONSES,
    bug,
    doc,
    draft,
    rec,
    seed,
    text,
)
from conformance.scenarios.edits import commented, numbered, of_each, put
from conformance.scenarios.model import STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Bytes, Has, HasKey, Premise, Reason, TextIs
from conformance.scenarios.premises_text import HasText
from conformance.vocabulary import Api, Standing
from conformance.wire.draft import Thinking, mint
from conformance.wire.sse import Event

PIECES = ("Low tide ", "is at noon; ", "high tide at six.")
ASK = Ask("When is low tide?", max_tokens=200)

COMPATIBLE = doc(
    "platform.openai.com/docs/api-reference/backward-compatibility: new properties and new event types are no break"
)
VERSIONING = doc(
    "platform.claude.com/docs/en/api/versioning: values may be added to the output, variants to streaming event types"
)

_COMMENTS: Mapping[Api, tuple[str, Standing, tuple[Evidence, ...]]] = {
    CHAT: (
        "OPENROUTER PROCESSING",
        Standing.OBSERVED,
        (
            rec("OpenRouter, whose streams hold `: OPENROUTER PROCESSING`; DeepSeek sends `: keep-alive`"),
            bug("openai/openai-go#227, end-4/dots-hyprland#1329"),
        ),
    ),
    GEMINI: (
        "keep-alive",
        Standing.PERMITTED,
        (doc("html.spec.whatwg.org, server-sent events: a line that starts with a colon is ignored"),),
    ),
    RESPONSES: (
        "keep-alive",
        Standing.PERMITTED,
        (doc("html.spec.whatwg.org, server-sent events: a line that starts with a colon is ignored"),),
    ),
}


def _comments(api: Api) -> Scenario:
    slug = "sse-comments"
    comment, standing, evidence = _COMMENTS[api]
    line_end = "\r\n" if api is GEMINI else "\n"
    return Scenario(
        api,
        slug,
        "Comment lines stand before the first frame and between others, to keep the connection alive.",
        "unchanged",
        ASK,
        Wire(draft(api, slug, NATURAL[api], text(*PIECES)), raw=commented(comment, line_end)),
        (Reason(NATURAL[api]), TextIs("".join(PIECES)), Bytes(f": {comment}{line_end}{line_end}".encode())),
        evidence,
        modes=STREAMED,
        standing=standing,
        tolerates="comments in the event stream",
    )


_NEWS: Mapping[Api, tuple[dict[str, Any], Evidence, Evidence]] = {
    ANTHROPIC: (
        {"type": "storyboard", "panels": 3},
        VERSIONING,
        bug("family unknown-event: vercel/ai#383, Wei-Shaw/sub2api#7097"),
    ),
    RESPONSES: (
        {"type": "response.storyboard.updated", "panels": 3},
        COMPATIBLE,
        bug("family unknown-event; openai/openai-node#1964, where `keepalive` was such an event"),
    ),
}


def _unknown_event(api: Api) -> Scenario:
    slug = "unknown-event"
    data, promise, report = _NEWS[api]

    def edit(events: list[Event]) -> list[Event]:
        news = Event(data["type"], data)
        with_news = put(events, (1, news), (len(events) // 2, news), (len(events) - 1, news))
        return numbered(with_news) if api is RESPONSES else with_news

    return Scenario(
        api,
        slug,
        "Events of a type that nobody knows come near the start, between the deltas and before the last frame.",
        "unchanged",
        ASK,
        Wire(draft(api, slug, NATURAL[api], text(*PIECES)), events=edit),
        (Reason(NATURAL[api]), TextIs("".join(PIECES)), Has("type", data["type"])),
        (promise, report),
        modes=STREAMED,
        standing=Standing.PROMISED,
        tolerates="events of an unknown type",
    )


def _obfuscated(api: Api, slug: str) -> Any:
    """A string of varying length on every chunk of Chat, on the deltas alone of Responses."""

    def edit(number: int, data: dict[str, Any]) -> dict[str, Any]:
        if api is RESPONSES and not str(data["type"]).endswith(".delta"):
            return data
        return {**data, "obfuscation": mint("", f"{api}/{slug}#{number}", 2 + number * 5 % 13)}

    return of_each(edit)


def _obfuscation(api: Api) -> Scenario:
    slug = "obfuscation"
    counted = "305 Chat streams since 2025-08-12" if api is CHAT else "Responses deltas since 2025-08-15"
    return Scenario(
        api,
        slug,
        "An `obfuscation` string of varying length pads the frames, to hide how long each piece of text is.",
        "unchanged",
        ASK,
        Wire(draft(api, slug, NATURAL[api], text(*PIECES)), events=_obfuscated(api, slug)),
        (Reason(NATURAL[api]), HasText(), HasKey("obfuscation")),
        (rec(counted), doc("openai/openai-openapi@f85dbe2 stream_options.include_obfuscation")),
        modes=STREAMED,
        tolerates="the obfuscation key",
    )


_THOUGHTS = ("The question is about tides. ", "Noon is low, six is high.")
_SHOWN: Mapping[Api, tuple[Premise, ...]] = {
    ANTHROPIC: (Bytes(b'"thinking"'), Bytes(b'"signature"')),
    GEMINI: (
        Has("candidates[].content.parts[].thought", True),
        HasKey("candidates[].content.parts[].thoughtSignature"),
    ),
    RESPONSES: (Bytes(b'"summary_text"'),),
}
"""How each API's bytes show that there was thinking."""


def _signed(data: dict[str, Any]) -> dict[str, Any]:
    """Gemini's JSON with a signature on its last part, where that is no thought."""
    (candidate,) = data["candidates"]
    *before, last = candidate["content"]["parts"]
    if last.get("thought"):
        return data
    parts = [*before, {**last, "thoughtSignature": mint("", "gemini/thinking-then-text", 40)}]
    return {**data, "candidates": [{**candidate, "content": {**candidate["content"], "parts": parts}}]}


def _thinking(api: Api) -> Scenario:
    slug = "thinking-then-text"
    gemini = api is GEMINI
    return Scenario(
        api,
        slug,
        "The model's reasoning comes first, and where the API signs it the signature; then the answer.",
        "complete; only the answer is text, the reasoning is apart or left out",
        ASK,
        Wire(
            draft(api, slug, NATURAL[api], Thinking(_THOUGHTS), text(*PIECES)),
            whole=_signed if gemini else None,
            events=of_each(lambda number, data: _signed(data) if number > len(_THOUGHTS) else data) if gemini else None,
        ),
        (Reason(NATURAL[api]), HasText(), *_SHOWN[api]),
        (rec(RECORDINGS), bug("family empty-content: PrefectHQ/fastmcp#3846 shows thoughts as text; vercel/ai#6589")),
    )


_SPACED = ("Steps:", "\n\n", "1.", " ", "Soak", " ", "the beans", "\n", "2.", " ", "Rinse", " ", "them.")


def _deltas(api: Api) -> Scenario:
    slug = "deltas-equal-final"
    return Scenario(
        api,
        slug,
        "The text comes in many small pieces, some of them nothing but white space.",
        "the joined deltas, the accumulated object and the buffered reply are one and the same text",
        Ask("How do I prepare the beans?", max_tokens=200),
        Wire(draft(api, slug, NATURAL[api], text(*_SPACED))),
        (Reason(NATURAL[api]), HasText()),
        (rec(RECORDINGS), seed("stop sequences on Claude: buffer and final message agree if built from deltas alone")),
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in _COMMENTS:
        yield _comments(api)
    for api in _NEWS:
        yield _unknown_event(api)
    for api in (CHAT, RESPONSES):
        yield _obfuscation(api)
    for api in _SHOWN:
        yield _thinking(api)
    for api in ALL:
        yield _deltas(api)

"""Streams of Chat Completions as api.openai.com sends them (section C). Compatible hosts: `chat_hosts`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import CHAT, bug, doc, draft, rec, seed, text
from conformance.scenarios.edits import head, put, with_usage_chunk
from conformance.scenarios.model import STREAMED, Scenario, Wire
from conformance.scenarios.premises import Bytes, Has, HasKey, NoBytes, Reason, TextIs
from conformance.scenarios.premises_order import At
from conformance.scenarios.streams import ASK, PIECES
from conformance.vocabulary import Standing
from conformance.wire.sse import Event

_USAGE = {"prompt_tokens": 14, "completion_tokens": 11, "total_tokens": 25}


def _usage_chunk() -> Scenario:
    slug = "usage-chunk"
    return Scenario(
        CHAT,
        slug,
        "With include_usage a chunk with `choices: []` and the usage comes between the finish chunk and `[DONE]`.",
        "no crash, usage reported, the reason kept",
        ASK,
        Wire(draft(CHAT, slug, "stop", text(*PIECES)), events=lambda events: with_usage_chunk(events, _USAGE)),
        (Reason("stop"), Has("choices", []), HasKey("usage.completion_tokens"), Bytes(b"data: [DONE]")),
        (
            rec("302 of 303 streams with include_usage"),
            seed("finish reasons: the last chunk and the last chunk with a choice"),
            bug("family usage-chunk: awslabs/llmeter#34, pixeltable/pixeltable#1234, lmnr-ai/lmnr-python#324"),
        ),
        modes=STREAMED,
        tolerates="a chunk without choices",
    )


def _moderated(events: list[Event]) -> list[Event]:
    result = {
        "type": "moderation_result",
        "model": "omni-moderation-latest",
        "flagged": False,
        "categories": {"violence": False},
        "category_scores": {"violence": 0.0002},
        "category_applied_input_types": {"violence": ["text"]},
    }
    results = {"type": "moderation_results", "model": "omni-moderation-latest", "results": [result]}
    counted = with_usage_chunk(events, _USAGE)
    chunk = {**head(events), "choices": [], "usage": None, "moderation": {"input": results, "output": results}}
    return put(counted, (len(counted) - 1, Event(None, chunk)))


def _moderation() -> Scenario:
    slug = "usage-then-moderation"
    return Scenario(
        CHAT,
        slug,
        "After the usage chunk one more chunk with `choices: []` comes, with the moderation of the reply.",
        "unchanged; the usage is kept",
        ASK,
        Wire(draft(CHAT, slug, "stop", text(*PIECES)), events=_moderated),
        (
            Reason("stop"),
            TextIs("".join(PIECES)),
            Has("usage.completion_tokens", 11),
            At(-1, HasKey("moderation")),
            At(-1, Has("choices", [])),
        ),
        (rec("1 recording, 2026-07"), doc("openai==3.57.0 types/chat/chat_completion_chunk.py Moderation")),
        modes=STREAMED,
        tolerates="a chunk without choices after the usage chunk",
    )


_SECOND = ("The ebb ", "ends towards ", "twelve, and then it")


def _interleaved(events: list[Event]) -> list[Event]:
    """A second choice: its chunks each follow the first one's, the finishing chunks come at the end."""
    opening, *deltas, finish, done = events
    second = [_other(delta, delta={"content": piece}) for delta, piece in zip(deltas, _SECOND, strict=True)]
    pairs = [event for pair in zip(deltas, second, strict=True) for event in pair]
    return [opening, _other(opening), *pairs, finish, _other(finish, finish_reason="length"), done]


def _other(event: Event, **keys: Any) -> Event:
    (choice,) = event.data["choices"]
    return Event(None, {**event.data, "choices": [{**choice, "index": 1, **keys}]})


def _two_choices(body: dict[str, Any]) -> dict[str, Any]:
    (choice,) = body["choices"]
    message = {**choice["message"], "content": "".join(_SECOND)}
    return {**body, "choices": [choice, {**choice, "index": 1, "message": message, "finish_reason": "length"}]}


def _choices() -> Scenario:
    slug = "choices-interleaved"
    return Scenario(
        CHAT,
        slug,
        "Two choices come (n=2), their chunks in turn; the second one was cut.",
        "the first choice whole and its own reason, nothing of the second mixed in",
        ASK,
        Wire(draft(CHAT, slug, "stop", text(*PIECES)), whole=_two_choices, events=_interleaved),
        (Reason("stop"), Reason("length"), TextIs("".join(PIECES)), Has("choices[].index", 1)),
        (rec("9 streams of requests with n=2, interleaved, the reasons last and in the order of the index"),),
        # Observed where n was asked for, which the suite does not do: no adapter is to be failed for it.
        standing=Standing.PERMITTED,
    )


def _no_done() -> Scenario:
    slug = "no-done"
    return Scenario(
        CHAT,
        slug,
        "The body ends after the finishing chunk: no `[DONE]` (Perplexity, Hugging Face router).",
        "complete: the reason has arrived",
        ASK,
        Wire(draft(CHAT, slug, "stop", text(*PIECES)), events=lambda events: events[:-1]),
        (Reason("stop"), TextIs("".join(PIECES)), At(-1, Has("choices[].finish_reason", "stop")), NoBytes(b"[DONE]")),
        (
            rec("9 Perplexity streams and 8 of 12 of the Hugging Face router"),
            bug("family done-sentinel: waybarrios/vllm-mlx#101, BerriAI/litellm#1255"),
        ),
        modes=STREAMED,
        tolerates="a stream without [DONE]",
    )


def _no_space() -> Scenario:
    slug = "no-done-space"
    return Scenario(
        CHAT,
        slug,
        "No space follows `data:`, not before the JSON and not before `[DONE]` (Ant Group's Ling and other hosts).",
        "unchanged",
        ASK,
        Wire(
            draft(CHAT, slug, "stop", text(*PIECES)),
            raw=lambda body: body.replace(b"data: ", b"data:"),
        ),
        (Reason("stop"), TextIs("".join(PIECES)), Bytes(b"data:[DONE]"), NoBytes(b"data: ")),
        (
            bug("tashfeenahmed/freellmapi#1087 (Ant Group), lidge-jun/opencodex#1170, openai/openai-python#498"),
            doc("html.spec.whatwg.org, server-sent events: the space after the colon is optional"),
        ),
        modes=STREAMED,
        tolerates="`data:` without a space",
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield _usage_chunk()
    yield _moderation()
    yield _choices()
    yield _no_done()
    yield _no_space()

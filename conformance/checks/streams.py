"""Does the way of delivery change anything? stream.tolerant, stream.chunking, stream.incremental."""

from __future__ import annotations

from typing import Any

from conformance.checks.case import Case, Observation
from conformance.checks.ending import harm
from conformance.checks.finding import Finding
from conformance.checks.rule import found
from conformance.vocabulary import Verdict


def tolerant(case: Case) -> list[Finding] | None:
    """What a right reader must not be disturbed by changes nothing."""
    if case.scenario.tolerates is None or case.plain.hung:
        return None
    reply = case.plain.whole
    disturbed = (
        reply is None
        or reply.text != case.truth.text
        or len(reply.tool_calls) != len(case.truth.tool_calls)
        or harm(case.truth.stop, case.ending(reply), case.scenario.accepts) is Verdict.MISLEADING
    )
    if not disturbed:
        return []
    return [
        found(
            "stream.tolerant",
            Verdict.BROKEN if reply is None else Verdict.MISLEADING,
            f"disturbed by {case.scenario.tolerates}",
            f"{case.truth.stop}: {case.truth.text!r}",
            case.plain.failure or f"{reply!r}",
        )
    ]


def chunking(case: Case) -> list[Finding] | None:
    """The Reply is the same under every Chunking."""
    if len(case.observed) == 1 or case.plain.hung:
        return None
    named = any(call.id for call in case.truth.tool_calls)
    plain = signature(case.plain, named)
    return [
        found(
            "stream.chunking",
            Verdict.MISLEADING if seen.whole is not None else Verdict.BROKEN,
            f"the reply changes when the bytes are cut {seen.chunking}",
            _show(plain, signature(seen, named)),
            _show(signature(seen, named), plain),
            seen.chunking,
        )
        for seen in case.observed[1:]
        if not seen.hung and signature(seen, named) != plain
    ]


def signature(seen: Observation, named: bool) -> dict[str, Any]:
    """What must not change. Ids that the wire does not name are the adapter's own, and may be new each time."""
    if seen.raised is not None:
        return {"raised": seen.raised.kind}
    reply = seen.reply
    if reply is None:
        return {}
    names = ("text", "thinking", "refusal", "reason", "raw_reason", "stop_sequence", "tool_calls", "usage", "error")
    values = {name: getattr(reply, name) for name in names}
    if not named:
        values["tool_calls"] = tuple((call.name, call.arguments) for call in reply.tool_calls)
    return values


def _show(one: dict[str, Any], two: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in one.items() if two.get(name) != value) or "the same"


def incremental(case: Case) -> list[Finding] | None:
    """Parts arrive while the wire is still open, and no more text is kept back than may become a stop string."""
    if case.held is None or case.held.while_open is None or case.held.hung:
        return None
    wire = case.held.while_open
    if not wire.anything:
        return [
            found(
                "stream.incremental",
                Verdict.LOUD,
                "no part arrived while the wire was open",
                "a first part before the stream ends",
                "nothing until the body had ended",
            )
        ]
    kept, allowed = len(wire.sent) - wire.shown, pending(wire.sent, case.scenario.ask.stop)
    if kept <= allowed:
        return []
    return [
        found(
            "stream.incremental",
            Verdict.LOUD,
            f"{kept} characters of text were kept back while the wire was open",
            f"at most {allowed}: so many at the end of {wire.sent!r} may be the beginning of a stop string",
            f"{wire.sent[: wire.shown]!r} had arrived",
        )
    ]


def pending(text: str, stop: str | tuple[str, ...] | None) -> int:
    """How many characters at the end of a text are the longest beginning of a stop string that is not complete."""
    stops = (stop,) if isinstance(stop, str) else stop or ()
    return max((n for each in stops for n in range(len(each)) if text.endswith(each[:n])), default=0)

"""Do errors and cuts reach the caller, and every call its end? error.*, cut.*, limits.terminates."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from conformance.checks.case import Case, Observation, Raised
from conformance.checks.ending import CLAIMS, MUST_ARRIVE
from conformance.checks.finding import Finding
from conformance.checks.rule import found
from conformance.vocabulary import Severity, Stop, Verdict
from conformance.wire import OURS

_ENOUGH = 60
"""Characters of a message that tell it: some libraries cut long ones."""

_ACCIDENTS = frozenset(
    f"builtins.{name}"
    for name in (
        *("KeyError", "IndexError", "TypeError", "AttributeError", "AssertionError"),
        *("ConnectionError", "ConnectionResetError", "ConnectionAbortedError", "ConnectionRefusedError"),
        *("BrokenPipeError", "TimeoutError"),
    )
) | {"json.decoder.JSONDecodeError", "builtins.UnicodeDecodeError"}

_TRANSPORTS = frozenset(
    (
        "httpx",
        "httpx2",
        "httpcore",
        "httpcore2",
        "h11",
        "aiohttp",
        "requests",
        "urllib3",
        "http",
        "ssl",
        "socket",
        "urllib",
        "asyncio",
    )
)


def accident(raised: Raised) -> bool:
    """Whether an exception is none that anybody chose: a slip of the code, or the transport's own.

    An SDK's error that derives from one of these is deliberate: only the class itself counts.
    """
    return raised.kind in _ACCIDENTS or raised.kind.partition(".")[0] in _TRANSPORTS


def surfaces(case: Case) -> list[Finding] | None:
    """An HTTP error, or an error inside a stream after HTTP 200, reaches the caller as an error."""
    if case.truth.error is None or case.plain.hung or case.refused:
        return None
    reply = case.plain.reply
    if case.plain.raised or reply is None or reply.error is not None:
        return []
    told = case.says(reply)
    if told is Stop.FAILED:
        return []
    return [
        found(
            "error.surfaces",
            Verdict.MISLEADING if told in CLAIMS else Verdict.LOUD,
            "the provider's error is swallowed",
            f"an error ({case.truth.error.type}: {case.truth.error.message})",
            f"a reply, reason {reply.reason!r}, which means {told}",
        )
    ]


def kept(case: Case) -> list[Finding] | None:
    """The provider's status and message can be read off the error, wherever the vendor's envelope has them."""
    error = case.truth.error
    if error is None or error.type in OURS or not error.message or case.plain.hung or not case.plain.sent:
        return None
    told = _told(case.plain)
    if told is None:
        return None  # error.surfaces has it
    lost = []
    if error.message[:_ENOUGH] not in told and json.dumps(error.message)[1 : _ENOUGH + 1] not in told:
        lost.append(f"message {error.message!r}")
    names = "|".join([rf"(?<!\d){error.status}(?!\d)", *([re.escape(error.type)] if error.type else [])])
    if error.status is not None and not re.search(names, told):
        lost.append(f"status {error.status}")
    return [
        found(
            "error.kept",
            Verdict.LOUD,
            f"the provider's {' and '.join(each.partition(' ')[0] for each in lost)} cannot be read off the error",
            ", ".join(lost),
            f"{case.plain.failure}",
        )
        for _ in lost[:1]
    ]


def _told(seen: Observation) -> str | None:
    """All that the caller can read off the error; None where there is none."""
    if seen.raised is not None:
        return f"{seen.raised.message}\n{seen.raised.reachable}"
    if seen.reply is not None and seen.reply.error is not None:
        error = seen.reply.error
        return f"{error.message} {error.type} {error.status}"
    return None


def deliberate(case: Case) -> list[Finding] | None:
    """An error that is right is of the adapter's or its SDK's own kind."""
    raised = case.plain.raised
    if raised is None or not case.plain.sent:
        return None  # a refusal before sending may be Python's own
    if case.truth.error is None and not case.truth.cut and case.truth.stop in MUST_ARRIVE:
        return None  # no exception is right there: reason.class has it
    if not accident(raised):
        return []
    return [
        found(
            "error.deliberate",
            Verdict.LOUD,
            "the error is one that nobody chose",
            "an error class of the adapter or its SDK",
            f"{raised.kind}: {raised.message}",
        )
    ]


def not_complete(case: Case) -> list[Finding] | None:
    """A stream that ends without its terminal frame is not complete."""
    if not case.truth.cut or case.plain.hung:
        return None
    reply = case.plain.whole
    if reply is None or reply.error is not None:
        return []
    told = case.says(reply)
    if told not in CLAIMS:
        return []
    return [
        found(
            "cut.not-complete",
            Verdict.MISLEADING,
            f"a stream that was cut is reported as `{told}`",
            "an error, or a reason that is none of complete, tool_call and continue",
            f"reason {reply.reason!r}, which means {told}",
        )
    ]


def cut_raises(case: Case) -> list[Finding] | None:
    """... and says so."""
    if not case.truth.cut or case.plain.hung:
        return None
    reply = case.plain.whole
    if reply is None or reply.error is not None:
        return []
    return [
        found(
            "cut.raises",
            Verdict.LOUD,
            "a stream that was cut ends without an error",
            "an error",
            f"the end of the stream, reason {reply.reason!r}",
        )
    ]


def terminates(case: Case) -> list[Finding] | None:
    """Every call ends within the time limit. Patient retries are no hang: they are told, and break nothing."""
    return [_endless(seen) for seen in case.observed if seen.hung]


def _endless(seen: Observation) -> Finding:
    if len(seen.sent) > 1:
        told = found(
            "limits.terminates",
            Verdict.LOUD,
            "still asking again when the time limit came",
            "an end within the time limit",
            f"{len(seen.sent)} requests",
            seen.chunking,
        )
        return replace(told, severity=Severity.SHOULD)
    return found("limits.terminates", Verdict.BROKEN, "the call did not end", "an end", "a hang", seen.chunking)

"""Does a stream in another API's shape keep that API's grammar? The rules themselves: conformance.wire.grammar."""

from __future__ import annotations

from conformance.checks.case import Case
from conformance.checks.finding import Finding
from conformance.checks.rule import found
from conformance.vocabulary import Mode, Verdict
from conformance.wire.grammar import Violation, violations

_EXCERPT = 300


def _seen(case: Case) -> list[Violation] | None:
    """What is wrong with the Chunks, or None where there is nothing to judge.

    In the upstream's own shape the wire shows through, so that its oddities are not the adapter's. A wire
    that fails, is cut or gives no reason leaves the adapter nothing to end its stream with.
    """
    chunks = case.plain.chunks
    if case.mode is not Mode.STREAMED or not chunks or case.plain.hung or chunks[0].api is case.scenario.api:
        return None
    truth = case.truth
    ended = case.plain.raised is None and truth.error is None and not truth.cut and truth.raw_reason is not None
    return violations(chunks[0].api, (chunk.payload for chunk in chunks), ended=ended)


def _findings(case: Case, check: str, verdict: Verdict, *, breaks: bool) -> list[Finding] | None:
    seen = _seen(case)
    if seen is None:
        return None
    api = case.plain.chunks[0].api
    return [
        found(check, verdict, violation.says, f"the stream grammar of {api}", _place(case, violation))
        for violation in seen
        if violation.breaks is breaks
    ]


def _place(case: Case, violation: Violation) -> str:
    count = len(case.plain.chunks)
    if violation.at is None:
        return f"{count} events"
    return f"event {violation.at + 1} of {count}: {case.plain.chunks[violation.at].payload!r:.{_EXCERPT}}"


def grammar(case: Case) -> list[Finding] | None:
    """The order that every client of the shape leans on."""
    return _findings(case, "shape.grammar", Verdict.BROKEN, breaks=True)


def idiom(case: Case) -> list[Finding] | None:
    """What the vendor always does, and clients have been seen to mind."""
    return _findings(case, "shape.idiom", Verdict.LOUD, breaks=False)

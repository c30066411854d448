"""What a check says when its rule is broken. How it is shown is the report's business."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.vocabulary import Severity, Verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule in one cell.

    Attributes:
        check: id of the rule.
        severity: MUST or SHOULD.
        verdict: the harm done.
        problem: one sentence on what went wrong.
        expected, observed: the two things that differ, as text.
        chunking: how the bytes were cut when it showed, where that matters.
        declared: why this is known (a gap, or an entry of the known failures), or None.
        unscored: the requirement set that was asked for does not hold this against the adapter.
    """

    check: str
    severity: Severity
    verdict: Verdict
    problem: str
    expected: str
    observed: str
    chunking: str | None = None
    declared: str | None = None
    unscored: bool = False

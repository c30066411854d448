"""The rules, as pure functions from a Case to Findings. Never sees pytest, a file or a socket.

A check returns None where it does not apply, so that what was not tested is never counted as passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.checks import content, ending, failures, requests, shape, streams
from conformance.checks.case import Case, Observation, OpenWire, Raised, SentRequest
from conformance.checks.finding import Finding
from conformance.checks.rule import RULES, Rule
from conformance.checks.streams import pending
from conformance.vocabulary import Severity, Standing, Verdict

__all__ = [
    "CHECKS",
    "RULES",
    "Case",
    "Finding",
    "Observation",
    "OpenWire",
    "Raised",
    "Rule",
    "SentRequest",
    "pending",
    "run_checks",
]

CHECKS: Mapping[str, Callable[[Case], list[Finding] | None]] = {
    "request.stop-whole": requests.stop_whole,
    "request.stop-absent": requests.stop_absent,
    "request.max-tokens": requests.max_tokens,
    "request.tools": requests.tools,
    "request.count": requests.count,
    "request.key-kept": requests.key_kept,
    "text.exact": content.text_exact,
    "text.stream-agrees": content.stream_agrees,
    "reason.class": ending.reason_class,
    "reason.exact": ending.reason_exact,
    "reason.agrees-with-content": ending.agrees_with_content,
    "reason.raw-kept": ending.raw_kept,
    "reason.once": ending.once,
    "stop.which": content.which,
    "stop.not-invented": content.not_invented,
    "tool.calls": content.calls,
    "tool.cut-not-repaired": content.cut_not_repaired,
    "error.surfaces": failures.surfaces,
    "error.kept": failures.kept,
    "error.deliberate": failures.deliberate,
    "cut.not-complete": failures.not_complete,
    "cut.raises": failures.cut_raises,
    "stream.tolerant": streams.tolerant,
    "stream.chunking": streams.chunking,
    "stream.incremental": streams.incremental,
    "shape.grammar": shape.grammar,
    "shape.idiom": shape.idiom,
    "usage.reported": content.usage,
    "limits.terminates": failures.terminates,
}
"""The function of each rule."""


def run_checks(case: Case) -> dict[str, list[Finding] | None]:
    """Every check on one cell: None where it does not apply, else its findings (none: it passed).

    A wire that only a standard permits can fail no more than a SHOULD, and no adapter misleads anybody with it.
    """
    results = {check: function(case) for check, function in CHECKS.items()}
    if case.scenario.standing is not Standing.PERMITTED:
        return results
    return {
        # What the adapter sends of itself is no matter of the wire's standing; where a redirect leads it, is.
        check: findings
        if check.startswith("request.") and check != "request.key-kept"
        else findings and [replace(f, severity=Severity.SHOULD, verdict=Verdict.LOUD) for f in findings]
        for check, findings in results.items()
    }

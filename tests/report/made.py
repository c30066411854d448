"""Runs made by hand for tests of the reports: every verdict, known failures and gaps. Nothing is played here."""

from __future__ import annotations

from conformance.checks import Finding
from conformance.report.results import Run
from conformance.verdict import BY_GAP, Result
from conformance.vocabulary import Mode, Severity, Verdict

NASTY = '<script>document.title = "taken"</script> & `code` \ud800'


def finding(verdict: Verdict, severity: Severity = Severity.MUST, **changes: str | None) -> Finding:
    """A finding of that harm."""
    given = {"check": "reason.class", "problem": f"told {NASTY}", "expected": "continue", "observed": NASTY, **changes}
    return Finding(severity=severity, verdict=verdict, **given)  # type: ignore[arg-type]


def result(cell: str, verdict: Verdict | None, *findings: Finding, **changes: object) -> Result:
    """A result of a cell."""
    scenario, _, mode = cell.rpartition(":")
    outcomes = {"text.exact": "pass", "reason.class": "fail" if findings else "pass", "tool.calls": "not applicable"}
    if findings and all(found.declared for found in findings):
        outcomes["reason.class"] = "declared"
    told = {
        "outcomes": outcomes,
        "findings": findings,
        "problem": None if verdict else "no cassette",
        "sent": ('/v1/messages\n{"model": "m", "stream": true}',),
        "seen": {"text": "I will look that up.", "reason": "stop"},
        "requests": 1,
        "chunkings": ("whole", "per-byte"),
    }
    return Result(scenario, Mode(mode), verdict, **{**told, **changes})  # type: ignore[arg-type]


def run(name: str = "mine", version: str | None = "1.0") -> Run:
    """A run with every verdict."""
    known = finding(Verdict.MISLEADING, declared="upstream bug, see #1")
    gap = finding(Verdict.LOUD, Severity.SHOULD, check="stop.which", declared=f"{BY_GAP}stop-sequence")
    results = [
        result("openai-chat/natural-end:buffered", Verdict.FAITHFUL),
        result("openai-chat/natural-end:streamed", Verdict.BROKEN, finding(Verdict.BROKEN)),
        result("openai-chat/stop-fired:buffered", Verdict.DECLARED, gap),
        result("anthropic-messages/natural-end:buffered", Verdict.LOUD, finding(Verdict.LOUD, Severity.SHOULD)),
        result("anthropic-messages/natural-end:streamed", None),
        result("anthropic-messages/pause-turn:buffered", Verdict.MISLEADING, finding(Verdict.MISLEADING)),
        result("anthropic-messages/pause-turn:streamed", Verdict.DECLARED, known),
    ]
    return Run(name, version, "2026.11.0", "server", ("openai-chat", "anthropic-messages"), results)


def other() -> Run:
    """Another adapter, of one API, which does better."""
    cells = ("natural-end:buffered", "natural-end:streamed", "pause-turn:buffered", "pause-turn:streamed")
    results = [result(f"anthropic-messages/{cell}", Verdict.FAITHFUL) for cell in cells]
    return Run("other", "2.0", "2026.11.0", "server", ("anthropic-messages",), results)

"""From the findings of a cell to its verdict, with what the adapter declared taken into account. No rule is here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from conformance.checks import RULES, Case, Finding, run_checks
from conformance.checks.ending import harm
from conformance.known_failures import Known, matching
from conformance.vocabulary import Gap, Mode, Severity, Verdict


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one cell.

    Attributes:
        scenario, mode: the cell.
        verdict: None where the suite could not put its question (`problem` says why).
        outcomes: each check's `pass`, `fail`, `declared` or `not applicable`.
        findings: all of them, the declared ones included.
        stale: declarations that did not show.
        problem: why the cell could not be tested.
        chunkings: the ways in which the bytes were cut.
        requests: how many requests the plain delivery made.
    """

    scenario: str
    mode: Mode
    verdict: Verdict | None
    outcomes: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    stale: tuple[str, ...] = ()
    problem: str | None = None
    chunkings: tuple[str, ...] = ()
    requests: int = 0

    @property
    def cell(self) -> str:
        """`<scenario id>:<mode>`."""
        return f"{self.scenario}:{self.mode}"

    @property
    def open(self) -> tuple[Finding, ...]:
        """Findings that nothing declares."""
        return tuple(finding for finding in self.findings if finding.declared is None)

    @property
    def passed(self) -> bool:
        """No MUST is broken, no declaration is stale, and the cell was tested."""
        musts = [finding for finding in self.open if finding.severity is Severity.MUST]
        return not musts and not self.stale and self.problem is None

    def to_json(self) -> dict[str, Any]:
        """Plain data for the results file."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """The inverse of `to_json`."""
        values = dict(data)
        values["mode"] = Mode(values["mode"])
        values["verdict"] = Verdict(values["verdict"]) if values["verdict"] else None
        values["findings"] = tuple(
            Finding(**{**item, "severity": Severity(item["severity"]), "verdict": Verdict(item["verdict"])})
            for item in values["findings"]
        )
        values["stale"] = tuple(values["stale"])
        values["chunkings"] = tuple(values["chunkings"])
        return cls(**values)

    @classmethod
    def untested(cls, scenario: str, mode: Mode, problem: str) -> Result:
        """A cell that could not be put to the adapter: never counted as passed."""
        return cls(scenario, mode, None, {}, problem=problem)


def judge(case: Case, known: Iterable[Known] = ()) -> Result:
    """Run every check on a case and weigh what they found."""
    results = run_checks(case)
    cell = f"{case.scenario.id}:{case.mode}"
    entries = matching(known, cell)
    used: set[Known] = set()
    findings: list[Finding] = []
    for found in results.values():
        for finding in found or ():
            entry = next((entry for entry in entries if entry.explains(finding)), None)
            if entry is not None:
                used.add(entry)
            findings.append(replace(finding, declared=entry.reason if entry else _gap(case, finding)))
    outcomes = {check: _outcome(check, result, findings) for check, result in results.items()}
    return Result(
        scenario=case.scenario.id,
        mode=case.mode,
        verdict=_verdict(case, findings),
        outcomes=outcomes,
        findings=tuple(findings),
        stale=(*_stale_known(entries, used, findings), *_stale_gaps(case, outcomes)),
        chunkings=tuple(seen.chunking for seen in case.observed),
        requests=len(case.plain.sent),
    )


def _gap(case: Case, finding: Finding) -> str | None:
    """A declared gap covers the finding of its own rule, and never one that misleads."""
    gap = RULES[finding.check].gap
    if gap is not None and gap in case.lacks and finding.verdict is not Verdict.MISLEADING:
        return f"declared gap: {gap}"
    return None


def _outcome(check: str, result: list[Finding] | None, findings: list[Finding]) -> str:
    if result is None:
        return "not applicable"
    mine = [finding for finding in findings if finding.check == check]
    if not mine:
        return "pass"
    return "declared" if all(finding.declared for finding in mine) else "fail"


def _verdict(case: Case, findings: list[Finding]) -> Verdict:
    undeclared = [finding.verdict for finding in findings if finding.declared is None]
    if undeclared:
        return max(undeclared, key=lambda verdict: verdict.harm)
    if findings:
        return Verdict.DECLARED
    reply = case.plain.whole
    if case.truth.error is not None or case.truth.cut or case.refused:
        return Verdict.FAITHFUL
    if reply is None:
        # An exception where no rule asks for one: as right as the reply, or a word that is missing told loudly.
        return Verdict.FAITHFUL if case.scenario.may_raise else Verdict.LOUD
    # No rule is broken, yet the vocabulary may have had no word for the truth.
    return harm(case.truth.stop, case.ending(reply), case.scenario.accepts)


def _stale_known(entries: list[Known], used: set[Known], findings: list[Finding]) -> list[str]:
    stale = []
    for entry in entries:
        if entry in used:
            continue
        other = [finding for finding in findings if finding.check == entry.check]
        if other:
            stale.append(
                f"{entry.check} is listed with expect {entry.expect!r} but failed otherwise: {other[0].problem}"
            )
        else:
            stale.append(f"{entry.check} is a listed failure and did not fail: take the entry out ({entry.reason})")
    return stale


def _stale_gaps(case: Case, outcomes: Mapping[str, str]) -> list[str]:
    return [
        f"the gap {rule.gap} is declared, yet {check} passes: take it out of `lacks`"
        for check, rule in RULES.items()
        if rule.gap in case.lacks and outcomes[check] == "pass" and not _incidental(case, rule.gap)
    ]


def _incidental(case: Case, gap: Gap) -> bool:
    """Whether the check passes only since the public reason happens to be the provider's own.

    Who answers every upstream in one API's shape hands the values of that one through, and values that
    nobody knows; that is no place for the provider's value. With PASSTHROUGH the public reason is the place.
    """
    reply = case.plain.whole
    return (
        gap is Gap.RAW_REASON
        and reply is not None
        and not case.vocabulary.passthrough
        and reply.raw_reason in (None, reply.reason)
    )

"""From the findings of a cell to its verdict, with what the adapter declared taken into account. No rule is here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from conformance.checks import RULES, Case, Finding, run_checks
from conformance.checks.ending import harm
from conformance.checks.server_rules import SERVER_RULES
from conformance.checks.telling import requests, seen
from conformance.known_failures import Known, matching
from conformance.sets import RequirementSet
from conformance.vocabulary import Gap, Mode, Severity, Verdict

BY_GAP = "declared gap: "
"""What the reason of a finding begins with that a gap declares, and not an entry of the known failures."""


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
        sent: those requests, path and body.
        seen: what the caller saw of the plain delivery, by name.
        unscored: the requirement set of the run does not have the cell; its verdict is shown and counts for nothing.
        unscored_stale: declarations that did not show, of checks that the set does not have here.
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
    sent: tuple[str, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict, hash=False)
    unscored: bool = False
    unscored_stale: tuple[str, ...] = ()

    @property
    def cell(self) -> str:
        """`<scenario id>:<mode>`."""
        return f"{self.scenario}:{self.mode}"

    @property
    def open(self) -> tuple[Finding, ...]:
        """Findings that count and that nothing declares."""
        return tuple(finding for finding in self.findings if finding.declared is None and not finding.unscored)

    @property
    def passed(self) -> bool:
        """No MUST is broken, no declaration is stale, and the cell was tested; or nothing counts in it."""
        if self.unscored:
            return True
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
        values["unscored_stale"] = tuple(values.get("unscored_stale", ()))
        values["sent"] = tuple(values.get("sent", ()))
        return cls(**values)

    @classmethod
    def untested(cls, scenario: str, mode: Mode, problem: str, requirements: RequirementSet | None = None) -> Result:
        """A cell that could not be put to the adapter: never counted as passed."""
        unscored = requirements is not None and not requirements.has_cell(f"{scenario}:{mode}")
        return cls(scenario, mode, None, {}, problem=problem, unscored=unscored)


def judge(case: Case, known: Iterable[Known] = (), requirements: RequirementSet | None = None) -> Result:
    """Run every check on a case and weigh what they found; with a requirement set, only what it has counts."""
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
            declared = replace(finding, declared=entry.reason if entry else _gap(case, finding))
            findings.append(_weighed(declared, cell, requirements))
    unscored = requirements is not None and not requirements.has_cell(cell)
    outcomes = {check: _outcome(check, result, findings) for check, result in results.items()}
    stale = [*_stale_known(entries, used, findings), *_stale_gaps(case, outcomes)]
    return Result(
        scenario=case.scenario.id,
        mode=case.mode,
        verdict=_verdict(case, [finding for finding in findings if unscored or not finding.unscored]),
        outcomes=outcomes,
        findings=tuple(findings),
        stale=tuple(text for check, text in stale if _counts(check, cell, requirements)),
        chunkings=tuple(seen.chunking for seen in case.observed),
        requests=len(case.plain.sent),
        sent=tuple(requests(case.plain.sent)),
        seen=seen(case.plain),
        unscored=unscored,
        unscored_stale=tuple(text for check, text in stale if not _counts(check, cell, requirements)),
    )


def weigh(
    probe: str, mode: Mode, judged: Mapping[str, list[Finding]], known: Iterable[Known] = (), *, loud: bool = False
) -> Result:
    """Weigh what was found of a server in one cell.

    Args:
        probe: id of the probe.
        mode: the other half of the cell.
        judged: the checks that apply, each with its findings.
        known: known failures.
        loud: an honest refusal took the place of a reply.
    """
    entries = matching(known, f"{probe}:{mode}")
    used: set[Known] = set()
    findings: list[Finding] = []
    for finding in (each for found in judged.values() for each in found):
        entry = next((entry for entry in entries if entry.explains(finding)), None)
        if entry is not None:
            used.add(entry)
        findings.append(replace(finding, declared=entry.reason if entry else None))
    undeclared = [finding.verdict for finding in findings if finding.declared is None]
    plain = Verdict.LOUD if loud else Verdict.FAITHFUL
    worst = max(undeclared, key=lambda verdict: verdict.harm) if undeclared else Verdict.DECLARED
    return Result(
        scenario=probe,
        mode=mode,
        verdict=worst if findings else plain,
        outcomes={check: _outcome(check, judged.get(check), findings) for check in SERVER_RULES},
        findings=tuple(findings),
        stale=tuple(text for _, text in _stale_known(entries, used, findings)),
    )


def _counts(check: str, cell: str, requirements: RequirementSet | None) -> bool:
    return requirements is None or requirements.severity(cell, check) is not None


def _weighed(finding: Finding, cell: str, requirements: RequirementSet | None) -> Finding:
    """The finding as the set weighs it: not at all, or never more severely than when the set was frozen."""
    if not _counts(finding.check, cell, requirements):
        return replace(finding, unscored=True)
    softer = requirements is not None and requirements.severity(cell, finding.check) is Severity.SHOULD
    if softer and finding.severity is Severity.MUST:
        return replace(finding, severity=Severity.SHOULD, verdict=Verdict.LOUD)
    return finding


def _gap(case: Case, finding: Finding) -> str | None:
    """A declared gap covers the finding of its own rule, and never one that misleads."""
    gap = RULES[finding.check].gap
    if gap is not None and gap in case.lacks and finding.verdict is not Verdict.MISLEADING:
        return f"{BY_GAP}{gap}"
    return None


def _outcome(check: str, result: list[Finding] | None, findings: list[Finding]) -> str:
    if result is None:
        return "not applicable"
    mine = [finding for finding in findings if finding.check == check]
    if not mine:
        return "pass"
    if all(finding.declared for finding in mine):
        return "declared"
    return "unscored" if all(finding.unscored for finding in mine) else "fail"


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


def _stale_known(entries: list[Known], used: set[Known], findings: list[Finding]) -> list[tuple[str, str]]:
    """By check, what is to be said of an entry that did not show."""
    stale = []
    for entry in entries:
        if entry in used:
            continue
        other = [finding for finding in findings if finding.check == entry.check]
        if other:
            text = f"{entry.check} is listed with expect {entry.expect!r} but failed otherwise: {other[0].problem}"
        else:
            text = f"{entry.check} is a listed failure and did not fail: take the entry out ({entry.reason})"
        stale.append((entry.check, text))
    return stale


def _stale_gaps(case: Case, outcomes: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (check, f"the gap {rule.gap} is declared, yet {check} passes: take it out of `lacks`")
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

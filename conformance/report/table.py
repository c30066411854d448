"""The table at the end of a run: scenario x check, and a line of totals. Plain text without colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from conformance.checks import RULES, Finding, Rule
from conformance.checks.server_rules import SERVER_RULES
from conformance.report.results import Run
from conformance.report.text import HANDED_ON
from conformance.verdict import BY_GAP, Result
from conformance.vocabulary import Severity, Verdict

_MARKS: Mapping[str, str] = {"pass": "+", "not applicable": ".", "declared": "d", "unscored": "u"}
_SOME = 3
_LEGEND = "+ passes   . does not apply   M a MUST fails   s a SHOULD fails   d declared"
_UNSCORED = "   u fails and does not count, (verdict) of a cell that does not count"


def lines(run: Run) -> list[str]:
    """The table, the findings, and the totals."""
    rules = SERVER_RULES if run.serves else RULES
    checks = list(rules)
    width = max([len(result.cell) for result in run.results], default=0)
    rows = [_row(result, checks, width) for result in run.results]
    legend = _LEGEND + (_UNSCORED if run.requirements else "")
    table = [*_heads(rules, width + 16), *rows, "", legend, ""]
    return [
        *(table if run.results else ()),
        *_findings("declared gaps: what the adapter's interface has no place for", run.results, _gaps),
        *_findings("declared: listed as known failures", run.results, _known),
        *_findings("open findings", run.results, _open),
        *_findings(f"unscored: not in the set {run.requirements}, shown only", run.results, _unscored),
        *_unscored_stale(run),
        *_totals(run),
    ]


def _heads(rules: Mapping[str, Rule], indent: int) -> list[str]:
    """Check ids on a slant would need a terminal to draw; numbered columns with a key are read anywhere."""
    key = [f"  {number:>2} {check:<26} {rules[check].severity}" for number, check in enumerate(rules, 1)]
    numbers = [f"{number:>2}" for number in range(1, len(rules) + 1)]
    half = (len(key) + 1) // 2
    columns = [f"{left:<44}{right}" for left, right in zip(key[:half], [*key[half:], ""], strict=False)]
    digits = (" " * indent + "".join(number[place] for number in numbers) for place in (0, 1))
    return [*columns, "", *digits]


def _row(result: Result, checks: list[str], width: int) -> str:
    marks = "".join(_mark(result, check) for check in checks)
    verdict = str(result.verdict or "not tested")
    return f"{result.cell:<{width}}  {f'({verdict})' if result.unscored else verdict:<14}{marks}"


def _mark(result: Result, check: str) -> str:
    outcome = result.outcomes.get(check, "not applicable")
    if outcome != "fail":
        return _MARKS[outcome]
    severities = {finding.severity for finding in result.open if finding.check == check}
    return "M" if Severity.MUST in severities else "s"


def _gaps(result: Result) -> Iterable[Finding]:
    return (finding for finding in result.findings if (finding.declared or "").startswith(BY_GAP))


def _known(result: Result) -> Iterable[Finding]:
    return (
        finding
        for finding in result.findings
        if finding.declared is not None and not finding.declared.startswith(BY_GAP)
    )


def _open(result: Result) -> Iterable[Finding]:
    return result.open


def _unscored(result: Result) -> Iterable[Finding]:
    return (finding for finding in result.findings if finding.unscored and finding.declared is None)


def _unscored_stale(run: Run) -> list[str]:
    stale = [f"  {result.cell}: {text}" for result in run.results for text in result.unscored_stale]
    return ["unscored: declarations that did not show", *stale, ""] if stale else []


def _findings(head: str, results: Iterable[Result], chosen: Callable[[Result], Iterable[Finding]]) -> list[str]:
    """One line a kind of finding: the same problem in many cells is told once, with the cells counted."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for result in results:
        for finding in chosen(result):
            kind = (finding.severity, finding.check, finding.problem, finding.declared or "")
            kinds.setdefault(kind, []).append(result.cell)
    out = []
    for (severity, check, problem, reason), cells in sorted(kinds.items()):
        more = f" and {len(set(cells)) - 1} more" if len(set(cells)) > 1 else ""
        out.append(f"  {severity:<6} {check:<26} {problem}: {cells[0]}{more}")
        if reason:
            out.append(f"{'':<36}{reason}")
    return [head, *out, ""] if out else []


def _forgotten(run: Run) -> list[str]:
    """A rule on the request that is broken wherever it applies points at the binding, before the library."""
    out = []
    for check, what in HANDED_ON.items():
        judged = [result.outcomes.get(check) for result in run.results]
        asked = [outcome for outcome in judged if outcome not in (None, "not applicable")]
        if len(asked) >= _SOME and set(asked) == {"fail"}:
            out.append(f"  {check} fails in each of {len(asked)} cells: does the binding hand {what} to the library?")
    return out


def _totals(run: Run) -> list[str]:
    totals = run.totals()
    parts = [f"{totals.get(verdict, 0)} {verdict}" for verdict in Verdict]
    if totals.get("not tested"):
        parts.append(f"{totals['not tested']} not tested")
    if run.requirements:
        parts.append(f"{totals.get('unscored', 0)} unscored (set {run.requirements})")
    failures = run.failures()
    spare = [f"{count} cells do not apply: {why}" for why, count in sorted(run.not_applicable.items())]
    if run.narrow:
        spare.append(
            f"  to not collect those of other APIs, in pytest's ini file: conformance_apis = {','.join(run.apis)}"
        )
    return [
        *spare,
        *_forgotten(run),
        f"{len(run.results)} cells: {', '.join(parts)}",
        f"undeclared: {failures['MUST']} MUST, {failures['SHOULD']} SHOULD; stale declarations: {failures['stale']}",
    ]

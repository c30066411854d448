"""Results as Markdown, for the summary of a CI run: a table of verdicts, and what fails. The page is page.py's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from conformance.checks import Finding
from conformance.report.results import Run
from conformance.verdict import BY_GAP, Result
from conformance.vocabulary import Severity, Verdict

_COLUMNS = ("faithful", "declared", "loud", "broken", "misleading", "not tested")
_FEW = 3
_MANY = 40


def markdown(runs: Sequence[Run]) -> str:
    """The whole text."""
    return "\n".join(_lines(runs)) + "\n"


def _lines(runs: Sequence[Run]) -> Iterator[str]:
    yield "## LLM adapter conformance"
    yield ""
    yield f"| adapter | version | API | {' | '.join(_COLUMNS)} |"
    yield f"|---|---|---|{'---:|' * len(_COLUMNS)}"
    for run in runs:
        for api in run.apis:
            mine = [result for result in run.results if result.scenario.startswith(f"{api}/")]
            totals = Counter(str(result.verdict or "not tested") for result in mine if not result.unscored)
            numbers = " | ".join(str(totals[name] or "·") for name in _COLUMNS)
            yield f"| {_cell(run.adapter)} | {_cell(run.version or '')} | {api} | {numbers} |"
    for run in runs:
        yield from _run(run, heading=len(runs) > 1)


def _run(run: Run, *, heading: bool) -> Iterator[str]:
    failures = run.failures()
    if heading:
        yield from ("", f"### {run.label}")
    yield ""
    yield (
        f"{len(run.results)} cells of corpus {run.corpus}. Undeclared: **{failures['MUST']} MUST**, "
        f"{failures['SHOULD']} SHOULD. Stale declarations: {failures['stale']}."
    )
    if run.requirements:
        unscored = run.totals().get("unscored", 0)
        yield f"Scored by the requirement set {run.requirements}; {unscored} cells that it lacks count for nothing."
    for problem in run.wiring:
        yield from ("", "```text", problem, "```")
    yield from _kinds("Fails the run", run.results, _musts)
    yield from _stale(run.results)
    yield from _kinds("Known failures", run.results, _known, folded=True)
    yield from _kinds("Declared gaps", run.results, _gaps, folded=True)
    yield from _kinds("Unscored: not in the requirement set", run.results, _unscored, folded=True)


def _musts(result: Result) -> list[Finding]:
    return [finding for finding in result.open if finding.severity is Severity.MUST]


def _known(result: Result) -> list[Finding]:
    return [found for found in result.findings if found.declared and not found.declared.startswith(BY_GAP)]


def _gaps(result: Result) -> list[Finding]:
    return [found for found in result.findings if found.declared and found.declared.startswith(BY_GAP)]


def _unscored(result: Result) -> list[Finding]:
    return [finding for finding in result.findings if finding.unscored and finding.declared is None]


def _kinds(
    title: str, results: Iterable[Result], chosen: Callable[[Result], list[Finding]], *, folded: bool = False
) -> Iterator[str]:
    """The same problem in many cells is told once, worst first."""
    kinds: dict[tuple[Verdict, str, str, str], list[str]] = {}
    for result in results:
        for finding in chosen(result):
            cells = kinds.setdefault((finding.verdict, finding.check, finding.problem, finding.declared or ""), [])
            if result.cell not in cells:
                cells.append(result.cell)
    if not kinds:
        return
    rows = [_kind(kind, cells) for kind, cells in sorted(kinds.items(), key=lambda kind: -kind[0][0].harm)]
    more = [f"- and {len(rows) - _MANY} more kinds: see the page"] if len(rows) > _MANY else []
    if folded:
        yield from (
            "",
            f"<details><summary>{title} ({len(rows)})</summary>",
            "",
            *rows[:_MANY],
            *more,
            "",
            "</details>",
        )
    else:
        yield from ("", f"**{title}**", "", *rows[:_MANY], *more)


def _kind(kind: tuple[Verdict, str, str, str], cells: list[str]) -> str:
    verdict, check, problem, reason = kind
    named = ", ".join(f"`{cell}`" for cell in cells[:_FEW])
    more = f" and {len(cells) - _FEW} more" if len(cells) > _FEW else ""
    why = f" ({_text(reason)})" if reason else ""
    return f"- {verdict} `{check}`: {_text(problem)}: {named}{more}{why}"


def _stale(results: Iterable[Result]) -> Iterator[str]:
    stale = [f"- `{result.cell}`: {_text(text)}" for result in results for text in result.stale]
    if stale:
        yield from ("", "**Declared, and does not show**", "", *stale[:_MANY])


def _text(text: str) -> str:
    """What an adapter says is no markup."""
    return " ".join(text.replace("<", "&lt;").split())


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")

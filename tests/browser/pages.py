"""The page that the browser is shown: results made by hand, the reference adapter's beside them. No browser here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.checks import Finding
from conformance.report.page import page
from conformance.report.results import Run
from conformance.scenarios import catalogue
from conformance.verdict import Result
from conformance.vocabulary import Severity, Verdict

NASTY = '<img src=x onerror="document.title=`taken`"> <b>bold</b>'
CELL = "anthropic-messages/pause-turn:buffered"

_WRONG = Finding(
    "reason.class", Severity.MUST, Verdict.MISLEADING, f"told `complete` {NASTY}", "continue", f"stop {NASTY}"
)


def _results() -> list[Result]:
    """Every cell of the corpus, all faithful but for some."""
    found = []
    for id_, scenario in catalogue().items():
        for mode in scenario.modes:
            result = Result(
                id_,
                mode,
                Verdict.FAITHFUL,
                {"text.exact": "pass", "reason.class": "pass"},
                sent=('/v1/messages\n{"model": "m"}',),
                seen={"text": NASTY, "reason": "stop"},
                chunkings=("whole",),
                requests=1,
            )
            found.append(result)
    return found


def _bad(result: Result) -> Result:
    if result.cell == CELL:
        outcomes = {**result.outcomes, "reason.class": "fail"}
        return replace(result, verdict=Verdict.MISLEADING, outcomes=outcomes, findings=(_WRONG,))
    if result.scenario.endswith("stop-fired"):
        gap = replace(_WRONG, check="stop.which", declared="declared gap: stop-sequence", verdict=Verdict.LOUD)
        return replace(result, verdict=Verdict.DECLARED, outcomes={"stop.which": "declared"}, findings=(gap,))
    if result.scenario == "gemini/length-cap":
        return replace(
            result,
            verdict=Verdict.BROKEN,
            outcomes={"text.exact": "fail"},
            findings=(replace(_WRONG, check="text.exact", verdict=Verdict.BROKEN),),
        )
    return result


def runs() -> list[Run]:
    """Two adapters: one that is right everywhere, one that is not."""
    apis = tuple(dict.fromkeys(str(scenario.api) for scenario in catalogue().values()))
    good = _results()
    return [
        Run("mine", "1.0", "2026.11.0", "server", apis, [_bad(result) for result in good]),
        Run(
            "right",
            "2.0",
            "2026.11.0",
            "server",
            apis[:3],
            [result for result in good if not result.scenario.startswith("gemini/")],
        ),
    ]


def written(path: Path) -> Path:
    """Write the page."""
    path.write_text(page(runs()), encoding="utf-8")
    return path

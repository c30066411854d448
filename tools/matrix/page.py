"""The matrix as the suite's own page: outcomes in, HTML out. How the page looks is the report's business."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.report.page import page
from conformance.report.results import Run
from tools.matrix.running import Outcome


def index(outcomes: Sequence[Outcome], compared: Iterable[str] = ()) -> str:
    """The whole page; an adapter that could not be judged has a row that says why."""
    text = "\n".join(compared)
    return page([run_of(outcome) for outcome in outcomes], [text] if text else [])


def run_of(outcome: Outcome) -> Run:
    """An outcome as a run under the row's own name, which has the version where versions are compared."""
    return Run(
        adapter=outcome.name,
        version=None if "==" in outcome.name else outcome.version,
        corpus=outcome.corpus,
        transport="server",
        apis=outcome.apis,
        results=list(outcome.results),
        wiring=[f"could not be judged: {outcome.problem}"] if outcome.problem else list(outcome.wiring),
    )

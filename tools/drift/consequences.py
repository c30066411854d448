"""What a drift means here: premises that no longer hold, snapshots that change, verdicts that rest on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.errors import BrokenCassette
from conformance.report.results import Run
from conformance.scenarios import catalogue
from conformance.suite.bench import check_premise
from conformance.verdict import Result
from tools.drift.recording import Recording


def lost_premise(recording: Recording) -> str | None:
    """What the bytes no longer show of what their scenario claims; None where they do, or it is no scenario of ours."""
    told = catalogue().get(recording.scenario)
    if told is None or recording.mode not in told.modes:
        return None
    try:
        check_premise(told, recording.mode, recording.exchanges)
    except BrokenCassette as error:
        return error.problem
    return None


def verdicts(runs: Sequence[Run], cells: Iterable[str]) -> Iterator[str]:
    """A line on each verdict that rests on cells which drifted.

    One run of an adapter has the verdicts that must be asked for again. Of two, given in the order old and new, it is
    told how they differ.
    """
    wanted = list(cells)
    for name in dict.fromkeys(run.adapter for run in runs):
        mine = [run for run in runs if run.adapter == name]
        old, new = _by_cell(mine[0]), _by_cell(mine[-1])
        for cell in wanted:
            if cell not in old:
                continue
            if len(mine) == 1:
                yield f"{mine[0].label}  {cell}  {_said(old[cell])}: judged on the old bytes, ask again"
            elif cell in new and _said(new[cell]) != _said(old[cell]):
                yield f"{mine[-1].label}  {cell}  {_said(old[cell])} -> {_said(new[cell])}"


def _by_cell(run: Run) -> Mapping[str, Result]:
    return {result.cell: result for result in run.results}


def _said(result: Result) -> str:
    return str(result.verdict or "not tested")

"""Judges an engine that runs in this process: results by cell, for the tests beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conformance.probes import Probe
from conformance.servers.examiner import Examiner, cells
from conformance.servers.session import NotForIt
from conformance.servers.target import Target
from conformance.verdict import Result
from conformance.vocabulary import Api
from tests.servers.engine import KEY, MODEL, Engine, running


def judged(
    engine: Engine,
    apis: Iterable[Api],
    *,
    budget: int = 300,
    limit: float = 5.0,
    chosen: Callable[[Probe], bool] = bool,
) -> tuple[dict[str, Result], dict[str, str]]:
    """Results by cell, and why cells do not apply."""
    with running(engine) as url:
        targets = [Target(api, url, MODEL, "ENGINE_KEY", KEY) for api in apis]
        examiner = Examiner(targets, (), limit, budget)
        todo = [(probe, mode) for probe, mode in cells(apis) if chosen(probe)]
        examiner.plan(todo)
        results: dict[str, Result] = {}
        spared: dict[str, str] = {}
        for probe, mode in todo:
            try:
                results[f"{probe.id}:{mode}"] = examiner.result(probe, mode)
            except NotForIt as signal:
                spared[f"{probe.id}:{mode}"] = str(signal)
    return results, spared


def failing(results: dict[str, Result]) -> frozenset[str]:
    """The checks that fail on any cell."""
    return frozenset(finding.check for result in results.values() for finding in result.open)

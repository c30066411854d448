"""The two tests of the suite: is the binding wired right, and how does the adapter do in each cell. No rule is here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.report import explain_failure
from conformance.scenarios import Scenario
from conformance.suite.bench import NotApplicable
from conformance.suite.judging import Judging
from conformance.suite.smoke import Smoke
from conformance.vocabulary import Api, Mode


def test_smoke(
    conformance_judging: Judging, conformance_smoke: tuple[Api, Smoke], request: pytest.FixtureRequest
) -> None:
    """The binding reaches the replay server and hands out what the contract asks for."""
    api, smoke = conformance_smoke
    try:
        problem = conformance_judging.smoke(api, smoke)
    except NotApplicable as signal:
        pytest.skip(f"not applicable: {signal}")
    _tell(request, conformance_judging, wiring=problem)
    if problem is not None:
        conformance_judging.first_time(api)
        pytest.fail(problem, pytrace=False)


def test_scenario(
    conformance_judging: Judging, conformance_cell: tuple[Scenario, Mode], request: pytest.FixtureRequest
) -> None:
    """The adapter breaks no MUST in this cell that it has not declared."""
    scenario, mode = conformance_cell
    try:
        result, sent = conformance_judging.result(scenario, mode)
    except NotApplicable as signal:
        _tell(request, conformance_judging, not_applicable=str(signal), cell=f"{scenario.id}:{mode}")
        pytest.skip(f"not applicable: {signal}")
    problem = conformance_judging.wiring(scenario.api, tools=bool(scenario.ask.tools))
    _tell(request, conformance_judging, result=result.to_json(), wiring=problem)
    if result.unscored:
        request.node.user_properties.append(("conformance_unscored", True))
    if problem is not None and not conformance_judging.first_time(scenario.api):
        pytest.skip(f"not tested: {result.problem}")  # one failure says it all; the results count the cell as untested
    if problem is not None:
        pytest.fail(problem, pytrace=False)
    if not result.passed:
        pytest.fail(explain_failure(result, conformance_judging.name, sent), pytrace=False)


def _tell(request: pytest.FixtureRequest, judging: Judging, **facts: Any) -> None:
    """Attach to the item what the results are made of, as ASCII text: reports of xdist's workers travel."""
    request.node.user_properties.append(("conformance", json.dumps({**judging.identity, **facts})))

"""The two tests of the suite: is the binding wired right, and how does the adapter do in each cell."""

from __future__ import annotations

import pytest

from conformance.report import explain_failure
from conformance.scenarios import Scenario
from conformance.suite.judging import Judging
from conformance.suite.smoke import Smoke
from conformance.vocabulary import Api, Mode


def test_smoke(conformance_judging: Judging, conformance_smoke: tuple[Api, Smoke]) -> None:
    """The binding reaches the replay server and hands out what the contract asks for."""
    api, smoke = conformance_smoke
    problem = conformance_judging.smoke(api, smoke)
    if problem is not None:
        pytest.fail(problem, pytrace=False)


def test_scenario(
    conformance_judging: Judging, conformance_cell: tuple[Scenario, Mode], request: pytest.FixtureRequest
) -> None:
    """The adapter breaks no MUST in this cell that it has not declared."""
    scenario, mode = conformance_cell
    result, sent = conformance_judging.result(scenario, mode)
    request.node.user_properties.append(("conformance", result.to_json()))
    if not result.passed:
        pytest.fail(explain_failure(result, conformance_judging.name, sent), pytrace=False)

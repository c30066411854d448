"""The reference engine is faithful: what a faulty engine fails for is its fault, and not the probe's."""

from __future__ import annotations

import pytest

from conformance.probes import probes
from conformance.scenarios import catalogue
from conformance.servers.stops import KINDS
from conformance.vocabulary import Api, Verdict
from tests.servers.engine import Engine
from tests.servers.judged import judged

REFUSES = {
    # Honest refusals of the reference: the caller can tell, so that the cell is loud and not faithful.
    Api.OPENAI_CHAT: {"server-stop-beyond-limit"},
    Api.OPENAI_RESPONSES: set(),
    Api.ANTHROPIC_MESSAGES: {"server-stop-empty-string", "server-stop-blank"},
    Api.GEMINI: {"server-stop-beyond-limit"},
}


@pytest.mark.parametrize("api", Api)
def test_reference_is_faithful(api: Api) -> None:
    """Every cell is asked and none is wrong; what it refuses is loud."""
    results, spared = judged(Engine(), [api], budget=160)
    assert spared == {}
    assert {cell: result.problem for cell, result in results.items() if result.problem} == {}
    assert [finding for result in results.values() for finding in result.findings] == []
    loud = {result.scenario.partition("/")[2] for result in results.values() if result.verdict is Verdict.LOUD}
    assert loud == REFUSES[api]
    assert {result.verdict for result in results.values()} <= {Verdict.FAITHFUL, Verdict.LOUD}
    assert all(result.passed for result in results.values())


def test_probes_and_scenarios_share_no_id() -> None:
    assert not set(probes()) & set(catalogue())
    assert all(probe.slug.startswith("server-") for probe in probes().values())
    assert not any(scenario.slug.startswith("server-") for scenario in catalogue().values())


def test_every_kind_of_stop_is_a_probe() -> None:
    assert {probe.kind for probe in probes().values() if probe.room == "stopping"} == {*KINDS, "common", "extension"}

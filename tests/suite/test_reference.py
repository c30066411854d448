"""The reference adapter is a right reader: faithful in every cell, under every chunking, on both transports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.adapters import load
from conformance.scenarios import Scenario, catalogue
from conformance.suite.bench import Bench
from conformance.verdict import judge
from conformance.vocabulary import Mode, Transport, Verdict

pytestmark = pytest.mark.slow  # a minute in all, so that the fast loop stays fast: `make test-all` and CI run it

CELLS = [
    pytest.param(scenario, mode, id=f"{scenario.id}:{mode}")
    for scenario in catalogue().values()
    for mode in scenario.modes
    if scenario.without_query is None  # it asks for the usual form: see test_forms
]


@pytest.fixture(scope="module")
def server() -> Iterator[Bench]:
    with Bench(load("reference")) as bench:
        yield bench


@pytest.fixture(scope="module")
def in_process() -> Iterator[Bench]:
    with Bench(load("reference"), transport=Transport.VCR) as bench:
        yield bench


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_faithful_on_both_transports_with_one_reply(
    server: Bench, in_process: Bench, scenario: Scenario, mode: Mode
) -> None:
    """Every cell is faithful on either transport, and both give the same Reply or the same exception."""
    benches = (server,) if scenario.needs_server else (server, in_process)
    cases = [bench.case(scenario, mode) for bench in benches]
    for case in cases:
        result = judge(case)
        assert result.findings == ()
        assert result.verdict is Verdict.FAITHFUL
    one, two = cases[0].plain, cases[-1].plain
    assert one.reply == two.reply
    assert (one.raised and one.raised.kind) == (two.raised and two.raised.kind)

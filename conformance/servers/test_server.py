"""The one test of a run with `--server`: how does the server do in each cell. No rule is here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.probes import Probe
from conformance.servers.examiner import Examiner
from conformance.servers.session import NotForIt
from conformance.servers.telling import explain_server
from conformance.vocabulary import Mode


def test_server(
    conformance_examiner: Examiner, conformance_servers: Any, conformance_probe: tuple[Probe, Mode],
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    """The server breaks no MUST in this cell that is not listed."""
    probe, mode = conformance_probe
    identity = conformance_servers.identity()

    def tell(**facts: Any) -> None:
        request.node.user_properties.append(("conformance", json.dumps({**identity, **facts})))

    try:
        result = conformance_examiner.result(probe, mode)
    except NotForIt as signal:
        tell(not_applicable=str(signal))
        pytest.skip(f"not applicable: {signal}")
    wiring = conformance_examiner.wiring(probe.api)
    tell(result=result.to_json(), wiring=wiring)
    if result.problem is not None and not conformance_examiner.first_time(result.problem):
        pytest.skip(f"not tested: {result.problem}")  # one failure says it all; the results count the cell as untested
    if not result.passed:
        pytest.fail(explain_server(result, conformance_servers.name), pytrace=False)

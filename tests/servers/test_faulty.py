"""The gate: every rule can fail, and fails for nothing but its own fault. The faulty engines are in `faulty`."""

from __future__ import annotations

import pytest

from conformance.checks.server_rules import SERVER_RULES
from conformance.probes import probes
from conformance.vocabulary import Severity
from tests.servers.faulty import FAULTY, Faulty
from tests.servers.judged import failing, judged


@pytest.mark.parametrize("kind", FAULTY, ids=lambda kind: kind.name)
def test_faulty_engine(kind: type[Faulty]) -> None:
    """It fails exactly the checks that it names, on the probes that it names."""
    engine = kind()
    names = {f"server-{slug}" for slug in kind.probes}
    try:
        results, _ = judged(engine, [kind.api], limit=kind.limit, chosen=lambda probe: probe.slug in names)
    finally:
        engine.close()
    assert {cell: result.problem for cell, result in results.items() if result.problem} == {}
    told = [f"{cell} {one.check}: {one.problem}" for cell, result in results.items() for one in result.open]
    assert failing(results) == kind.fails, told
    musts = any(finding.severity is Severity.MUST for result in results.values() for finding in result.open)
    assert any(not result.passed for result in results.values()) is musts
    assert all(result.sent for result in results.values() if result.open)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTY, ids=lambda kind: kind.name)
def test_faulty_engine_everywhere(kind: type[Faulty]) -> None:
    """... and fails no other check on the other cells of the API."""
    engine = kind()
    mine = {f"server-{slug}" for slug in kind.probes}
    # Sixteen calls at once are the dearest probe, and have faulty engines of their own.
    chosen = lambda probe: probe.slug in mine or probe.room != "together"  # noqa: E731 -- a name for a long argument
    try:
        results, _ = judged(engine, [kind.api], limit=kind.limit, budget=150, chosen=chosen)
    finally:
        engine.close()
    told = [f"{cell} {one.check}: {one.problem}" for cell, result in results.items() for one in result.open]
    assert failing(results) == kind.fails, told


@pytest.mark.parametrize("check", SERVER_RULES)
def test_every_check_fails_two_engines(check: str) -> None:
    assert len([kind.name for kind in FAULTY if check in kind.fails]) >= 2


def test_declarations_are_whole() -> None:
    """Each is named once, says what it stands for, and names checks and probes that exist."""
    assert len({kind.name for kind in FAULTY}) == len(FAULTY) >= 12
    for kind in FAULTY:
        assert kind.fails, kind.name
        assert kind.fails <= set(SERVER_RULES), kind.name
        assert {f"{kind.api}/server-{slug}" for slug in kind.probes} <= set(probes()), kind.name
        assert (vars(kind).get("__doc__") or "").splitlines()[0].endswith("."), kind.name

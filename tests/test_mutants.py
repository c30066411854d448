"""The gate: every check can fail, and fails for nothing but its own fault. The mutants are in the package beside."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from conformance.adapters.reference import Reference
from conformance.checks import RULES
from conformance.suite.bench import Bench
from conformance.verdict import Result
from conformance.vocabulary import Severity, Standing
from tests.mutants import MUTANTS, THEMES, Mutant, Steps
from tests.mutants.__main__ import WIDTH, matrix
from tests.mutants.gate import cells_of, failing, judged, results_of
from tests.mutants.shapes import SpeaksChat


@pytest.fixture(scope="module")
def reference() -> Iterator[Callable[[str], Result]]:
    """What the reference adapter makes of a cell."""
    with Bench(Reference()) as bench:
        yield cache(lambda cell: bench.judge(*next(cells_of([cell])))[0])


@pytest.mark.parametrize("kind", MUTANTS, ids=lambda kind: kind.name)
def test_mutant(kind: type[Mutant], reference: Callable[[str], Result]) -> None:
    """It fails exactly the checks that it names, where whoever does it right fails nothing."""
    results = results_of(kind)
    assert not [result.problem for result in results.values() if result.problem]
    assert failing(results) == kind.fails, [
        f"{cell} {finding.check}: {finding.problem}" for cell, result in results.items() for finding in result.open
    ]

    # A broken MUST fails the run; a broken SHOULD does not, nor does a wire that only a standard permits.
    musts = any(RULES[check].severity is Severity.MUST for check in kind.fails)
    permitted = all(one.standing is Standing.PERMITTED for one, _ in cells_of(kind.cells))
    assert any(not result.passed for result in results.values()) is (musts and not permitted and not kind.loud)

    right = {cell: reference(cell) for cell in results}
    assert [result.findings for result in right.values() if result.findings or not result.passed] == []
    assert [result.verdict for result in right.values()] != [result.verdict for result in results.values()]


@pytest.mark.parametrize("check", RULES)
def test_every_check_fails_two_mutants(check: str) -> None:
    assert len([kind.name for kind in MUTANTS if check in kind.fails]) >= 2


@pytest.mark.parametrize("adapter", [Steps(), SpeaksChat()], ids=["steps", "speaks-chat"])
def test_unaltered_adapter_passes(adapter: Steps) -> None:
    """What a mutant fails for is its fault, and not the adapter that it is made of."""
    kinds = [kind for kind in MUTANTS if isinstance(adapter, SpeaksChat) is issubclass(kind, SpeaksChat)]
    # One API of each scenario: what differs between them is the codec's, which the reference shares.
    cells = {name.partition("/")[2]: name for kind in kinds for name in kind.cells}
    results = judged(adapter, cells.values())
    assert results
    assert failing(results) == frozenset()
    assert all(result.passed for result in results.values())


def test_declarations_are_whole() -> None:
    """Each is named once, says what it stands for in one sentence, and names checks that exist."""
    assert len({kind.name for kind in MUTANTS}) == len(MUTANTS) >= 40
    assert {kind.__module__ for kind in MUTANTS} == {theme.__name__ for theme in THEMES}
    for kind in MUTANTS:
        assert kind.fails, kind.name
        assert kind.fails <= set(RULES), kind.name
        assert (vars(kind).get("__doc__") or "").splitlines()[0].endswith("."), kind.name


def test_matrix_fits_and_agrees() -> None:
    text = matrix(MUTANTS).splitlines()
    rows = text[2 : 2 + len(RULES)]
    assert max(map(len, text)) <= WIDTH
    assert all(row.startswith(check) for check, row in zip(RULES, rows, strict=True))
    assert "!" not in "".join(rows)


def test_hangs_leave_no_thread() -> None:
    """A mutant that hangs is let go when it has been judged."""
    for kind in MUTANTS:
        if "limits.terminates" in kind.fails:
            results_of(kind)
            for thread in threading.enumerate():
                if thread.name == f"conformance-{kind.name}":
                    thread.join(2.0)
                    assert not thread.is_alive()

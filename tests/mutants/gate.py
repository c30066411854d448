"""Runs mutants through the bench, each on its own cells and once. What is expected of them is declared on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from conformance.contract import Adapter
from conformance.scenarios import Scenario, scenario
from conformance.suite.bench import Bench
from conformance.verdict import Result
from conformance.vocabulary import Mode
from tests.mutants.base import Mutant

Results = Mapping[str, Result]
"""What came of each cell, by `<id>:<mode>`."""


def cells_of(names: Iterable[str]) -> Iterator[tuple[Scenario, Mode]]:
    """The cells that the names stand for: an id for all modes of the scenario, `<id>:<mode>` for one."""
    for name in names:
        id_, _, mode = name.partition(":")
        one = scenario(id_)
        yield from ((one, each) for each in one.modes if mode in ("", each))


@cache
def results_of(kind: type[Mutant]) -> Results:
    """What comes of a mutant's cells."""
    adapter = kind()
    try:
        return judged(adapter, kind.cells, kind.limit)
    finally:
        adapter.close()


def judged(adapter: Adapter, names: Iterable[str], limit: float = 10.0) -> Results:
    """What comes of these cells under an adapter."""
    with Bench(adapter, limit=limit) as bench:
        return {f"{one.id}:{mode}": bench.judge(one, mode)[0] for one, mode in cells_of(names)}


def failing(results: Results) -> frozenset[str]:
    """The checks that fail on any of the cells."""
    return frozenset(finding.check for result in results.values() for finding in result.open)

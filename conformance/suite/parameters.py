"""The ids of the suite's items: cells and smoke scenarios, in the order in which they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.scenarios import Scenario, catalogue
from conformance.suite.smoke import Smoke
from conformance.vocabulary import Api, Mode


def cells(apis: Iterable[Api]) -> Iterator[tuple[str, tuple[Scenario, Mode]]]:
    """Every cell of these APIs as (`<scenario id>:<mode>`, cell)."""
    wanted = frozenset(apis)
    for scenario in catalogue().values():
        if scenario.api in wanted:
            for mode in scenario.modes:
                yield f"{scenario.id}:{mode}", (scenario, mode)


def smokes(apis: Iterable[Api]) -> Iterator[tuple[str, tuple[Api, Smoke]]]:
    """Every smoke scenario of these APIs."""
    for api in apis:
        for which in Smoke:
            yield f"{api}/{which}", (api, which)

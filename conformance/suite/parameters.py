"""The suite's items: cells and smoke scenarios by id, in the order in which they run. Plays and judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.corpus import cassette, cassette_path
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


def check_cassettes(chosen: Iterable[tuple[Scenario, Mode] | None]) -> None:
    """Find a cassette that cannot be read before anything runs: its author wants one error, not one for each cell.

    A cassette that is missing is another matter: its cells are not tested, and the others are.

    Raises:
        BrokenCassette: a file is no YAML, or is not of vcrpy's form.
    """
    for cell in chosen:
        if cell is not None and cassette_path(cell[0].id, cell[1]).exists():
            cassette(cell[0].id, cell[1])

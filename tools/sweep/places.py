"""Streams delivered whole, cut at places that Hypothesis draws and shrinks to the fewest that change the reply."""

from __future__ import annotations

from hypothesis import HealthCheck, find, settings
from hypothesis.errors import NoSuchExample

from conformance.checks.streams import signature
from conformance.corpus import cassette
from conformance.scenarios import Scenario
from conformance.strategies import cuts
from conformance.suite.bench import Bench
from conformance.vocabulary import Mode


def smallest_cut(bench: Bench, scenario: Scenario, tries: int) -> str | None:
    """The smallest cut under which the reply is another one; None where none of the tries finds any.

    Raises:
        HarnessError: the stream could not be put to the adapter.
        BrokenCassette: its cassette cannot be read.
    """
    body = cassette(scenario.id, Mode.STREAMED)[-1].body
    # Ids are left out: those that the wire does not name may be new each time.
    plain = signature(bench.under_cuts(scenario, ()), named=False)

    def changes(places: tuple[int, ...]) -> bool:
        return signature(bench.under_cuts(scenario, places), named=False) != plain

    try:
        found = find(
            cuts(body),
            changes,
            settings=settings(
                max_examples=tries,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
    except NoSuchExample:
        return None
    borders = ", ".join(
        f"{place} ({body[max(0, place - 8) : place]!r} | {body[place : place + 8]!r})" for place in found
    )
    return f"cut at {borders}"

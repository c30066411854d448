"""What the tests of a run share: the bench, and smoke results that hold the other cells back. No pytest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.scenarios import Scenario
from conformance.suite.bench import Bench
from conformance.suite.smoke import Smoke, smoke
from conformance.verdict import Result
from conformance.vocabulary import Api, Mode


class NotSpoken(Exception):  # noqa: N818 -- a signal to the plugin, not an error
    """The adapter does not speak the cell's API."""


class Judging:
    """Judges cells one by one; cells of an API whose smoke fails are told as untested."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._smoke: dict[tuple[Api, Smoke], str | None] = {}

    @property
    def name(self) -> str:
        """The adapter's name."""
        return self._bench.adapter.name

    def smoke(self, api: Api, which: Smoke) -> str | None:
        """What is wrong with the binding, or None. Each is tried once."""
        self._spoken(api)
        if (api, which) not in self._smoke:
            self._smoke[api, which] = smoke(self._bench, api, which)
        return self._smoke[api, which]

    def result(self, scenario: Scenario, mode: Mode) -> tuple[Result, Sequence[Any]]:
        """The result of a cell, and the requests of its plain delivery."""
        self._spoken(scenario.api)
        for which in Smoke:
            if (problem := self.smoke(scenario.api, which)) is not None:
                first = problem.splitlines()
                return Result.untested(scenario.id, mode, f"the smoke test fails: {first[2].split(maxsplit=1)[1]}"), ()
        return self._bench.judge(scenario, mode)

    def _spoken(self, api: Api) -> None:
        if api not in self._bench.adapter.apis:
            raise NotSpoken(f"{self.name} does not speak {api}")

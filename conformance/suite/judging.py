"""What the tests of a run share: the bench, and smoke results that hold the other cells back. No pytest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.checks import SentRequest
from conformance.errors import AdapterBroken
from conformance.scenarios import Scenario
from conformance.suite.bench import Bench, NotApplicable
from conformance.suite.smoke import Smoke, smoke
from conformance.verdict import Result
from conformance.vocabulary import Api, Mode


class Judging:
    """Judges cells one by one; cells of an API whose smoke fails are told as untested.

    Args:
        bench: where the adapter is put to the test.
        identity: who is judged, as plain data that goes with each result.
    """

    def __init__(self, bench: Bench, identity: Mapping[str, Any]) -> None:
        self.identity = identity
        self._bench = bench
        self._smoke: dict[tuple[Api, Smoke], str | None] = {}
        self._told: set[Api] = set()

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

    def wiring(self, api: Api, *, tools: bool = True) -> str | None:
        """What the first smoke that fails for an API says is wrong, or None.

        The one that asks for a tool call holds back only what asks for tools: a library may have none that work.
        """
        tried = (which for which in Smoke if tools or which is not Smoke.TOOL_CALL)
        return next((problem for which in tried if (problem := self.smoke(api, which)) is not None), None)

    def first_time(self, api: Api) -> bool:
        """Whether nobody has been told yet that the binding is wired wrong for this API; asking tells."""
        first = api not in self._told
        self._told.add(api)
        return first

    def result(self, scenario: Scenario, mode: Mode) -> tuple[Result, Sequence[SentRequest]]:
        """The result of a cell, and the requests of its plain delivery.

        Raises:
            NotApplicable: the adapter does not speak its API, or the transport cannot play it.
        """
        if self.wiring(scenario.api, tools=bool(scenario.ask.tools)) is not None:
            problem = "the binding is wired wrong: a smoke test of this API fails"
            return self._bench.untested(scenario, mode, problem), ()
        try:
            return self._bench.judge(scenario, mode)
        except AdapterBroken as error:
            return self._bench.untested(scenario, mode, str(error)), ()

    def _spoken(self, api: Api) -> None:
        if api not in self._bench.adapter.apis:
            raise NotApplicable(f"{self.name} does not speak {api}")

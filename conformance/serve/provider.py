"""The fixture `provider` of the pytest plugin: a scenario played to one test, and the log of what was sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from conformance.replay import Play, ReplayServer, Sent
from conformance.serve.playing import delivery_of


class Provided:
    """A provider that plays one scenario.

    Attributes:
        scenario: its id.
        base_url: the bare root of its API; `anthropic.Anthropic(base_url=...)` takes it as it is.
    """

    def __init__(self, play: Play) -> None:
        self._play = play
        self.scenario = play.delivery.scenario
        self.base_url = play.base_url

    @property
    def v1(self) -> str:
        """The root with `/v1`, as OpenAI's clients want it."""
        return f"{self.base_url}/v1"

    @property
    def sent(self) -> Sequence[Sent]:
        """Every request so far, in order: `.json` is its body, `.headers` and `.path` the rest."""
        return tuple(self._play.sent)

    @property
    def problem(self) -> str | None:
        """Why a request could not be answered (a wrong path, a mode that the scenario has not); None if all were."""
        return self._play.problem

    def __repr__(self) -> str:
        return f"<{self.scenario} at {self.base_url}>"


class Provider:
    """Plays scenarios to a test: call it with a scenario's id. What was opened is closed after the test.

    Args:
        server: a running replay server.
    """

    def __init__(self, server: ReplayServer) -> None:
        self._server = server
        self._plays: list[Play] = []

    def __call__(
        self, scenario: str, *, chunking: str | None = None, pace: float | None = None, fault: str | None = None
    ) -> Provided:
        """Begin to play a scenario; arguments as for `delivery_of`.

        Raises:
            ScenarioNotFound: there is no such scenario.
            BadOption: a chunking, pace or fault that there is not.
        """
        play = self._server.open(delivery_of(scenario, chunking=chunking, pace=pace, fault=fault))
        self._plays.append(play)
        return Provided(play)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._plays:
            self._server.close(self._plays.pop())

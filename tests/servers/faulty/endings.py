"""Faults in endings, caps and counts."""

from __future__ import annotations

from typing import Any

from conformance.contract import Usage
from conformance.vocabulary import Stop
from tests.servers.engine import Asked
from tests.servers.faulty.base import ANTHROPIC, GEMINI, RESPONSES, Faulty, faulty


@faulty("cap", "stop-near-miss", fails="reason.class")
class CapSaysStop(Faulty):
    """A text that the cap ended is told as complete."""

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"stop": Stop.COMPLETE})


@faulty("stop-mid-word", fails="reason.class", api=RESPONSES)
class StopSaysCap(Faulty):
    """A text that a stop string ended is told as truncated."""

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"stop": Stop.TRUNCATED} if told["fired"] else told)


@faulty("cap", fails="cap.honoured")
class KnowsOldCapOnly(Faulty):
    """max_completion_tokens is ignored."""

    def cap(self, config: dict[str, Any]) -> int:
        return super().cap({name: value for name, value in config.items() if name != "max_completion_tokens"})


@faulty("cap", fails="cap.honoured", api=GEMINI)
class RaisesSmallCaps(Faulty):
    """A cap below forty tokens is taken for forty."""

    def cap(self, config: dict[str, Any]) -> int:
        return max(40, super().cap(config))


@faulty("answers", fails="usage.reported")
class NoUsage(Faulty):
    """No counts."""

    def usage(self, asked: Asked, told: dict[str, Any]) -> Usage | None:
        return None


@faulty("answers", fails="usage.reported", api=ANTHROPIC)
class CountsNothing(Faulty):
    """The count is 0."""

    def usage(self, asked: Asked, told: dict[str, Any]) -> Usage | None:
        return Usage(3, 0)

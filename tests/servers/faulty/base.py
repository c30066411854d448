"""What a faulty engine is, and how it is declared. No fault is here: they are in the theme modules."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from conformance.vocabulary import Api
from tests.servers.engine import Engine

CHAT, ANTHROPIC, GEMINI, RESPONSES = Api.OPENAI_CHAT, Api.ANTHROPIC_MESSAGES, Api.GEMINI, Api.OPENAI_RESPONSES


class Faulty(Engine):
    """One fault.

    Attributes:
        fails: every check that fails on one of the API's cells, and none beside.
        api: the API in which it is judged.
        probes: slugs of the probes that show it, without `server-`.
        limit: seconds for one call.
    """

    fails: ClassVar[frozenset[str]]
    api: ClassVar[Api]
    probes: ClassVar[tuple[str, ...]]
    limit: ClassVar[float] = 5.0

    def close(self) -> None:
        """Let go of whatever hangs."""


FAULTY: list[type[Faulty]] = []


def faulty(*probes: str, fails: str, api: Api = CHAT) -> Callable[[type[Faulty]], type[Faulty]]:
    """Declare a faulty engine."""

    def declare(kind: type[Faulty]) -> type[Faulty]:
        kind.name = re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
        kind.probes, kind.fails, kind.api = probes, frozenset(fails.split()), api
        FAULTY.append(kind)
        return kind

    return declare

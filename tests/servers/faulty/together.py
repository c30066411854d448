"""Faults between calls that run at once."""

from __future__ import annotations

import time

from tests.servers.engine import Asked
from tests.servers.faulty.base import ANTHROPIC, Faulty, faulty
from tests.servers.matcher import Matcher


@faulty("side-by-side", fails="calls.independent")
class MixesStops(Faulty):
    """The stop strings of the call that came last count for all that run."""

    latest: list[str]

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        asked = super().asked(path, headers, body)
        self.latest = asked.stops
        return asked

    def matcher(self, asked: Asked) -> Matcher:
        time.sleep(0.02)
        return Matcher(self.latest)


@faulty("side-by-side", fails="calls.independent", api=ANTHROPIC)
class MixesTexts(Faulty):
    """A slot is taken over while it still writes."""

    latest: Asked

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        asked = self.latest = super().asked(path, headers, body)
        return asked

    def tokens(self, asked: Asked) -> list[bytes]:
        time.sleep(0.02)
        return super().tokens(self.latest)

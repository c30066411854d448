"""What the tests of the recorder share: keys of the stand-in in the environment, no waiting."""

from __future__ import annotations

import pytest
from stand_in import KEYS

from tools.record import asking
from tools.secrets.own_key import VARIABLES


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in's keys, so that no real one is ever read."""
    for api, variable in VARIABLES.items():
        monkeypatch.setenv(variable, KEYS[api])


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the recorder would have waited."""
    waited: list[float] = []
    monkeypatch.setattr(asking, "_sleep", waited.append)
    return waited

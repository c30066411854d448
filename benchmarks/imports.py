"""P8: what the plugin costs a pytest run that asks for no adapter, and how soon the server answers.

Each import is a fresh interpreter, in processor time. `python -m benchmarks imports`
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.measure import Figure, children, interleaved, python
from conformance.replay import ReplayServer

TARGET = 1.1
ROUNDS = 9


def started() -> None:
    """Start the replay server and stop it again."""
    with ReplayServer():
        pass


def figures() -> Iterator[Figure]:
    """The import of the plugin, that of a binding's names, and the start of the server."""
    arms = {
        "pytest": python("-c", "import pytest"),
        "plugin": python("-c", "import pytest, conformance.plugin"),
        "binding": python("-c", "import pytest, conformance.plugin; from conformance import Adapter, Api"),
    }
    took = interleaved(arms, ROUNDS, children)
    note = ", ".join(f"{name} {seconds * 1e3:.0f} ms" for name, seconds in took.items())
    yield Figure("P8", "import of the plugin / import pytest", took["plugin"] / took["pytest"], TARGET, note=note)
    yield Figure("", "the names of a binding imported too / import pytest", took["binding"] / took["pytest"])
    start = interleaved({"server": started}, ROUNDS, time.perf_counter)["server"]
    yield Figure("", "start and stop of the server", start * 1e3, unit="ms")

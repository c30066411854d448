"""Plays cassettes inside the process, for adapters whose address cannot be changed: vcrpy, with the network closed.

vcrpy hands a body over whole, so there is no chunking and no holding here: the server has them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from conformance.corpus import cassette_path
from conformance.errors import BrokenCassette, HarnessError
from conformance.replay.delivery import Delivery, Play
from conformance.vocabulary import Mode

# One for the process, since vcrpy and the guard patch globals.
_ONE_AT_A_TIME = threading.Lock()


class InProcess:
    """Plays deliveries in process. The adapter may run in any thread; plays come one after the other.

    Raises:
        HarnessError: vcrpy or pytest-recording is not installed.
    """

    def __init__(self) -> None:
        self._cassette, self._network = _libraries()

    @contextmanager
    def playing(self, delivery: Delivery) -> Iterator[Play]:
        """Play the cassettes of a delivery while the block runs; every other connection is refused.

        Raises:
            HarnessError: the delivery asks for what only the server can do, or another play is open.
            BrokenCassette: a file is missing, or vcrpy reads another exchange from it than the corpus does.
        """
        if not delivery.plain:
            raise HarnessError("vcrpy plays bodies whole", "use the server for chunkings, faults and a held wire")
        play = Play(delivery, delivery.origin)
        recorded = {mode: _recorded(delivery, mode) for mode in delivery.exchanges}
        if not _ONE_AT_A_TIME.acquire(blocking=False):
            raise HarnessError("another play is open in this process", "close it first, or use the server")
        try:
            with self._network.blocking_context(), self._cassette.playback(play, recorded):
                yield play
        finally:
            _ONE_AT_A_TIME.release()


def _libraries() -> tuple[ModuleType, ModuleType]:
    # Late, since vcrpy imports every HTTP client that it finds: about a second.
    try:
        from pytest_recording import network

        from conformance.replay import vcr_cassette
    except ImportError as error:
        mend = 'pip install "llm-adapter-conformance[vcr]"'
        raise HarnessError(f"the vcr transport lacks a library: {error}", mend) from error
    return vcr_cassette, network


def _recorded(delivery: Delivery, mode: Mode) -> list[Any]:
    """What vcrpy reads from a cassette file, having made sure that it is what is to be played."""
    from conformance.replay import vcr_cassette  # late, as above

    path = cassette_path(delivery.scenario, mode)
    try:
        interactions = vcr_cassette.interactions(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BrokenCassette(f"vcrpy cannot read {path}: {error!r}", "write it again") from error
    if [_essence(response) for _, response in interactions] != [
        (exchange.status, exchange.body) for exchange in delivery.exchanges[mode]
    ]:
        raise BrokenCassette(
            f"vcrpy reads other replies from {path} than this delivery holds",
            "a changed reply (a fault) is for the server to play; otherwise write the cassette again",
        )
    return interactions


def _essence(response: Any) -> tuple[int, bytes]:
    return int(response["status"]["code"]), response["body"]["string"]

"""The garbage collector comes between the calls to an adapter, and never within one."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from conformance.contract import Call, End, Part, Reply
from conformance.suite.caller import Caller
from conformance.vocabulary import PASSTHROUGH, Api

CALL = Call(Api.GEMINI, "http://127.0.0.1:9", "k", "m", "p")


class Litters:
    """Makes many times the garbage that sets the collector off, and then ends as it is told to."""

    name, apis, vocabulary, lacks = "litters", frozenset(Api), PASSTHROUGH, frozenset[str]()

    def __init__(self) -> None:
        self.begun = 0
        self.go_on = threading.Event()

    def complete(self, call: Call) -> Reply:
        self._litter()
        raise ValueError("failed")

    def stream(self, call: Call) -> Iterator[Part]:
        self._litter()
        yield End("stop")
        self.go_on.wait(10)

    def _litter(self) -> None:
        def begins(phase: str, _: object) -> None:
            self.begun += phase == "start"

        gc.callbacks.append(begins)
        for _ in range(20 * gc.get_threshold()[0]):
            circle: list[object] = []
            circle.append(circle)
        gc.callbacks.remove(begins)


@pytest.mark.parametrize("usual", [True, False], ids=["enabled", "disabled-by-the-user"])
def test_it_rests_within_a_call_and_is_as_before_afterwards(usual: bool) -> None:
    adapter = Litters()
    caller = Caller(adapter, 0.5)
    (gc.enable if usual else gc.disable)()
    try:
        assert caller.complete(CALL, "whole").raised
        assert gc.isenabled() is usual
        assert caller.stream(CALL, "whole").hung
        assert gc.isenabled() is usual
    finally:
        gc.enable()
        adapter.go_on.set()
        caller.close()
    assert adapter.begun == 0


def test_the_litter_sets_it_off_elsewhere() -> None:
    """What the other test proves would be nothing without this."""
    adapter = Litters()
    with pytest.raises(ValueError, match="failed"):
        adapter.complete(CALL)
    assert adapter.begun > 0

"""What a failed call leaves to the collector is gone before the next call begins, and on the adapter's own thread."""

from __future__ import annotations

import gc
import threading

from conformance.contract import Call, Reply
from conformance.suite.caller import Caller
from conformance.vocabulary import PASSTHROUGH, Api


class Stream:
    """An open stream in a circle with the error that it caused."""

    def __init__(self, closed: list[str]) -> None:
        self.closed, self.error = closed, ValueError("failed")
        self.error.stream = self  # type: ignore[attr-defined]

    def __del__(self) -> None:
        self.closed.append(threading.current_thread().name)


class LeavesOpen:
    name, apis, vocabulary, lacks = "leaves-open", frozenset(Api), PASSTHROUGH, frozenset[str]()

    def __init__(self) -> None:
        self.closed: list[str] = []
        self.before: list[list[str]] = []

    def complete(self, call: Call) -> Reply:
        self.before.append(list(self.closed))
        raise Stream(self.closed).error


def test_it_is_collected_between_the_calls() -> None:
    adapter = LeavesOpen()
    caller = Caller(adapter, 5.0)
    gc.disable()
    try:
        for _ in range(3):
            assert caller.complete(Call(Api.GEMINI, "http://127.0.0.1:9", "k", "m", "p"), "whole").raised
    finally:
        gc.enable()
        caller.close()
    assert [len(closed) for closed in adapter.before] == [0, 1, 2]
    assert adapter.closed[1] == "conformance-leaves-open"

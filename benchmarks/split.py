"""P2: how a whole run splits between the suite and the adapter's own code, for the Anthropic SDK.

Twice: in processor time, where what an adapter runs in its own thread is its own and all else is the suite's, the
server included; and by the clock, where waiting for the wire's pauses counts as the adapter's. Cells that the
SDK cannot be asked are left out. `python -m benchmarks split`
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.measure import Figure
from conformance.adapters import load
from conformance.contract import Adapter, Call, Part, Reply
from conformance.scenarios import catalogue
from conformance.suite.bench import Bench, NotApplicable

TARGET = 0.35
ADAPTER = "anthropic-sdk"


class Timed:
    """A synchronous adapter with two stop watches on its own code.

    Attributes:
        seconds: by the clock.
        processor: processor seconds of its thread.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self.name, self.apis = adapter.name, adapter.apis
        self.vocabulary, self.lacks = adapter.vocabulary, adapter.lacks
        self.seconds = self.processor = 0.0

    def complete(self, call: Call) -> Reply:
        """One whole reply, timed."""
        return self._timed(lambda: self._adapter.complete(call))

    def stream(self, call: Call) -> Iterator[Part]:
        """A stream, timed from one part to the next."""
        parts = self._timed(lambda: iter(self._adapter.stream(call)))
        nothing = object()
        while (part := self._timed(lambda: next(parts, nothing))) is not nothing:
            yield part

    def _timed(self, action: Callable[[], Any]) -> Any:
        with self._watch():
            return action()

    @contextmanager
    def _watch(self) -> Iterator[None]:
        start, busy = time.perf_counter(), time.thread_time()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start
            self.processor += time.thread_time() - busy


def figures() -> Iterator[Figure]:
    """Judge every cell once."""
    adapter = Timed(load(ADAPTER))
    cells = [(each, mode) for each in catalogue().values() if each.api in adapter.apis for mode in each.modes]
    with Bench(adapter) as bench:
        bench.judge(*cells[0])  # imports and the first connection are not the corpus's cost
        adapter.seconds = adapter.processor = 0.0
        start, busy = time.perf_counter(), time.process_time()
        judged = 0
        for scenario, mode in cells:
            try:
                bench.judge(scenario, mode)
            except NotApplicable:
                continue
            judged += 1
        whole, processor = time.perf_counter() - start, time.process_time() - busy
    what = f"{ADAPTER}: outside the adapter / whole run"
    note = f"{judged} cells, {processor:.1f} s"
    yield Figure("P2", f"{what}, processor time", 1 - adapter.processor / processor, TARGET, note=note)
    yield Figure("P2", f"{what}, by the clock", 1 - adapter.seconds / whole, TARGET, note=f"{whole:.1f} s")

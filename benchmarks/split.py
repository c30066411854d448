"""How the time of a whole run splits between suite and adapter (P2), and how cost grows with the corpus (P3).

Run: `python -m benchmarks.split [ADAPTER]`. Figures are ratios of one run; nothing asserts them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from conformance.adapters import load
from conformance.contract import Adapter, Call, Part, Reply
from conformance.scenarios import Scenario, catalogue
from conformance.suite.bench import Bench


class Timed:
    """An adapter with a stop watch: seconds spent inside its own code, waiting for the wire included."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self.name, self.apis = adapter.name, adapter.apis
        self.vocabulary, self.lacks = adapter.vocabulary, adapter.lacks
        self.seconds = 0.0

    def complete(self, call: Call) -> Reply:
        """One whole reply, timed."""
        start = time.perf_counter()
        try:
            return self._adapter.complete(call)  # type: ignore[return-value]  # the shipped bindings are synchronous
        finally:
            self.seconds += time.perf_counter() - start

    def stream(self, call: Call) -> Iterator[Part]:
        """A stream, timed from one part to the next."""
        parts: Any = None
        while True:
            start = time.perf_counter()
            try:
                parts = parts if parts is not None else iter(self._adapter.stream(call))  # type: ignore[arg-type]
                part = next(parts)
            except StopIteration:
                return
            finally:
                self.seconds += time.perf_counter() - start
            yield part


def run(name: str, scenarios: list[Scenario]) -> tuple[float, float, int]:
    """Judge every cell once; return the seconds of the whole, those inside the adapter, and the cells."""
    adapter = Timed(load(name))
    cells = [(scenario, mode) for scenario in scenarios if scenario.api in adapter.apis for mode in scenario.modes]
    with Bench(adapter) as bench:
        bench.judge(*cells[0])  # imports and the first connection are not the corpus's cost
        adapter.seconds = 0.0
        start = time.perf_counter()
        for scenario, mode in cells:
            bench.judge(scenario, mode)
        whole = time.perf_counter() - start
    return whole, adapter.seconds, len(cells)


def main() -> None:
    """Print P2 for one adapter, and P3 by judging growing parts of the catalogue."""
    name = sys.argv[1] if len(sys.argv) > 1 else "anthropic-sdk"
    every = list(catalogue().values())
    whole, inside, cells = run(name, every)
    print(f"{name}: {cells} cells in {whole:.2f} s; {inside:.2f} s inside the adapter, the wire's pauses included")
    print(f"P2  outside the adapter / whole run: {(whole - inside) / whole:.2f}   (target at most 0.35)")
    spoken = [scenario for scenario in every if scenario.api in load(name).apis]
    base = None
    for times in (1, 4, 16):
        whole, _, cells = run(name, spoken[:4] * times)
        each = whole / cells
        base = base or each
        print(f"P3  {times:>2}x: {cells} cells, {each * 1000:.1f} ms a cell, {each / base:.2f} of 1x   (at most 1.15)")


if __name__ == "__main__":
    main()

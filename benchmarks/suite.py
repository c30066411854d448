"""How long the whole suite takes with the reference adapter, by the clock and in processor time. No comparison.

`python -m benchmarks suite`
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Figure, bare_pytest, children, python

TARGET = 60.0


def figures() -> Iterator[Figure]:
    """One run of everything."""
    with TemporaryDirectory() as folder:
        run = python(*bare_pytest(Path(folder)), "--pyargs", "conformance", "--adapter", "reference")
        start, busy = time.perf_counter(), children()
        run()
        whole, processor = time.perf_counter() - start, children() - busy
    what = "`pytest --pyargs conformance --adapter reference`"
    yield Figure("", f"{what}, by the clock", whole, TARGET, unit="s", note=f"processor time {processor:.0f} s")

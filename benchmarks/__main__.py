"""Runs the benchmarks one after the other, each in a fresh process, and prints one table. Measures nothing itself.

`python -m benchmarks` runs all, `python -m benchmarks sse replay` some. Exit code 1 where a target is missed, 2 where
the arguments are wrong or a benchmark failed: nothing asserts these figures in a test.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from tempfile import TemporaryDirectory

from benchmarks.measure import Figure, of, table

BENCHMARKS = ("replay", "split", "growth", "loading", "items", "sse", "server", "imports", "evidence", "suite")


def main(chosen: Sequence[str]) -> int:
    """Measure and print."""
    if unknown := [name for name in chosen if name not in BENCHMARKS]:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    found: list[Figure] = []
    failed = False
    with TemporaryDirectory() as bytecode:
        # Interpreters that are measured find compiled modules, as at a user's; the tree stays clean.
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for name in chosen or BENCHMARKS:
            print(f"{name} ...", end=" ", flush=True, file=sys.stderr)
            start = time.perf_counter()
            try:
                with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
                    found += fresh.submit(of, name).result()
            except Exception as error:  # noqa: BLE001 -- one that cannot run must not hide the figures of the others
                failed = True
                found.append(Figure("", name, None, note=f"{type(error).__name__}: {error}"))
            print(f"{time.perf_counter() - start:.0f} s", flush=True, file=sys.stderr)
    print(table(found))
    return 2 if failed else 1 if any(each.held == "MISSED" for each in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Runs the benchmarks, each in a fresh process, and prints one table, row by row. Measures nothing itself.

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

from benchmarks.measure import COLUMNS, Figure, line, of, row

BENCHMARKS = ("replay", "split", "growth", "loading", "items", "sse", "server", "imports", "evidence", "suite")


def main(chosen: Sequence[str]) -> int:
    """Measure and print."""
    if unknown := [name for name in chosen if name not in BENCHMARKS]:
        print(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    missed = failed = False
    print(row(*COLUMNS), flush=True)
    with TemporaryDirectory() as bytecode:
        # Interpreters that are measured find compiled modules, as at a user's; the tree stays clean.
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for name in chosen or BENCHMARKS:
            start = time.perf_counter()
            print(f"{name} ...", flush=True, file=sys.stderr)
            try:
                with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
                    found = fresh.submit(of, name).result()
            except Exception as error:  # noqa: BLE001 -- one that cannot run must not hide the figures of the others
                failed = True
                found = [Figure("", name, None, note=f"{type(error).__name__}: {error}")]
            for figure in found:
                print(line(figure), flush=True)
            missed |= any(figure.held == "MISSED" for figure in found)
            print(f"{name} took {time.perf_counter() - start:.0f} s", flush=True, file=sys.stderr)
    return 2 if failed else 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

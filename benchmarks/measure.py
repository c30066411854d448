"""Clocks, interleaved rounds and the row that every benchmark gives. What is measured stands in the other modules.

Processor time is the clock wherever nothing waits by design: it hardly moves with what else the machine does.
Each arm runs once a round, in turn, and a ratio is one of medians, so that a slow minute slows all arms alike.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One measured value.

    Attributes:
        id: of the target (`P1`), or empty where none is set.
        what: what is measured, and in relation to what.
        value: the ratio, or a number in `unit`.
        target: the value must not be above this; None where there is no target.
        unit: `x` for a ratio.
        note: the times behind it, or why there is no value.
    """

    id: str
    what: str
    value: float | None
    target: float | None = None
    unit: str = "x"
    note: str = ""

    @property
    def held(self) -> str:
        """The last column: a target without a value is never told as held."""
        if self.value is None:
            return "not measured"
        if self.target is None:
            return ""
        return "held" if self.value <= self.target else "MISSED"


def of(benchmark: str) -> list[Figure]:
    """All figures of one benchmark, by the name of its module."""
    return list(import_module(f"benchmarks.{benchmark}").figures())


def interleaved(
    arms: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Median seconds of each arm over so many rounds; one round before them is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in arms}
    for turn in range(rounds + 1):
        for name, arm in arms.items():
            start = clock()
            arm()
            if turn:
                taken[name].append(clock() - start)
    return {name: median(times) for name, times in taken.items()}


def children() -> float:
    """Processor seconds of all child processes that have ended and been waited for."""
    times = os.times()
    return times.children_user + times.children_system


def python(*arguments: str, **options: Any) -> Callable[[], object]:
    """An arm that runs this interpreter once; to be timed with `children`.

    Raises:
        subprocess.CalledProcessError: it fails.
    """
    command = [sys.executable, *arguments]

    def run() -> object:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
        if done.returncode:
            raise RuntimeError(
                f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        return done

    return run


def bare_pytest(folder: Path) -> list[str]:
    """The arguments of an interpreter that runs pytest with no configuration but an empty one in this folder."""
    ini = folder / "pytest.ini"
    ini.write_text("[pytest]\n")
    return ["-m", "pytest", "-q", "-c", str(ini), "-p", "no:cacheprovider"]


COLUMNS = ("id", "measured", "target", "", "what")


def line(figure: Figure) -> str:
    """A figure as one line of the table whose head is `COLUMNS`."""
    value = "-" if figure.value is None else f"{figure.value:.3g} {figure.unit}"
    target = "" if figure.target is None else f"<= {figure.target:g}"
    return row(figure.id, value, target, figure.held, figure.what + (f" ({figure.note})" if figure.note else ""))


def row(id_: str, value: str, target: str, held: str, what: str) -> str:
    """Five texts in the widths of the table: rows are shown as they come, before the widest is known."""
    return f"{id_:3} {value:>9}  {target:7} {held:12} {what}".rstrip()

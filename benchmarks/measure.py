"""Clocks, interleaved rounds and the row that every benchmark gives. What is measured stands in the other modules.

Processor time is the clock wherever nothing waits by design: it hardly moves with what else the machine does.
Each arm runs once a round, in turn, and a ratio is one of medians, so that a slow minute slows all arms alike.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

Name = TypeVar("Name", str, int)


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
    arms: Mapping[Name, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
    *,
    warm_up: bool = True,
) -> dict[Name, float]:
    """Median seconds of each arm over so many rounds; one round before them, where wanted, is not counted."""
    taken: dict[Name, list[float]] = {name: [] for name in arms}
    for turn in range(0 if warm_up else 1, rounds + 1):
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


def python(*arguments: str, **options: object) -> Callable[[], object]:
    """An arm that runs this interpreter once; to be timed with `children`.

    Raises:
        subprocess.CalledProcessError: it fails.
    """
    command = [sys.executable, *arguments]

    def run() -> object:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
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


def table(figures: Iterable[Figure]) -> str:
    """Figures as aligned lines: id, measured value, target, whether it is held, what it is."""
    rows: list[Sequence[str]] = [("id", "measured", "target", "", "what")]
    for each in figures:
        value = (
            "-"
            if each.value is None
            else f"{each.value:.3g} {each.unit}"
            if each.value < 1000
            else f"{each.value:.0f} {each.unit}"
        )
        target = "" if each.target is None else f"<= {each.target:g}"
        rows.append((each.id, value, target, each.held, each.what + (f" ({each.note})" if each.note else "")))
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    return "\n".join(
        "  ".join([*(text.ljust(width) for text, width in zip(row[:4], widths, strict=True)), row[4]]).rstrip()
        for row in rows
    )

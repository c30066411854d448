"""P3: the cost of one scenario while the corpus grows 1x, 4x, 16x, in a whole pytest run with the reference adapter.

The grown corpus is one of copies under names of their own, files included, in a scratch folder. What a run in the same
process costs with none of them (smoke, pytest itself) is taken off. `python -m benchmarks growth`
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measure import Figure, bare_pytest
from conformance import corpus, scenarios
from conformance.scenarios import Scenario
from conformance.suite.smoke import Smoke
from conformance.vocabulary import Api

TARGET = 1.15
AN_API = 5
"""Scenarios of each API in the corpus at 1x."""
ROUNDS = {1: 5, 4: 2, 16: 1}
"""How often each size is run."""


def base() -> tuple[list[Scenario], list[Scenario]]:
    """What every run needs for its smoke tests, and the scenarios that are multiplied: plain ones of each API."""
    every = scenarios.catalogue()
    smoke = {f"{api}/{which.partition(':')[0]}" for api in Api for which in Smoke}
    plain = [each for each in every.values() if not (each.needs_server or each.held or each.wire.before)]
    chosen = [each for api in Api for each in [one for one in plain if one.api is api][:AN_API]]
    return [every[id_] for id_ in sorted(smoke)], chosen


def grown(times: int, folder: Path) -> dict[str, Scenario]:
    """The catalogue with so many copies of the base; their files are written into the folder."""
    smoke, chosen = base()
    found = {each.id: each for each in smoke}
    sources = dict.fromkeys(found)
    for number in range(times):
        for each in chosen:
            copy = replace(each, slug=f"{each.slug}-{number}")
            found[copy.id] = copy
            sources[copy.id] = each.id
    for id_, source in sources.items():
        shutil.copytree(corpus.root() / "cassettes" / (source or id_), folder / "cassettes" / id_)
        snapshot = folder / "snapshots" / f"{id_}.json"
        snapshot.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(corpus.snapshot_path(source or id_), snapshot)
    return found


def figures() -> Iterator[Figure]:
    """The cost of a scenario at each size, as a ratio to that at 1x."""
    count = len(base()[1])
    cost = {times: in_a_process(times) for times in ROUNDS}
    for times in (4, 16):
        note = f"{cost[times] * 1e3:.1f} ms a scenario at {times}x, {cost[1] * 1e3:.1f} ms at 1x"
        what = f"cost of a scenario with {count * times} / with {count}"
        yield Figure("P3", what, cost[times] / cost[1], TARGET, note=note)


def in_a_process(times: int) -> float:
    """Processor seconds a scenario, measured in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.growth", str(times)], stdout=subprocess.PIPE, check=True)
    return float(done.stdout.split()[-1])


def main(times: int) -> None:
    """Run pytest without copies for its imports, then in turn without and with them; print what one of them costs."""
    current: dict[str, Scenario] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        whole = grown(times, folder)
        least = {each.id: each for each in base()[0]}
        # Before pytest loads the suite, which takes these two by name.
        scenarios.catalogue = cache(lambda: current)
        corpus.root = cache(lambda: folder)
        import pytest

        _, _, *options = bare_pytest(folder)
        arguments = [*options, "--pyargs", "conformance", "--adapter", "reference"]

        def run(catalogue: dict[str, Scenario]) -> None:
            current.clear()
            current.update(catalogue)
            assert pytest.main(arguments) == 0

        run(least)
        took = [(timed(partial(run, least)), timed(partial(run, whole))) for _ in range(ROUNDS[times])]
    print(median(full - bare for bare, full in took) / (len(whole) - len(least)))


def timed(action: Callable[[], object]) -> float:
    """Processor seconds of one action."""
    start = time.process_time()
    action()
    return time.process_time() - start


if __name__ == "__main__":
    main(int(sys.argv[1]))

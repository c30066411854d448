"""P3: the cost of one scenario while the corpus grows 1x, 4x, 16x, in a whole pytest run with the reference adapter.

The grown corpus is one of copies under names of their own, files included, in a scratch folder. What a run costs with
none of them (start-up and smoke) is taken off. `python -m benchmarks growth`
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Figure, bare_pytest, children, interleaved, python
from conformance import corpus, scenarios
from conformance.scenarios import Scenario
from conformance.suite.smoke import Smoke
from conformance.vocabulary import Api

TARGET = 1.15
AN_API = 3
"""Scenarios of each API in the corpus at 1x."""
TIMES = (1, 4, 16)


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
    arms = {times: python("-m", "benchmarks.growth", str(times)) for times in (0, *TIMES)}
    took: dict[int, float] = {}
    for sizes, rounds in (((0, 1), 5), ((4,), 2), ((16,), 1)):
        took |= interleaved({size: arms[size] for size in sizes}, rounds, children, warm_up=0 in sizes)
    each = {times: (took[times] - took[0]) / (count * times) for times in TIMES}
    for times in TIMES[1:]:
        note = f"{each[times] * 1e3:.1f} ms a scenario at {times}x, {each[1] * 1e3:.1f} ms at 1x"
        what = f"cost of a scenario with {count * times} / with {count}"
        yield Figure("P3", what, each[times] / each[1], TARGET, note=note)


def main(times: int) -> int:
    """Run pytest on a grown corpus."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        catalogue = grown(times, folder)
        # Before pytest loads the suite, which takes these two by name.
        scenarios.catalogue = cache(lambda: catalogue)
        corpus.root = cache(lambda: folder)
        import pytest

        _, _, *options = bare_pytest(folder)
        return int(pytest.main([*options, "--pyargs", "conformance", "--adapter", "reference"]))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))

"""P4: loading the whole corpus against reading the same files with the C YAML loader and json.

Cold is a process that has loaded nothing. The second look in one process is shown without a target: the target
for a warm start is one for a compiled index on disk, and none is kept (docs/performance.md says why).
`python -m benchmarks loading`
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import yaml

from benchmarks.measure import Figure, interleaved
from conformance import corpus
from conformance.scenarios import catalogue

TARGET = 1.5
ROUNDS = 5


def loaded() -> None:
    """Every cassette and snapshot, through the corpus."""
    for scenario in catalogue().values():
        corpus.snapshot(scenario.id)
        for mode in scenario.modes:
            corpus.cassette(scenario.id, mode)


def cold() -> None:
    """The same with nothing remembered."""
    corpus.cassette.cache_clear()
    corpus.snapshot.cache_clear()
    loaded()


def parsed() -> None:
    """The same files, parsed and not looked at."""
    for scenario in catalogue().values():
        json.loads(corpus.snapshot_path(scenario.id).read_bytes())
        for mode in scenario.modes:
            yaml.load(corpus.cassette_path(scenario.id, mode).read_bytes(), Loader=yaml.CSafeLoader)


def figures() -> Iterator[Figure]:
    """Cold and warm."""
    took = interleaved({"cold": cold, "warm": loaded, "parsed": parsed}, ROUNDS)
    note = f"{took['cold']:.2f} s, parsing alone {took['parsed']:.2f} s"
    yield Figure("P4", "loading the corpus / parsing its files", took["cold"] / took["parsed"], TARGET, note=note)
    yield Figure("", "the same once more in one process / parsing its files", took["warm"] / took["parsed"])

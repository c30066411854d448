"""The snapshot fixture: one JSON file for each scenario, named by its id. Only these tests ever write a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from syrupy.extensions.json import JSONSnapshotExtension

from conformance.corpus import root


class CorpusSnapshots(JSONSnapshotExtension):
    """Keeps `<api>/<slug>` in `snapshots/<api>/<slug>.json`.

    `get_snapshot_name` must give the stem alone: with the whole id, an update deletes what it just wrote.
    """

    @classmethod
    def dirname(cls, *, test_location: Any) -> str:  # noqa: ARG003 -- syrupy calls it so; an id says it all
        return str(root() / "snapshots")

    @classmethod
    def get_location(cls, *, test_location: Any, index: Any) -> str:  # noqa: ARG003 -- the same
        return str(root() / "snapshots" / f"{index}.json")

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:  # noqa: ARG003 -- the same
        return Path(str(index)).stem


@pytest.fixture
def corpus_snapshot(snapshot: Any) -> Any:
    return snapshot.use_extension(CorpusSnapshots)

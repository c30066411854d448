"""A recording held against the shape inventory of public recordings: what nobody has recorded yet. Compares no two."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from conformance.vocabulary import Api
from tools.drift.drifts import Drift
from tools.drift.features import Features, unfolded
from tools.drift.recording import Recording
from tools.published.defined import defined
from tools.published.inventory import FOLDER

_FIRST_ERROR = 400


def unrecorded(recording: Recording, shown: Features) -> list[Drift]:
    """What a recording shows that the inventory of its API does not.

    What a named source defines (tools/published/defined_paths.toml) is told too: it was never recorded.
    """
    mode = "error" if recording.last.status >= _FIRST_ERROR else recording.mode
    name = f"{recording.api}-{mode}"
    known = _shape(recording.api, mode)
    rows: list[tuple[str, str, str]] = [
        ("header", each, "") for each in sorted(shown.headers - known["headers"].keys())
    ]
    if shown.events and shown.events not in {unfolded(order) for order in known["orders"]}:
        rows.append(("event order", shown.events, ""))
    new = [path for path in sorted(shown.types) if path not in known["paths"] and path != "$"]
    for path in new:
        source = next((row.source for row in defined() if row.covers(recording.api, path)), "")
        rows.append(("field", path, f"defined by {source}" if source else ""))
    rows += [
        (f"type of {path}", kind, "")
        for path, kinds in sorted(shown.types.items())
        for kind in sorted(kinds - known["paths"].get(path, kinds) - {"opaque"})
    ]
    rows += [
        (f"value of {path}", value, "")
        for path, values in sorted(shown.values.items())
        for value in sorted(values - known["values"].get(path, values))
    ]
    return [
        Drift("new", recording.cell, where, member, "", note or f"not in the inventory {name}")
        for where, member, note in rows
    ]


@cache
def _shape(api: Api, mode: str) -> dict[str, Any]:
    path = FOLDER / f"{api}-{mode}.json"
    data = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    paths = data.get("paths", {})
    return {
        "headers": {name.lower(): count for name, count in data.get("headers", {}).items()},
        "orders": data.get("orders", {}),
        "paths": {path: frozenset(row) - {"values"} for path, row in paths.items()},
        # A path with very many values lists none, and then says nothing of a new one.
        "values": {path: frozenset(row["values"]) for path, row in paths.items() if "values" in row},
    }

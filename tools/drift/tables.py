"""What this project knows of each API, as sets of names: the codecs' tables, the grammar, the recorded paths."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache

from conformance.vocabulary import Api
from conformance.wire import codec_for
from conformance.wire.gemini import BLOCK_REASONS
from conformance.wire.grammar.gemini import _DATA as PART_KEYS  # the grammar's own; a copy would go stale
from conformance.wire.openai_responses import _ACTS as ACTS  # the codec's own; a copy would go stale
from tools.drift.errors import BadPlaces
from tools.published.defined import defined
from tools.published.inventory import FOLDER
from tools.published.known import TYPES

Known = Mapping[str, frozenset[str]]
"""What a table knows, each with the JSON types that were recorded of it; none where that is not known."""


def known(api: Api, table: str) -> Known:
    """A table by the name that places.toml gives it.

    Raises:
        BadPlaces: there is no such table.
    """
    name, _, argument = table.partition(":")
    if name not in _TABLES:
        raise BadPlaces(f"places.toml names a table {table!r}", f"tables are {', '.join(_TABLES)}")
    return _TABLES[name](api, argument)


def _stops(api: Api, _: str) -> Known:
    return dict.fromkeys(codec_for(api).STOPS, frozenset())


def _statuses(api: Api, _: str) -> Known:
    """`incomplete/max_output_tokens` is status and detail."""
    return {stop.partition("/")[0]: frozenset() for stop in codec_for(api).STOPS}


def _details(api: Api, _: str) -> Known:
    return {stop.partition("/")[2]: frozenset() for stop in codec_for(api).STOPS if "/" in stop}


def _blocks(_: Api, __: str) -> Known:
    return dict.fromkeys(BLOCK_REASONS, frozenset())


def _types(api: Api, prefix: str) -> Known:
    """Types of one kind that codecs read or pass over: `item:...`, `block:...`; events have no prefix."""
    rows = [name.split(":") for name in TYPES[api]]
    found = {parts[1]: frozenset[str]() for parts in rows if prefix and parts[0] == prefix and parts[1]}
    found |= {parts[0]: frozenset() for parts in rows if not prefix and len(parts) == 1}
    if (api, prefix) == (Api.OPENAI_RESPONSES, "item"):
        found |= dict.fromkeys(ACTS, frozenset())
    return found


def _parts(api: Api, _: str) -> Known:
    return {**dict.fromkeys(PART_KEYS, frozenset()), **_types(api, "part")}


def _paths(api: Api, prefix: str) -> Known:
    """The keys right below a path that the vendor itself was recorded to send, or that a named source defines."""
    found: dict[str, frozenset[str]] = {}
    for path, kinds in _recorded(api).items():
        if key := _key(path, prefix):
            itself = "." not in path[len(prefix) + 1 :] and "[" not in path[len(prefix) + 1 :]
            found[key] = found.get(key, frozenset()) | (kinds if itself else frozenset())
    for row in defined():
        if row.api is api and (key := _key(row.path, prefix)):
            found.setdefault(key, frozenset())
    return found


def _key(path: str, prefix: str) -> str | None:
    if not path.startswith(f"{prefix}."):
        return None
    return path[len(prefix) + 1 :].partition(".")[0].partition("[")[0].partition("<")[0]


@cache
def _recorded(api: Api) -> dict[str, frozenset[str]]:
    """Path -> JSON types, of the vendor's own host: buffered and streamed."""
    found: dict[str, frozenset[str]] = {}
    for mode in ("buffered", "streamed"):
        for path, row in json.loads((FOLDER / f"{api}-{mode}.json").read_text(encoding="utf-8"))["paths"].items():
            found[path] = found.get(path, frozenset()) | (frozenset(row) - {"values"})
    return found


_TABLES: Mapping[str, Callable[[Api, str], Known]] = {
    "stops": _stops,
    "statuses": _statuses,
    "details": _details,
    "blocks": _blocks,
    "types": _types,
    "parts": _parts,
    "paths": _paths,
}

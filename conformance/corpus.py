"""From a scenario's id to its cassettes, snapshot and provenance: the one place that opens corpus files.

Cassettes are vcrpy's YAML, one exchange or a few in a file, read by a safe loader only. In a
checkout they lie at the top level; a wheel carries them in `conformance/_corpus`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from conformance.errors import BrokenCassette, BrokenSnapshot
from conformance.vocabulary import Api, Mode, Provenance
from conformance.wire import Reading, codec_for

_PACKAGE = Path(__file__).parent
_NO_REPLY = 300
_WHOLE = ("application/json", "text/html")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def root() -> Path:
    """The folder that holds `cassettes` and `snapshots`."""
    inside = _PACKAGE / "_corpus"
    return inside if inside.is_dir() else _PACKAGE.parent


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP request and its response.

    Attributes:
        method, uri: of the request, with the vendor's own host.
        request: the request's JSON body.
        status: HTTP status of the response.
        headers: response headers, lower case, one value each.
        body: response body as sent, content encoding removed.
    """

    method: str
    uri: str
    request: Mapping[str, Any]
    status: int
    headers: Mapping[str, str]
    body: bytes


def reading_of(api: Api, mode: Mode, exchange: Exchange) -> Reading:
    """What a right reader makes of an exchange. A stream is read as one where it is one, by status and content type."""
    codec = codec_for(api)
    kind = exchange.headers.get("content-type", "")
    # Gemini streams without `alt=sse` are JSON arrays.
    whole = kind.startswith(_WHOLE) and not exchange.body.lstrip().startswith(b"[")
    if mode is Mode.BUFFERED or exchange.status >= _NO_REPLY or whole:
        return codec.read(exchange.status, exchange.body)
    reader = codec.stream()
    reader.feed(exchange.body)
    reader.close()
    return reader.reading


def cassette_path(scenario_id: str, mode: Mode) -> Path:
    """Where the cassette of a cell lies, whether it exists or not."""
    return root() / "cassettes" / scenario_id / f"{mode}.yaml"


def snapshot_path(scenario_id: str) -> Path:
    """Where the snapshot of a scenario lies, whether it exists or not."""
    return root() / "snapshots" / f"{scenario_id}.json"


@cache
def cassette(scenario_id: str, mode: Mode) -> tuple[Exchange, ...]:
    """The exchanges of a cell, in order.

    Raises:
        BrokenCassette: the file is missing, is no YAML, or is not of vcrpy's form.
    """
    path = cassette_path(scenario_id, mode)
    mend = f"write it again: python -m tools.author {scenario_id}"
    try:
        document = yaml.load(path.read_bytes(), Loader=_LOADER)  # noqa: S506 -- a safe loader, the C one where there is one
        return tuple(_exchange(item) for item in document["interactions"])
    except FileNotFoundError:
        raise BrokenCassette(f"no cassette at {path}", mend) from None
    except (OSError, yaml.YAMLError) as error:
        raise BrokenCassette(f"cannot read the cassette {path}: {error}", mend) from error
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise BrokenCassette(f"{path} is not a vcrpy cassette: {error!r}", mend) from error


def _exchange(item: Mapping[str, Any]) -> Exchange:
    request, response = item["request"], item["response"]
    body = response["body"]["string"]
    text = request.get("body") or "{}"
    return Exchange(
        method=request["method"],
        uri=request["uri"],
        request=json.loads(text),
        status=int(response["status"]["code"]),
        headers={name.lower(): values[0] for name, values in response["headers"].items()},
        body=body if isinstance(body, bytes) else body.encode(),
    )


@cache
def snapshot(scenario_id: str) -> Mapping[Mode, Reading]:
    """The reviewed Reading of each mode of a scenario.

    Raises:
        BrokenSnapshot: the file is missing or is not of the snapshot's form.
    """
    path = snapshot_path(scenario_id)
    mend = "run `make snapshots` in a checkout and review the diff"
    try:
        data = json.loads(path.read_bytes())
        return {Mode(mode): Reading.from_json(reading) for mode, reading in data.items()}
    except FileNotFoundError:
        raise BrokenSnapshot(f"no snapshot at {path}", mend) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenSnapshot(f"cannot read the snapshot {path}: {error!r}", mend) from error


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the cassettes of a scenario come from: one row of the manifest."""

    provenance: Provenance
    source: str


@cache
def manifest() -> Mapping[str, Origin]:
    """Provenance of each cell (`<id>:<mode>`).

    Raises:
        BrokenCassette: the manifest is missing or is not of its form.
    """
    path = root() / "cassettes" / "provenance.json"
    try:
        data = json.loads(path.read_bytes())
        return {cell: Origin(Provenance(row["provenance"]), row["source"]) for cell, row in data.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenCassette(f"cannot read the manifest {path}: {error!r}", "restore it from git") from error

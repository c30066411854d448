"""Reads recordings by path: one cassette, or all below a folder. The corpus's own are corpus.py's; nothing is compared.

A cassette's place says whose it is: `<api>/<scenario>/<mode>.yaml`. Beside it may lie `<mode>.chunks.json`, where the
chunks of its last body ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from conformance.corpus import Exchange
from conformance.vocabulary import Api, Mode
from tools.drift.errors import BadRecording

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MEND = "name a cassette `<api>/<scenario>/<mode>.yaml`, or a folder that holds some"


class Recording(NamedTuple):
    """One cell, as it was recorded.

    Attributes:
        exchanges: in order; the last answers the call.
        ends: where the chunks of the last body ended, in bytes; None where nobody noted it.
    """

    api: Api
    scenario: str
    mode: Mode
    exchanges: tuple[Exchange, ...]
    ends: tuple[int, ...] | None = None

    @property
    def cell(self) -> str:
        """`<scenario id>:<mode>`."""
        return f"{self.scenario}:{self.mode}"

    @property
    def last(self) -> Exchange:
        """The exchange that answers the call."""
        return self.exchanges[-1]


def recordings(path: Path) -> dict[str, Recording]:
    """Every recording at a path, by cell.

    Raises:
        BadRecording: there is none, or one cannot be read.
    """
    below = sorted(file for file in path.glob("**/*.yaml") if file.stem in list(Mode))
    files = [path] if path.is_file() else below
    if not files:
        raise BadRecording(f"no recording at {path}", _MEND)
    found = [_read(file) for file in files]
    return {one.cell: one for one in found}


def _read(path: Path) -> Recording:
    whole = path.resolve()
    try:
        api, mode = Api(whole.parent.parent.name), Mode(whole.stem)
    except ValueError:
        raise BadRecording(f"{path} does not lie where it says whose it is", _MEND) from None
    try:
        document = yaml.load(path.read_bytes(), Loader=_LOADER)  # noqa: S506 -- a safe loader, the C one where there is one
        exchanges = tuple(_exchange(item) for item in document["interactions"])
    except OSError as error:
        raise BadRecording(f"cannot read {path}: {error}", _MEND) from error
    except (yaml.YAMLError, KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise BadRecording(f"{path} is not a vcrpy cassette: {error!r:.200}", "record it again") from error
    if not exchanges:
        raise BadRecording(f"{path} holds no exchange", "record it again")
    return Recording(api, f"{api}/{whole.parent.name}", mode, exchanges, _ends(path.with_name(f"{mode}.chunks.json")))


def _exchange(item: Mapping[str, Any]) -> Exchange:
    request, response = item["request"], item["response"]
    body = response["body"]["string"]
    return Exchange(
        method=request["method"],
        uri=request["uri"],
        request=json.loads(request.get("body") or "{}"),
        status=int(response["status"]["code"]),
        headers={name.lower(): values[0] for name, values in response["headers"].items()},
        body=body if isinstance(body, bytes) else body.encode(),
    )


def _ends(path: Path) -> tuple[int, ...] | None:
    if not path.is_file():
        return None
    try:
        return tuple(int(end) for end, *_ in json.loads(path.read_bytes())["chunks"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecording(
            f"{path} does not say where chunks ended: {error!r}", "record it again, or remove it"
        ) from error

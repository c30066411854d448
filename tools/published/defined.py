"""JSON paths that no recording shows and a source defines: reads `defined_paths.toml`. Looks at no cassette."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from conformance.vocabulary import Api
from tools.published.errors import BadPins

FILE = Path(__file__).with_name("defined_paths.toml")


class Defined(NamedTuple):
    """One path of an API, with everything below it, and where it is defined."""

    api: Api
    path: str
    source: str

    def covers(self, api: Api, path: str) -> bool:
        """Whether a path is this one or lies below it."""
        return api is self.api and (path == self.path or path.startswith(tuple(self.path + end for end in ".[<")))


def defined(path: Path = FILE) -> tuple[Defined, ...]:
    """Every row.

    Raises:
        BadPins: the file is not of its form.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["path"]
        found = [Defined(Api(row["api"]), below, str(row["source"])) for row in rows for below in row["below"]]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise BadPins(f"cannot read {path.name}: {error!r}", "each [[path]] has api, below, source") from error
    if any(not row.source for row in found):
        raise BadPins(f"{path.name} has a row without a source", "name the source that defines the path")
    return tuple(found)

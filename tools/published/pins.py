"""Which source distributions hold the recordings, by name, version and hash. Reads `pins.toml` and nothing else."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.published.errors import BadPins

_FILE = Path(__file__).with_name("pins.toml")


@dataclass(frozen=True, slots=True)
class Pin:
    """One source distribution, byte for byte."""

    name: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"

    @property
    def filename(self) -> str:
        """The name under which indexes keep it and the cache does."""
        return f"{re.sub(r'[-_.]+', '_', self.name)}-{self.version}.tar.gz"


@cache
def pins(*, bonus: bool = False) -> tuple[Pin, ...]:
    """The core pins, and the bonus pins where asked for.

    Raises:
        BadPins: the file is not of its form.
    """
    try:
        table = tomllib.loads(_FILE.read_text(encoding="utf-8"))
        rows = [*table["core"], *(table["bonus"] if bonus else ())]
        return tuple(Pin(row["name"], row["version"], row["sha256"]) for row in rows)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise BadPins(f"cannot read {_FILE.name}: {error!r}", "restore it from git") from error


def pin(name: str) -> Pin:
    """The pin of a package, core or bonus, by its name or by `name==version`.

    Raises:
        BadPins: no pin has this name.
    """
    for candidate in pins(bonus=True):
        if name in (candidate.name, str(candidate)):
            return candidate
    raise BadPins(f"no pin is called {name!r}", f"one of {', '.join(p.name for p in pins(bonus=True))}")

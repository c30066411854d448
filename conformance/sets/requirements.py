"""One requirement set, and reading it from its file. Writing it is freeze.py's."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.checks import RULES
from conformance.errors import BadSet
from conformance.scenarios import catalogue
from conformance.vocabulary import Api, Mode, Severity

FOLDER = Path(__file__).parent
NAME = re.compile(r"20[0-9]{2}\.(0[1-9]|1[0-2])(\.[1-9][0-9]*)?")
"""CalVer: year, month, and a count where a month has more than one."""

_KEYS = {"name", "checks", "cells", "permitted"}


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """Which checks count in which cells.

    Attributes:
        name: CalVer of the corpus that it was frozen from.
        checks: the rules that there were, and how severe each was.
        cells: the cells that there were, each `<scenario id>:<mode>`.
        permitted: scenarios whose wire only a standard permitted, so that they could fail no more than a SHOULD.
    """

    name: str
    checks: Mapping[str, Severity] = field(hash=False)
    cells: frozenset[str]
    permitted: frozenset[str]

    def has_cell(self, cell: str) -> bool:
        """Whether anything counts in a cell."""
        return cell in self.cells

    def severity(self, cell: str, check: str) -> Severity | None:
        """How severe a check could be in a cell; None where it does not count there."""
        if cell not in self.cells or check not in self.checks:
            return None
        if cell.rpartition(":")[0] in self.permitted and not _of_the_adapter(check):
            return Severity.SHOULD
        return self.checks[check]


def _of_the_adapter(check: str) -> bool:
    """What the adapter sends of itself is no matter of the wire's standing, as in `checks.run_checks`."""
    return check.startswith("request.") and check != "request.key-kept"


def names(folder: Path = FOLDER) -> list[str]:
    """The sets that there are, oldest first."""
    return sorted((path.stem for path in folder.glob("*.toml")), key=order)


def order(name: str) -> tuple[int, ...]:
    """What CalVer names are sorted by."""
    return tuple(int(part) for part in name.split("."))


def find(text: str, *, base: Path | None = None, folder: Path = FOLDER) -> RequirementSet:
    """The set of this name, or the one in this `.toml` file.

    Args:
        text: a name such as `2026.11`, or the path of a file.
        base: where a relative path starts.
        folder: where the named sets are.

    Raises:
        BadSet: there is none, it cannot be read, or the corpus lacks what it scores.
    """
    path = (base or Path()) / text if text.endswith(".toml") else folder / f"{text}.toml"
    if not text.endswith(".toml") and text not in names(folder):
        raise BadSet(f"no requirement set {text!r}", f"one of {', '.join(names(folder))}; `all` judges everything")
    try:
        return parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadSet(f"cannot read the requirement set {path}: {error}", "name a set or a file of one") from error


def parse(text: str, where: str) -> RequirementSet:
    """Read a set; `where` names it in messages.

    Raises:
        BadSet: it is not of the form, or the corpus lacks what it scores.
    """
    mend = "restore it; sets are written by `python -m tools.sets freeze`, never by hand"
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSet(f"{where} is not TOML: {error}", mend) from error
    try:
        if set(data) != _KEYS or not NAME.fullmatch(data["name"]):
            raise ValueError(f"keys are {', '.join(sorted(data))}, the name {data.get('name')!r}")
        found = RequirementSet(
            name=data["name"],
            checks={check: Severity(name) for name, checks in data["checks"].items() for check in _texts(checks)},
            cells=frozenset(cell for id_ in _ids(data["cells"]) for cell in _cells(id_)),
            permitted=frozenset(_ids(data["permitted"])),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadSet(f"{where} is no requirement set: {error}", mend) from error
    _check_there(found)
    return found


def _ids(table: Mapping[str, Any]) -> list[str]:
    return [f"{Api(api)}/{slug}" for api, slugs in table.items() for slug in _texts(slugs)]


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{value!r:.60} is no list of texts")
    return value


def _cells(id_: str) -> list[str]:
    """`<id>` has both modes, `<id>:<mode>` one."""
    scenario, colon, mode = id_.partition(":")
    return [f"{scenario}:{Mode(mode)}"] if colon else [f"{scenario}:{each}" for each in Mode]


def _check_there(found: RequirementSet) -> None:
    there = {f"{scenario.id}:{mode}" for scenario in catalogue().values() for mode in scenario.modes}
    gone = sorted(found.cells - there) + sorted(set(found.checks) - set(RULES))
    if gone:
        more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""  # noqa: PLR2004 -- enough to see what kind
        raise BadSet(
            f"the requirement set {found.name} scores what this corpus no longer has: {', '.join(gone[:3])}{more}",
            f"move to a newer set ({', '.join(names()) or 'none'}), or install the version of this package that has it",
        )

"""The committed counts and divergences, and how a run differs from them. Counts nothing itself."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.published.errors import BadPins
from tools.published.evidence import Evidence, Problem, as_text

FIGURES = Path(__file__).with_name("figures.json")
DIVERGENCES = Path(__file__).with_name("divergences.toml")
_SHOWN = 3


def write(figures: Mapping[str, Any]) -> None:
    """Commit the counts of a run."""
    FIGURES.write_text(as_text(figures), encoding="utf-8")


def difference(figures: Mapping[str, Any], path: Path = FIGURES) -> list[str]:
    """How the counts differ from the committed ones, as lines of a diff; empty where they do not.

    Raises:
        BadPins: the committed file cannot be read.
    """
    try:
        committed = path.read_text(encoding="utf-8")
        json.loads(committed)
    except (OSError, ValueError) as error:
        raise BadPins(f"cannot read {path.name}: {error}", "python -m tools.published evidence --update") from error
    lines = difflib.unified_diff(
        committed.splitlines(), as_text(figures).splitlines(), "committed", "measured", lineterm="", n=2
    )
    return list(lines)


def unexplained(evidence: Evidence, path: Path = DIVERGENCES) -> list[str]:
    """Problems that the committed list does not explain, and rows of the list that do not show.

    Raises:
        BadPins: the list is not of its form.
    """
    listed = _divergences(path)
    lines: list[str] = []
    for problem, places in sorted(evidence.problems.items()):
        wanted = listed.pop(problem, 0)
        if len(places) != wanted:
            head = f"{problem.rule}: {problem.kind}, {problem.detail}: {len(places)} times, {wanted} are explained"
            lines += [head, *(f"    {place}" for place in places[:_SHOWN])]
    lines += [f"{p.rule}: {p.kind}, {p.detail}: {n} are explained, none shows" for p, n in listed.items()]
    return lines


def _divergences(path: Path) -> dict[Problem, int]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("divergence", [])
        found = {Problem(row["rule"], row["kind"], row["detail"]): int(row["count"]) for row in rows if row["why"]}
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise BadPins(f"cannot read {path.name}: {error!r}", "each row has rule, kind, detail, count, why") from error
    if len(found) != len(rows):
        raise BadPins(f"{path.name} has a row twice, or one without a reason", "mend the row")
    return found


def table(figures: Mapping[str, Any]) -> list[str]:
    """API x mode x ending with counts, and the grammar facts, as lines to print."""
    rows = [
        (kind, mode, ending, count)
        for kind, modes in figures["endings"].items()
        for mode, endings in modes.items()
        for ending, count in endings.items()
    ]
    width = max((len(row[0]) for row in rows), default=0)
    reach = max((len(row[2]) for row in rows), default=0)
    lines = [f"{kind:{width}}  {mode:8}  {ending:{reach}}  {count:6}" for kind, mode, ending, count in rows]
    lines.append("")
    for kind, facts in figures["facts"].items():
        lines += [f"{kind}: {count:5}  {fact}" for fact, count in facts.items()]
    return lines

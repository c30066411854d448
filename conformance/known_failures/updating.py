"""Brings a known-failures file up to date with what a whole run has shown. Text in, text out; nothing is written here.

Entries that still show stay as they were written, word for word; those that do not are dropped; what is undeclared and
fails the run is added with a reason that says that nobody has looked yet.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from conformance.checks import Finding
from conformance.known_failures.entries import Known, matching
from conformance.known_failures.places import Places
from conformance.vocabulary import Severity

_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Update:
    """A file brought up to date: its new text, and how many entries were kept, narrowed, dropped and added."""

    text: str
    kept: int
    narrowed: int
    dropped: int
    added: int


def update(
    text: str,
    entries: tuple[Known, ...],
    shown: Mapping[str, Iterable[Finding]],
    *,
    unknown: Collection[str] = (),
) -> Update:
    """The new text of a file.

    Args:
        text: the old text, "" where there was no file.
        entries: what it lists.
        shown: every cell that was judged, with all its findings.
        unknown: cells that could not be put to the adapter here; what is listed for them stays.
    """
    showing: dict[Known, set[str]] = {entry: set() for entry in entries}
    new: dict[tuple[str, str], list[str]] = {}
    for cell, findings in shown.items():
        mine = matching(entries, cell)
        for finding in findings:
            entry = next((entry for entry in mine if entry.explains(finding)), None)
            if entry is not None:
                showing[entry].add(cell)
            elif finding.severity is Severity.MUST and finding.declared is None and not finding.unscored:
                cells = new.setdefault((finding.check, finding.problem), [])
                if cell not in cells:
                    cells.append(cell)
    modes = _modes([*shown, *unknown])
    places = Places(text)
    head, *blocks = places.blocks()
    if places.count() != len(entries):  # inline tables: what was written cannot be kept word for word
        head, blocks = "", [_rendered(entry) for entry in entries]
    out, counts = [head], {"kept": 0, "narrowed": 0, "dropped": 0}
    for entry, block in zip(entries, blocks, strict=True):
        how, now = _still(entry, block, showing[entry], unknown, modes)
        counts[how] += 1
        out.append(now)
    added = [_rendered(_unexplained(check, problem, cells, modes)) for (check, problem), cells in new.items()]
    return Update(_joined(out, added), added=len(added), **counts)


def _still(
    entry: Known, block: str, showing: set[str], unknown: Collection[str], modes: Mapping[str, list[str]]
) -> tuple[str, str]:
    listed = [cell for cells in modes.values() for cell in cells if entry.covers(cell)]
    left = [cell for cell in listed if cell in showing or cell in unknown]
    if not left:
        return "dropped", ""
    if left == listed:
        return "kept", block
    return "narrowed", _rendered(replace(entry, cells=_short(left, modes))) + "\n"


def _modes(cells: Iterable[str]) -> dict[str, list[str]]:
    """The cells of each scenario."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        found.setdefault(cell.rpartition(":")[0], []).append(cell)
    return found


def _short(cells: Iterable[str], modes: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Ids, with the mode where not every mode of the scenario is meant."""
    out = []
    for scenario, mine in _modes(cells).items():
        out += [scenario] if set(mine) == set(modes[scenario]) else mine
    return tuple(out)


def _unexplained(check: str, problem: str, cells: list[str], modes: Mapping[str, list[str]]) -> Known:
    return Known(_short(cells, modes), check, f"not explained yet: {problem}", expect=problem)


def _rendered(entry: Known) -> str:
    lines = ["[[known]]", f"cells = {_list(entry.cells)}", f"check = {_text(entry.check)}"]
    lines += [f"expect = {_text(entry.expect)}"] if entry.expect else []
    lines += [f"reason = {_text(entry.reason)}"]
    lines += [f"link = {_text(entry.link)}"] if entry.link else []
    return "\n".join(lines) + "\n"


def _list(cells: tuple[str, ...]) -> str:
    if len(cells) == 1:
        return _text(cells[0])
    line = f"[{', '.join(map(_text, cells))}]"
    return line if len(line) <= _WIDTH else "\n".join(["[", *(f"    {_text(cell)}," for cell in cells), "]"])


def _text(value: str) -> str:
    """A TOML basic string: JSON's escapes are TOML's too, but for DEL, and for surrogates, which no file can hold."""
    safe = value.encode("utf-8", "backslashreplace").decode("utf-8")
    return json.dumps(safe, ensure_ascii=False).replace("\x7f", "\\u007f")


def _joined(blocks: Iterable[str], added: Iterable[str]) -> str:
    parts = [*(block.strip("\n") for block in blocks), *(block.strip("\n") for block in added)]
    return "\n\n".join(part for part in parts if part) + "\n"

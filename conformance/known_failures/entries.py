"""One entry, and which cells and findings it stands for. No file is read here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from conformance.checks import Finding


@dataclass(frozen=True, slots=True)
class Known:
    """One entry.

    Attributes:
        cells: ids or patterns, `<api>/<scenario>` for both modes or `<api>/<scenario>:<mode>`.
        check: the rule that fails.
        reason: why it is known.
        link: where it is tracked, or "".
        expect: text that the finding must contain, or "": a failure for another reason is a failure.
    """

    cells: tuple[str, ...]
    check: str
    reason: str
    link: str = ""
    expect: str = ""

    def covers(self, cell: str) -> bool:
        """Whether the entry names this cell (`<id>:<mode>`)."""
        return any(covers(pattern, cell) for pattern in self.cells)

    def explains(self, finding: Finding) -> bool:
        """Whether the finding is the one that is listed."""
        return finding.check == self.check and self.expect in f"{finding.problem} {finding.expected} {finding.observed}"


def covers(pattern: str, cell: str) -> bool:
    """Whether one id or pattern names a cell: with its mode, or without for every mode."""
    scenario = cell.rpartition(":")[0]
    if not is_pattern(pattern):
        return pattern in (cell, scenario)
    return fnmatchcase(cell, pattern) or fnmatchcase(scenario, pattern)


def is_pattern(text: str) -> bool:
    """Whether it can stand for more than one scenario."""
    return any(mark in text for mark in "*?[")


def matching(entries: Iterable[Known], cell: str) -> list[Known]:
    """The entries that name a cell."""
    return [entry for entry in entries if entry.covers(cell)]

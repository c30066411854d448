"""The table adapter x API and the comparison of versions, as plain text. The page is page.py's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from conformance.verdict import Result
from conformance.vocabulary import Verdict
from tools.matrix.running import Outcome

UNTESTED = "not tested"
COLUMNS = ("faithful", "loud", "misleading", "broken", "declared", UNTESTED)


class Row(NamedTuple):
    """One line: an adapter at one API, or an adapter that could not be judged."""

    name: str
    version: str
    api: str
    counts: Counter[str]
    problem: str | None


def verdict_of(result: Result) -> str:
    """The verdict's name; `not tested` where there is none."""
    return str(result.verdict or UNTESTED)


def rows(outcomes: Iterable[Outcome]) -> Iterator[Row]:
    """The lines of the table."""
    for outcome in outcomes:
        version = outcome.version or ""
        if outcome.problem is not None:
            yield Row(outcome.name, version, "", Counter(), outcome.problem)
        for api in outcome.apis:
            results = [result for result in outcome.results if result.scenario.startswith(f"{api}/")]
            yield Row(outcome.name, version, api, Counter(map(verdict_of, results)), None)


def lines(outcomes: Iterable[Outcome]) -> list[str]:
    """The whole table."""
    found = list(rows(outcomes))
    names = max([len(row.name) for row in found], default=0)
    head = f"{'adapter':<{names}}  {'version':<12}{'api':<20}" + "".join(f"{name:>11}" for name in COLUMNS)
    out = [head, "-" * len(head)]
    last = None
    for row in found:
        if row.problem is not None:
            out.append(f"{row.name:<{names}}  BROKEN: {row.problem}")
            continue
        name, version = (row.name, row.version) if row.name != last else ("", "")
        counts = "".join(f"{row.counts[column] or '.':>11}" for column in COLUMNS)
        out.append(f"{name:<{names}}  {version:<12}{row.api:<20}{counts}")
        last = row.name
    return out


class Change(NamedTuple):
    """A cell that two versions do not treat alike."""

    cell: str
    before: str
    after: str
    gone: tuple[str, ...]
    new: tuple[str, ...]


def changes(old: Outcome, new: Outcome) -> list[Change]:
    """Cells whose verdict or findings differ, in the order of the old results."""
    after = {result.cell: result for result in new.results}
    found = []
    for result in old.results:
        other = after.get(result.cell)
        if other is None:
            continue
        was, is_ = _problems(result), _problems(other)
        if was != is_ or result.verdict != other.verdict:
            found.append(
                Change(
                    result.cell,
                    verdict_of(result),
                    verdict_of(other),
                    tuple(sorted(was - is_)),
                    tuple(sorted(is_ - was)),
                )
            )
    return found


def comparison(old: Outcome, new: Outcome) -> list[str]:
    """What changed between two versions; what got better in verdict first, then worse, then the rest."""
    head = f"{old.name} -> {new.name}"
    if old.problem or new.problem:
        return [f"{head}: not compared: {old.problem or new.problem}"]
    found = changes(old, new)
    better = [change for change in found if _harm(change.after) < _harm(change.before)]
    worse = [change for change in found if _harm(change.after) > _harm(change.before)]
    same = [change for change in found if _harm(change.after) == _harm(change.before)]
    out = [f"{head}: {len(found)} cells changed, {len(better)} for the better, {len(worse)} for the worse"]
    for title, group in (("better", better), ("worse", worse), ("other findings, same verdict", same)):
        out += [f"  {title}"] if group else []
        for change in group:
            arrow = change.before if change.before == change.after else f"{change.before} -> {change.after}"
            out.append(f"    {change.cell}  {arrow}")
            out += [f"        gone  {problem}" for problem in change.gone]
            out += [f"        new   {problem}" for problem in change.new]
    return out


def _problems(result: Result) -> set[str]:
    return {f"{finding.severity} {finding.check}: {finding.problem}" for finding in result.findings}


def _harm(name: str) -> int:
    return Verdict(name).harm if name != UNTESTED else len(Verdict)

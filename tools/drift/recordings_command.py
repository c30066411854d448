"""`python -m tools.drift OLD NEW`: which recordings, what to print. The comparison is compare.py's."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.report.results import read_results
from tools.drift import compare
from tools.drift.consequences import lost_premise, verdicts
from tools.drift.drifts import Drift, table
from tools.drift.errors import BadRecording
from tools.drift.features import features
from tools.drift.inventory import unrecorded
from tools.drift.recording import Recording, recordings

HELP = """\
Compare two recordings, or two folders of them, by meaning: new, gone and changed fields, values, event orders, status
codes, headers and chunks. Ids, times, wording, obfuscation and padding are left aside.

  OLD NEW            two cassettes, or two folders of cassettes
  NEW --inventory    what no public recording has shown yet
  --results FILE     results of an adapter (--conformance-report): which of its verdicts rest on what changed; given
                     twice for one adapter, old and new, how they differ

`python -m tools.drift sdk --help`: drift without recordings, from the types of SDKs."""


@dataclass(slots=True)
class _Report:
    """What was found."""

    drifts: list[Drift] = field(default_factory=list)
    scenarios: list[str] = field(default_factory=list)
    premises: list[str] = field(default_factory=list)
    snapshots: list[str] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)


def run(arguments: Sequence[str]) -> int:
    """Run the command; the exit code: 0 where nothing drifted, 1 where something did.

    Raises:
        ConformanceError: bad input.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tools.drift", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recordings", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--inventory", action="store_true", help="hold one recording against the shape inventory")
    parser.add_argument("--results", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    if len(options.recordings) != (1 if options.inventory else 2):
        wants = "one recording" if options.inventory else "two recordings, OLD and NEW"
        raise BadRecording(f"{wants}, and not {len(options.recordings)}", "see --help")
    runs = [read_results(path) for path in options.results]
    if options.inventory:
        report = _against_inventory(recordings(options.recordings[0]))
    else:
        report = _between(recordings(options.recordings[0]), recordings(options.recordings[1]))
    cells = list(dict.fromkeys(one.subject for one in report.drifts))
    report.scenarios = list(dict.fromkeys(cell.rpartition(":")[0] for cell in cells))
    report.verdicts = list(verdicts(runs, cells))
    print(json.dumps(_data(report), indent=1) if options.json else "\n".join(_lines(report)))
    return 1 if report.drifts else 0


def _between(old: Mapping[str, Recording], new: Mapping[str, Recording]) -> _Report:
    if len(old) == len(new) == 1 and old.keys() != new.keys():
        raise BadRecording(f"{next(iter(old))} and {next(iter(new))} are two cells", "compare recordings of one cell")
    report = _Report()
    for cell in sorted(old.keys() | new.keys()):
        if cell not in old or cell not in new:
            kind, where = ("gone", "OLD") if cell in old else ("new", "NEW")
            report.drifts.append(Drift(kind, cell, "recording", "(the whole)", "", f"only {where} has it"))
            continue
        was, is_ = features(old[cell]), features(new[cell])
        report.drifts += compare.between(cell, was, is_)
        changes = compare.snapshot_changes(was, is_)
        if changes:
            report.snapshots.append(f"snapshots/{old[cell].scenario}.json, {old[cell].mode}: {'; '.join(changes)}")
        if (lost := lost_premise(new[cell])) and not lost_premise(old[cell]):
            report.premises.append(lost)
            report.drifts.append(Drift("gone", cell, "premise", "(lost)", "", lost))
        elif changes and not any(one.subject == cell for one in report.drifts):
            report.drifts.append(Drift("changed", cell, "reading", "; ".join(changes), "", ""))
    return report


def _against_inventory(found: Mapping[str, Recording]) -> _Report:
    report = _Report()
    for recording in found.values():
        report.drifts += unrecorded(recording, features(recording))
        if lost := lost_premise(recording):
            report.premises.append(lost)
            report.drifts.append(Drift("gone", recording.cell, "premise", "(lost)", "", lost))
    return report


def _data(report: _Report) -> dict[str, object]:
    return {
        "drift": [one._asdict() for one in report.drifts],
        "scenarios": report.scenarios,
        "premises_lost": report.premises,
        "snapshots": report.snapshots,
        "verdicts": report.verdicts,
    }


def _lines(report: _Report) -> list[str]:
    if not report.drifts:
        return ["no drift"]
    lines = table(report.drifts)
    for head, rows in (
        ("scenarios that drifted", report.scenarios),
        ("premises lost", report.premises),
        ("snapshots that change, wording aside", report.snapshots),
        ("verdicts that rest on this", report.verdicts),
    ):
        lines += ["", head, *(f"  {row}" for row in rows)] if rows else []
    counts = {kind: sum(one.kind == kind for one in report.drifts) for kind in ("new", "gone", "changed")}
    return [*lines, "", ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)]

"""What the page shows, as plain data: scenarios with their bytes once, and each run's cells. No look, no HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.checks import RULES, Rule
from conformance.checks.server_rules import SERVER_RULES
from conformance.checks.telling import right
from conformance.corpus import manifest, snapshot
from conformance.errors import ConformanceError
from conformance.probes import Probe, probes
from conformance.report.results import Run
from conformance.report.wire import frames_of
from conformance.scenarios import Scenario, catalogue
from conformance.verdict import Result
from conformance.vocabulary import Api, Mode

UNTESTED, UNSCORED = "not tested", "unscored"
MEANING: Mapping[str, str] = {
    "faithful": "gets exactly what the wire says",
    "declared": "was told beforehand: a gap that the binding names, or a known failure",
    "loud": "loses something and can tell",
    "broken": "gets an error, a crash or a hang where an answer was due",
    "misleading": "is told what is not so",
    UNTESTED: "the question could not be put; never counted as passed",
    UNSCORED: "not in the requirement set of the run: shown, and counts for nothing",
}
_LONG_FRAME = 1500
_MANY_FRAMES = 80


def page_data(runs: Sequence[Run], notes: Iterable[str] = ()) -> dict[str, Any]:
    """Everything that the page's script draws from."""
    ids = dict.fromkeys(result.scenario for run in runs for result in run.results)
    known: Mapping[str, Scenario | Probe] = {**catalogue(), **probes()}
    ordered = [id_ for id_ in known if id_ in ids] + [id_ for id_ in ids if id_ not in known]
    return {
        "about": _about(runs),
        "notes": list(notes),
        "apis": [str(api) for api in Api if any(id_.startswith(f"{api}/") for id_ in ids)],
        "meaning": MEANING,
        "rules": {check: [str(rule.severity), rule.text] for check, rule in _rules(runs).items()},
        "scenarios": [_scenario(id_, known.get(id_)) for id_ in ordered],
        "runs": [_run(run, key) for run, key in zip(runs, _keys(runs), strict=True)],
    }


def _rules(runs: Sequence[Run]) -> Mapping[str, Rule]:
    """The rules of what was judged; on a page of both kinds an id that both have keeps the adapters' sentence."""
    served = SERVER_RULES if any(run.serves for run in runs) else {}
    return served if all(run.serves for run in runs) else {**served, **RULES}


def _about(runs: Sequence[Run]) -> str:
    cells = sum(len(run.results) for run in runs)
    corpora = ", ".join(sorted({run.corpus for run in runs if run.corpus}))  # one that broke has none
    if len(runs) == 1:
        failures = runs[0].failures()
        scored = f"Only the set {runs[0].requirements} counts. " if runs[0].requirements else ""
        return (
            f"{cells} cells of corpus {corpora}, transport {runs[0].transport}. "
            f"{scored}Undeclared: {failures['MUST']} MUST, "
            f"{failures['SHOULD']} SHOULD. Stale declarations: {failures['stale']}."
        )
    return f"{len(runs)} adapters, {cells} cells of corpus {corpora}."


def _keys(runs: Sequence[Run]) -> Iterator[str]:
    """What addresses call a run: the adapter's name where that is enough, so that links outlive a version."""
    names = [run.adapter for run in runs]
    for number, run in enumerate(runs):
        key = run.adapter if names.count(run.adapter) == 1 else run.label
        yield key if key not in [other.label for other in runs[:number]] else f"{key} {run.transport} {run.corpus}"


def _run(run: Run, key: str) -> dict[str, Any]:
    return {
        "key": key,
        "label": run.label,
        "adapter": run.adapter,
        "version": run.version,
        "option": "--server" if run.serves else "--adapter",
        "apis": list(run.apis),
        "wiring": run.wiring if run.results else [],
        "problem": run.wiring[0] if run.wiring and not run.results else None,
        "cells": {result.cell: _cell(result) for result in run.results},
    }


def _cell(result: Result) -> dict[str, Any]:
    return {
        "v": _verdict(result),
        "o": {check: outcome for check, outcome in result.outcomes.items() if outcome != "not applicable"},
        "f": [_finding(finding) for finding in result.to_json()["findings"]],
        "stale": [*result.stale, *(f"unscored: {text}" for text in result.unscored_stale)],
        "problem": result.problem,
        "chunkings": list(result.chunkings),
        "requests": result.requests,
        "sent": list(result.sent),
        "seen": dict(result.seen),
    }


def _verdict(result: Result) -> str:
    if result.unscored:
        return UNSCORED
    return str(result.verdict) if result.verdict else UNTESTED


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: str(value) if value is not None else None for name, value in finding.items() if name != "unscored"}
    if finding["unscored"] and finding["declared"] is None:
        told["declared"] = "unscored: not in the requirement set of the run"
    return told


def _scenario(id_: str, told: Scenario | Probe | None) -> dict[str, Any]:
    """A scenario; of one that this corpus does not have, its name is all there is."""
    api, _, slug = id_.partition("/")
    base: dict[str, Any] = {"id": id_, "api": api, "slug": slug}
    if told is None:
        return base | {
            "claim": "",
            "right": "",
            "standing": "",
            "asked": "",
            "accepts": "",
            "evidence": [],
            "modes": {},
        }
    if isinstance(told, Probe):
        return base | {
            "claim": told.claim,
            "right": told.right,
            "standing": str(told.standing),
            "asked": "",
            "accepts": "",
            "evidence": [[item.kind, item.source] for item in told.evidence],
            "modes": {},
        }
    accepts = f"also {', '.join(sorted(told.accepts))}: {told.accepts_why}" if told.accepts else ""
    return base | {
        "claim": told.claim,
        "right": told.right,
        "standing": str(told.standing),
        "asked": _asked(told),
        "accepts": accepts,
        "evidence": [[item.kind, item.source] for item in told.evidence],
        "modes": {str(mode): _wire(told, mode) for mode in told.modes},
    }


def _asked(told: Scenario) -> str:
    ask = told.ask
    parts = [f"{ask.prompt!r} of {told.model}"]
    if ask.stop is not None:
        parts.append(f"stop {ask.stop!r}{' at construction' if ask.at_construction else ''}")
    if ask.max_tokens is not None:
        parts.append(f"at most {ask.max_tokens} tokens")
    if ask.tools:
        forced = f", {ask.tool_choice} forced" if ask.tool_choice else ""
        parts.append(f"tools {', '.join(tool.name for tool in ask.tools)}{forced}")
    return "; ".join(parts)


def _wire(told: Scenario, mode: Mode) -> dict[str, Any]:
    found = frames_of(told, mode)
    if isinstance(found, ConformanceError):
        return {"frames": [], "right": {}, "http": "", "origin": ""}
    frames, at = _few(list(found.frames), found.at)
    fault = f", as far as it was delivered ({found.fault})" if found.fault else ""
    return {
        "http": f"HTTP {found.status}{fault}",
        "frames": frames,
        "at": at,
        "right": _right(told, mode),
        "origin": str(manifest()[f"{told.id}:{mode}"].provenance) if f"{told.id}:{mode}" in manifest() else "",
    }


def _right(told: Scenario, mode: Mode) -> dict[str, str]:
    try:
        return right(snapshot(told.id)[mode])
    except (ConformanceError, KeyError):
        return {}


def _few(frames: list[str], at: int) -> tuple[list[str], int]:
    """Frames short enough to look at; of very many those around the reason are kept."""
    short = [frame if len(frame) <= _LONG_FRAME else f"{frame[:_LONG_FRAME]} ..." for frame in frames]
    if len(short) <= _MANY_FRAMES:
        return short, at
    first = max(0, min(at - _MANY_FRAMES // 2, len(short) - _MANY_FRAMES))
    head = [f"... {first} frames before"] if first else []
    after = len(short) - first - _MANY_FRAMES
    tail = [f"... {after} frames after"] if after else []
    return [*head, *short[first : first + _MANY_FRAMES], *tail], at - first + len(head)

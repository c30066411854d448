"""The message of a failing cell: id, expected, observed, what was sent, the wire, the evidence, what to do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.checks import RULES
from conformance.corpus import manifest
from conformance.errors import ConformanceError
from conformance.report.message import findings, head, to_do, untested
from conformance.report.wire import frames_of
from conformance.scenarios import Scenario, scenario
from conformance.verdict import Result
from conformance.vocabulary import Mode

_WIDTH = 220
_FRAMES_AROUND = 2

HANDED_ON: Mapping[str, str] = {
    "request.stop-whole": "call.stop",
    "request.max-tokens": "call.max_tokens",
    "request.tools": "call.tools",
}
"""What a binding may have forgotten, where a rule on the request is broken."""


def explain_failure(result: Result, adapter: str, sent: Iterable[Any] = ()) -> str:
    """The whole message for one cell that failed."""
    told = scenario(result.scenario)
    out = [head(result, adapter)]
    if result.problem is not None:
        return "\n".join([*out, untested(result)])
    out += [f"  the wire: {told.claim}", f"  right:    {told.right}", *findings(result, RULES)]
    out += ["", *_request(sent), *wire_excerpt(told, result.mode), *_evidence(told, result), *_mend(result)]
    return "\n".join(out)


def _request(sent: Iterable[Any]) -> list[str]:
    lines = []
    for number, request in enumerate(sent, 1):
        body = json.dumps(request.json, ensure_ascii=False) if request.json is not None else "(no JSON)"
        lines.append(f"  sent {number}    POST {request.path}  {_short(body)}")
    return lines or ["  sent      nothing"]


def wire_excerpt(told: Scenario, mode: Mode) -> list[str]:
    """The cassette around the place where the reason stands; the end of it where there is none."""
    found = frames_of(told, mode)
    if isinstance(found, ConformanceError):
        return [f"  wire      {found}"]
    fault = f", as far as it was delivered ({found.fault})" if found.fault else ""
    head = f"  wire      HTTP {found.status}, cassettes/{told.id}/{mode}.yaml{fault}"
    if not found.streamed:
        return [head, f"      {_short(found.frames[0])}"]
    first, end = max(0, found.at - _FRAMES_AROUND), min(len(found.frames), found.at + _FRAMES_AROUND + 1)
    shown = [
        f"      {'>' if number == found.at else ' '} {_short(found.frames[number])}" for number in range(first, end)
    ]
    return [head, f"      frames {first + 1} to {end} of {len(found.frames)}", *shown]


def _evidence(told: Scenario, result: Result) -> list[str]:
    origin = manifest().get(result.cell)
    lines = [f"  evidence  {item.kind}: {item.source}" for item in told.evidence]
    if origin is not None:
        lines.append(f"  cassette  {origin.provenance}; the wire is {told.standing}")
    if told.accepts:
        lines.append(f"  accepted  also {', '.join(sorted(told.accepts))}: {told.accepts_why}")
    return lines


def _mend(result: Result) -> list[str]:
    handed_on = next((HANDED_ON.get(finding.check) for finding in result.open), None)
    first = [f"  to do     first: does the binding hand {handed_on} to the library?"] if handed_on else []
    last = [f"  read on   python -m conformance explain {result.scenario}"] if result.open else []
    return [*first, *to_do(result, kind="adapter"), *last]


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 40]} ... {text[-35:]}"

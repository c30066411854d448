"""The badge: one run in the form that shields.io's endpoint badge reads. Source: https://shields.io/badges/endpoint-badge."""

from __future__ import annotations

import json

from conformance.report.results import Run

_COLOURS = {"misleading": "red", "broken": "purple", "not tested": "lightgrey", "loud": "yellow", "declared": "blue"}


def badge(run: Run) -> str:
    """The badge's JSON: the worst that there is in words, and how many cells are free of it."""
    totals = run.totals()
    cells = len(run.results) - totals.get("unscored", 0)
    failures = run.failures()
    if not cells:
        message, colour = "no cells", "lightgrey"
    elif failures["MUST"] or failures["stale"] or totals.get("not tested"):
        worst = next((name for name in ("misleading", "broken", "not tested", "loud") if totals.get(name)), "loud")
        message, colour = f"{totals.get(worst, failures['stale'])} of {cells} {worst}", _COLOURS[worst]
    else:
        message, colour = f"{totals.get('faithful', 0)} of {cells} faithful", "brightgreen"
        if totals.get("declared"):
            message, colour = f"{message}, {totals['declared']} declared", "green"
    told = {"schemaVersion": 1, "label": "LLM adapter conformance", "message": message, "color": colour}
    return json.dumps(told) + "\n"

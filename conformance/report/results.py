"""A run's results as data, and the file that holds them (schema beside this module). Nothing for the eye."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.scenarios import catalogue
from conformance.verdict import Result
from conformance.vocabulary import Severity, Verdict

SCHEMA = 1


@dataclass(slots=True)
class Run:
    """Everything that one run found out.

    Attributes:
        adapter, version: what was judged.
        corpus: version of the suite and its corpus.
        transport: how cassettes reached it.
        apis: the APIs asked for.
        results: one for each cell that ran.
        wiring: what smoke tests say is wrong with the binding.
        not_applicable: cells that were collected and cannot be put to this adapter in this way, counted by the reason.
        narrow: whether cells of APIs were collected that the adapter does not speak.
    """

    adapter: str
    version: str | None
    corpus: str
    transport: str
    apis: tuple[str, ...]
    results: list[Result] = field(default_factory=list)
    wiring: list[str] = field(default_factory=list)
    not_applicable: Mapping[str, int] = field(default_factory=dict)
    narrow: bool = False

    def totals(self) -> dict[str, int]:
        """Cells by verdict; `not tested` for those that could not be put."""
        counted = Counter(str(result.verdict or "not tested") for result in self.results)
        return {name: counted[name] for name in [*Verdict, "not tested"] if counted[name]}

    def failures(self) -> dict[str, int]:
        """Undeclared findings by severity, and stale declarations."""
        found = Counter(finding.severity for result in self.results for finding in result.open)
        stale = sum(len(result.stale) for result in self.results)
        return {"MUST": found[Severity.MUST], "SHOULD": found[Severity.SHOULD], "stale": stale}

    def to_json(self) -> dict[str, Any]:
        """Plain data; `results.schema.json` beside this module describes it."""
        return {
            "schema": SCHEMA,
            "adapter": self.adapter,
            "version": self.version,
            "corpus": self.corpus,
            "transport": self.transport,
            "apis": list(self.apis),
            "totals": self.totals(),
            "failures": self.failures(),
            "wiring": self.wiring,
            "not_applicable": dict(sorted(self.not_applicable.items())),
            "results": [result.to_json() for result in self.results],
        }


def in_order(results: Iterable[Result]) -> list[Result]:
    """Results in the order of the catalogue, in whichever order they came."""
    places = {scenario: place for place, scenario in enumerate(catalogue())}
    return sorted(results, key=lambda result: (places[result.scenario], result.mode))


def write_json(run: Run, path: Path) -> None:
    """Write the results file.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, json.dumps(run.to_json(), ensure_ascii=False, indent=1) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        # A lone surrogate that an adapter handed out must not cost the whole file; the escape is right in JSON too.
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

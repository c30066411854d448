"""A run's results as data, and the file that holds them (schema beside this module). No terminal output."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
        not_applicable: cells of APIs that the adapter does not speak.
    """

    adapter: str
    version: str | None
    corpus: str
    transport: str
    apis: tuple[str, ...]
    results: list[Result] = field(default_factory=list)
    not_applicable: int = 0

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
        """Plain data, in the order of the catalogue."""
        return {
            "schema": SCHEMA,
            "adapter": self.adapter,
            "version": self.version,
            "corpus": self.corpus,
            "transport": self.transport,
            "apis": list(self.apis),
            "totals": self.totals(),
            "failures": self.failures(),
            "not_applicable": self.not_applicable,
            "results": [result.to_json() for result in sorted(self.results, key=_place)],
        }


def _place(result: Result) -> tuple[int, str]:
    from conformance.scenarios import catalogue

    return list(catalogue()).index(result.scenario), result.mode


def write_json(run: Run, path: Path) -> None:
    """Write the results file whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    text = json.dumps(run.to_json(), ensure_ascii=False, indent=1) + "\n"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

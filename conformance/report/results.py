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

from conformance.errors import BadResults
from conformance.probes import probes
from conformance.scenarios import catalogue
from conformance.verdict import Result
from conformance.vocabulary import Severity, Verdict

SCHEMA = 1
HTTP = "http"
"""The transport of a run against a server: it generates, and no cassette is played."""


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
        requirements: the requirement set that counted; None where everything did.
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
    requirements: str | None = None

    def totals(self) -> dict[str, int]:
        """Cells by verdict; `not tested` for those that could not be put, `unscored` for those that do not count."""
        counted = Counter(
            "unscored" if result.unscored else str(result.verdict or "not tested") for result in self.results
        )
        return {name: counted[name] for name in [*Verdict, "not tested", "unscored"] if counted[name]}

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
            "set": self.requirements,
            "totals": self.totals(),
            "failures": self.failures(),
            "wiring": self.wiring,
            "not_applicable": dict(sorted(self.not_applicable.items())),
            "results": [result.to_json() for result in self.results],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Run:
        """The inverse of `to_json`. Raises KeyError, TypeError, ValueError or AttributeError for another form."""
        return cls(
            adapter=str(data["adapter"]),
            version=data["version"],
            corpus=data["corpus"],
            transport=data["transport"],
            apis=tuple(data["apis"]),
            results=[Result.from_json(item) for item in data["results"]],
            wiring=list(data["wiring"]),
            not_applicable=dict(data["not_applicable"]),
            requirements=data.get("set"),
        )

    @property
    def serves(self) -> bool:
        """Whether a server was judged, which generates, and no adapter, which reads cassettes."""
        return self.transport == HTTP

    @property
    def label(self) -> str:
        """The adapter, with its version where that is known."""
        return f"{self.adapter} {self.version}" if self.version else self.adapter


def read_results(path: Path) -> Run:
    """Read a results file.

    Raises:
        BadResults: it cannot be read, or is not of the form.
    """
    mend = "name files that --conformance-report has written, with this version of the suite"
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise BadResults(f"cannot read {path}: {error.strerror}", "check the path") from error
    except ValueError as error:
        raise BadResults(f"{path} is not JSON: {error}", mend) from error
    if not isinstance(data, dict) or "adapter" not in data or "results" not in data:
        raise BadResults(f"{path} holds no results of a run", mend)
    if data.get("schema") != SCHEMA:
        raise BadResults(f"{path} is of schema {data.get('schema')!r}, this suite reads {SCHEMA}", mend)
    try:
        return Run.from_json(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadResults(f"{path} is not of the results form: {error!r}", mend) from error


def merged(runs: Iterable[Run]) -> list[Run]:
    """Runs in the order given, the shards of one run joined: same adapter, version, corpus, transport and set.

    Raises:
        BadResults: two of them have another result for one cell.
    """
    found: dict[tuple[str, str | None, str, str, str | None], Run] = {}
    for run in runs:
        key = (run.adapter, run.version, run.corpus, run.transport, run.requirements)
        first = found.setdefault(key, run)
        if first is not run:
            _join(first, run)
    return list(found.values())


def _join(into: Run, other: Run) -> None:
    cells = {result.cell: result for result in into.results}
    for result in other.results:
        if cells.setdefault(result.cell, result).verdict != result.verdict:
            raise BadResults(
                f"two results of {into.label} differ in {result.cell}: {cells[result.cell].verdict}, {result.verdict}",
                "give one of the two runs, or runs of different cells",
            )
    into.results = in_order(cells.values())
    into.apis = tuple(dict.fromkeys((*into.apis, *other.apis)))
    into.wiring = sorted({*into.wiring, *other.wiring})
    into.not_applicable = dict(Counter(into.not_applicable) + Counter(other.not_applicable))


def in_order(results: Iterable[Result]) -> list[Result]:
    """Results in the order of the catalogue, in whichever order they came; what it does not have comes last."""
    places = {told: place for place, told in enumerate([*catalogue(), *probes()])}
    return sorted(results, key=lambda result: (places.get(result.scenario, len(places)), result.mode))


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
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        # A pipe or a device takes text as it comes; a rename would put a file in its place.
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        return
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

"""What a run with `--server` was asked for: options read and checked once. Adapters': `options`. No pytest.

It offers the plugin what `Options` offers: a header, the run out of what its items told, the files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters import installed
from conformance.checks.server_rules import SERVER_RULES
from conformance.errors import BadOption
from conformance.known_failures import Known, load
from conformance.options import limit_of, writable
from conformance.report import Run, in_order, write_html, write_json
from conformance.report.results import HTTP
from conformance.servers.examiner import Examiner, cells
from conformance.servers.target import Target, parse
from conformance.verdict import Result
from conformance.vocabulary import Api

DEFAULT_LIMIT = 60.0
"""Seconds for one call where none are given: a model on a processor is slow."""
DEFAULT_REQUESTS = 300
_ADAPTERS_ONLY = ("adapter", "apis", "transport", "conformance-set")
OF_ADAPTERS = (*_ADAPTERS_ONLY, "known-failures")
"""Options whose ini settings speak of an adapter: with `--server` only the command line counts."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """One run's settings.

    Attributes:
        targets: one for each API.
        examiner: what asks them.
        known: known failures, and where they lie.
        report, page: where the files go.
    """

    targets: tuple[Target, ...]
    examiner: Examiner
    known: tuple[Known, ...] = ()
    known_path: Path | None = None
    report: Path | None = None
    page: Path | None = None

    @property
    def apis(self) -> tuple[Api, ...]:
        """The APIs that are asked for."""
        return tuple(target.api for target in self.targets)

    @property
    def name(self) -> str:
        """How reports call what is judged: its address, where there is one for all APIs."""
        urls = {target.url for target in self.targets}
        return self._named if len(urls) > 1 else urls.pop()

    @property
    def _named(self) -> str:
        return " ".join(f"{target.api}@{target.url}" for target in self.targets)

    def header(self) -> list[str]:
        """What is judged, with what."""
        known = f"{len(self.known)} known failures from {self.known_path}" if self.known_path else "no known failures"
        return [
            f"conformance: server {self._named}, model {self.targets[0].model}, {len(cells(self.apis))} cells, "
            f"at most {self.examiner.budget.limit} requests, {known}"
        ]

    def identity(self) -> dict[str, object]:
        """Who is judged, as plain data that goes with each result."""
        return {"adapter": self.name, "version": self.targets[0].model, "apis": [str(api) for api in self.apis]}

    def run(self, lines: Iterable[str]) -> Run:
        """What the items of a run have told about themselves (JSON, one at least), as one run."""
        told = [json.loads(line) for line in lines]
        return Run(
            adapter=self.name,
            version=self.targets[0].model,
            corpus=installed("llm-adapter-conformance") or "unknown",
            transport=HTTP,
            apis=self.apis,
            results=in_order(Result.from_json(item["result"]) for item in told if item.get("result")),
            wiring=sorted({item["wiring"] for item in told if item.get("wiring")}),
            not_applicable=Counter(item["not_applicable"] for item in told if item.get("not_applicable")),
        )

    def update_known(self, lines: Iterable[str]) -> list[str]:
        """Nothing: `read` refuses the option."""
        return []

    def write(self, run: Run) -> list[str]:
        """Write the files that were asked for; a line on each, and on the requests.

        Raises:
            OSError: one cannot be written.
        """
        lines = [f"requests: {self.examiner.budget.spent} of {self.examiner.budget.limit}"]
        for what, write, path in (("results", write_json, self.report), ("page", write_html, self.page)):
            if path is not None:
                write(run, path)
                lines.append(f"{what}: {path}")
        return lines


def read(
    servers: Iterable[str], given: Callable[[str], str | None], here: Path, *, update: bool = False
) -> ServerOptions:
    """Read and check every option.

    Raises:
        ConformanceError: one of them is wrong; the message names the mend.
    """
    for name in _ADAPTERS_ONLY:
        if given(name) is not None:
            raise BadOption(f"--{name} together with --server", "judge an adapter or a server, one at a time")
    if update:
        raise BadOption("--update-known-failures together with --server", "write the entries by hand")
    model = given("model")
    if not model:
        raise BadOption("--server without a model", "--model NAME, as the server calls it")
    targets = tuple(parse(text, model, given("api-key-env")) for text in servers)
    twice = [api for api, count in Counter(target.api for target in targets).items() if count > 1]
    if twice:
        raise BadOption(f"--server: {twice[0]} is named twice", "one address for each API")
    limit = limit_of(given("conformance-time-limit")) if given("conformance-time-limit") else DEFAULT_LIMIT
    known_path = None
    known: tuple[Known, ...] = ()
    text = given("known-failures")
    if text is not None and text != "none":
        known_path = here / text
        every = [f"{probe.id}:{mode}" for probe, mode in cells(Api)]
        known = load(known_path, every, SERVER_RULES)
    requests = _requests(given("max-requests")) * len(targets)
    return ServerOptions(
        targets,
        Examiner(targets, known, limit, requests),
        known,
        known_path,
        writable("--conformance-report", given("conformance-report"), here),
        writable("--conformance-html", given("conformance-html"), here),
    )


def _requests(text: str | None) -> int:
    try:
        number = int(text) if text is not None else DEFAULT_REQUESTS
    except ValueError:
        number = 0
    if number < 1:
        raise BadOption(f"--max-requests: {text!r} is no number of requests", "a number above 0")
    return number

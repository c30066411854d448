"""What a run was asked for: options read and checked once, before anything runs. No pytest here."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance import adapters, sets
from conformance.contract import Adapter
from conformance.declared import NOTHING, Declared, bring_up_to_date, check_spoken, find
from conformance.errors import BadOption
from conformance.report import Run, in_order, write_html, write_json
from conformance.scenarios import catalogue
from conformance.suite.bench import Bench
from conformance.suite.judging import Judging
from conformance.verdict import Result
from conformance.vocabulary import Api, Transport

_DRAFT = "conformance: this binding is a draft: its findings are not confirmed yet, and may be the binding's own"


@dataclass(frozen=True, slots=True)
class Options:
    """One run's settings.

    Attributes:
        adapter: the adapter under test; None until a fixture hands it in.
        apis: upstream APIs to run.
        known: entries of the known-failures file, and where it lies.
        update: bring that file up to date after the run.
        report: where the results file goes.
        page: where the page of the results goes.
        limit: seconds that one call may take.
        requirements: what counts; None for everything.
    """

    adapter: Adapter | None = None
    apis: tuple[Api, ...] = tuple(Api)
    transport: Transport = Transport.SERVER
    known: Declared = NOTHING
    update: bool = False
    report: Path | None = None
    page: Path | None = None
    limit: float = 10.0
    requirements: sets.RequirementSet | None = None

    @contextmanager
    def judging(self, adapter: object) -> Iterator[Judging]:
        """Judge an adapter, the named one or one that a fixture built, with these settings.

        Raises:
            AdapterBroken: it lacks something that the contract asks for.
            BadKnownFailures: an entry names only what it does not speak.
        """
        judged = adapters.checked(adapter)
        check_spoken(self.known, judged.apis)
        identity = {"adapter": judged.name, "version": adapters.version_of(judged), "apis": sorted(judged.apis)}
        with Bench(
            judged,
            transport=self.transport,
            known=self.known.entries,
            limit=self.limit,
            requirements=self.requirements,
        ) as bench:
            yield Judging(bench, identity)

    def header(self) -> list[str]:
        """What is judged, with what."""
        cells = [f"{one.id}:{mode}" for one in catalogue().values() if one.api in self.apis for mode in one.modes]
        name = self.adapter.name if self.adapter else "from the `adapter` fixture"
        number = adapters.version_of(self.adapter) if self.adapter else None
        entries, path = self.known
        known = f"{len(entries)} known failures from {path}" if path else "no known failures"
        scored = ""
        if self.requirements is not None:
            count = sum(map(self.requirements.has_cell, cells))
            scored = f", set {self.requirements.name} ({count} of them scored)"
        return [
            f"conformance: adapter {name}{f' {number}' if number else ''}, corpus {_corpus()} ({len(cells)} cells)"
            f"{scored}, transport {self.transport}, {known}",
            f"conformance: apis {', '.join(self.apis)}",
            *([_DRAFT] if name in adapters.DRAFTS else []),
        ]

    def run(self, lines: Iterable[str]) -> Run:
        """What the items of a run have told about themselves (JSON, one at least), as one run."""
        told = [json.loads(line) for line in lines]
        who = told[0]
        return Run(
            adapter=who["adapter"],
            version=who["version"],
            corpus=_corpus(),
            transport=str(self.transport),
            apis=tuple(api for api in self.apis if api in who["apis"]),
            results=in_order(Result.from_json(item["result"]) for item in told if item.get("result")),
            wiring=sorted({item["wiring"] for item in told if item.get("wiring")}),
            not_applicable=Counter(item["not_applicable"] for item in told if item.get("not_applicable")),
            narrow=not frozenset(self.apis) <= frozenset(who["apis"]),
            requirements=self.requirements.name if self.requirements else None,
        )

    def update_known(self, lines: Iterable[str]) -> list[str]:
        """Bring the known-failures file up to date where that was asked for; a line on it.

        Raises:
            BadOption: the run was not whole.
            OSError: the file cannot be written.
        """
        return [bring_up_to_date(self.known, map(json.loads, lines))] if self.update else []

    def write(self, run: Run) -> list[str]:
        """Write the files that were asked for; a line on each.

        Raises:
            OSError: one cannot be written.
        """
        lines = []
        for what, write, path in (("results", write_json, self.report), ("page", write_html, self.page)):
            if path is not None:
                write(run, path)
                lines.append(f"{what}: {path}")
        return lines


def default() -> Options:
    """The settings of a run that asked for nothing."""
    return Options()


def read(given: Callable[[str], str | None], rootdir: Path, here: Path, *, update: bool = False) -> Options:
    """Read and check every option; `update` says that the known-failures file is to be written after the run.

    Raises:
        ConformanceError: one of them is wrong; the message names the mend.
    """
    name = given("adapter")
    adapter = adapters.load(name) if name else None
    apis = _apis(given("apis"), adapter)
    known = find(given("known-failures"), name, rootdir, here, updating=update)
    if adapter is not None:
        check_spoken(known, adapter.apis)
        if update and (left := adapter.apis - set(apis)):
            raise BadOption(
                f"--update-known-failures: the run leaves out {', '.join(sorted(left))}",
                "run every API, without --apis",
            )
    return Options(
        adapter=adapter,
        apis=apis,
        transport=_transport(given("transport")),
        known=known,
        update=update,
        report=writable("--conformance-report", given("conformance-report"), here),
        page=writable("--conformance-html", given("conformance-html"), here),
        limit=limit_of(given("conformance-time-limit")),
        requirements=_set(given("conformance-set"), rootdir, here),
    )


def _corpus() -> str:
    return adapters.installed("llm-adapter-conformance") or "unknown"


def _apis(text: str | None, adapter: Adapter | None) -> tuple[Api, ...]:
    spoken = [api for api in Api if adapter is None or api in adapter.apis]
    if text is None:
        return tuple(spoken)
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in list(Api):
            raise BadOption(f"--apis: no API {name!r}", f"one or more of {', '.join(Api)}")
        if Api(name) not in spoken:
            raise BadOption(f"--apis: the adapter does not speak {name}", f"it speaks {', '.join(spoken)}")
    if not names:
        raise BadOption("--apis is empty", f"one or more of {', '.join(Api)}")
    return tuple(api for api in Api if api in names)


def _transport(text: str | None) -> Transport:
    if text is None:
        return Transport.SERVER
    if text not in list(Transport):
        raise BadOption(f"--transport: no transport {text!r}", f"one of {', '.join(Transport)}")
    return Transport(text)


def _set(text: str | None, rootdir: Path, here: Path) -> sets.RequirementSet | None:
    if text in (None, "all"):
        return None
    return sets.find(text, base=next((base for base in (here, rootdir) if (base / text).exists()), here))


def writable(option: str, text: str | None, here: Path) -> Path | None:
    """The path that an option names, where a file can be written there.

    Raises:
        BadOption: it cannot.
    """
    if text is None:
        return None
    path = here / text
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise BadOption(f"{option}: cannot write {path}", "name a file in a folder that exists and can be written")
    return path


def limit_of(text: str | None) -> float:
    """The seconds that one call may take.

    Raises:
        BadOption: the text is no number of seconds.
    """
    try:
        limit = float(text) if text is not None else 10.0
    except ValueError:
        limit = 0.0
    if not 0 < limit < float("inf"):
        raise BadOption(f"--conformance-time-limit: {text!r} is no number of seconds", "a number above 0")
    return limit

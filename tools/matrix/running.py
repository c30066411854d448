"""Runs the suite in each subject's environment and collects what it wrote: two at a time, each result kept. No table.

A result is kept with a key of everything that it depends on, so that a run that was broken off goes on where it
stopped, and a second run does only what has changed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.errors import ConformanceError
from conformance.report.results import read_results
from conformance.verdict import Result
from tools.matrix.beside import beside
from tools.matrix.environment import python_of, tail
from tools.matrix.subjects import ROOT, Subject

_RAN = (0, 1)
"""Exit codes of pytest that leave results: all passed, some failed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the matrix is run.

    Attributes:
        out: where results, pages and logs go.
        home: where environments are kept.
        jobs: how many adapters at a time.
        minutes: a run that takes longer is ended.
        arguments: more arguments for pytest.
        again: run also where a result is kept.
    """

    out: Path
    home: Path
    jobs: int = 2
    minutes: float = 45.0
    arguments: tuple[str, ...] = ()
    again: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one subject: results, or the reason why there are none."""

    name: str
    version: str | None = None
    apis: tuple[str, ...] = ()
    results: tuple[Result, ...] = field(default=(), repr=False)
    problem: str | None = None
    seconds: float = 0.0
    kept: bool = False
    corpus: str = ""
    wiring: tuple[str, ...] = ()


def run_all(subjects: Iterable[Subject], settings: Settings, say: Callable[[str], None]) -> list[Outcome]:
    """Run every subject; one that breaks leaves an outcome that says so. In the order of the subjects."""
    subjects = list(subjects)
    corpus = corpus_digest()
    settings.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, Outcome] = {}
    with ThreadPoolExecutor(settings.jobs) as pool:
        waiting = {pool.submit(_outcome, subject, settings, corpus, say): subject for subject in subjects}
        try:
            for done in as_completed(waiting):
                outcome = found[waiting[done].name] = done.result()
                say(f"[{len(found)}/{len(subjects)}] {outcome.name}: {_told(outcome)}")
        except KeyboardInterrupt:
            for future in waiting:  # those that have not begun; the others end by the same signal
                future.cancel()
            raise
    return [found[subject.name] for subject in subjects]


def kept(subject: Subject, settings: Settings) -> Outcome:
    """What an earlier run, here or on another machine, left in the folder."""
    path = settings.out / f"{subject.slug}.json"
    if not path.is_file():
        return Outcome(subject.name, problem=f"no result: {path} does not exist")
    try:
        return _read(subject, path, kept=True)
    except ConformanceError as error:
        return Outcome(subject.name, problem=error.problem)


def corpus_digest() -> str:
    """Changes with everything that a verdict depends on beside the environment: code, cassettes, snapshots."""
    digest = hashlib.sha256()
    for folder in ("conformance", "cassettes", "snapshots"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(ROOT)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _outcome(subject: Subject, settings: Settings, corpus: str, say: Callable[[str], None]) -> Outcome:
    start = time.monotonic()
    try:
        return _run(subject, settings, corpus, say)
    except (ConformanceError, OSError, ValueError) as error:
        problem = getattr(error, "problem", None) or f"{type(error).__name__}: {error}"
        return Outcome(subject.name, problem=problem, seconds=time.monotonic() - start)


def _run(subject: Subject, settings: Settings, corpus: str, say: Callable[[str], None]) -> Outcome:
    result, stamp = settings.out / f"{subject.slug}.json", settings.out / f"{subject.slug}.key"
    key = f"{subject.digest} {corpus} {' '.join(settings.arguments)}"
    if not settings.again and result.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == key:
        return _read(subject, result, kept=True)
    stamp.unlink(missing_ok=True)
    result.unlink(missing_ok=True)
    say(f"{subject.name}: making its environment")
    python = python_of(subject, settings.home, settings.out / f"{subject.slug}.install.log")
    say(f"{subject.name}: running the suite")
    start = time.monotonic()
    with beside(subject, python, settings.out / f"{subject.slug}.beside.log") as ports:
        adapter = subject.adapter
        for name, port in ports.items():
            adapter = adapter.replace(f"{{{name}}}", port)
        problem = _pytest(replace(subject, adapter=adapter), settings, python, result)
    if problem is not None:
        return Outcome(subject.name, problem=problem, seconds=time.monotonic() - start)
    stamp.write_text(key, encoding="utf-8")
    return _read(subject, result, seconds=time.monotonic() - start)


def _pytest(subject: Subject, settings: Settings, python: Path, result: Path) -> str | None:
    """Run pytest; what is wrong with the run, or None."""
    ini = settings.out / "pytest.ini"  # an empty one: the settings of this repository are for its own tests
    ini.write_text("[pytest]\n", encoding="utf-8")
    log = settings.out / f"{subject.slug}.log"
    command = [str(python), "-m", "pytest", "--pyargs", "conformance", "--adapter", subject.adapter, "-q"]
    command += ["-c", str(ini), "--rootdir", str(settings.out), "-p", "no:cacheprovider", "--tb=short"]
    command += ["--conformance-report", str(result), *_known(subject)]
    environment = {**os.environ, "COLUMNS": "200"}
    with log.open("w", encoding="utf-8") as out:
        try:
            # The commands are this file's own, and no shell reads them.
            done = subprocess.run(  # noqa: S603
                [*command, *settings.arguments],
                cwd=settings.out,
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=settings.minutes * 60,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"the run took longer than {settings.minutes:g} minutes: {tail(log)}"
    if done.returncode not in _RAN or not result.is_file():
        return f"pytest ended with exit code {done.returncode}: {tail(log)}"
    return None


def _known(subject: Subject) -> list[str]:
    """Versions are compared as they are; a list of known failures holds for one version only."""
    if subject.extra is not None:
        return ["--known-failures", "none"]
    return ["--known-failures", str(subject.known)] if subject.known is not None else []


def _read(subject: Subject, path: Path, **more: Any) -> Outcome:
    run = read_results(path)
    return Outcome(
        name=subject.name,
        version=run.version,
        apis=run.apis,
        results=tuple(run.results),
        corpus=run.corpus,
        wiring=tuple(run.wiring),
        **more,
    )


def _told(outcome: Outcome) -> str:
    if outcome.problem is not None:
        return f"BROKEN: {outcome.problem}"
    cells = len(outcome.results)
    return f"{cells} cells, kept from before" if outcome.kept else f"{cells} cells in {outcome.seconds:.0f} s"

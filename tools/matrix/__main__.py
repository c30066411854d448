"""`python -m tools.matrix [ADAPTER ...]`: options in, table and page out. The work is in the modules beside it."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from conformance.errors import BadOption, ConformanceError
from conformance.report.results import write_whole
from tools.matrix.page import index
from tools.matrix.running import Outcome, Settings, kept, run_all
from tools.matrix.subjects import ROOT, Subject, chosen, versions
from tools.matrix.table import comparison, lines

_BROKEN = 1
_BAD_INPUT = 2
_STOPPED = 130
_LOCK = threading.Lock()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the matrix; the exit code: 0, 1 where an adapter could not be judged at all, 2 for bad input, 130 for Ctrl-C.

    What the adapters do wrong is no failure of the matrix: that is what it is for.
    """
    options = _parser().parse_args(arguments)
    try:
        subjects = versions(options.versions) if options.versions else chosen(options.adapters)
        settings = _settings(options)
    except ConformanceError as error:
        _say(f"error: {error}")
        return _BAD_INPUT
    if options.list:
        sys.stdout.write(json.dumps([subject.name for subject in subjects]) + "\n")
        return 0
    if options.render:
        outcomes = [kept(subject, settings) for subject in subjects]
        settings.out.mkdir(parents=True, exist_ok=True)
    else:
        try:
            outcomes = run_all(subjects, settings, _say)
        except KeyboardInterrupt:
            _say("stopped: what was done is kept, and the next run goes on from there")
            return _STOPPED
    compared = _compared(subjects, outcomes) if options.versions else []
    text = "\n".join([*lines(outcomes), *(["", *compared] if compared else [])]) + "\n"
    write_whole(settings.out / "table.txt", text)
    write_whole(settings.out / "index.html", index(outcomes, compared))
    sys.stdout.write(text)
    _say(f"table: {settings.out / 'table.txt'}\npage: {settings.out / 'index.html'}")
    return _BROKEN if any(outcome.problem for outcome in outcomes) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.matrix", description=__doc__)
    parser.add_argument("adapters", nargs="*", metavar="ADAPTER", help="adapters to judge; all of them if none")
    parser.add_argument(
        "--versions", metavar="LIST", help="compare versions of a library instead: litellm==1.98.1,litellm==1.110.2"
    )
    parser.add_argument("--apis", metavar="LIST", help="only these upstream APIs, separated by commas")
    parser.add_argument("-k", metavar="EXPR", dest="only", help="only cells that pytest's -k chooses")
    parser.add_argument("--out", type=Path, default=ROOT / "report", help="where results go")
    parser.add_argument("--venvs", type=Path, default=ROOT / ".venv" / "matrix", help="where environments are kept")
    parser.add_argument("--jobs", type=int, default=2, help="adapters at a time (default 2)")
    parser.add_argument("--minutes", type=float, default=45.0, help="minutes that one adapter may take (default 45)")
    parser.add_argument("--again", action="store_true", help="run also what has a result already")
    parser.add_argument("--list", action="store_true", help="run nothing; print the chosen rows as a JSON list")
    parser.add_argument("--render", action="store_true", help="run nothing; show the results that are in the folder")
    return parser


def _settings(options: argparse.Namespace) -> Settings:
    if options.versions and options.adapters:
        raise BadOption("adapters and --versions were both given", "--versions names the library itself")
    if options.jobs < 1 or not options.minutes > 0:
        raise BadOption("--jobs and --minutes are to be above 0", "leave them out for 2 and 45")
    if options.out.exists() and not options.out.is_dir():
        raise BadOption(f"--out: {options.out} is no folder", "name a folder, which is made where it is not there")
    arguments = (*(("--apis", options.apis) if options.apis else ()), *(("-k", options.only) if options.only else ()))
    return Settings(
        out=options.out.absolute(),
        home=options.venvs.absolute(),
        jobs=options.jobs,
        minutes=options.minutes,
        arguments=arguments,
        again=options.again,
    )


def _compared(subjects: list[Subject], outcomes: list[Outcome]) -> list[str]:
    """Each version of a library with the next one that was named."""
    out: list[str] = []
    for library in dict.fromkeys(subject.library for subject in subjects):
        mine = [outcome for subject, outcome in zip(subjects, outcomes, strict=True) if subject.library == library]
        for old, new in pairwise(mine):
            out += comparison(old, new)
    return out


def _say(line: str) -> None:
    with _LOCK:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())

"""The known-failures file of a run: which one it is, and how a whole run brings it up to date. No pytest here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from conformance import adapters
from conformance.errors import BadKnownFailures, BadOption
from conformance.known_failures import Known, load, parse, unspoken, update
from conformance.report.results import write_whole
from conformance.scenarios import catalogue
from conformance.verdict import Result

_WHOLE = "run the suite without -k, -m, -x, --apis and the like, on the server transport"


class Declared(NamedTuple):
    """Entries, and the file that they are from; None where there is no file."""

    entries: tuple[Known, ...] = ()
    path: Path | None = None


NOTHING = Declared()
"""No file, and nothing listed."""


def find(text: str | None, adapter: str | None, rootdir: Path, here: Path, *, updating: bool = False) -> Declared:
    """The file that was asked for, or the one of a shipped binding.

    Args:
        text: what `--known-failures` says.
        adapter: what `--adapter` says.
        rootdir: pytest's root, the second folder that a relative path may start from.
        here: the folder of the call, the first one.
        updating: the file is to be written after the run, and need not be there yet.

    Raises:
        BadKnownFailures: the file cannot be read, or an entry is bad.
        BadOption: there is no file to update.
    """
    path = _path(text, adapter, rootdir, here, updating=updating)
    if updating:
        if path is None:
            raise BadOption("--update-known-failures: no file to write", "name one: --known-failures FILE")
        if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
            raise BadOption(f"--update-known-failures: cannot write {path}", "name a file in a folder that exists")
        if not path.exists():
            return Declared((), path)
    return Declared(load(path), path) if path else Declared()


def _path(text: str | None, adapter: str | None, rootdir: Path, here: Path, *, updating: bool) -> Path | None:
    if text == "none":
        return None
    if text is not None:
        return next((base / text for base in (here, rootdir) if (base / text).exists()), here / text)
    if adapter is None:
        return None
    return adapters.known_failures_path(adapter) if updating else adapters.known_failures_of(adapter)


def check_spoken(declared: Declared, apis: Iterable[str]) -> None:
    """Make sure that each entry can show at all.

    Raises:
        BadKnownFailures: an entry names only cells of APIs that the adapter does not speak.
    """
    spoken = list(apis)
    if (entry := unspoken(declared.entries, spoken)) is not None:
        raise BadKnownFailures(
            f"{declared.path}: the entry for {', '.join(entry.cells)} names no cell of {', '.join(spoken)}, "
            "which are the APIs that the adapter speaks",
            "take the entry out: it can never show",
        )


def bring_up_to_date(declared: Declared, told: Iterable[Mapping[str, Any]]) -> str:
    """Write the file after a whole run; a line on what was done.

    Args:
        declared: the file as it was read.
        told: what each item of the run has told about itself.

    Raises:
        BadOption: the run was not whole, so that what did not show may only not have been asked.
        OSError: the file cannot be written.
    """
    told = list(told)
    results = [Result.from_json(item["result"]) for item in told if item.get("result")]
    elsewhere = {item["cell"] for item in told if item.get("not_applicable") and item.get("cell")}
    apis = {api for item in told for api in item["apis"]}
    expected = [f"{id_}:{mode}" for id_, told_ in catalogue().items() if told_.api in apis for mode in told_.modes]
    shown = {result.cell: result.findings for result in results}
    missing = [cell for cell in expected if cell not in shown and cell not in elsewhere]
    untested = [result.cell for result in results if result.problem is not None]
    for cells, what in ((missing, "did not run"), (untested, "could not be tested")):
        if cells:
            raise BadOption(
                f"--update-known-failures: {len(cells)} of {len(expected)} cells {what}, {cells[0]} for one: "
                "nothing was written",
                _WHOLE,
            )
    path = declared.path
    assert path is not None  # noqa: S101 -- for the type checker: `find` has refused a run without a file
    old = path.read_text(encoding="utf-8").replace("\r\n", "\n") if path.exists() else ""
    new = update(old, declared.entries, shown, unknown=[cell for cell in expected if cell in elsewhere])
    parse(new.text, path)  # what is written can be read again
    write_whole(path, new.text)
    return (
        f"known failures: {path}: {new.kept} entries kept, {new.narrowed} narrowed, {new.dropped} dropped, "
        f"{new.added} added: say in their reason why"
    )

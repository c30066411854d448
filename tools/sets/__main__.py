"""`python -m tools.sets`: freeze what is judged now as a requirement set, list the sets, say what a newer one adds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.errors import BadSet, ConformanceError
from conformance.sets import RequirementSet, find, freeze, names, parse, render
from conformance.sets.requirements import FOLDER, NAME, order
from tools.cassette_file import write_whole

_BAD_INPUT = 2
_NOW = "now"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0, or 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m tools.sets", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the sets are (default: in the package)")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    freezing = commands.add_parser("freeze", help="write what is judged now as a new set")
    freezing.add_argument("name", help="CalVer, such as 2026.12")
    freezing.add_argument("--again", action="store_true", help="write the newest set anew: one that was never released")
    commands.add_parser("list", help="print the sets, oldest first, with what each scores")
    comparing = commands.add_parser("diff", help="print what a newer set scores and an older one does not")
    comparing.add_argument("old", help="a set")
    comparing.add_argument("new", nargs="?", default=_NOW, help="a newer set; without it, what is judged now")
    options = parser.parse_args(arguments)
    try:
        if options.command == "freeze":
            print(_freeze(options.name, options.folder, again=options.again))
        elif options.command == "list":
            for name in names(options.folder):
                print(_summary(find(name, folder=options.folder)))
        else:
            old = find(options.old, folder=options.folder)
            new = freeze(_NOW) if options.new == _NOW else find(options.new, folder=options.folder)
            print("\n".join(_added(old, new)))
    except ConformanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return _BAD_INPUT
    return 0


def _freeze(name: str, folder: Path, *, again: bool) -> str:
    if not NAME.fullmatch(name):
        raise BadSet(
            f"{name!r} is no CalVer name", "year and month, and a count where one is needed: 2026.12, 2026.12.1"
        )
    there = names(folder)
    if name in there and not (again and name == there[-1]):
        raise BadSet(
            f"the set {name} is frozen already", "take a new name; --again writes the newest anew, before its release"
        )
    if there and order(name) < order(there[-1]):
        raise BadSet(f"{name} is older than the newest set {there[-1]}", "take a newer name")
    path = folder / f"{name}.toml"
    made = freeze(name)
    text = render(made)
    if parse(text, path.name) != made:
        raise BadSet(f"what would be written for {name} does not read back", "this is a fault of the tool")
    try:
        write_whole(path, text)
    except OSError as error:
        raise BadSet(f"cannot write {path}: {error}", "name a folder that can be written: --folder") from error
    return f"wrote {path.name}: {_summary(made)}"


def _summary(one: RequirementSet) -> str:
    scenarios = {cell.rpartition(":")[0] for cell in one.cells}
    return f"{one.name}: {len(scenarios)} scenarios, {len(one.cells)} cells, {len(one.checks)} checks"


def _added(old: RequirementSet, new: RequirementSet) -> list[str]:
    lines = [f"new cell   {cell}" for cell in sorted(new.cells - old.cells)]
    lines += [f"new check  {check} ({new.checks[check]})" for check in sorted(set(new.checks) - set(old.checks))]
    lines += [
        f"stricter   {check} ({old.checks[check]} -> {new.checks[check]})"
        for check in sorted(set(new.checks) & set(old.checks))
        if new.checks[check] != old.checks[check]
    ]
    lines += [f"counts     {id_}, whose wire was only permitted" for id_ in sorted(old.permitted - new.permitted)]
    return lines or [f"{new.name} scores no more than {old.name}"]


if __name__ == "__main__":
    sys.exit(main())

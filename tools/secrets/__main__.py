"""Command line: `python -m tools.secrets [PATH ...]` looks for credentials in every file that git would keep."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from conformance.errors import BadOption, ConformanceError
from tools.secrets import own_key
from tools.secrets.forms import find

_ROOT = Path(__file__).parents[2]
_CACHES = (".", "__pycache__", "node_modules")
_SHOWN = 6
_MEND = """\
  mend: take it out, and revoke it where it was real; a test that needs one puts it together from pieces, and an
        address for documentation is 192.0.2.1 or 2001:db8::1"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit code: 0, 1 where something was found, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m tools.secrets", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files or folders; the repository if none")
    options = parser.parse_args(arguments)
    try:
        found = [line for path in _files(options.paths) for line in scan(path)]
    except ConformanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in found:
        print(line)
    if found:
        print(_MEND, file=sys.stderr)
    return 1 if found else 0


def scan(path: Path) -> Iterator[str]:
    """What a file holds, one line each: place, kind, first characters. A byte that is no UTF-8 is no letter."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for hit in find(text, settled=True):
        shown = text[hit.start : hit.end][: max(_SHOWN, hit.keep)].split("\n")[0]
        yield f"{path}:{text.count(chr(10), 0, hit.start) + 1}: {hit.form.name}: {shown}..."
    for variable in sorted(set(own_key.VARIABLES.values())):
        key = os.environ.get(variable, "")
        if len(key) >= own_key.SHORTEST and (coding := own_key.coding_of(key, text)):
            yield f"{path}: the value of {variable}, {coding}"


def _files(paths: list[Path]) -> Iterator[Path]:
    if not paths:
        yield from _kept()
    for path in paths:
        if not path.exists():
            raise BadOption(f"nothing lies at {path}", "name files or folders that exist")
        yield from sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]


def _kept() -> Iterator[Path]:
    """The files of the repository that git keeps, or would keep; all but caches where there is no git."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        # What runs is a constant.
        listed = subprocess.run(command, cwd=_ROOT, capture_output=True, check=True)  # noqa: S603
        names = listed.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        every = (path.relative_to(_ROOT) for path in sorted(_ROOT.rglob("*")))
        names = [str(path) for path in every if not any(part.startswith(_CACHES) for part in path.parts[:-1])]
    for name in names:
        if name and (_ROOT / name).is_file():
            yield Path(os.path.relpath(_ROOT / name))


if __name__ == "__main__":
    sys.exit(main())

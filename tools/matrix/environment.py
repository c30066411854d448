"""One virtual environment a subject, made once and kept while what it is made from stays the same. No test is run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import IO

from conformance.errors import ConformanceError
from tools.matrix.subjects import ROOT, Subject

_TAIL = 6


class NotInstalled(ConformanceError):
    """An environment could not be made; the others are unharmed."""


def python_of(subject: Subject, home: Path, log: Path) -> Path:
    """The interpreter of a subject's environment, which is made where it is not there or out of date.

    Args:
        subject: whose.
        home: the folder that holds all environments.
        log: where the output of the installers goes.

    Raises:
        NotInstalled: it could not be made; the message has the end of the installer's output.
    """
    folder = home / subject.slug
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    stamp = folder / "made-from"
    if python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == subject.digest:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    venv.EnvBuilder(with_pip=True, symlinks=sys.platform != "win32").create(folder)
    with log.open("w", encoding="utf-8") as out:
        for command, where in _commands(subject, python):
            out.write(f"$ {' '.join(command)}\n")
            out.flush()
            _run(subject, command, where, log, out)
    stamp.write_text(subject.digest, encoding="utf-8")
    return python


def _commands(subject: Subject, python: Path) -> list[tuple[list[str], Path]]:
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subject.extra is not None:  # one pin, everything else as that version's own bounds allow today
        commands = [([*pip, *subject.requirements, "-e", f"{ROOT}[{subject.extra}]"], ROOT)]
    else:
        commands = [([*pip, *subject.requirements], ROOT), ([*pip, "--no-deps", "-e", str(ROOT)], ROOT)]
    if subject.npm is not None:
        commands.append(([shutil.which("npm") or "npm", "ci", "--no-audit", "--no-fund"], subject.npm))
    return commands


def _run(subject: Subject, command: list[str], where: Path, log: Path, out: IO[str]) -> None:
    try:
        # The commands are this file's own, and no shell reads them.
        done = subprocess.run(command, cwd=where, stdout=out, stderr=subprocess.STDOUT, check=False)  # noqa: S603
    except OSError as error:
        raise NotInstalled(f"{subject.name}: {command[0]} cannot be run: {error}", "install it") from error
    if done.returncode:
        raise NotInstalled(f"{subject.name} could not be installed: {tail(log)}", f"see {log}")


def tail(log: Path) -> str:
    """The end of a log on one line."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return " | ".join(lines[-_TAIL:])

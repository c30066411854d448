"""A process for test_killed: records again and again in forks, each of which ends at another step on the disk.

Usage: killing.py HOW FIRST WORK ARGUMENTS, where HOW is kill, interrupt or full; FIRST holds what lies in the
corpus before; WORK is where it is recorded into. Prints JSON: for each step what lay there after it.
It has one thread only, as a process that forks should.
"""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tools.record import transaction
from tools.record.__main__ import main

End = Callable[[], None]


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def arm(step: int, end: End) -> None:
    """Let the disk end the process at a step: in the middle of it, where it has one."""
    steps = iter(range(1, 10_000))
    plain = {name: getattr(transaction.Disk, name) for name in ("write", "move", "make", "settle", "remove")}

    def wrapped(name: str) -> Callable[..., None]:
        def method(self: transaction.Disk, *arguments: Any) -> None:
            if next(steps) != step:
                plain[name](self, *arguments)
                return
            if name == "write":
                path, data = arguments
                path.write_bytes(data[: len(data) // 2])
            if name == "remove" and arguments[0].is_dir():
                for each in [each for each in arguments[0].rglob("*") if each.is_file()][:1]:
                    each.unlink()
            end()
            plain[name](self, *arguments)  # an interrupt that is held back for a while

        return method

    for name in plain:
        setattr(transaction.Disk, name, wrapped(name))


def fork(step: int, end: End, arguments: list[str]) -> int:
    """Run the recorder in a fork; its exit code, -9 where it was killed."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.fsync = lambda _: None  # what a process has written outlives it; only a power cut would tell
            arm(step, end)
            code = main(arguments)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def tree(root: Path) -> dict[str, str]:
    """The files; of those with times only where the chunks end."""
    found = {}
    for path in sorted(each for each in root.rglob("*") if each.is_file()):
        text = path.read_text(encoding="utf-8")
        if path.name.endswith(".chunks.json"):
            text = str([end for end, _ in json.loads(text)["chunks"]])
        found[str(path.relative_to(root))] = text
    return found


def state(root: Path, old: dict[str, str], new: dict[str, str]) -> str:
    """Which recording lies there, and whether anything else does."""
    found = {name: text for name, text in tree(root).items() if not name.startswith(transaction.FOLDER)}
    return "old" if found == old else "new" if found == new else "mixed"


def seen(how: str, first: Path, work: Path, arguments: list[str]) -> Iterator[dict[str, Any]]:
    end = {"kill": kill, "interrupt": interrupt, "full": full}[how]
    with redirect_stdout(io.StringIO()):
        main([*arguments, "--dry-run"])  # what is read and compiled once is not to be done again in each fork
    old = tree(first)
    shutil.copytree(first, work)
    assert fork(0, end, arguments) == 0
    new = tree(work)
    for step in range(1, 1000):
        shutil.rmtree(work)
        shutil.copytree(first, work)
        code = fork(step, end, arguments)
        row: dict[str, Any] = {"code": code, "after": state(work, old, new)}
        # The recovery is killed too, each time a step later, until one comes through.
        recover = ["--recover", "--corpus", str(work)]
        row["recoveries"] = next(tries for tries in range(how == "kill", 200) if fork(tries, end, recover) == 0)
        row["recovered"] = state(work, old, new)
        row["left"] = (work / transaction.FOLDER).exists()
        yield row
        if code == 0:
            return


if __name__ == "__main__":
    how, first, work, *arguments = sys.argv[1:]
    print(json.dumps(list(seen(how, Path(first), Path(work), [*arguments, "--corpus", work]))))

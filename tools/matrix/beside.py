"""Starts what a subject needs to have running beside the suite (a gateway), and ends it. No verdict, no environment."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from conformance.errors import ConformanceError
from tools.matrix.environment import tail
from tools.matrix.subjects import ROOT, Subject

HOST = "127.0.0.1"
_READY_SECONDS = 120.0
_END_SECONDS = 10.0


class NotStarted(ConformanceError):
    """What a subject needs beside it does not run."""


@contextmanager
def beside(subject: Subject, python: Path, log: Path) -> Iterator[Mapping[str, str]]:
    """Run the subject's command while the block runs; what the `{port}`s in its adapter's name stand for.

    Args:
        subject: whose; one without a command needs nothing.
        python: the interpreter of its environment; the command is looked for beside it.
        log: where its output goes.

    Raises:
        NotStarted: it cannot be run, ended, or listens nowhere; the message has the end of its output.
    """
    if subject.start is None:
        yield {}
        return
    ports = {"port": str(_free_port()), "upstream": str(_free_port())}
    words = [word.format(bin=python.parent, root=ROOT, **ports) for word in shlex.split(subject.start)]
    environment = {**os.environ, "UPSTREAM": f"http://{HOST}:{ports['upstream']}", "PYTHONUNBUFFERED": "1"}
    environment |= {
        name: value.format(**ports, upstream_url=environment["UPSTREAM"]) for name, value in subject.variables
    }
    with log.open("w", encoding="utf-8") as out:
        try:
            # The command is one of this repository's own requirements files, and no shell reads it. A group of its
            # own, so that what it starts in turn ends with it.
            process = subprocess.Popen(  # noqa: S603
                words, cwd=log.parent, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
            )
        except OSError as error:
            raise NotStarted(f"{subject.name}: {words[0]} cannot be run: {error}", "see its requirements") from error
        try:
            _wait(subject, process, int(ports["port"]), log)
            yield ports
        finally:
            _end(process)


def _wait(subject: Subject, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise NotStarted(f"{subject.name} ended with exit code {process.returncode}: {tail(log)}", f"see {log}")
        with suppress(OSError):
            socket.create_connection((HOST, port), timeout=1).close()
            return
        time.sleep(0.2)
    raise NotStarted(f"{subject.name} does not listen after {_READY_SECONDS:g} s: {tail(log)}", f"see {log}")


def _end(process: subprocess.Popen[bytes]) -> None:
    for which in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, which)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
            return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port

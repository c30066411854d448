"""The adapter behind `--adapter "exec:COMMAND"`: a binding in any language, as one process for the whole run.

A line of JSON goes in for each call, lines of JSON come out; their form is exec_lines.py's. A process that is
still at a call when the next one comes (the suite gave it up) is ended and started anew.
"""

from __future__ import annotations

import itertools
import queue
import shlex
import subprocess
import threading
import warnings
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from conformance.adapters import exec_lines
from conformance.contract import Call, Part, Reply
from conformance.errors import AdapterBroken
from conformance.vocabulary import Api, Gap, Vocabulary

_HELLO_SECONDS = 60.0
_SLIPS = frozenset({"TypeError", "ReferenceError", "RangeError", "SyntaxError"})
"""Exceptions of a language itself, which nobody chose; `TypeError` is also what JavaScript's transport throws."""


class RemoteError(Exception):
    """Root of the exceptions that a binding reports; the class has the name of the one that was raised there."""

    status: int | None = None


class ExecAdapter:
    """Speaks for a process.

    Args:
        command: what to run, as a shell would split it; no shell is used.
    """

    name: str
    version: str | None
    apis: frozenset[Api]
    vocabulary: Vocabulary
    lacks: frozenset[Gap]

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        self._numbers = itertools.count(1)
        self._process: _Process | None = None
        number = next(self._numbers)
        lines = self._send(exec_lines.hello(number), number)
        told = exec_lines.identity(lines.next(_HELLO_SECONDS))
        lines.close()
        for key, value in told.items():
            setattr(self, key, value)

    def complete(self, call: Call) -> Reply:
        reply = None
        for data in self._answers("buffered", call):
            reply = exec_lines.reply_of(data)
        if reply is None:
            raise AdapterBroken("the binding said `done` without a reply", "write one `reply` or `wire` line before")
        return reply

    def stream(self, call: Call) -> Iterator[Part]:
        return map(exec_lines.part_of, self._answers("streamed", call))

    def _answers(self, mode: str, call: Call) -> Iterator[dict[str, Any]]:
        number = next(self._numbers)
        lines = self._send(exec_lines.ask(number, mode, call), number)
        while True:
            data = lines.next()
            if data.get("done"):
                lines.close()
                return
            if "raised" in data:
                lines.close()
                raise _raised(data["raised"])
            if "warning" in data:
                warnings.warn(str(data["warning"]), stacklevel=2)
            else:
                yield data

    def _send(self, line: str, number: int) -> _Lines:
        if self._process is None or self._process.busy or not self._process.alive:
            if self._process is not None:
                self._process.end()
            self._process = _Process(self._command)
        return self._process.ask(line, number)


def build(command: str) -> ExecAdapter:
    """The factory behind `--adapter "exec:COMMAND"`.

    Raises:
        AdapterBroken: the command cannot be run, or does not say who it is.
    """
    return ExecAdapter(command)


class _Lines:
    """The answers to one call."""

    def __init__(self, process: _Process, number: int) -> None:
        self.number = number
        self.queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process = process

    def next(self, seconds: float | None = None) -> dict[str, Any]:
        try:
            line = self.queue.get(timeout=seconds)
        except queue.Empty:
            self._process.end()
            raise AdapterBroken(
                f"the binding did not answer `hello` within {seconds:.0f} seconds", "answer each line with lines"
            ) from None
        if line is None:
            raise AdapterBroken(
                f"the process of the binding ended (exit code {self._process.exit_code()})",
                "its standard error says why; it should read lines until its standard input ends",
            )
        data = exec_lines.message(line)
        if data["id"] != self.number:
            raise AdapterBroken(f"the binding answered {data['id']}, asked was {self.number}", "answer with that id")
        return data

    def close(self) -> None:
        self._process.busy = False


class _Process:
    """One process, and the thread that reads it."""

    def __init__(self, command: list[str]) -> None:
        try:
            # The command is the one that the user named; no shell reads it.
            self._popen = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=1
            )
        except (OSError, IndexError, ValueError) as error:
            what = command[0] if command else "nothing"
            raise AdapterBroken(
                f"cannot run {what}: {error}", 'name a command: --adapter "exec:node mine.mjs"'
            ) from None
        self.busy = False
        self._lines: _Lines | None = None
        self._lock = threading.Lock()
        self._ended = False
        self._finalizer = weakref.finalize(self, _end, self._popen)
        threading.Thread(target=_read, args=(self._popen, weakref.ref(self)), daemon=True).start()

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def ask(self, line: str, number: int) -> _Lines:
        self.busy = True
        lines = _Lines(self, number)
        with self._lock:
            self._lines = lines
            if self._ended:
                lines.queue.put(None)
        assert self._popen.stdin is not None  # noqa: S101 -- for the type checker: it is a pipe
        with suppress(OSError):  # a process that has gone shows when it is read
            self._popen.stdin.write(line + "\n")
            self._popen.stdin.flush()
        return lines

    def take(self, line: str | None) -> None:
        with self._lock:
            self._ended = self._ended or line is None
            if self._lines is not None:
                self._lines.queue.put(line)

    def exit_code(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(2)
        return self._popen.poll()

    def end(self) -> None:
        self._finalizer()


def _read(popen: subprocess.Popen[str], process: weakref.ref[_Process]) -> None:
    assert popen.stdout is not None  # noqa: S101 -- for the type checker: it is a pipe
    with suppress(ValueError, OSError):  # closed under our hands
        for line in popen.stdout:
            if line.strip() and (whose := process()) is not None:
                whose.take(line)
                del whose  # a strong reference would keep the process alive while the thread waits
    if (whose := process()) is not None:
        whose.take(None)


def _end(popen: subprocess.Popen[str]) -> None:
    popen.kill()
    popen.wait()
    for pipe in (popen.stdin, popen.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _raised(told: Any) -> Exception:
    """An exception of a class that is named as the one in the other language."""
    if not isinstance(told, dict) or not isinstance(told.get("kind"), str):
        raise AdapterBroken("a `raised` line has no `kind`", "say {kind, message, status}")
    kind = told["kind"]
    text = str(told.get("message", ""))
    slip = kind in _SLIPS  # a slip of the code is a slip in any language
    name, place = ("TypeError", "builtins") if slip else (kind, "remote")
    made: type[RemoteError] = type(name, (RemoteError,), {"__module__": place})
    error = made(f"{kind}: {text}" if slip else text)
    error.status = told.get("status")
    return error

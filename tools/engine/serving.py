"""Starts a real engine on loopback and stops it. What is asked of it is pytest's run."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from conformance.errors import ConformanceError
from conformance.vocabulary import Api

NAME = "random-weights"
"""What the model is called; llama.cpp's server answers for every name."""

_PATIENCE = 60.0
_TAIL = 15


class Engine(NamedTuple):
    """How one is started, and which APIs it serves.

    Attributes:
        command: from model and port to what follows the interpreter.
        apis: those that it serves.
    """

    command: Callable[[Path, int], list[str]]
    apis: tuple[Api, ...]


def _llama_cpp_python(model: Path, port: int) -> list[str]:
    where = ["--model", str(model), "--model_alias", NAME, "--host", "127.0.0.1", "--port", str(port)]
    return ["-m", "llama_cpp.server", *where, "--n_ctx", "2048", "--chat_format", "chatml"]


def _xllamacpp(model: Path, port: int) -> list[str]:
    return ["-m", "tools.engine.xllamacpp_server", str(model), str(port)]


ENGINES: Mapping[str, Engine] = {
    "llama-cpp-python": Engine(_llama_cpp_python, (Api.OPENAI_CHAT,)),
    "xllamacpp": Engine(_xllamacpp, (Api.OPENAI_CHAT, Api.OPENAI_RESPONSES, Api.ANTHROPIC_MESSAGES)),
}


class EngineBroken(ConformanceError):
    """The engine is not installed, or does not start."""


@contextmanager
def serving(engine: str, model: Path, log: Path) -> Iterator[str]:
    """The base URL of a server that runs while the block does.

    Args:
        engine: one of ENGINES.
        model: a GGUF file.
        log: where its output goes.

    Raises:
        EngineBroken: it is not installed, or does not listen within a minute.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, *ENGINES[engine].command(model, port)]
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)  # noqa: S603 -- our own interpreter, by its path
        try:
            _wait(engine, process, port, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(engine: str, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    start = time.monotonic()
    while time.monotonic() - start < _PATIENCE and process.poll() is None:
        if _listens(port):
            return
        time.sleep(0.2)
    tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL:])
    raise EngineBroken(f"{engine}'s server does not start:\n{tail}", f"make engine ENGINE={engine} installs it")


def _listens(port: int) -> bool:
    """Whether it answers at all; llama.cpp's says 503 while it loads the model."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(b"GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
            return b" 200 " in connection.recv(64)
    except OSError:
        return False

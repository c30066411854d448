"""P7: processor time of the replay server for one streamed request, against other servers with the same stream.

Each server is a process of its own; the client is one for all of them, and its time is not counted. The peers are
aimock, a Node server that fakes these APIs ($AIMOCK names its `llmock` command; `make bench` installs it), and the
least that asyncio can do. aimock makes its stream itself, so its bytes are taken and played by the others; its
frames leave it in one write, so `whole` is the delivery to compare with, and `per-frame` makes a write for each.
Reads /proc, so Linux only. `python -m benchmarks server`
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measure import Figure
from benchmarks.stream import REQUEST, body
from conformance.replay import Chunking, cut

TARGET = 0.4
ROUNDS = 5
REQUESTS = 300
CONNECTIONS = 8
PATIENCE = 20.0
PAYLOAD = json.dumps(REQUEST).encode()
WORDS = "".join(f" word {number:02}" for number in range(57))
WORD = len(" word 00")


class Peer:
    """A server in a process of its own."""

    def __init__(self, name: str, url: str, pid: int) -> None:
        self.name = name
        self._pid = pid
        self._host, _, path = url.removeprefix("http://").partition("/")
        head = f"POST /{path}{'/' if path else ''}v1/messages HTTP/1.1\r\nhost: {self._host}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(PAYLOAD)}\r\n\r\n"
        self._request = head.encode() + PAYLOAD
        self.cpu: list[float] = []
        self.wall: list[float] = []

    def round(self, requests: int) -> bytes:
        """So many calls over a few kept connections; the last reply is returned as it came."""
        busy, start = self._processor(), time.perf_counter()
        reply = asyncio.run(self._calls(requests))
        self.wall.append((time.perf_counter() - start) / requests)
        self.cpu.append((self._processor() - busy) / requests)
        return reply

    def _processor(self) -> float:
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def _calls(self, requests: int) -> bytes:
        replies = await asyncio.gather(*(self._connection(requests // CONNECTIONS) for _ in range(CONNECTIONS)))
        return replies[-1]

    async def _connection(self, requests: int) -> bytes:
        host, _, port = self._host.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        reply = b""
        for _ in range(requests):
            writer.write(self._request)
            reply = await asyncio.wait_for(reader.readuntil(b"\r\n0\r\n\r\n"), PATIENCE)
            assert reply.startswith(b"HTTP/1.1 200"), reply[:200]
        writer.close()
        return reply


def payload(reply: bytes) -> bytes:
    """The body of a chunked reply."""
    _, _, rest = reply.partition(b"\r\n\r\n")
    found = b""
    while True:
        size, _, rest = rest.partition(b"\r\n")
        if not (length := int(size, 16)):
            return found
        found, rest = found + rest[:length], rest[length + 2 :]


@contextmanager
def aimock(command: str) -> Iterator[Peer]:
    """aimock, with one answer of 57 words."""
    with TemporaryDirectory() as folder, socket.socket() as probe:
        fixture = {"match": {"userMessage": "Count."}, "response": {"content": WORDS}}
        (Path(folder) / "fixture.json").write_text(json.dumps({"fixtures": [fixture]}))
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        options = ["-p", str(port), "-f", folder, "-c", str(WORD), "--log-level", "silent"]
        with ended(subprocess.Popen([command, *options], stdout=subprocess.DEVNULL)) as process:
            until = time.monotonic() + PATIENCE
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    if process.poll() is not None or time.monotonic() > until:
                        raise
                    time.sleep(0.05)
            yield Peer("aimock", f"http://127.0.0.1:{port}", process.pid)


@contextmanager
def own(kind: str, stream: bytes) -> Iterator[Peer]:
    """`benchmarks.serve` in a process of its own, which plays these bytes."""
    command = [sys.executable, "-m", "benchmarks.serve", kind]
    with ended(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin, process.stdout:
            process.stdin.write(stream)
            process.stdin.close()
            yield Peer(kind, process.stdout.readline().decode().strip(), process.pid)


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """End a process with the block."""
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def figures() -> Iterator[Figure]:
    """Processor time a request, and requests a second."""
    command = shutil.which(os.environ.get("AIMOCK", ""))
    with ExitStack() as running:
        peers: dict[str, Peer] = {}
        stream = body()
        if command is not None:
            peers["aimock"] = running.enter_context(aimock(command))
            stream = payload(peers["aimock"].round(CONNECTIONS))
        for kind in ("per-frame", "whole", "asyncio"):
            peers[kind] = running.enter_context(own(kind, stream))
            assert payload(peers[kind].round(CONNECTIONS)) == stream
        for turn in range(ROUNDS + 1):
            for peer in peers.values():
                peer.round(REQUESTS)
                if not turn:
                    peer.cpu.clear()
                    peer.wall.clear()
    cpu = {name: median(peer.cpu) for name, peer in peers.items()}
    note = ", ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in cpu.items())
    what = f"server, processor time of a stream of {len(cut(stream, Chunking.FRAME))} frames"
    if "aimock" in peers:
        yield Figure("P7", f"{what}, whole / aimock", cpu["whole"] / cpu["aimock"], TARGET, note=note)
        yield Figure("", f"{what}, per-frame / aimock, which joins them", cpu["per-frame"] / cpu["aimock"])
    else:
        yield Figure("P7", f"{what}, whole / aimock", None, TARGET, note="$AIMOCK names no command")
    yield Figure("", f"{what}, per-frame / raw asyncio", cpu["per-frame"] / cpu["asyncio"], note=note)
    for name, peer in peers.items():
        yield Figure("", f"throughput, {CONNECTIONS} connections: {name}", 1 / median(peer.wall), unit="/s")

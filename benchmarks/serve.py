"""A server in a process of its own, for `benchmarks.server`: reads a stream from stdin, prints its address, serves it.

`per-frame` and `whole` are the replay server under that chunking; `asyncio` is the least that asyncio can do, one
write a frame, no parsing. It serves until it is killed. Nothing is measured here.
"""

from __future__ import annotations

import asyncio
import sys
import threading

from benchmarks.stream import HEADERS, delivery
from conformance.replay import Chunking, ReplayServer, cut


class Least(asyncio.Protocol):
    """Answers whatever comes with one prepared reply, a write for each piece."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        for piece in self._pieces:
            self._transport.write(piece)  # type: ignore[attr-defined]  # asyncio hands TCP transports over by their root


def prepared(stream: bytes) -> list[bytes]:
    """The head, each frame as an HTTP chunk, the end."""
    lines = [f"{name}: {value}" for name, value in {**HEADERS, "transfer-encoding": "chunked"}.items()]
    head = "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()
    chunks = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in cut(stream, Chunking.FRAME)]
    return [head, *chunks, b"0\r\n\r\n"]


async def least(stream: bytes) -> None:
    """Serve by asyncio alone."""
    pieces = prepared(stream)
    server = await asyncio.get_running_loop().create_server(lambda: Least(pieces), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main(kind: str) -> None:
    """Serve what stdin holds."""
    stream = sys.stdin.buffer.read()
    if kind == "asyncio":
        asyncio.run(least(stream))
    with ReplayServer() as server:
        print(server.open(delivery(stream, Chunking(kind))).base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])

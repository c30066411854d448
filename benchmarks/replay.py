"""P1: a streamed call through the replay server against the same bytes from a bare h11 server and from vcrpy.

Processor time of client and server together, which share a process; one kept connection an arm. What the server
costs beside other servers is `benchmarks.server`. `python -m benchmarks replay`
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import h11
import httpx

from benchmarks.measure import Figure, interleaved
from benchmarks.stream import HEADERS, REQUEST, URI, body, delivery
from conformance.replay import Chunking, ReplayServer, cut

TARGET = 1.3
ROUNDS = 40
CALLS = 10


class BareServer:
    """The least that serves a stream: h11 on asyncio streams, one reply for everything."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        starting = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop)
        self._server = starting.result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        """Stop listening, and end the connections by ending their loop."""
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _shut(self) -> None:
        self._server.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        http = h11.Connection(h11.SERVER)
        headers = [*HEADERS.items(), ("transfer-encoding", "chunked")]
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                http.receive_data(await reader.read(65536))
            elif isinstance(event, h11.EndOfMessage):
                writer.write(http.send(h11.Response(status_code=200, headers=headers)) or b"")
                for piece in self._pieces:
                    writer.write(http.send(h11.Data(data=piece)) or b"")
                    await writer.drain()
                writer.write(http.send(h11.EndOfMessage()) or b"")
                http.start_next_cycle()
            elif isinstance(event, h11.ConnectionClosed):
                break
        writer.close()


def call(client: httpx.Client, url: str) -> bytes:
    """One streamed call, read to the end."""
    with client.stream("POST", url, json=REQUEST) as response:
        return b"".join(response.iter_raw())


def repeated(action: Callable[[], bytes], expected: bytes) -> Callable[[], None]:
    """An arm: a few calls, each of which must bring the very bytes."""

    def arm() -> None:
        for _ in range(CALLS):
            assert action() == expected

    return arm


def recorded(stream: bytes, path: Path) -> None:
    """Write the exchange as a cassette that stock vcrpy replays."""
    from vcr.cassette import Cassette
    from vcr.persisters.filesystem import FilesystemPersister
    from vcr.request import Request
    from vcr.serializers import yamlserializer

    cassette = Cassette(str(path))
    reply = {
        "status": {"code": 200, "message": "OK"},
        "headers": {name: [value] for name, value in HEADERS.items()},
        "body": {"string": stream},
    }
    cassette.append(Request("POST", URI, b"{}", {}), reply)
    FilesystemPersister.save_cassette(str(path), cassette._as_dict(), yamlserializer)  # noqa: SLF001 -- no public way


def against_vcrpy(server: ReplayServer, stream: bytes) -> Figure:
    """A call in process through stock vcrpy, its cassette held open, against the same call through the server."""
    import vcr

    with TemporaryDirectory() as folder, httpx.Client() as client:
        path = Path(folder) / "cassette.yaml"
        recorded(stream, path)
        replayer = vcr.VCR(record_mode="none", match_on=["method", "uri"])

        def patched() -> None:
            with replayer.use_cassette(str(path), allow_playback_repeats=True), httpx.Client() as inside:
                repeated(partial(call, inside, URI), stream)()

        with server.playing(delivery(stream, Chunking.WHOLE)) as play:
            arms = {"ours": repeated(partial(call, client, f"{play.base_url}/v1/messages"), stream), "vcrpy": patched}
            took = interleaved(arms, ROUNDS // 2)
    note = f"{took['ours'] / CALLS * 1e3:.2f} ms a call, vcrpy {took['vcrpy'] / CALLS * 1e3:.2f} ms"
    return Figure("", "a replayed call, server / vcrpy in process", took["ours"] / took["vcrpy"], note=note)


def against_bare(server: ReplayServer, stream: bytes, chunking: Chunking) -> Figure:
    """P1 for one chunking."""
    bare = BareServer(cut(stream, chunking))
    with httpx.Client() as client:

        def replayed() -> bytes:
            with server.playing(delivery(stream, chunking)) as play:
                return call(client, f"{play.base_url}/v1/messages")

        arms = {
            "bare": repeated(partial(call, client, f"{bare.url}/v1/messages"), stream),
            "ours": repeated(replayed, stream),
        }
        took = interleaved(arms, ROUNDS)
    bare.close()
    note = f"{took['ours'] / CALLS * 1e3:.2f} ms a call, h11 {took['bare'] / CALLS * 1e3:.2f} ms"
    return Figure("P1", f"a replayed call {chunking} / bare h11", took["ours"] / took["bare"], TARGET, note=note)


def per_byte(server: ReplayServer, stream: bytes) -> Figure:
    """What the finest chunking costs, its pauses included."""
    with httpx.Client() as client, server.playing(delivery(stream, Chunking.BYTE)) as play:
        arm = partial(call, client, f"{play.base_url}/v1/messages")
        took = interleaved({"per-byte": arm}, 10, time.perf_counter)
    return Figure("", f"a replayed call per-byte, {len(stream)} HTTP chunks", took["per-byte"] * 1e3, unit="ms")


def figures() -> Iterator[Figure]:
    """Against a bare server for frames and whole bodies, then the finest chunking, then vcrpy."""
    stream = body()
    with ReplayServer() as server:
        yield against_bare(server, stream, Chunking.FRAME)
        yield against_bare(server, stream, Chunking.WHOLE)
        yield per_byte(server, stream)
        yield against_vcrpy(server, stream)

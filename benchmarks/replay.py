"""P1: a streamed call through the replay server against the same bytes from a bare h11 server. No other target.

Run it with `python -m benchmarks.replay`. Rounds are interleaved, each arm has one kept
connection, and the ratio is of medians.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

import h11
import httpx

from conformance.corpus import Exchange
from conformance.replay import Chunking, Delivery, ReplayServer, cut
from conformance.vocabulary import Mode
from conformance.wire.sse import Event, encode

TARGET = 1.3
ROUNDS = 60
CALLS = 10
SCENARIO = "anthropic-messages/benchmark"
REQUEST = {"model": "claude", "max_tokens": 64, "stream": True, "messages": [{"role": "user", "content": "Count."}]}
HEADERS = {"content-type": "text/event-stream; charset=utf-8", "request-id": "req_1", "server": "cloudflare"}


def body() -> bytes:
    """A stream of 59 frames, as long as a short Anthropic reply."""
    start: dict[str, object] = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}}
    words: Iterator[dict[str, object]] = (
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f" word {n}"}}
        for n in range(57)
    )
    payloads: list[dict[str, object]] = [start, *words, {"type": "message_stop"}]
    return encode(Event(str(data["type"]), data) for data in payloads)


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


def call(client: httpx.Client, root: str) -> bytes:
    """One streamed call, read to the end."""
    with client.stream("POST", f"{root}/v1/messages", json=REQUEST) as response:
        return b"".join(response.iter_raw())


def timed(action: Callable[[], object], times: int = CALLS) -> float:
    """Milliseconds for one action, averaged over a few."""
    start = time.perf_counter()
    for _ in range(times):
        action()
    return (time.perf_counter() - start) / times * 1000


def ratio(server: ReplayServer, exchange: Exchange, chunking: Chunking) -> str:
    """P1 for one chunking, as a line to print."""
    delivery = Delivery(SCENARIO, {Mode.STREAMED: (exchange,)}, chunking)

    def replayed() -> None:
        with server.playing(delivery) as play:
            assert call(client, play.base_url) == exchange.body

    def served() -> None:
        assert call(client, bare.url) == exchange.body

    bare = BareServer(cut(exchange.body, chunking))
    ours, floor = [], []
    with httpx.Client() as client:
        for _ in range(ROUNDS):
            floor.append(timed(served))
            ours.append(timed(replayed))
    bare.close()
    times = f"{median(ours):.2f} ms a call, bare h11 {median(floor):.2f} ms"
    return f"P1 {chunking}: {median(ours) / median(floor):.2f} ({times}; target at most {TARGET})"


def main() -> None:
    """Print P1 for whole bodies and for frames, then what each chunking costs."""
    exchange = Exchange("POST", "https://api.anthropic.com/v1/messages", REQUEST, 200, HEADERS, body())
    with ReplayServer() as server:
        for chunking in (Chunking.FRAME, Chunking.WHOLE):
            print(ratio(server, exchange, chunking))
        with httpx.Client() as client:
            for chunking in Chunking:
                with server.playing(Delivery(SCENARIO, {Mode.STREAMED: (exchange,)}, chunking)) as play:
                    cost = timed(partial(call, client, play.base_url), 3)
                print(f"   {chunking}: {cost:.1f} ms a call, {len(cut(exchange.body, chunking))} chunks")


if __name__ == "__main__":
    main()

"""The loopback server that plays deliveries, byte for byte. Cutting, matching and HTTP itself are its neighbours' work.

One server a run, in one daemon thread. A play is the first segment of the path, so plays are
independent and may run at once. Its errors end in `Play.problem`, never in a log or a traceback.
A second port stands for the other host that a redirect points to: it writes down who came and refuses.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit

from conformance.errors import HarnessError
from conformance.replay.addressing import Sent, read_request
from conformance.replay.behind import is_for
from conformance.replay.delivery import Delivery, Miss, Play
from conformance.replay.http1 import Connection, Request
from conformance.replay.sending import play_answer

HOST = "127.0.0.1"
_START_SECONDS = 10.0

_Reply = Callable[[Connection, Request], Awaitable[None]]
Unaddressed = Callable[[Connection, Request], Awaitable[tuple[Play, str] | None]]


class ReplayServer:
    """Plays deliveries over HTTP/1.1 on a port of its own. All methods are safe from any thread.

    Args:
        port: where to listen; 0 for any free port.
        unaddressed: asked about a request that is for no open play, in the server's own thread; it names the play
            and the path below it, or has answered and returns None.
        behind_gateway: a request without a play's address is for the one play that is open.
    """

    def __init__(self, port: int = 0, unaddressed: Unaddressed | None = None, *, behind_gateway: bool = False) -> None:
        self._behind_gateway = behind_gateway
        self._wanted_port = port
        self._unaddressed = unaddressed
        self._plays: dict[str, Play] = {}
        self._numbers = itertools.count(1)
        self._connections: set[asyncio.Task[Any]] = set()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._port = 0
        self._other_port = 0

    @property
    def port(self) -> int:
        """Where it listens; 0 before it is started."""
        return self._port

    def start(self) -> Self:
        """Listen; returns when connections are accepted.

        Raises:
            HarnessError: no port could be had, or it has been started already.
        """
        if self._thread is not None:
            raise HarnessError("the replay server has been started already", "start it once a run")
        ready: Future[tuple[int, int]] = Future()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="conformance-replay", daemon=True)
        self._thread.start()
        try:
            self._port, self._other_port = ready.result(_START_SECONDS)
        except OSError as error:
            self.stop()
            raise HarnessError(f"cannot listen on {HOST}: {error}", "allow loopback sockets") from error
        return self

    def stop(self) -> None:
        """Close every connection and the port. Harmless where it is not running."""
        thread, self._thread = self._thread, None
        if self._loop is not None and self._stopping is not None:
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._stopping.set)
        if thread is not None:
            thread.join()
        self._loop = self._stopping = None
        self._plays.clear()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def open(self, delivery: Delivery) -> Play:
        """Begin a play. Its address names the scenario and the chunking, for whoever reads an error message.

        Raises:
            HarnessError: the server is not running, or the scenario's id names no API.
        """
        if self._thread is None:
            raise HarnessError("the replay server is not running", "start it before a delivery is opened")
        segment = f"{delivery.api}~{delivery.scenario.partition('/')[2]}~{delivery.chunking}~{next(self._numbers)}"
        play = Play(delivery, f"http://{HOST}:{self._port}/{segment}")
        self._plays[segment] = play
        return play

    def close(self, play: Play) -> None:
        """End a play: its address is unknown from now on, its log stays."""
        self._plays.pop(play.base_url.rpartition("/")[2], None)
        play.release()

    @contextmanager
    def playing(self, delivery: Delivery) -> Iterator[Play]:
        """`open` and `close` around a block."""
        play = self.open(delivery)
        try:
            yield play
        finally:
            self.close(play)

    def _run(self, ready: Future[tuple[int, int]]) -> None:
        try:
            asyncio.run(self._serve(ready))
        except Exception as error:  # noqa: BLE001 -- handed to the thread that waits in start()
            if not ready.done():
                ready.set_exception(error)

    async def _serve(self, ready: Future[tuple[int, int]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        # What asyncio would print here is a client that went away, which adapters under test do.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        server = await asyncio.start_server(partial(self._connected, self._reply), HOST, self._wanted_port)
        other = await asyncio.start_server(partial(self._connected, self._elsewhere), HOST, 0)
        ready.set_result((_port_of(server), _port_of(other)))
        await self._stopping.wait()
        server.close()
        other.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reply: _Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 -- for the type checker: asyncio runs this as a task
        self._connections.add(task)
        http = Connection(reader, writer)
        try:
            while (request := await http.request()) is not None:
                await reply(http, request)
                if not http.again():
                    break
        except (OSError, asyncio.CancelledError):
            writer.transport.abort()  # the client has gone, or the server is stopping
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            self._connections.discard(task)

    async def _reply(self, http: Connection, request: Request) -> None:
        target = urlsplit(request.target)
        segment, _, rest = target.path.removeprefix("/").partition("/")
        play = self._plays.get(segment)
        if play is None and self._behind_gateway:
            play, rest = self._meant(request), target.path.removeprefix("/")
            segment = play.base_url.rpartition("/")[2] if play is not None else segment
        elif play is None and self._unaddressed is not None:
            found = await self._unaddressed(http, request)
            if found is None:
                return
            play, rest = found
            segment = play.base_url.rpartition("/")[2]
        if play is None:
            self._nobody(request, segment)
            await http.refuse(404, "no such play")
            return
        try:
            sent = _sent(play, request, rest)
            answer = play.answer(sent)
            if isinstance(answer, Miss):
                await http.refuse(answer.status, answer.problem)
            else:
                other = f"http://{HOST}:{self._other_port}/{segment}/{rest}"
                await play_answer(http, play, sent, answer, other)
        except OSError:
            raise
        except Exception as error:
            play.fail(f"the replay server could not answer {request.method} {request.target}: {error!r}")
            raise ConnectionAbortedError from error

    async def _elsewhere(self, http: Connection, request: Request) -> None:
        segment, _, rest = urlsplit(request.target).path.removeprefix("/").partition("/")
        if (play := self._plays.get(segment)) is not None:
            play.elsewhere.append(_sent(play, request, rest))
        await http.refuse(403, "this is not the host that was called")

    def _meant(self, request: Request) -> Play | None:
        """The play that a gateway's request is for; None for a late one of a play that has ended."""
        plays = list(self._plays.values())
        return plays[0] if len(plays) == 1 and is_for(plays[0].delivery, request.body) else None

    def _nobody(self, request: Request, segment: str) -> None:
        # Where only one play is open, a request without its segment is its adapter's; a segment
        # with a tilde is a late request of a play that has ended.
        plays = list(self._plays.values())
        if len(plays) == 1 and "~" not in segment and not self._behind_gateway:
            plays[0].stray(
                f"the binding asked for {request.method} {request.target}, without the path of "
                f"{plays[0].base_url}: check how it builds its address from call.base_url"
            )


def _sent(play: Play, request: Request, path: str) -> Sent:
    return read_request(
        play.delivery.api,
        request.method,
        f"/{path}",
        urlsplit(request.target).query,
        headers=request.headers,
        body=request.body,
    )


def _port_of(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port

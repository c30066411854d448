"""The server's side of one HTTP/1.1 connection: h11 on asyncio streams. What is answered is not decided here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

import h11

_READ = 65536
_MAX_HEAD = 65536

Headers = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came: `target` is path and query."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes


class Connection:
    """Reads requests and writes replies, one after the other. Errors of the socket pass through."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD)
        self._bodiless = False  # a reply to HEAD

    async def request(self) -> Request | None:
        """The next request; None where the client has gone, or speaks something else and has been told so."""
        try:
            return await self._request()
        except h11.RemoteProtocolError as error:
            if self._http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
                await self.refuse(error.error_status_hint, f"not HTTP/1.1: {error}")
            return None

    async def begin(self, status: int, headers: Headers, *, length: int | None) -> None:
        """Send the head. `length` None: chunked, one HTTP chunk for each `send`."""
        framing = ("transfer-encoding", "chunked") if length is None else ("content-length", str(length))
        lines = [(name.encode(), value.encode()) for name, value in (*headers, framing)]
        await self._write(h11.Response(status_code=status, headers=lines, reason=_phrase(status)))

    async def send(self, piece: bytes) -> None:
        """Send a piece of the body, in a chunked body as an HTTP chunk of its own."""
        await self._write(h11.Data(data=piece))

    async def send_joined(self, pieces: Iterable[bytes]) -> None:
        """`send` for many pieces, in one write."""
        data = b"".join([self._http.send(h11.Data(data=piece)) or b"" for piece in pieces])
        self._writer.write(data)
        await self._writer.drain()

    async def end(self) -> None:
        """The body is whole."""
        await self._write(h11.EndOfMessage())

    async def refuse(self, status: int, message: str) -> None:
        """Answer with the suite's own error, marked as such."""
        body = json.dumps({"error": {"message": f"conformance: {message}"}}).encode()
        # The official SDKs obey this header; a retry would ask the same again after a pause.
        headers = (("content-type", "application/json"), ("x-should-retry", "false"))
        await self.begin(status, headers, length=len(body))
        if not self._bodiless:
            await self.send(body)
        await self.end()

    def again(self) -> bool:
        """Get ready for the next request; False where the connection ends here."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            return True
        return False

    async def _request(self) -> Request | None:
        head: h11.Request | None = None
        body: list[bytes] = []
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    await self._write(h11.InformationalResponse(status_code=100, headers=[]))
                self._http.receive_data(await self._reader.read(_READ))
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                method = head.method.decode("ascii")
                self._bodiless = method == "HEAD"
                headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers]
                return Request(method, head.target.decode("latin-1"), headers, b"".join(body))
            else:
                return None

    async def _write(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            self._writer.write(data)
            await self._writer.drain()


def _phrase(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""  # 529 and its like are no standard's

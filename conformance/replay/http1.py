"""The server's side of one HTTP/1.1 connection: h11 on asyncio streams. What is answered is not decided here."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

import h11

from conformance.vocabulary import Framing

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
        self._bare = False  # a body that lasts until the connection closes
        self._chunked = False
        self._head = b""  # not sent yet

    async def request(self) -> Request | None:
        """The next request; None where the client has gone, or speaks something else and has been told so."""
        try:
            return await self._request()
        except h11.RemoteProtocolError as error:
            if self._http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
                await self.refuse(error.error_status_hint, f"not HTTP/1.1: {error}")
            return None

    def begin(self, status: int, headers: Headers, *, framing: Framing, length: int = 0) -> None:
        """Make the head, which goes out with the first piece; in a chunked body each `send` is an HTTP chunk.

        Args:
            status: as it goes out.
            headers: beside what tells the body's end.
            framing: how the end of the body will be told.
            length: what a content-length promises.
        """
        told = {
            Framing.LENGTH: ("content-length", str(length)),
            Framing.CHUNKED: ("transfer-encoding", "chunked"),
            Framing.CLOSE: ("connection", "close"),
        }[framing]
        lines = [(name.encode(), value.encode()) for name, value in (*headers, told)]
        if framing is Framing.CLOSE:
            # h11 would chunk such a body for an HTTP/1.1 client, so it does not get to see it.
            self._bare = True
            head = [b"HTTP/1.1 %d %s" % (status, _phrase(status)), *(b"%s: %s" % line for line in lines), b"", b""]
            self._head = b"\r\n".join(head)
        else:
            self._head = self._http.send(h11.Response(status_code=status, headers=lines, reason=_phrase(status))) or b""
            # An HTTP/1.0 client does not know chunks, and HEAD has no body: h11 sees to those.
            self._chunked = (
                framing is Framing.CHUNKED and self._http.their_http_version != b"1.0" and not self._bodiless
            )

    async def send(self, piece: bytes) -> None:
        """Send a piece of the body, in a chunked body as an HTTP chunk of its own."""
        await self._put(self._framed(piece))

    async def send_joined(self, pieces: Iterable[bytes]) -> None:
        """`send` for many pieces, in one write."""
        await self._put(b"".join([self._framed(piece) for piece in pieces]))

    async def flush(self) -> None:
        """Send the head where nothing of the body has been sent yet."""
        await self._put(b"")

    async def end(self) -> None:
        """The body is whole; one that lasts until the connection closes ends with `again`."""
        await self._put(b"" if self._bare else self._http.send(h11.EndOfMessage()) or b"")

    def reset(self) -> None:
        """Break the connection off with RST; nothing can be sent any more."""
        # With a linger time of zero the kernel sends RST where it would have sent FIN.
        no_linger = struct.pack("ii", 1, 0)
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_linger)
        self._writer.transport.abort()

    async def refuse(self, status: int, message: str) -> None:
        """Answer with the suite's own error, marked as such."""
        body = json.dumps({"error": {"message": f"conformance: {message}"}}).encode()
        # The official SDKs obey this header; a retry would ask the same again after a pause.
        headers = (("content-type", "application/json"), ("x-should-retry", "false"))
        self.begin(status, headers, framing=Framing.LENGTH, length=len(body))
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
                    await self._put(self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
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

    def _framed(self, piece: bytes) -> bytes:
        if self._bare:
            return piece
        if self._chunked:
            # As h11 writes it, without its bookkeeping: a body cut at every byte has thousands of pieces.
            return b"%x\r\n%b\r\n" % (len(piece), piece)
        return self._http.send(h11.Data(data=piece)) or b""

    async def _put(self, data: bytes) -> None:
        data, self._head = self._head + data, b""
        if data:
            self._writer.write(data)
            await self._writer.drain()


def _phrase(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""  # 529 and its like are no standard's

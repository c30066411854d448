"""One HTTP/1.1 request and its answer, with the places and times at which the body's chunks ended. No retry, no API.

h11 on a plain socket: HTTP libraries join chunks, and it is just their borders that are wanted.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import socket
import ssl
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import h11

from conformance.errors import BadOption
from tools.record.errors import NoAnswer

_CONNECT_SECONDS = 15.0
_SILENCE_SECONDS = 180.0
_READ = 65536
_MOST_BYTES = 32 * 1024 * 1024
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Where one HTTP chunk ended, in bytes of the decoded body, and when, in milliseconds after the request."""

    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        headers: names in lower case, in order; one name may come twice.
        body: content coding removed.
        chunks: the ends of the HTTP chunks; one entry for a body that was not chunked.
        chunked: whether the body came in HTTP chunks.
        local: whether a machine of this very network answered.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    chunks: tuple[Chunk, ...]
    chunked: bool
    local: bool

    def header(self, name: str) -> str:
        """The first value of a header, or the empty string."""
        return next((value for each, value in self.headers if each == name), "")


def origin(url: str) -> str:
    """A base URL without a slash at its end.

    Raises:
        BadOption: it is no address, or holds more than one.
    """
    parts = urlsplit(url)
    try:
        good = parts.scheme in _PORTS and parts.hostname and (parts.port or 1) and not (parts.query or parts.fragment)
    except ValueError:
        good = False
    if not good or "@" in parts.netloc:
        raise BadOption(f"{url!r} is no base URL", "give scheme and host, as http://127.0.0.1:8000, and nothing more")
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether an address names this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def post(url: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Answer:
    """Send a JSON body and read the whole answer.

    Raises:
        NoAnswer: nobody answers, the answer stops short, or its coding is not understood.
    """
    parts = urlsplit(url)
    data = json.dumps(body, ensure_ascii=False).encode()
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    lines = {
        "host": parts.netloc,
        "accept-encoding": "identity",
        "connection": "close",
        "content-type": "application/json",
        "content-length": str(len(data)),
        **headers,
    }
    try:
        with _connected(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme]) as wire:
            local = ipaddress.ip_address(wire.getpeername()[0].partition("%")[0]).is_loopback
            http = h11.Connection(h11.CLIENT)
            request = h11.Request(method="POST", target=target, headers=list(lines.items()))
            wire.sendall(b"".join([_sent(http, request), _sent(http, h11.Data(data=data))]))
            wire.sendall(_sent(http, h11.EndOfMessage()))
            return _read(wire, http, time.monotonic(), local=local)
    except (OSError, h11.RemoteProtocolError) as error:
        # The address is told without its path: some providers take keys there.
        raise NoAnswer(
            f"no answer from {parts.netloc}: {error or type(error).__name__}",
            "check the network; a proxy is not used",
            again=not isinstance(error, ssl.SSLCertVerificationError),
            billed=isinstance(error, h11.RemoteProtocolError | ConnectionResetError | TimeoutError),
        ) from error


def _connected(scheme: str, host: str, port: int) -> socket.socket:
    plain = socket.create_connection((host, port), _CONNECT_SECONDS)
    plain.settimeout(_SILENCE_SECONDS)
    if scheme == "http":
        return plain
    with contextlib.ExitStack() as undo:
        undo.callback(plain.close)
        wrapped = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        undo.pop_all()
    return wrapped


def _sent(http: h11.Connection, event: h11.Event) -> bytes:
    return http.send(event) or b""


def _read(wire: socket.socket, http: h11.Connection, start: float, *, local: bool) -> Answer:
    head: h11.Response | None = None
    unpack = _Unpack("")
    body = bytearray()
    chunks: list[Chunk] = []
    chunked = False
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            http.receive_data(wire.recv(_READ))
        elif isinstance(event, h11.Response):
            head = event
            unpack = _Unpack(_value(head, "content-encoding"))
            chunked = "chunked" in _value(head, "transfer-encoding").lower()
        elif isinstance(event, h11.Data):
            body += unpack.feed(bytes(event.data))
            if len(body) > _MOST_BYTES:
                raise NoAnswer(f"the answer is longer than {_MOST_BYTES} bytes", "this is no reply of a model")
            if chunked and event.chunk_end:
                chunks.append(Chunk(len(body), _since(start)))
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            body += unpack.end()
            if body and (not chunks or chunks[-1].end < len(body)):
                chunks.append(Chunk(len(body), _since(start)))
            break
        elif not isinstance(event, h11.InformationalResponse):
            raise h11.RemoteProtocolError("the connection ended before there was an answer")
    lines = tuple((name.decode().lower(), value.decode("latin-1")) for name, value in head.headers)
    return Answer(head.status_code, lines, bytes(body), tuple(chunks), chunked, local)


def _since(start: float) -> int:
    return round((time.monotonic() - start) * 1000)


def _value(head: h11.Response, name: str) -> str:
    return next((value.decode("latin-1") for each, value in head.headers if each.lower() == name.encode()), "")


class _Unpack:
    """Takes the content coding off, chunk by chunk. `identity` was asked for; some proxies pack all the same."""

    def __init__(self, coding: str) -> None:
        self._packed = coding.strip().lower()
        if self._packed not in ("", "identity", "gzip", "deflate"):
            raise NoAnswer(f"the body is packed as {coding!r}", "only gzip and deflate are understood")
        self._zlib = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # tells gzip from zlib by itself

    def feed(self, data: bytes) -> bytes:
        if self._packed in ("", "identity"):
            return data
        try:
            return self._zlib.decompress(data, _MOST_BYTES)
        except zlib.error as error:
            raise NoAnswer(f"the body does not unpack: {error}", again=True, billed=True) from error

    def end(self) -> bytes:
        if self._packed in ("", "identity"):
            return b""
        if not self._zlib.eof:
            raise NoAnswer("the packed body stops short", again=True, billed=True)
        return b""

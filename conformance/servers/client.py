"""One HTTP exchange with a server under test, under a time limit: what arrived is kept, however it ends. No judging."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from time import monotonic
from typing import Any

from conformance.servers.target import Target

_READ = 65536
_MOST = 8_000_000
"""Bytes after which a reply is given up: no answer to a few tokens is longer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        status: the HTTP status; None where no head arrived.
        chunks: pieces of the body in the order of their arrival, with the seconds since the request.
        broken: why the exchange did not end as HTTP says, or None.
        hung: the time limit was over first.
        unreachable: nothing listens there.
    """

    status: int | None = None
    content_type: str = ""
    chunks: tuple[tuple[float, bytes], ...] = ()
    broken: str | None = None
    hung: bool = False
    unreachable: bool = False

    @property
    def body(self) -> bytes:
        """All that arrived."""
        return b"".join(piece for _, piece in self.chunks)


def send(target: Target, path: str, body: Mapping[str, Any] | bytes, *, limit: float, key: str | None = None) -> Answer:
    """Send one request and read its answer to the end.

    Args:
        target: whom to ask.
        path: absolute path with its query.
        body: JSON, or bytes that are sent as they are.
        limit: seconds for the whole exchange.
        key: a key in the place of the run's own.
    """
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    start = monotonic()
    host, port = target.host
    connection = (
        http.client.HTTPSConnection(host, port, timeout=limit, context=ssl.create_default_context())
        if target.secure
        else http.client.HTTPConnection(host, port, timeout=limit)
    )
    with closing(connection):
        try:
            connection.connect()
        except TimeoutError:
            return Answer(broken="no connection within the time limit", hung=True)
        except OSError as error:
            return Answer(broken=f"no connection: {error}", unreachable=True)
        try:
            connection.request("POST", path, data, {**target.headers(key), "connection": "close"})
            response = connection.getresponse()
        except TimeoutError:
            return Answer(broken="no answer within the time limit", hung=True)
        except (OSError, http.client.HTTPException) as error:
            return Answer(broken=f"the connection ended before an answer: {_said(error)}")
        with closing(response):
            return _read(response, connection.sock, start, limit)


def _read(response: http.client.HTTPResponse, sock: socket.socket | None, start: float, limit: float) -> Answer:
    chunks: list[tuple[float, bytes]] = []
    size, hung, broken = 0, False, None
    promised = response.length
    try:
        while True:
            left = limit - (monotonic() - start)
            if left <= 0:
                raise TimeoutError
            if sock is not None and sock.fileno() >= 0:
                sock.settimeout(left)
            piece = response.read1(_READ)
            if not piece:
                break
            chunks.append((monotonic() - start, piece))
            size += len(piece)
            if size > _MOST:
                broken = f"more than {_MOST} bytes came"
                break
        if broken is None and promised is not None and size < promised:
            broken = f"{size} bytes came where the content-length promised {promised}"
    except TimeoutError:
        hung, broken = True, "the reply did not end within the time limit"
    except (OSError, http.client.HTTPException) as error:
        broken = f"the connection ended inside the reply: {_said(error)}"
    return Answer(response.status, response.headers.get("content-type", ""), tuple(chunks), broken, hung)


def _said(error: Exception) -> str:
    """The error without what was read, which `IncompleteRead` would print."""
    return type(error).__name__ if isinstance(error, http.client.IncompleteRead) else str(error) or type(error).__name__

"""The server under a crowd: many calls at once, slow readers, clients that vanish; nothing of theirs is left behind.

What one client sees is tested elsewhere.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.corpus import Exchange
from conformance.replay import Chunking, Delivery, Play, ReplayServer
from conformance.vocabulary import Mode

FRAMES = "".join(f"event: e{n}\ndata: {n} é\n\n" for n in range(40)).encode()
ASKED = {"model": "m", "stream": True}
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="descriptors are counted in /proc")


def delivery(body: bytes, chunking: Chunking = Chunking.WHOLE, cuts: tuple[int, ...] | None = None) -> Delivery:
    headers = {"content-type": "text/event-stream"}
    exchange = Exchange("POST", "https://api.anthropic.com/v1/messages", {}, 200, headers, body)
    return Delivery("anthropic-messages/natural-end", {Mode.STREAMED: (exchange,)}, chunking=chunking, cuts=cuts)


def stream(client: httpx.Client, play: Play) -> bytes:
    with client.stream("POST", f"{play.base_url}/v1/messages", json=ASKED) as response:
        return b"".join(response.iter_raw())


def begin(play: Play) -> socket.socket:
    """A connection that has asked for its stream and read nothing."""
    where = urlsplit(play.base_url)
    assert where.hostname
    assert where.port
    wire = socket.create_connection((where.hostname, where.port), timeout=10)
    body = json.dumps(ASKED).encode()
    head = f"POST {where.path}/v1/messages HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
    wire.sendall(head.encode() + body)
    return wire


def descriptors_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_two_hundred_calls_at_once_get_their_own_bytes() -> None:
    together = threading.Barrier(200)
    with ReplayServer() as server, httpx.Client(timeout=30, limits=httpx.Limits(max_connections=200)) as client:

        def one(number: int) -> bool:
            body = FRAMES.replace(b"e0\n", f"call-{number}\n".encode())
            chunking = list(Chunking)[number % len(Chunking)]
            together.wait(30)
            with server.playing(delivery(body, chunking)) as play:
                return stream(client, play) == body and len(play.sent) == 1 and play.problem is None

        with ThreadPoolExecutor(200) as pool:
            assert all(pool.map(one, range(200)))


def test_a_reader_that_does_not_read_holds_nobody_up() -> None:
    much = b"data: " + b"x" * 8_000_000 + b"\n\n"  # more than the buffers of both sides hold
    with ReplayServer() as server, httpx.Client(timeout=10) as client:
        with server.playing(delivery(much)) as slow, begin(slow) as wire:
            for _ in range(3):
                with server.playing(delivery(FRAMES)) as play:
                    assert stream(client, play) == FRAMES
            arrived = 0
            while arrived < len(much):
                arrived += len(wire.recv(1 << 20))
        assert slow.problem is None


@linux
def test_clients_that_vanish_leave_nothing() -> None:
    with httpx.Client(timeout=10) as client:
        with ReplayServer() as server:
            with server.playing(delivery(FRAMES)) as play:
                assert stream(client, play) == FRAMES
            descriptors, threads = descriptors_open(), threading.active_count()
            with server.playing(delivery(FRAMES, Chunking.BYTE)) as play:
                for _ in range(60):
                    begin(play).close()
                assert stream(client, play) == FRAMES
            assert play.problem is None
            left = time.monotonic() + 5
            while descriptors_open() > descriptors and time.monotonic() < left:
                time.sleep(0.01)
            assert descriptors_open() <= descriptors
            assert threading.active_count() == threads
        assert threading.active_count() == threads - 1


@settings(max_examples=25)
@given(body=st.binary(min_size=1, max_size=4000), data=st.data())
def test_any_bytes_arrive_as_they_are_however_they_are_cut(body: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(1, len(body)), max_size=5).map(lambda places: tuple(sorted(set(places)))))
    with _SERVER.playing(delivery(body, cuts=cuts)) as play:
        assert stream(_CLIENT, play) == body


_SERVER, _CLIENT = ReplayServer(), httpx.Client(timeout=10)


@pytest.fixture(autouse=True, scope="module")
def _running() -> object:
    """One server and client for all examples of the property."""
    with _SERVER, _CLIENT:
        yield

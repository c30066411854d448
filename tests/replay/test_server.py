"""The loopback server seen from a client: httpx, and raw sockets where chunk borders must be seen."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from conformance.corpus import Exchange
from conformance.errors import HarnessError
from conformance.replay import Chunking, Delivery, Play, ReplayServer, cut, sending
from conformance.vocabulary import Mode

HOST = "https://api.anthropic.com"
STREAM = "".join(f"event: e{n}\r\ndata: {n} é\r\n\r\n" for n in range(6)).encode()
WHOLE = b'{"type": "message"}'
BUFFERED_REQUEST = {"model": "m"}
STREAMED_REQUEST = {"model": "m", "stream": True}


def exchange(body: bytes = WHOLE, *, path: str = "/v1/messages", status: int = 200, headers: Any = None) -> Exchange:
    kind = "text/event-stream" if body == STREAM else "application/json"
    return Exchange("POST", HOST + path, {}, status, {"content-type": kind, **(headers or {})}, body)


BOTH = {Mode.BUFFERED: (exchange(),), Mode.STREAMED: (exchange(STREAM),)}


def delivery(**changes: Any) -> Delivery:
    return Delivery(**{"scenario": "anthropic-messages/stop-fired", "exchanges": BOTH, **changes})


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as running:
        yield running


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=10) as one:
        yield one


def stream(client: httpx.Client, play: Play, path: str = "/v1/messages") -> bytes:
    with client.stream("POST", play.base_url + path, json=STREAMED_REQUEST) as response:
        return b"".join(response.iter_raw())


class TestPlaying:
    def test_the_mode_asked_for_is_played(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery()) as play:
            whole = client.post(f"{play.base_url}/v1/messages", json=BUFFERED_REQUEST)
            streamed = client.post(f"{play.base_url}/v1/messages", json=STREAMED_REQUEST)
        assert (whole.content, whole.headers["content-length"]) == (WHOLE, str(len(WHOLE)))
        assert (streamed.content, streamed.headers["transfer-encoding"]) == (STREAM, "chunked")
        assert [sent.mode for sent in play.sent] == [Mode.BUFFERED, Mode.STREAMED]
        assert play.problem is None

    def test_the_address_reads_as_what_is_played(self, server: ReplayServer) -> None:
        with server.playing(delivery(chunking=Chunking.FRAME)) as play:
            assert play.base_url.rpartition("~")[0].endswith("/anthropic-messages~stop-fired~per-frame")

    def test_what_was_sent_is_logged(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery()) as play:
            client.post(f"{play.base_url}/v1/messages?beta=true", json={"stop": "é"}, headers={"X-Api-Key": "k"})
        [sent] = play.sent
        assert (sent.method, sent.path, sent.query) == ("POST", "/v1/messages", "beta=true")
        assert sent.headers["x-api-key"] == "k"
        assert json.loads(sent.body) == sent.json == {"stop": "é"}

    def test_headers_of_the_recorded_connection_are_dropped(self, server: ReplayServer, client: httpx.Client) -> None:
        headers = {"content-encoding": "gzip", "content-length": "999", "connection": "close", "request-id": "req_1"}
        with server.playing(delivery(exchanges={Mode.BUFFERED: (exchange(headers=headers),)})) as play:
            reply = client.post(f"{play.base_url}/v1/messages", json={})
        assert reply.content == WHOLE
        assert reply.headers["request-id"] == "req_1"
        assert "content-encoding" not in reply.headers

    def test_requests_play_exchanges_in_order_and_the_last_repeats(
        self, server: ReplayServer, client: httpx.Client
    ) -> None:
        turns = (exchange(b'{"error": 1}', status=429, headers={"retry-after": "0"}), exchange())
        with server.playing(delivery(exchanges={Mode.BUFFERED: turns})) as play:
            replies = [client.post(f"{play.base_url}/v1/messages", json={}) for _ in range(3)]
        assert [reply.status_code for reply in replies] == [429, 200, 200]
        assert replies[0].headers["retry-after"] == "0"

    def test_an_http_error_comes_whole_to_who_asked_for_a_stream(
        self, server: ReplayServer, client: httpx.Client
    ) -> None:
        with server.playing(delivery(exchanges={Mode.STREAMED: (exchange(b"{}", status=529),)})) as play:
            reply = client.post(f"{play.base_url}/v1/messages", json=STREAMED_REQUEST)
        assert (reply.status_code, reply.headers["content-length"], reply.content) == (529, "2", b"{}")

    def test_a_connection_is_kept(self, server: ReplayServer) -> None:
        with httpx.Client(timeout=10) as client, server.playing(delivery()) as play:
            ports = set()
            for _ in range(3):
                with client.stream("POST", f"{play.base_url}/v1/messages", json=STREAMED_REQUEST) as response:
                    ports.add(response.extensions["network_stream"].get_extra_info("client_addr"))
                    response.read()
        assert len(ports) == 1
        assert len(play.sent) == 3

    def test_calls_at_once_do_not_mix(self, server: ReplayServer, client: httpx.Client) -> None:
        def one(number: int) -> bool:
            body = STREAM.replace(b"e0", f"call-{number}".encode())
            chunking = list(Chunking)[number % len(Chunking)]
            mine = delivery(exchanges={Mode.STREAMED: (exchange(body),)}, chunking=chunking)
            with server.playing(mine) as play:
                return stream(client, play) == body and len(play.sent) == 1 and play.problem is None

        with ThreadPoolExecutor(16) as pool:
            assert all(pool.map(one, range(16)))


class TestBorders:
    @pytest.mark.parametrize("chunking", Chunking)
    def test_each_piece_is_one_http_chunk(self, server: ReplayServer, chunking: Chunking) -> None:
        with server.playing(delivery(chunking=chunking)) as play:
            assert http_chunks(play) == cut(STREAM, chunking)

    @pytest.mark.parametrize("chunking", [Chunking.MULTIBYTE, Chunking.CRLF, Chunking.FIELD, Chunking.BYTE])
    def test_borders_that_matter_reach_the_client_as_reads(self, server: ReplayServer, chunking: Chunking) -> None:
        with server.playing(delivery(chunking=chunking)) as play:
            reads = raw_reads(play)
        # One read more or less may come of the machine's own timing; all of them in one would be the fault.
        assert len(reads) >= min(len(cut(STREAM, chunking)), 24) // 2

    def test_a_buffered_body_is_cut_too(self, server: ReplayServer) -> None:
        with server.playing(delivery(chunking=Chunking.BYTE)) as play:
            reads = raw_reads(play, BUFFERED_REQUEST)
        assert b"".join(reads).endswith(WHOLE)
        assert len(reads) > 3

    def test_an_older_client_gets_no_http_chunks(self, server: ReplayServer) -> None:
        body = json.dumps(STREAMED_REQUEST).encode()
        with server.playing(delivery(chunking=Chunking.FRAME)) as play, connect(play) as wire:
            wire.sendall(head(play, body).replace(b"HTTP/1.1", b"HTTP/1.0") + body)
            reply = b"".join(iter(lambda: wire.recv(65536), b""))
        assert reply.partition(b"\r\n\r\n")[2] == STREAM

    def test_a_long_body_byte_by_byte_arrives_whole(self, server: ReplayServer, client: httpx.Client) -> None:
        body = STREAM * 20
        mine = delivery(exchanges={Mode.STREAMED: (exchange(body),)}, chunking=Chunking.BYTE)
        with server.playing(mine) as play:
            assert stream(client, play) == body


class TestHolding:
    def test_the_wire_stays_open_until_release(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery(hold_after=2, chunking=Chunking.FRAME)) as play:
            held = b"".join(cut(STREAM, Chunking.FRAME)[:2])
            with client.stream("POST", f"{play.base_url}/v1/messages", json=STREAMED_REQUEST) as response:
                got, pieces = b"", response.iter_raw()
                while got != held:
                    got += next(pieces)
                play.release()
                got += b"".join(pieces)
        assert got == STREAM
        assert (play.held, play.released) == (True, True)

    def test_a_wire_held_before_its_first_frame_shows_the_head(self, server: ReplayServer) -> None:
        body = json.dumps(STREAMED_REQUEST).encode()
        with server.playing(delivery(hold_after=0)) as play, connect(play) as wire:
            wire.sendall(head(play, body) + body)
            reply = wire.recv(65536)
            assert not play.released
        assert reply.startswith(b"HTTP/1.1 200 OK\r\n")
        assert reply.endswith(b"\r\n\r\n")

    def test_without_release_the_rest_comes_after_a_while(
        self, server: ReplayServer, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sending, "HOLD_SECONDS", 0.05)
        with server.playing(delivery(hold_after=1)) as play:
            assert stream(client, play) == STREAM
            play.release()  # too late
        assert (play.held, play.released) == (True, False)

    def test_a_release_that_comes_early_counts(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery(hold_after=1)) as play:
            play.release()
            assert stream(client, play) == STREAM
        assert play.released

    def test_nothing_is_held_where_nothing_is_left(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery(hold_after=6)) as play:
            stream(client, play)
            client.post(f"{play.base_url}/v1/messages", json=BUFFERED_REQUEST)
        assert not play.held


class TestProblems:
    def test_a_wrong_address_is_the_bindings(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery()) as play:
            reply = client.post(f"{play.base_url}/v1/v1/messages", json={})
        assert reply.status_code == 404
        assert play.problem == (
            "the binding asked for POST /v1/v1/messages; this API lives at POST /v1/messages: "
            "check how it builds its address from call.base_url"
        )
        assert reply.json() == {"error": {"message": f"conformance: {play.problem}"}}
        assert [sent.path for sent in play.sent] == ["/v1/v1/messages"]

    def test_a_mode_without_cassette_is_the_suites(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery(exchanges={Mode.BUFFERED: (exchange(),)})) as play:
            reply = client.post(f"{play.base_url}/v1/messages", json=STREAMED_REQUEST)
        assert reply.status_code == 501
        assert play.problem == (
            "the binding asked for a streamed reply, scenario anthropic-messages/stop-fired has only buffered"
        )

    def test_a_right_request_afterwards_mends_a_wrong_one(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery()) as play:
            client.post(f"{play.base_url}/v1/responses", json={})
            client.post(f"{play.base_url}/v1/messages", json={})
            assert play.problem is None
            client.post(f"{play.base_url}/v1/responses", json={})
        assert play.problem is not None

    @pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
    def test_a_look_around_is_a_problem_only_alone(
        self, server: ReplayServer, client: httpx.Client, method: str
    ) -> None:
        with server.playing(delivery()) as play:
            assert client.request(method, f"{play.base_url}/v1/models").status_code == 404
            assert f"asked for {method} /v1/models" in str(play.problem)
            client.post(f"{play.base_url}/v1/messages", json={})
            client.request(method, f"{play.base_url}/v1/models")
        assert play.problem is None
        assert len(play.sent) == 3

    def test_nothing_sent_is_no_problem_of_the_transport(self, server: ReplayServer) -> None:
        with server.playing(delivery()) as play:
            pass
        assert (play.sent, play.problem) == ([], None)

    def test_an_address_without_the_plays_segment_is_told_where_one_play_is_open(
        self, server: ReplayServer, client: httpx.Client
    ) -> None:
        with server.playing(delivery()) as play:
            root = play.base_url.rpartition("/")[0]
            client.post(f"{root}/v1/messages", json={})
        assert "without the path of" in str(play.problem)

    def test_a_closed_play_is_unknown(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery()) as play:
            pass
        with server.playing(delivery()) as other:
            reply = client.post(f"{play.base_url}/v1/messages", json={})
        assert (reply.status_code, reply.json()) == (404, {"error": {"message": "conformance: no such play"}})
        assert (play.sent, other.problem) == ([], None)

    @pytest.mark.parametrize("body", [b"", b"not json", b"[1]", b"\xff\xfe", b"[" * 100_000])
    def test_a_body_that_is_no_json_object_is_answered(
        self, server: ReplayServer, client: httpx.Client, body: bytes
    ) -> None:
        with server.playing(delivery()) as play:
            assert client.post(f"{play.base_url}/v1/messages", content=body).content == WHOLE
        assert (play.sent[0].json, play.sent[0].body) == (None, body)

    def test_a_failure_of_the_server_is_a_problem_and_prints_nothing(
        self,
        server: ReplayServer,
        client: httpx.Client,
        capfd: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        broken = exchange(headers={"x-bad": "two\r\nlines"})
        with server.playing(delivery(exchanges={Mode.BUFFERED: (broken,)})) as play:
            with pytest.raises(httpx.RemoteProtocolError):
                client.post(f"{play.base_url}/v1/messages", json={})
            client.post(f"{play.base_url}/v1/models", json={})
        assert str(play.problem).startswith("the replay server could not answer POST")
        assert capfd.readouterr() == ("", "")
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]

    @pytest.mark.parametrize(
        "data", [b"\x16\x03\x01\x02\x00", b"GET / SMTP\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b""], ids=repr
    )
    def test_a_client_that_speaks_something_else_harms_nobody(
        self, server: ReplayServer, client: httpx.Client, data: bytes
    ) -> None:
        with server.playing(delivery()) as play:
            with connect(play) as wire:
                wire.sendall(data)
                wire.shutdown(socket.SHUT_WR)
                while wire.recv(4096):
                    pass
            assert stream(client, play) == STREAM

    def test_a_client_that_leaves_harms_nobody(self, server: ReplayServer, client: httpx.Client) -> None:
        with server.playing(delivery(chunking=Chunking.BYTE)) as play:
            with client.stream("POST", f"{play.base_url}/v1/messages", json=STREAMED_REQUEST) as response:
                next(response.iter_raw())
            assert stream(client, play) == STREAM
        assert play.problem is None

    def test_a_client_that_waits_for_100_continue_gets_it(self, server: ReplayServer) -> None:
        with server.playing(delivery()) as play, connect(play) as wire:
            wire.sendall(head(play, b"{}", "Expect: 100-continue\r\n"))
            assert wire.recv(4096).startswith(b"HTTP/1.1 100 ")
            wire.sendall(b"{}")
            assert wire.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")


class TestRunning:
    def test_a_stopped_server_opens_nothing(self) -> None:
        server = ReplayServer()
        server.stop()
        with pytest.raises(HarnessError, match="not running"):
            server.open(delivery())

    def test_a_server_starts_once(self, server: ReplayServer) -> None:
        with pytest.raises(HarnessError, match="started already"):
            server.start()

    def test_stopping_ends_a_held_call_and_the_thread(self) -> None:
        before = threading.active_count()
        with ReplayServer() as server, httpx.Client(timeout=10) as client:
            play = server.open(delivery(hold_after=1))
            with client.stream("POST", f"{play.base_url}/v1/messages", json=STREAMED_REQUEST) as response:
                pieces = response.iter_raw()
                next(pieces)
                server.stop()
                with pytest.raises(httpx.TransportError):
                    list(pieces)
        assert threading.active_count() == before

    def test_a_scenario_without_api_is_refused(self, server: ReplayServer) -> None:
        with pytest.raises(HarnessError, match="names no API"):
            server.open(delivery(scenario="cohere/stop-fired"))


def connect(play: Play) -> socket.socket:
    url = httpx.URL(play.base_url)
    return socket.create_connection((url.host, url.port or 80), timeout=10)


def head(play: Play, body: bytes, extra: str = "") -> bytes:
    path = httpx.URL(play.base_url).path
    return (
        f"POST {path}/v1/messages HTTP/1.1\r\nHost: x\r\n{extra}Connection: close\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()


def raw_reads(play: Play, request: dict[str, Any] = STREAMED_REQUEST) -> list[bytes]:
    """What a client that reads at once gets from each read."""
    body = json.dumps(request).encode()
    reads = []
    with connect(play) as wire:
        wire.sendall(head(play, body) + body)
        while data := wire.recv(65536):
            reads.append(data)
    return reads


def http_chunks(play: Play) -> list[bytes]:
    """The HTTP chunks of a streamed reply."""
    _, _, rest = b"".join(raw_reads(play)).partition(b"\r\n\r\n")
    chunks: list[bytes] = []
    while True:
        size, _, rest = rest.partition(b"\r\n")
        if not int(size, 16):
            return chunks
        chunks.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]

"""What a fault leaves of a body, and how the connection ends: seen from a raw socket and from httpx."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Iterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.corpus import Exchange
from conformance.replay import Delivery, Play, ReplayServer
from conformance.replay.faults import kept
from conformance.replay.sending import pack
from conformance.vocabulary import Fault, FaultKind, Framing, Mode, Packing

FRAMES = [f"data: {number} é\n\n".encode() for number in range(5)]
STREAM = b"".join(FRAMES)
WHOLE = b'{"type": "message", "text": "' + b"x" * 200 + b'"}'
URL = "https://api.anthropic.com/v1/messages"


def exchange(mode: Mode, status: int = 200, **headers: str) -> Exchange:
    streamed = mode is Mode.STREAMED
    kind = "text/event-stream" if streamed else "application/json"
    return Exchange("POST", URL, {}, status, {"content-type": kind, **headers}, STREAM if streamed else WHOLE)


def delivery(fault: Fault | None = None, **more: object) -> Delivery:
    turns = {mode: (exchange(mode),) for mode in Mode}
    return Delivery("anthropic-messages/stop-fired", **{"exchanges": turns, "fault": fault, **more})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as running:
        yield running


def ask(play: Play, mode: Mode, **options: object) -> tuple[bytes, Exception | None]:
    """The bytes that arrive, and the error that ends them."""
    body = b""
    headers = {"accept-encoding": "identity"}
    request = {"json": {"stream": mode is Mode.STREAMED}, "headers": headers, "timeout": 5, **options}
    try:
        with httpx.stream("POST", play.base_url + "/v1/messages", **request) as response:  # type: ignore[arg-type]
            for piece in response.iter_raw():
                body += piece
    except httpx.TransportError as error:
        return body, error
    return body, None


@pytest.mark.parametrize(
    ("fault", "left"),
    [
        (Fault(FaultKind.CUT), b""),
        (Fault(FaultKind.CUT, 2), b"".join(FRAMES[:2])),
        (Fault(FaultKind.CUT, -2), b"".join(FRAMES[:3])),
        (Fault(FaultKind.CUT, 1, inside=True), FRAMES[0] + b"data: "),
        (Fault(FaultKind.CUT, -1, inside=True), b"".join(FRAMES[:4]) + b"data: "),
        (Fault(FaultKind.CUT, 9, inside=True), STREAM),
        (Fault(FaultKind.CUT, -9), b""),
    ],
)
def test_kept_is_told_by_frames(fault: Fault, left: bytes) -> None:
    assert kept(STREAM, fault) == left


def test_a_whole_body_is_one_frame() -> None:
    assert kept(WHOLE, Fault(FaultKind.CUT, -3, inside=True)) == WHOLE[: len(WHOLE) // 2]
    assert kept(b"", Fault(FaultKind.CUT, 0, inside=True)) == b""


@pytest.mark.parametrize("mode", Mode)
def test_cut_is_a_clean_end(server: ReplayServer, mode: Mode) -> None:
    fault = Fault(FaultKind.CUT, -2, inside=True)
    with server.playing(delivery(fault)) as play:
        body, error = ask(play, mode)
    assert error is None
    assert body == kept(STREAM if mode is Mode.STREAMED else WHOLE, fault)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("kind", [FaultKind.BODY_CUT, FaultKind.RESET])
def test_broken_connection_is_seen_after_all_that_was_sent(server: ReplayServer, mode: Mode, kind: FaultKind) -> None:
    fault = Fault(kind, -2, inside=True)
    with server.playing(delivery(fault)) as play:
        body, error = ask(play, mode)
        assert play.problem is None
    assert isinstance(error, httpx.RemoteProtocolError if kind is FaultKind.BODY_CUT else httpx.ReadError)
    assert body == kept(STREAM if mode is Mode.STREAMED else WHOLE, fault)


@pytest.mark.parametrize("mode", Mode)
def test_stall_lasts_until_the_client_gives_up(server: ReplayServer, mode: Mode) -> None:
    begun = time.monotonic()
    with server.playing(delivery(Fault(FaultKind.STALL, -2, inside=True))) as play:
        _, error = ask(play, mode, timeout=0.2)
    assert isinstance(error, httpx.ReadTimeout)
    assert 0.15 < time.monotonic() - begun < 3


def test_fault_is_of_the_last_exchange_only(server: ReplayServer) -> None:
    turns = {Mode.BUFFERED: (exchange(Mode.BUFFERED, 500), exchange(Mode.BUFFERED))}
    with server.playing(delivery(Fault(FaultKind.CUT), exchanges=turns)) as play:
        assert [ask(play, Mode.BUFFERED)[0] for _ in range(2)] == [WHOLE, b""]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("framing", Framing)
def test_framing(server: ReplayServer, mode: Mode, framing: Framing) -> None:
    """Each way of telling the end carries the same body, and only its own headers."""
    with server.playing(delivery(framing=framing)) as play:
        url = play.base_url + "/v1/messages"
        response = httpx.post(url, json={"stream": mode is Mode.STREAMED}, headers={"accept-encoding": "identity"})
    assert response.content == (STREAM if mode is Mode.STREAMED else WHOLE)
    assert ("content-length" in response.headers) is (framing is Framing.LENGTH)
    assert ("transfer-encoding" in response.headers) is (framing is Framing.CHUNKED)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("packing", Packing)
@pytest.mark.parametrize(
    ("offer", "packed"),
    [("gzip, deflate", True), ("GZIP;q=0.5,deflate;q=1", True), ("gzip;q=0, deflate;q=0.0", False), ("br", False)],
)
def test_packed_only_where_the_client_offers_it(
    server: ReplayServer, mode: Mode, packing: Packing, offer: str, packed: bool
) -> None:
    with server.playing(delivery(packing=packing)) as play:
        headers = {"accept-encoding": offer}
        response = httpx.post(play.base_url + "/v1/messages", json={"stream": mode is Mode.STREAMED}, headers=headers)
        assert play.packed is packed
    assert response.content == (STREAM if mode is Mode.STREAMED else WHOLE)
    assert response.headers.get("content-encoding") == (packing if packed else None)


def test_packed_stream_can_be_read_frame_by_frame() -> None:
    packed = pack(STREAM, Packing.GZIP, streamed=True)
    assert gzip.decompress(packed) == STREAM
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    read = b""
    seen = {read := read + inflate.decompress(packed[place : place + 1]) for place in range(len(packed))}
    assert {b"".join(FRAMES[:number]) for number in range(len(FRAMES) + 1)} <= seen


def test_redirect_points_to_a_host_that_writes_down_who_comes(server: ReplayServer) -> None:
    turn = exchange(Mode.BUFFERED, 307, location="https://other-host.invalid/")
    with server.playing(delivery(exchanges={Mode.BUFFERED: (turn,)})) as play:
        url = play.base_url + "/v1/messages"
        first = httpx.post(url, json={}, headers={"x-api-key": "secret"})
        second = httpx.post(url, json={}, headers={"x-api-key": "secret"}, follow_redirects=True)
        assert first.headers["location"].startswith("http://127.0.0.1:")
        assert first.headers["location"].split("/")[2] != url.split("/")[2]
        assert second.status_code == 403
        assert [sent.headers.get("x-api-key") for sent in play.elsewhere] == ["secret"]
        assert len(play.sent) == 2
        assert play.problem is None


@given(frames=st.integers(-8, 8), inside=st.booleans())
def test_kept_is_a_prefix(frames: int, inside: bool) -> None:
    assert STREAM.startswith(kept(STREAM, Fault(FaultKind.CUT, frames, inside)))

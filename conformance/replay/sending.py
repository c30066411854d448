"""How one answer goes out over a connection: cut into pieces, paced, held open, packed, broken off. No sockets here.

What is left of a faulty body is computed in `faults`, where a body is cut in `chunking`.
"""

from __future__ import annotations

import asyncio
import re
import zlib

from conformance.corpus import Exchange
from conformance.replay.addressing import Sent
from conformance.replay.chunking import Chunking, cut, cut_at, frames
from conformance.replay.delivery import Play, Turn
from conformance.replay.faults import kept
from conformance.replay.http1 import Connection
from conformance.vocabulary import Fault, FaultKind, Framing, Mode, Packing
from conformance.wire.codec import HTTP_ERROR

HOLD_SECONDS = 1.0

# Of the connection that was recorded, not of the one that replays; alt-svc would send a client to another port.
_DROPPED = frozenset(
    {
        "alt-svc",
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "location",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# asyncio sets TCP_NODELAY, yet without a pause the kernel joins writes into one read. These
# chunkings are about their borders, so the first ones are kept apart; pausing at all would cost seconds a reply.
_PACED = frozenset({Chunking.MULTIBYTE, Chunking.CRLF, Chunking.FIELD, Chunking.BYTE})
_PACED_BORDERS = 24
_PAUSE = 0.001
# Bytes after the paced ones are HTTP chunks of their own still, but go out many to a write: a system
# call for each costs more than all the rest of a reply.
_BYTES_A_WRITE = 256
# A reset may overtake bytes that the client has not read yet: what it read must not depend on the scheduler.
_BEFORE_RESET = 0.05
# The official SDKs retry these after half a second and more; the header that Azure sends cuts the wait
# short, and whether they retry is still theirs to say.
_RETRIED = frozenset({408, 409, 429})
_RETRY_SOON = ("retry-after-ms", "10")
_SERVER_ERROR = 500
_NEVER = re.compile(r"q\s*=\s*0(\.0*)?")


async def play_answer(http: Connection, play: Play, sent: Sent, turn: Turn, other: str) -> None:
    """Send what answers a request; `other` is where a redirect points to.

    Raises:
        ConnectionAbortedError: the delivery's fault ends the connection here.
    """
    delivery = play.delivery
    turns = delivery.exchanges[turn.mode]
    exchange = turns[turn.place]
    last = turn.place == len(turns) - 1
    fault = delivery.fault if last else None
    # An HTTP error comes whole in both modes, as vendors send it.
    streamed = turn.mode is Mode.STREAMED and exchange.status < HTTP_ERROR
    framing = (delivery.framing if last else None) or (Framing.CHUNKED if streamed else Framing.LENGTH)
    headers = _headers(exchange, other)
    body = exchange.body if fault is None else kept(exchange.body, fault)
    if last and delivery.packing and _offers(sent, delivery.packing):
        body = pack(exchange.body, delivery.packing, streamed=streamed)
        headers.append(("content-encoding", str(delivery.packing)))
        play.packed = True
    promised = len(body if fault is None or fault.kind is FaultKind.CUT else exchange.body)
    http.begin(exchange.status, headers, framing=framing, length=promised)
    before, after = _split(body, delivery.hold_after if streamed else None)
    await _send(http, before, play)
    if after:
        await _hold(play)
        await _send(http, after, play)
    if fault is None or fault.kind is FaultKind.CUT:
        await http.end()
    else:
        await _break_off(http, play, fault)


def pack(body: bytes, packing: Packing, *, streamed: bool) -> bytes:
    """The body compressed; of a stream each frame can be read when it has arrived."""
    wbits = zlib.MAX_WBITS | 16 if packing is Packing.GZIP else zlib.MAX_WBITS
    packer = zlib.compressobj(wbits=wbits)
    if not streamed:
        return packer.compress(body) + packer.flush()
    packed = [packer.compress(frame) + packer.flush(zlib.Z_SYNC_FLUSH) for frame in frames(body)]
    return b"".join(packed) + packer.flush()


def _headers(exchange: Exchange, other: str) -> list[tuple[str, str]]:
    headers = [(name, value) for name, value in exchange.headers.items() if name.lower() not in _DROPPED]
    if any(name.lower() == "location" for name in exchange.headers):
        headers.append(("location", other))
    if exchange.status in _RETRIED or exchange.status >= _SERVER_ERROR:
        headers.append(_RETRY_SOON)
    return headers


def _offers(sent: Sent, packing: Packing) -> bool:
    """Whether the client's accept-encoding names the coding, and not with a weight of zero."""
    for item in sent.headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = item.partition(";")
        if name.strip() == packing:
            return _NEVER.fullmatch(weight.strip()) is None
    return False


async def _send(http: Connection, body: bytes, play: Play) -> None:
    chunking, cuts = play.delivery.chunking, play.delivery.cuts
    pieces = cut(body, chunking) if cuts is None else cut_at(body, cuts)
    if not pieces:
        await http.flush()
    if play.delivery.pace is not None:
        for piece in pieces:
            await http.send(piece)
            await asyncio.sleep(play.delivery.pace)
        return
    paced = min(_PACED_BORDERS, len(pieces) - 1) if chunking in _PACED or cuts is not None else 0
    for piece in pieces[:paced]:
        await http.send(piece)
        await asyncio.sleep(_PAUSE)
    if chunking is Chunking.BYTE:
        for start in range(paced, len(pieces), _BYTES_A_WRITE):
            await http.send_joined(pieces[start : start + _BYTES_A_WRITE])
            await asyncio.sleep(0)  # a write to a ready socket never waits: let other plays have their turn
        return
    for piece in pieces[paced:]:
        await http.send(piece)


async def _break_off(http: Connection, play: Play, fault: Fault) -> None:
    """End the connection in the middle of a body, by the fault's own way."""
    if fault.kind is FaultKind.STALL:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        with play.waking(lambda: loop.call_soon_threadsafe(over.set)):
            await over.wait()  # until the play is closed
        raise ConnectionAbortedError
    if fault.kind is FaultKind.RESET:
        await asyncio.sleep(_BEFORE_RESET)
        http.reset()
        raise ConnectionAbortedError
    # Otherwise the body is not ended, so that the server closes the connection: FIN.


async def _hold(play: Play) -> None:
    loop, released = asyncio.get_running_loop(), asyncio.Event()
    play.held = True
    with play.waking(lambda: loop.call_soon_threadsafe(released.set)):
        try:
            await asyncio.wait_for(released.wait(), HOLD_SECONDS)
            play.released = True
        except TimeoutError:
            play.gave_up = True


def _split(body: bytes, frame_count: int | None) -> tuple[bytes, bytes]:
    if frame_count is None:
        return body, b""
    at = sum(map(len, frames(body)[:frame_count]))
    return body[:at], body[at:]

"""What a Fault leaves of a body, as pure functions on bytes. Closing and resetting connections is `http1`'s work."""

from __future__ import annotations

from dataclasses import replace

from conformance.corpus import Exchange
from conformance.replay.chunking import frames
from conformance.vocabulary import Fault


def kept(body: bytes, fault: Fault) -> bytes:
    """The bytes that are sent before the fault."""
    parts = frames(body)
    whole = min(max(fault.frames + (len(parts) if fault.frames < 0 else 0), 0), len(parts))
    sent = b"".join(parts[:whole])
    if fault.inside and whole < len(parts):
        sent += parts[whole][: len(parts[whole]) // 2]
    return sent


def delivered(exchange: Exchange, fault: Fault | None) -> Exchange:
    """The exchange as far as the client gets to see it."""
    return exchange if fault is None else replace(exchange, body=kept(exchange.body, fault))

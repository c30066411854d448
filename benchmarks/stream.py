"""The stream that several benchmarks play: 59 frames, as long as a short Anthropic reply. Nothing is measured here."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.corpus import Exchange
from conformance.replay import Chunking, Delivery
from conformance.vocabulary import Mode
from conformance.wire.sse import Event, encode

SCENARIO = "anthropic-messages/benchmark"
URI = "https://api.anthropic.com/v1/messages"
REQUEST = {"model": "claude", "max_tokens": 64, "stream": True, "messages": [{"role": "user", "content": "Count."}]}
HEADERS = {"content-type": "text/event-stream; charset=utf-8", "request-id": "req_1", "server": "cloudflare"}


def body() -> bytes:
    """The bytes of the stream."""
    start: dict[str, object] = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}}
    words: Iterator[dict[str, object]] = (
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f" word {n}"}}
        for n in range(57)
    )
    payloads: list[dict[str, object]] = [start, *words, {"type": "message_stop"}]
    return encode(Event(str(data["type"]), data) for data in payloads)


def exchange(stream: bytes) -> Exchange:
    """These bytes as a recorded exchange."""
    return Exchange("POST", URI, REQUEST, 200, HEADERS, stream)


def delivery(stream: bytes, chunking: Chunking) -> Delivery:
    """These bytes as the server plays them."""
    return Delivery(SCENARIO, {Mode.STREAMED: (exchange(stream),)}, chunking)

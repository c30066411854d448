"""Decoding the core's streams to Readings against httpx-sse plus json.loads on the same bytes. No other target.

The pins must be in the cache (`make evidence`), or there is no figure. `python -m benchmarks evidence`
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial

import httpx
from httpx_sse import EventSource

from benchmarks.measure import Figure, interleaved
from conformance.errors import ConformanceError
from conformance.vocabulary import Api, Mode
from conformance.wire import codec_for
from tools.published import evidence, recordings
from tools.published.pins import pins

TARGET = 3.0
ROUNDS = 2

Stream = tuple[Api, bytes]


def streams() -> list[Stream]:
    """Every stream of the core that a codec reads."""
    found = recordings.load(pins()).exchanges
    speaking = ((evidence.codec_api(each.kind), each) for each in found if each.mode is Mode.STREAMED)
    return [(api, each.recorded.body) for api, each in speaking if api is not None and each.recorded.status < 400]


def decoded(bodies: Sequence[Stream]) -> None:
    """Bytes to Readings."""
    for api, body in bodies:
        reader = codec_for(api).stream()
        reader.feed(body)
        reader.close()
        assert reader.reading is not None


def plain(bodies: Sequence[Stream]) -> None:
    """Bytes to JSON: what any client does before it looks at a single key."""
    for _, body in bodies:
        response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body)
        for event in EventSource(response).iter_sse():
            if event.data != "[DONE]":
                json.loads(event.data)


def figures() -> Iterator[Figure]:
    """One figure over all recordings."""
    what = "published streams to Readings / httpx-sse and json.loads"
    try:
        bodies = streams()
    except ConformanceError as error:
        yield Figure("", what, None, TARGET, note=str(error.problem))
        return
    size = sum(len(body) for _, body in bodies)
    took = interleaved({"ours": partial(decoded, bodies), "theirs": partial(plain, bodies)}, ROUNDS)
    yield Figure("", what, took["ours"] / took["theirs"], TARGET, note=f"{len(bodies)} streams, {size / 1e6:.1f} MB")

"""Decoding the core's streams to Readings against httpx-sse plus json.loads on the same bytes. No other target.

Run it with `python -m benchmarks.evidence`; the pins must be in the cache. Rounds are interleaved, the ratio is
of the best round of each arm, in processor time: neither arm waits for anything.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence

import httpx
from httpx_sse import EventSource

from conformance.vocabulary import Api, Mode
from conformance.wire import codec_for
from tools.published import evidence, recordings
from tools.published.pins import pins

TARGET = 3.0
ROUNDS = 5

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


def timed(arms: Sequence[Callable[[Sequence[Stream]], None]], bodies: Sequence[Stream]) -> Iterator[float]:
    """The best time of each arm, rounds interleaved."""
    times: list[list[float]] = [[] for _ in arms]
    for _ in range(ROUNDS):
        for place, arm in enumerate(arms):
            started = time.process_time()
            arm(bodies)
            times[place].append(time.process_time() - started)
    return map(min, times)


def main() -> int:
    """Measure; exit code 1 where the target is missed."""
    bodies = streams()
    size = sum(len(body) for _, body in bodies)
    ours, theirs = timed((decoded, plain), bodies)
    ratio = ours / theirs
    print(f"{len(bodies)} streams, {size / 1e6:.1f} MB, best of {ROUNDS} rounds")
    print(f"to Readings            {ours * 1e3:8.0f} ms")
    print(f"httpx-sse, json.loads  {theirs * 1e3:8.0f} ms")
    print(f"ratio                  {ratio:8.2f}    target at most {TARGET}")
    return 0 if ratio <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())

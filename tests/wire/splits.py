"""Ways to cut bytes, and one way to feed them to a codec's stream reader. No expectation of any API is here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from conformance.wire import Codec, Reading


def by_size(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


def at(body: bytes, cuts: Sequence[int]) -> list[bytes]:
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    return [body[start:end] for start, end in pairwise(places)]


def every_size(body: bytes) -> Iterator[list[bytes]]:
    yield from (by_size(body, size) for size in range(1, len(body) + 1))


CUTS = st.lists(st.integers(0, 6000), max_size=12)


def read(codec: Codec, chunks: Sequence[bytes]) -> Reading:
    reader = codec.stream()
    for chunk in chunks:
        reader.feed(chunk)
    reader.close()
    return reader.reading

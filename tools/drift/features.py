"""What a recording shows, without what differs each time: ids, times, wording, obfuscation. Compares nothing."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from conformance.corpus import Exchange, reading_of
from tools.drift.recording import Recording
from tools.published.naive import Event, events_of
from tools.published.shape import leaves, order

_ALWAYS_DIFFERS = re.compile(r"\.obfuscation$")
"""A field that is there to differ. Padding with spaces is gone once JSON is read."""
_ANYWHERE = ("ping", "keepalive")
"""Types of events that come when a stream is slow: whether there is one is chance."""
_FOLDED = re.compile(r"[()+]")
_FRAME_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")


@dataclass(frozen=True, slots=True)
class Features:
    """What a recording shows.

    Attributes:
        statuses: HTTP statuses, in order.
        headers: names of the last response's headers.
        content_type: of the last response, without parameters.
        events: the order of a stream's events, however often one was repeated; "" of what is no stream.
        types: JSON path -> JSON types there.
        values: JSON path of an enumeration -> its values.
        pieces: how the body was cut into chunks, in words; None where nobody noted it.
        size: median size of a chunk, in bytes.
        meaning: what a right reader makes of it, without wording, ids and counts.
    """

    statuses: tuple[int, ...]
    headers: frozenset[str]
    content_type: str
    events: str
    types: Mapping[str, frozenset[str]]
    values: Mapping[str, frozenset[str]]
    pieces: str | None = None
    size: float = 0.0
    meaning: Mapping[str, str] = field(default_factory=dict)


def features(recording: Recording) -> Features:
    """Look at a recording."""
    last = recording.last
    events = events_of(last.body) if _streams(last) else []
    types, values = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for payload in _payloads(last, events):
        for leaf in leaves(payload):
            if not _ALWAYS_DIFFERS.search(leaf.path):
                types[leaf.path].add(leaf.type)
                values[leaf.path] |= {leaf.value} if leaf.value is not None else set()
    return Features(
        statuses=tuple(exchange.status for exchange in recording.exchanges),
        headers=frozenset(last.headers),
        content_type=last.headers.get("content-type", "").partition(";")[0].strip(),
        events=unfolded(order(recording.api, events)) if events else "",
        types={path: frozenset(kinds) for path, kinds in types.items()},
        values={path: frozenset(found) for path, found in values.items() if found},
        pieces=_pieces(last.body, recording.ends) if recording.ends is not None else None,
        size=median(_sizes(recording.ends)) if recording.ends else 0.0,
        meaning=_meaning(recording),
    )


def unfolded(text: str) -> str:
    """An order of events without the marks of repetition: how often a delta comes is chance."""
    return _FOLDED.sub("", text)


def _streams(exchange: Exchange) -> bool:
    return exchange.headers.get("content-type", "").startswith("text/event-stream")


def _payloads(exchange: Exchange, events: list[Event]) -> list[Any]:
    if events:
        return [
            event.data for event in events if isinstance(event.data, dict) and event.data.get("type") not in _ANYWHERE
        ]
    try:
        payload = json.loads(exchange.body)
    except ValueError:
        return []
    return payload if isinstance(payload, list) else [payload]


def _meaning(recording: Recording) -> dict[str, str]:
    reading = reading_of(recording.api, recording.mode, recording.last)
    calls = ", ".join(f"{call.name}{'' if call.whole is not False else ' (cut)'}" for call in reading.tool_calls)
    return {
        "stop": str(reading.stop),
        "raw_reason": str(reading.raw_reason),
        "stop_sequence": repr(reading.stop_sequence),
        "text": "some" if reading.text else "none",
        "thinking": "some" if reading.thinking else "none",
        "refusal": "some" if reading.refusal else "none",
        "tool_calls": calls or "none",
        "usage": "some" if reading.usage else "none",
        "error": "none" if reading.error is None else str(reading.error.type),
        "ended": str(reading.ended),
        "closed": str(reading.closed),
        "content_after_reason": str(reading.content_after_reason),
    }


def _sizes(ends: tuple[int, ...]) -> list[int]:
    return [end - start for start, end in zip((0, *ends), ends, strict=False)]


def _pieces(body: bytes, ends: tuple[int, ...]) -> str:
    inner = [end for end in ends if 0 < end < len(body)]
    if not inner:
        return "one piece"
    if any(body[end] & 0xC0 == 0x80 for end in inner):
        return "cut inside characters"
    borders = {match.end() for match in _FRAME_END.finditer(body)}
    return "cut between frames" if borders.issuperset(inner) else "cut inside frames"

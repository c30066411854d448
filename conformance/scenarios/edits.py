"""Edits of a written stream that several modules of streams share. No scenario is defined here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from conformance.wire.sse import Event, compact

Edit = Callable[[list[Event]], list[Event]]
"""Takes the events that a codec wrote, gives those that are sent."""


def with_usage_chunk(events: list[Event], usage: dict[str, Any]) -> list[Event]:
    """What include_usage does: `usage: null` on every chunk, then a chunk without choices before `[DONE]`."""
    *chunks, done = events
    marked = [Event(None, {**chunk.data, "usage": None}) for chunk in chunks]
    return [*marked, Event(None, {**head(events), "choices": [], "usage": usage}), done]


def head(events: list[Event]) -> dict[str, Any]:
    """What every chunk of a Chat stream has beside its choices."""
    return {key: value for key, value in events[0].data.items() if key != "choices"}


def of_each(edit: Callable[[int, dict[str, Any]], dict[str, Any]]) -> Edit:
    """Edits the JSON of each event, told its number; `[DONE]` stays."""

    def run(events: list[Event]) -> list[Event]:
        return [
            event if isinstance(event.data, str) else Event(event.name, edit(number, event.data))
            for number, event in enumerate(events)
        ]

    return run


def numbered(events: Iterable[Event]) -> list[Event]:
    """Responses events with their `sequence_number` counted anew."""
    return [
        Event(event.name, {"type": event.data["type"], **event.data, "sequence_number": number})
        for number, event in enumerate(events)
    ]


def first_of(events: list[Event], kind: str) -> int:
    """The place of the first event of this type."""
    return next(place for place, event in enumerate(events) if event.data.get("type") == kind)


def put(events: list[Event], *new: tuple[int, Event]) -> list[Event]:
    """The events with new ones, each before the event that was at its place."""
    out = list(events)
    for place, event in sorted(new, key=lambda pair: pair[0], reverse=True):
        out.insert(place, event)
    return out


def commented(comment: str, line_end: str = "\n") -> Callable[[bytes], bytes]:
    """Puts the comment, followed by a blank line, twice before the first frame and before every second one after."""
    blank = f"{line_end}{line_end}".encode()
    line = f": {comment}".encode() + blank

    def run(body: bytes) -> bytes:
        frames = [frame + blank for frame in body.split(blank) if frame]
        return line + b"".join(frame if number % 2 else line + frame for number, frame in enumerate(frames))

    return run


def spaced(event: Event, count: int) -> Event:
    """The event with spaces before the last brace of its JSON."""
    return Event(event.name, f"{compact(event.data)[:-1]}{' ' * count}}}")

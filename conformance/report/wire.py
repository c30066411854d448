"""The bytes of a cell as frames for the eye, with the place where the reason stands. No layout is here."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from conformance.corpus import cassette
from conformance.errors import ConformanceError
from conformance.replay.faults import delivered
from conformance.scenarios import Scenario
from conformance.scenarios.view import REASON, View
from conformance.vocabulary import Mode
from conformance.wire.sse import SseReader


class Frames(NamedTuple):
    """What the last answer of a cell looks like as it is delivered.

    Attributes:
        status: of the HTTP response.
        fault: what was done to it on delivery, or "".
        frames: the frames of a stream, each on one line; of a whole body there is one.
        at: which of them carries the reason; the last one where none does.
        streamed: whether it is a stream of frames at all.
    """

    status: int
    fault: str
    frames: tuple[str, ...]
    at: int
    streamed: bool


def frames_of(told: Scenario, mode: Mode) -> Frames | ConformanceError:
    """The frames of a cell, or the error that says why there are none."""
    try:
        last = delivered(cassette(told.id, mode)[-1], told.fault)
    except ConformanceError as error:
        return error
    fault = str(told.fault.kind) if told.fault else ""
    if last.body.lstrip()[:1] in (b"{", b"[", b"<", b""):
        whole = " ".join(last.body.decode("utf-8", "replace").split())
        return Frames(last.status, fault, (whole,), 0, streamed=False)
    reader = SseReader()
    found = reader.feed(last.body)
    tail = reader.close()
    found += [tail] if tail else []
    view = View(told.api, mode, last.status, last.body)
    at = len(found) - 1
    for number, frame in enumerate(found):
        one = View(told.api, mode, last.status, frame.raw)
        if frame.data and any(value is not None for value in _values(one, view)):
            at = number
    return Frames(last.status, fault, tuple(_on_one_line(frame.raw) for frame in found), at, streamed=True)


def _on_one_line(raw: bytes) -> str:
    """A frame for the eye: its lines side by side."""
    return " | ".join(line for line in re.split(r"[\r\n]+", raw.decode("utf-8", "replace")) if line)


def _values(one: View, whole: View) -> list[Any]:
    try:
        return one.values(*REASON[whole.api, whole.mode])
    except ValueError:
        return []

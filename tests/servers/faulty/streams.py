"""Faults of streams alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.contract import Part, TextDelta
from tests.servers.engine import Asked
from tests.servers.faulty.base import GEMINI, RESPONSES, Faulty, faulty


@faulty("stop-near-miss", fails="stream.incremental")
class KeepsTooMuch(Faulty):
    """With stop strings, sixty-four characters are always held back."""

    def parts(self, asked: Asked, told: dict[str, Any]) -> Iterator[Part]:
        if not asked.stops or asked.tool:
            yield from super().parts(asked, told)
            return
        held = ""
        for part in super().parts(asked, told):
            held += part.text if isinstance(part, TextDelta) else ""
            if len(held) > 64:
                yield TextDelta(held[:-64])
                held = held[-64:]
        yield TextDelta(held)


@faulty("answers", fails="stream.incremental", api=GEMINI)
class SendsAtTheEnd(Faulty):
    """The stream comes in one piece."""

    def parts(self, asked: Asked, told: dict[str, Any]) -> Iterator[Part]:
        if asked.tool:
            yield from super().parts(asked, told)
            return
        yield TextDelta("".join(part.text for part in super().parts(asked, told) if isinstance(part, TextDelta)))


@faulty("answers", fails="reason.once shape.idiom")
class ReasonTwice(Faulty):
    """The chunk with the reason is sent again."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        for event in super().events(asked):
            yield event
            if isinstance(event, dict) and event["choices"] and event["choices"][0]["finish_reason"]:
                yield event


@faulty("answers", fails="reason.once shape.grammar")
class ReasonEarly(Faulty):
    """The reason comes before the last piece of text."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        events = list(super().events(asked))
        ends = [n for n, one in enumerate(events) if isinstance(one, dict) and _finish(one)]
        if ends and ends[0] >= 3:
            events[ends[0] - 1], events[ends[0]] = events[ends[0]], events[ends[0] - 1]
        yield from events


def _finish(event: dict[str, Any]) -> Any:
    return event["choices"] and event["choices"][0]["finish_reason"]


@faulty("answers", fails="shape.grammar shape.idiom reason.class")
class NoReason(Faulty):
    """The stream ends without a reason."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        return (one for one in super().events(asked) if not (isinstance(one, dict) and _finish(one)))


@faulty("repeats", fails="text.stream-agrees")
class SpaceInStreams(Faulty):
    """A stream begins with a space that the whole reply has not."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        first = True
        for event in super().events(asked):
            if isinstance(event, dict) and event["choices"] and event["choices"][0]["delta"].get("content"):
                if first and not asked.tool:
                    event["choices"][0]["delta"]["content"] = " " + event["choices"][0]["delta"]["content"]
                first = False
            yield event


@faulty("answers", fails="text.stream-agrees", api=RESPONSES)
class FinalObjectCut(Faulty):
    """The final object lacks the last letter that the deltas had."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        for event in super().events(asked):
            if isinstance(event, dict) and event["type"] in ("response.completed", "response.incomplete"):
                for item in event["response"]["output"]:
                    for part in item.get("content", ()):
                        part["text"] = part["text"][:-1]
            yield event

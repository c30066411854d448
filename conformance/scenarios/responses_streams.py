"""Streams that only OpenAI Responses has (section C). Those of several APIs: `streams`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import RESPONSES, WEATHER, bug, call, doc, draft, rec, text
from conformance.scenarios.edits import first_of, numbered, put
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Bytes, Calls, CutArguments, Has, Reason, TextIs
from conformance.scenarios.premises_order import At, Together
from conformance.scenarios.premises_text import HasText
from conformance.scenarios.streams import ASK, COMPATIBLE, PIECES
from conformance.scenarios.tools import MARK
from conformance.vocabulary import Standing
from conformance.wire.draft import Raw
from conformance.wire.sse import Event

_TEXT = "".join(PIECES)


def _kept_alive(events: list[Event]) -> list[Event]:
    alive = Event("keepalive", {"type": "keepalive"})
    delta = first_of(events, "response.output_text.delta")
    return numbered(put(events, (2, alive), (delta + 1, alive)))


def _keepalive() -> Scenario:
    slug = "resp-keepalive"
    return Scenario(
        RESPONSES,
        slug,
        "`keepalive` events, which no document names, come between the others and are numbered with them.",
        "unchanged",
        Ask("When is low tide?", max_tokens=200, tools=(MARK,)),
        Wire(draft(RESPONSES, slug, "completed", text(*PIECES)), events=_kept_alive),
        (Reason("completed"), HasText(), Has("type", "keepalive")),
        (rec("1 recording"), bug("openai/openai-node#1964, openai/openai-java#767")),
        modes=STREAMED,
        tolerates="keepalive events",
    )


def _queued(events: list[Event]) -> list[Event]:
    background = [
        Event(event.name, {**event.data, "response": {**event.data["response"], "background": True}})
        if "response" in event.data
        else event
        for event in events
    ]
    created, *rest = background
    response = {**created.data["response"], "status": "queued"}
    first = [Event(name, {"type": name, "response": response}) for name in ("response.created", "response.queued")]
    return numbered([*first, *rest])


def _background() -> Scenario:
    slug = "resp-background"
    return Scenario(
        RESPONSES,
        slug,
        "The response is queued first: response.created with that status, then response.queued.",
        "unchanged: complete",
        ASK,
        Wire(draft(RESPONSES, slug, "completed", text(*PIECES)), events=_queued),
        (
            Reason("completed"),
            TextIs(_TEXT),
            At(0, Has("response.status", "queued")),
            At(1, Has("type", "response.queued")),
        ),
        (rec("3 streams of background responses"), doc("openai==3.57.0 types/responses/response_queued_event.py")),
        modes=STREAMED,
        tolerates="response.queued",
    )


def _without_output(events: list[Event]) -> list[Event]:
    *before, last = events
    return [*before, Event(last.name, {**last.data, "response": {**last.data["response"], "output": []}})]


def _output_empty() -> Scenario:
    slug = "resp-output-empty"
    return Scenario(
        RESPONSES,
        slug,
        "The response in the last event has `output: []` although an item was streamed (chatgpt.com backend).",
        "complete, with the text of the deltas",
        ASK,
        Wire(draft(RESPONSES, slug, "completed", text(*PIECES)), events=_without_output),
        (Reason("completed"), TextIs(_TEXT), At(-1, Has("response.output", []))),
        (rec("32 of 32 streams of the chatgpt.com backend"),),
        modes=STREAMED,
    )


def _cut_arguments() -> Scenario:
    slug = "resp-cut-arguments-done"
    pieces = ('{"city"', ': "Lisbon", "unit', '": "cel')
    cut = "".join(pieces)
    return Scenario(
        RESPONSES,
        slug,
        "function_call_arguments.done comes although the call was cut, with the cut JSON; the item is incomplete.",
        "truncated; the call is never handed out as a valid, complete one",
        Ask("How warm is it in Lisbon, in celsius?", max_tokens=24, tools=(WEATHER,)),
        Wire(
            draft(
                RESPONSES, slug, "incomplete/max_output_tokens", text("I will ", "look."), call("get_weather", *pieces)
            )
        ),
        (
            Reason("max_output_tokens"),
            Calls(("get_weather",)),
            CutArguments(),
            Together((Has("type", "response.function_call_arguments.done"), Has("arguments", cut))),
            Together((Has("type", "response.output_item.done"), Has("item.status", "incomplete"))),
        ),
        (
            rec("1 stream that was cut inside a call: the done event is sent all the same"),
            bug("family truncated-tool-json: experientiallabs/experiential#757"),
        ),
        modes=STREAMED,
    )


def _unknown_item() -> Scenario:
    slug = "unknown-item"
    item: dict[str, Any] = {"id": "sb_0b6d1c", "type": "storyboard", "status": "completed", "panels": [{"n": 1}]}
    opened = {**item, "status": "in_progress", "panels": []}
    return Scenario(
        RESPONSES,
        slug,
        "Before the message stands an output item of a type that nobody knows.",
        "the text of the message is whole, no crash",
        ASK,
        Wire(draft(RESPONSES, slug, "completed", Raw(item, opened), text(*PIECES))),
        (Reason("completed"), TextIs(_TEXT), Bytes(b'"storyboard"')),
        (COMPATIBLE,),
        standing=Standing.PERMITTED,
        tolerates="an output item of an unknown type",
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield _keepalive()
    yield _background()
    yield _output_empty()
    yield _cut_arguments()
    yield _unknown_item()

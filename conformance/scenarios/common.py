"""What the theme modules share: tools to declare, raw values by API, short-hands. No scenario is defined here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.contract import Tool
from conformance.scenarios.model import Evidence
from conformance.vocabulary import Api
from conformance.wire.draft import Block, Draft, Text, ToolUse
from conformance.wire.sse import Event

CHAT, RESPONSES, ANTHROPIC, GEMINI = Api.OPENAI_CHAT, Api.OPENAI_RESPONSES, Api.ANTHROPIC_MESSAGES, Api.GEMINI
ALL = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
WITH_STOP = (CHAT, ANTHROPIC, GEMINI)
"""The APIs that have a stop parameter."""

NATURAL: Mapping[Api, str] = {CHAT: "stop", RESPONSES: "completed", ANTHROPIC: "end_turn", GEMINI: "STOP"}
CAP: Mapping[Api, str] = {
    CHAT: "length",
    RESPONSES: "incomplete/max_output_tokens",
    ANTHROPIC: "max_tokens",
    GEMINI: "MAX_TOKENS",
}
TOOL: Mapping[Api, str] = {CHAT: "tool_calls", RESPONSES: "completed", ANTHROPIC: "tool_use", GEMINI: "STOP"}
FIRED: Mapping[Api, str] = {CHAT: "stop", ANTHROPIC: "stop_sequence", GEMINI: "STOP"}
"""What each API sends when a stop sequence fires: only Anthropic has a value of its own."""

WEATHER = Tool(
    "get_weather",
    "Current weather of a city.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
        "required": ["city"],
    },
)
FERRY = Tool(
    "next_ferry",
    "The next ferry from a pier.",
    {"type": "object", "properties": {"pier": {"type": "string"}}, "required": ["pier"]},
)
CLOCK = Tool("get_time", "Current time. Takes no arguments.", {"type": "object", "properties": {}})

RECORDINGS = "counts over the hash-pinned packages of tools/published"


def last(reason: str) -> str:
    """The part of a raw reason that stands in the reason field: a Responses reason without its status."""
    return reason.rpartition("/")[2]


def draft(api: Api, slug: str, reason: str | int | None, *blocks: Block, **more: Any) -> Draft:
    """A draft whose ids are minted from the scenario's id."""
    from conformance.scenarios.model import MODELS

    return Draft(f"{api}/{slug}", more.pop("model", MODELS[api]), blocks, reason, **more)


def text(*pieces: str) -> Text:
    """Visible text in the pieces of a stream."""
    return Text(pieces)


def call(name: str, *pieces: str) -> ToolUse:
    """A tool call whose argument text comes in these pieces."""
    return ToolUse(name, pieces)


def rec(source: str) -> Evidence:
    """Recorded publicly."""
    return Evidence("rec", source)


def doc(source: str) -> Evidence:
    """Vendor documentation or SDK types."""
    return Evidence("doc", source)


def bug(source: str) -> Evidence:
    """A public bug report."""
    return Evidence("bug", source)


def seed(source: str) -> Evidence:
    """One of the articles that the project was created from."""
    return Evidence("seed", source)


def drop_after(count: int) -> Callable[[list[Event]], list[Event]]:
    """An edit that keeps the first events of a stream: a clean end of body before the rest."""
    return lambda events: events[:count]


def drop_last(count: int) -> Callable[[list[Event]], list[Event]]:
    """An edit that cuts the last events off."""
    return lambda events: events[:-count]


def insert(at: int, *new: Event) -> Callable[[list[Event]], list[Event]]:
    """An edit that puts events before the one at this place."""
    return lambda events: [*events[:at], *new, *events[at:]]


def merged(**keys: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """An edit that sets top-level keys of a whole body."""
    return lambda body: {**body, **keys}


def chain(*edits: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Edits one after the other."""

    def run(value: Any) -> Any:
        for edit in edits:
            value = edit(value)
        return value

    return run


def joined(pieces: Sequence[str]) -> str:
    """The pieces as one text."""
    return "".join(pieces)

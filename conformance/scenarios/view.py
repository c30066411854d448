"""The response of a cell as JSON documents, walked by path, apart from the codecs. No premise, no scenario here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.vocabulary import Api, Mode
from conformance.wire.sse import Event, SseReader, compact, encode

_B, _S = Mode.BUFFERED, Mode.STREAMED

REASON: Mapping[tuple[Api, Mode], tuple[str, ...]] = {
    (Api.OPENAI_CHAT, _B): ("choices[].finish_reason",),
    (Api.OPENAI_CHAT, _S): ("choices[].finish_reason",),
    (Api.OPENAI_RESPONSES, _B): ("status", "incomplete_details.reason"),
    (Api.OPENAI_RESPONSES, _S): ("response.status", "response.incomplete_details.reason"),
    (Api.ANTHROPIC_MESSAGES, _B): ("stop_reason",),
    (Api.ANTHROPIC_MESSAGES, _S): ("delta.stop_reason", "message.stop_reason"),
    (Api.GEMINI, _B): ("candidates[].finishReason", "promptFeedback.blockReason"),
    (Api.GEMINI, _S): ("candidates[].finishReason", "promptFeedback.blockReason"),
}
"""Where each API says why it stopped."""

TEXT: Mapping[tuple[Api, Mode], str] = {
    (Api.OPENAI_CHAT, _B): "choices[].message.content",
    (Api.OPENAI_CHAT, _S): "choices[].delta.content",
    (Api.OPENAI_RESPONSES, _B): "output[].content[].text",
    (Api.OPENAI_RESPONSES, _S): "delta",
    (Api.ANTHROPIC_MESSAGES, _B): "content[].text",
    (Api.ANTHROPIC_MESSAGES, _S): "delta.text",
    (Api.GEMINI, _B): "candidates[].content.parts[].text",
    (Api.GEMINI, _S): "candidates[].content.parts[].text",
}
"""Where each API puts visible text."""

ARGUMENTS: Mapping[tuple[Api, Mode], str] = {
    (Api.OPENAI_CHAT, _B): "choices[].message.tool_calls[].function.arguments",
    (Api.OPENAI_CHAT, _S): "choices[].delta.tool_calls[].function.arguments",
    (Api.OPENAI_RESPONSES, _B): "output[].arguments",
    (Api.OPENAI_RESPONSES, _S): "arguments",
    (Api.ANTHROPIC_MESSAGES, _B): "content[].input",
    (Api.ANTHROPIC_MESSAGES, _S): "delta.partial_json",
    (Api.GEMINI, _B): "candidates[].content.parts[].functionCall.args",
    (Api.GEMINI, _S): "candidates[].content.parts[].functionCall.args",
}
"""Where each API puts tool arguments: pieces of JSON text, or an object."""

CALL_NAME: Mapping[tuple[Api, Mode], str] = {
    (Api.OPENAI_CHAT, _B): "choices[].message.tool_calls[].function.name",
    (Api.OPENAI_CHAT, _S): "choices[].delta.tool_calls[].function.name",
    (Api.OPENAI_RESPONSES, _B): "output[].name",
    (Api.OPENAI_RESPONSES, _S): "item.name",
    (Api.ANTHROPIC_MESSAGES, _B): "content[].name",
    (Api.ANTHROPIC_MESSAGES, _S): "content_block.name",
    (Api.GEMINI, _B): "candidates[].content.parts[].functionCall.name",
    (Api.GEMINI, _S): "candidates[].content.parts[].functionCall.name",
}
"""Where each API names the tool."""


_TERMINAL = ("response.completed", "response.incomplete", "response.failed")
"""The status in other Responses events is that of a reply under way."""


@dataclass(frozen=True, slots=True)
class View:
    """The response of a cell, as bytes and as the JSON documents in them.

    Attributes:
        earlier: the statuses of the responses that came before it.
    """

    api: Api
    mode: Mode
    status: int
    body: bytes
    earlier: tuple[int, ...] = ()

    @property
    def events(self) -> list[Event]:
        """The documents in order: one for a whole body, one a frame or an element of an array for a stream."""
        if self.body.lstrip()[:1] in (b"{", b"["):
            data = json.loads(self.body)
            return [Event(None, item) for item in (data if isinstance(data, list) else [data])]
        reader = SseReader()
        frames = reader.feed(self.body)
        tail = reader.close()
        return [Event(f.event, _json(f.data)) for f in [*frames, *([tail] if tail else [])] if f.data is not None]

    def values(self, *paths: str) -> list[Any]:
        """Every value at the paths, in the order of the wire; null counts, a missing key does not."""
        return [value for event in self.events for path in paths for value in _walk(event.data, path.split("."))]

    def change(self, edit: Callable[[Any], Any], *paths: str) -> View:
        """The same response with every value at the paths replaced by `edit(value)`."""
        events = [Event(name, _edited(data, paths, edit)) for name, data in self.events]
        return self.with_events(events)

    def with_events(self, events: list[Event]) -> View:
        """The same response with other documents."""
        if self.body.lstrip()[:1] == b"[":
            return replace(self, body=compact([event.data for event in events]).encode())
        if self.body.lstrip()[:1] == b"{":
            return replace(self, body=compact(events[0].data).encode())
        line_end = "\r\n" if b"\r\n" in self.body else "\n"
        return replace(self, body=encode(events, line_end=line_end))

    @property
    def text(self) -> str:
        """Visible text, read by path alone."""
        if self.api is Api.OPENAI_RESPONSES and self.mode is _S:
            deltas = [e.data.get("delta") for e in self.events if event_type(e.data) == "response.output_text.delta"]
            return "".join(str(delta) for delta in deltas)
        holder, _, rest = TEXT[self.api, self.mode].rpartition("[].")
        items = [item for item in self.values(f"{holder}[]" if holder else rest) if _is_answer(item)]
        found = [value for item in items for value in _walk(item, rest.split("."))] if holder else items
        return "".join(value for value in found if isinstance(value, str))

    @property
    def reasons(self) -> list[str]:
        """Every reason that is not null, in order."""
        ends = self
        if (self.api, self.mode) == (Api.OPENAI_RESPONSES, _S):
            final = [event for event in self.events if event_type(event.data) in _TERMINAL]
            ends = self.with_events(final)
        return [str(value) for value in ends.values(*REASON[self.api, self.mode]) if value is not None]

    @property
    def arguments(self) -> str:
        """Tool argument text joined (of one call), or the JSON of the object."""
        values = self.values(ARGUMENTS[self.api, self.mode])
        return "".join(value if isinstance(value, str) else json.dumps(value) for value in values)


GONE = object()
"""What an edit returns to take the key away."""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_answer(item: Any) -> bool:
    """Whether text beside these keys is the visible answer: of the first choice, and no thought of Gemini's."""
    return not (isinstance(item, Mapping) and (item.get("index") or item.get("thought")))


def event_type(data: Any) -> str:
    """The `type` of a document, or its text."""
    return str(data.get("type")) if isinstance(data, Mapping) else str(data)


def _walk(value: Any, steps: list[str]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    many = step.endswith("[]")
    if not isinstance(value, Mapping) or step.removesuffix("[]") not in value:
        return
    inner = value[step.removesuffix("[]")]
    if not many:
        yield from _walk(inner, rest)
    elif isinstance(inner, list):
        for item in inner:
            yield from _walk(item, rest)


def _edited(value: Any, paths: tuple[str, ...], edit: Callable[[Any], Any]) -> Any:
    copy = json.loads(json.dumps(value))
    for path in paths:
        _edit(copy, path.split("."), edit)
    return copy


def _edit(value: Any, steps: list[str], edit: Callable[[Any], Any]) -> None:
    name = steps[0].removesuffix("[]")
    if not isinstance(value, dict) or name not in value:
        return
    if len(steps) == 1 and not steps[0].endswith("[]"):
        value[name] = edit(value[name])
        if value[name] is GONE:
            del value[name]
    elif len(steps) == 1:
        value[name] = [edit(item) for item in value[name]]
    else:
        for item in value[name] if steps[0].endswith("[]") and isinstance(value[name], list) else [value[name]]:
            _edit(item, steps[1:], edit)


def planted(value: Any, steps: list[str]) -> Any:
    """A copy of the document with a value at the path."""
    if not isinstance(value, Mapping):
        return value
    name, rest = steps[0].removesuffix("[]"), steps[1:]
    if not rest:
        return {**value, name: "spoiled"}
    inner = value.get(name)
    if isinstance(inner, list) and inner:
        return {**value, name: [planted(item, rest) for item in inner]}
    inside = planted(inner if isinstance(inner, Mapping) else {}, rest)
    return {**value, name: [inside] if steps[0].endswith("[]") else inside}

"""What the four writers share: the order of calls, the names of calls, and what is known at the end. No API's shape."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import time
from typing import Any, ClassVar
from uuid import uuid4

from conformance.contract import Part, RefusalDelta, Reply, TextDelta, ThinkingDelta, ToolCall, ToolCallDelta, Usage
from conformance.vocabulary import Stop
from conformance.wire.draft import Block, Draft, Refusal, Text, Thinking, ToolUse
from conformance.wire.reading import is_json_object

Payload = dict[str, Any] | str
Content = TextDelta | ThinkingDelta | RefusalDelta | ToolCallDelta


class NoPlace(Exception):
    """The shape has no place for what is to be written, and leaving it out would deceive."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What is known when the source has ended.

    Attributes:
        word: the value of the written API.
        stop: the class of the ending.
        reply: the source's whole reply.
    """

    word: str
    stop: Stop
    reply: Reply

    @property
    def cut(self) -> bool:
        """A tool call without arguments may have been cut before its first."""
        return self.stop in (Stop.TRUNCATED, Stop.UNKNOWN)


class Emitter(ABC):
    """Writes one reply: `take` for each Content, `flush` when no more come, then `end`; or `whole` for all at once.

    Ids are new each time, as no two replies may share one; those of tool calls are the source's where it has them.
    """

    IN_TURN: ClassVar[bool] = True
    """The shape has one block after the other, so that interleaved calls have to wait."""

    def __init__(self, model: str) -> None:
        self.draft = Draft(uuid4().hex, model, (), None)
        self.created = int(time())
        self.cut = False
        self._begun = False
        self._calls = _Named()
        self._turns = _InTurn()

    def take(self, part: Part) -> Iterator[Payload]:
        """The events that a Part gives rise to now."""
        if isinstance(part, TextDelta | ThinkingDelta | RefusalDelta) and part.text:
            yield from self._write([part])
        elif isinstance(part, ToolCallDelta):
            yield from self._write(self._calls.take(part))

    def flush(self, *, cut: bool) -> Iterator[Payload]:
        """What was still waiting; `cut` where the source may have stopped inside a call."""
        self.cut = cut
        yield from self._write(self._calls.rest())
        yield from self._written(self._turns.rest())
        yield from self._begin()

    def end(self, ending: Ending) -> Iterator[Payload]:
        """The closing events, the reason with them."""
        yield from self.flush(cut=ending.cut)
        yield from self.finish(ending)

    @abstractmethod
    def start(self) -> Iterator[Payload]:
        """What comes before any content."""

    @abstractmethod
    def write(self, part: Content) -> Iterator[Payload]:
        """The events of one piece of content, in turn where the shape needs it."""

    @abstractmethod
    def finish(self, ending: Ending) -> Iterator[Payload]:
        """The events that close the reply."""

    @abstractmethod
    def whole(self, ending: Ending) -> dict[str, Any]:
        """The same reply as one object."""

    def _begin(self) -> Iterator[Payload]:
        if not self._begun:
            self._begun = True
            yield from self.start()

    def _write(self, parts: Iterable[Content]) -> Iterator[Payload]:
        for part in parts:
            yield from self._written(self._turns.take(part) if self.IN_TURN else [part])

    def _written(self, parts: Iterable[Content]) -> Iterator[Payload]:
        for part in parts:
            yield from self._begin()
            yield from self.write(part)


def usage_of(reply: Reply) -> Usage:
    """The counts to write: an API that must give a number gives 0 for what the source did not tell."""
    usage = reply.usage or Usage()
    return Usage(usage.input_tokens or 0, usage.output_tokens or 0)


def blocks_of(reply: Reply, calls: Iterable[ToolCall]) -> tuple[Block, ...]:
    """A whole reply as the blocks that a codec encodes, with these of its calls."""
    texts: list[Block] = [
        kind((text,))
        for kind, text in ((Thinking, reply.thinking), (Text, reply.text), (Refusal, reply.refusal))
        if text
    ]
    return (*texts, *(ToolUse(call.name, (arguments_of(call),)) for call in calls))


def arguments_of(call: ToolCall) -> str:
    """The argument text of a call."""
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


def objects_of(ending: Ending) -> tuple[list[tuple[ToolCall, dict[str, Any]]], bool]:
    """The calls of a whole reply with their arguments as objects, and whether one had to be left out.

    A shape that wants an object has no place for half of one. A call that was cut is left out, never
    mended, and the reason beside it has to say that something is missing.
    """
    calls = [(call, as_arguments(arguments_of(call), cut=ending.cut)) for call in ending.reply.tool_calls]
    if any(call.free_text for call, _ in calls):
        raise NoPlace("the free text of a custom tool has no place where arguments are objects")
    kept = [(call, arguments) for call, arguments in calls if arguments is not None]
    return kept, len(kept) < len(calls)


def as_arguments(text: str, *, cut: bool) -> dict[str, Any] | None:
    """The object that argument text stands for; None where it is none, or where nothing came and more may have."""
    if text == "" and not cut:
        return {}
    return dict(json.loads(text)) if is_json_object(text) else None


def object_of(value: Any) -> Mapping[str, Any]:
    """The value where it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


class _Named:
    """Sees to it that the first piece of a call has its name and an id, and the others have neither."""

    def __init__(self) -> None:
        self._named: set[int] = set()
        self._held: dict[int, ToolCallDelta] = {}

    def take(self, part: ToolCallDelta) -> list[Content]:
        if part.index in self._named:
            return [replace(part, id=None, name=None)]
        if held := self._held.pop(part.index, None):
            text = f"{held.arguments}{part.arguments}"
            free = held.free_text or part.free_text
            part = replace(part, id=part.id or held.id, arguments=text, free_text=free)
        if not part.name:
            self._held[part.index] = part
            return []
        self._named.add(part.index)
        return [replace(part, id=part.id or f"call_{uuid4().hex[:24]}")]

    def rest(self) -> list[Content]:
        """Calls whose name never came, as they are."""
        held, self._held = self._held, {}
        return [replace(part, id=part.id or f"call_{uuid4().hex[:24]}", name="") for part in held.values()]


class _InTurn:
    """Puts the pieces of one call together. Chat streams interleave calls; other shapes cannot.

    A call that is under way goes out as it comes. Whatever else arrives waits until its arguments are one
    whole JSON object, or until the end.
    """

    def __init__(self) -> None:
        self._call: int | None = None
        self._text = ""
        self._whole: set[int] = set()
        self._waiting: list[Content] = []

    def take(self, part: Content) -> list[Content]:
        if self._call is not None and not (isinstance(part, ToolCallDelta) and part.index == self._call):
            self._waiting.append(part)
            return []
        if isinstance(part, ToolCallDelta) and part.index in self._whole:
            if str(part.arguments).strip():
                raise NoPlace("text comes after the whole arguments of a tool call")
            return []
        out = [part]
        if isinstance(part, ToolCallDelta):
            self._text = f"{self._text if self._call is not None else ''}{part.arguments}"
            self._call = part.index
            if is_json_object(self._text):
                self._whole.add(part.index)
                self._call = None
                out += self._release()
        return out

    def rest(self) -> list[Content]:
        """Everything that waits, each call in one piece."""
        out: list[Content] = []
        while self._waiting:
            self._call = None
            out += self._release()
        return out

    def _release(self) -> list[Content]:
        waiting, self._waiting = self._waiting, []
        return [ready for part in waiting for ready in self.take(part)]

"""Stream grammar of OpenAI Responses. Counts are over 235 streams of api.openai.com.

response.created, response.queued?, response.in_progress, items added, filled and done, one terminal event.
Rules that break name what openai==3.57.0 lib/streaming/responses/_responses.py does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.wire.grammar.base import Grammar, Json, as_list, as_object

_LIFE = ("response.created", "response.queued", "response.in_progress")
_TERMINAL = ("response.completed", "response.incomplete", "response.failed")
_CALLS = ("function_call", "custom_tool_call")


@dataclass(slots=True)
class _Item:
    """An output item under way."""

    item: Json
    parts: set[Any] = field(default_factory=set)
    done: bool = False


class ResponsesGrammar(Grammar):
    """The life of one response."""

    def __init__(self) -> None:
        super().__init__()
        self._began = False
        self._terminal: str | None = None
        self._id: Any = None
        self._number: int | None = None
        self._items: dict[Any, _Item] = {}

    def event(self, event: Json) -> None:
        kind = str(event.get("type"))
        if kind == "error":
            self._error()
        elif kind.startswith("response."):  # `keepalive` and the like may come anywhere
            self._life(kind, event)
        self._count(event.get("sequence_number"))

    def sentinel(self) -> None:
        self.departs("[DONE] is no part of this API")  # none in 235; OpenRouter sends it

    def no_sentinel(self) -> None:
        """Nothing: as it should be."""

    def lacks(self) -> None:
        # 235/235; without it there is no status and no usage (decolua/9router#1648).
        if self._terminal is None:
            self.breaks("the stream ends without a terminal event")

    def _error(self) -> None:
        if self._terminal is not None:
            self.breaks("an event comes after the terminal one")
        self._terminal = "error"
        self.failed = True

    def _count(self, number: Any) -> None:
        if not isinstance(number, int):
            return
        if self._number is not None and number != self._number + 1:
            # Contiguous in 228 of 235, none at all in 6 old ones; clients resume a stream by it.
            self.departs("sequence_number is not contiguous")
        self._number = number

    def _life(self, kind: str, event: Json) -> None:
        if self._terminal is not None and (self._terminal, kind) != ("error", "response.failed"):
            # One fixture has `error` and then response.failed: one failure, told twice.
            self.breaks("an event comes after the terminal one")
            return
        if not self._began and kind != "response.created":
            self.breaks(f"{kind} comes before response.created")  # RuntimeError
        self._began = True
        if kind in (*_LIFE, *_TERMINAL):
            self._same(as_object(event.get("response")))
        if kind in _TERMINAL:
            self._end(kind, as_object(event.get("response")))
        elif kind == "response.output_item.added":
            self._added(event)
        elif kind == "response.output_item.done":
            self._done(event)
        elif kind not in _LIFE and "output_index" in event:
            self._inside(kind, event)

    def _same(self, response: Json) -> None:
        """RuntimeError: Lifecycle response identity changed."""
        if self._id is not None and response.get("id") != self._id:
            self.breaks("the id of the response changes")
        self._id = response.get("id")

    def _added(self, event: Json) -> None:
        index = event.get("output_index")
        if index in self._items:
            self.breaks("two output items have one output_index")  # RuntimeError
        self._items[index] = _Item(as_object(event.get("item")))

    def _done(self, event: Json) -> None:
        state = self._items.get(event.get("output_index"))
        if state is None:
            self.departs("an output item is done that was never added")
            return
        if state.done:
            self.departs("an output item is done twice")
        state.done = True
        if _identity(state.item) != _identity(as_object(event.get("item"))):
            self.breaks("the id or the type of an output item changes")  # RuntimeError

    def _inside(self, kind: str, event: Json) -> None:
        state, part = self._items.get(event.get("output_index")), event.get("content_index")
        if state is None:
            self.breaks("a delta comes for an output item that was never added")  # RuntimeError
            return
        if state.done:
            self.breaks("a delta comes after its output item was done")
        if kind == "response.content_part.added":
            state.parts.add(part)
        elif kind == "response.output_text.delta" and part not in state.parts:
            self.breaks("response.output_text.delta comes for a content part that was never added")  # IndexError
        elif kind == "response.refusal.delta" and part not in state.parts:
            self.departs("response.refusal.delta comes for a content part that was never added")

    def _end(self, kind: str, response: Json) -> None:
        self._terminal = kind
        status = response.get("status")
        if status is not None and kind != f"response.{status}":
            self.breaks(f"{kind} carries the status {status!r}")
        final = as_list(response.get("output"))
        unfinished = [state for state in self._items.values() if not state.done]
        if kind == "response.completed" and any(
            _identity(state.item) not in [_identity(as_object(item)) for item in final] for state in unfinished
        ):
            self.breaks("the response is completed with an output item that is not done")  # RuntimeError
        elif kind != "response.failed" and unfinished:
            self.departs("the response ends with an output item that is not done")
        if kind != "response.failed" and len(final) < len(self._items):
            # The chatgpt.com backend sends `output: []`; who reads the final object only gets nothing.
            self.departs("the terminal event lacks output items that were streamed")


def _identity(item: Json) -> tuple[Any, Any]:
    kind = item.get("type")
    return kind, item.get("call_id") if kind in _CALLS else item.get("id")

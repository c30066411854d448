"""Premises about where on the wire something stands: first, last, in one frame, in this order. Others: `premises`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.scenarios.premises import Has, HasKey, Premise
from conformance.scenarios.view import View, planted
from conformance.vocabulary import Mode
from conformance.wire.sse import Event


@dataclass(frozen=True, slots=True)
class At(Premise):
    """The JSON document at this place (0 the first, -1 the last) shows the inner premise."""

    place: int
    inner: Premise

    @property
    def says(self) -> str:
        return f"in document {self.place}, {self.inner.says}"

    def holds(self, view: View) -> bool:
        documents = [event for event in view.events if isinstance(event.data, Mapping)]
        return self.inner.holds(view.with_events([documents[self.place]]))

    def spoil(self, view: View) -> View:
        return self.inner.spoil(view)


@dataclass(frozen=True, slots=True)
class Together(Premise):
    """One document shows all of this."""

    parts: tuple[Has | HasKey, ...]

    @property
    def says(self) -> str:
        return f"in one document, {' and '.join(part.says for part in self.parts)}"

    def holds(self, view: View) -> bool:
        return any(all(part.holds(view.with_events([event])) for part in self.parts) for event in view.events)

    def spoil(self, view: View) -> View:
        return self.parts[0].spoil(view)


@dataclass(frozen=True, slots=True)
class Values(Premise):
    """The values at the path, over all documents and in order, are these."""

    path: str
    expected: tuple[Any, ...]

    @property
    def says(self) -> str:
        return f"{self.path} is in order {', '.join(map(repr, self.expected))}"

    def holds(self, view: View) -> bool:
        return tuple(view.values(self.path)) == self.expected

    def spoil(self, view: View) -> View:
        return view.change(lambda _: "spoiled", self.path)


@dataclass(frozen=True, slots=True)
class Sends(Premise):
    """One document is exactly this, without any other key."""

    data: Mapping[str, Any]

    @property
    def says(self) -> str:
        return f"a document is exactly {dict(self.data)!r}"

    def holds(self, view: View) -> bool:
        return any(event.data == self.data for event in view.events)

    def spoil(self, view: View) -> View:
        return view.with_events([Event(name, planted(data, ["more"])) for name, data in view.events])


@dataclass(frozen=True, slots=True)
class Rebuilt(Premise):
    """Text and matched string, put together once, are this."""

    whole: str

    @property
    def says(self) -> str:
        return f"the text followed by the matched string is {self.whole!r}"

    def holds(self, view: View) -> bool:
        found = view.values("stop_sequence" if view.mode is Mode.BUFFERED else "delta.stop_sequence")
        return view.text + "".join(map(str, found)) == self.whole

    def spoil(self, view: View) -> View:
        return view.change(lambda old: f"{old}{old}", "stop_sequence", "delta.stop_sequence")

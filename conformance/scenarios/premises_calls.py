"""Premises on the arguments of tool calls, whole ones. What is cut, and which tools are called: `premises`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from conformance.scenarios.premises import Premise
from conformance.scenarios.view import ARGUMENTS, CALL_NAME, View, planted
from conformance.wire.sse import Event


@dataclass(frozen=True, slots=True)
class Arguments(Premise):
    """The arguments of the calls are these objects, one a call, in order. Not for calls whose pieces interleave."""

    objects: tuple[Mapping[str, Any], ...]

    @property
    def says(self) -> str:
        return f"the tool arguments are {list(self.objects)}"

    def holds(self, view: View) -> bool:
        return _objects(view) == list(self.objects)

    def spoil(self, view: View) -> View:
        path = ARGUMENTS[view.api, view.mode]
        if not view.values(path):  # Gemini may leave the arguments out
            return view.with_events([Event(name, planted(data, path.split("."))) for name, data in view.events])
        return view.change(lambda old: {"spoiled": 1} if isinstance(old, Mapping) else '{"spoiled": 1}', path)


@dataclass(frozen=True, slots=True)
class ArgumentKeys(Premise):
    """The arguments of the calls are whole objects with these keys, one a call, in order, whatever the values are."""

    keys: tuple[tuple[str, ...], ...]

    @property
    def says(self) -> str:
        return f"the tool arguments are whole objects with the keys {list(self.keys)}"

    def holds(self, view: View) -> bool:
        return [tuple(found) if isinstance(found, Mapping) else found for found in _objects(view)] == list(self.keys)

    def spoil(self, view: View) -> View:
        return Arguments(()).spoil(view)


@dataclass(frozen=True, slots=True)
class ArgumentText(Premise):
    """The argument text of all calls joined is exactly this."""

    text: str

    @property
    def says(self) -> str:
        return f"the argument text is {self.text!r}"

    def holds(self, view: View) -> bool:
        return view.arguments == self.text

    def spoil(self, view: View) -> View:
        return view.change(lambda _: "spoiled", ARGUMENTS[view.api, view.mode])


def _objects(view: View) -> list[Any]:
    """The argument objects of the calls: as sent, or decoded one after the other from the joined text."""
    values = view.values(ARGUMENTS[view.api, view.mode])
    if any(isinstance(value, Mapping) for value in values):
        return values
    text, decoder = "".join(value for value in values if isinstance(value, str)), JSONDecoder()
    found: list[Any] = []
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except ValueError:
            return [*found, text]
        found.append(value)
        text = text[end:]
    called = any(isinstance(name, str) for name in view.values(CALL_NAME[view.api, view.mode]))
    return found or ([{}] if called else [])

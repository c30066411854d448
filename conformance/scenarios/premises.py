"""What a cassette must show, re-derived from its bytes. No scenario and no path table here.

Every premise can also spoil the bytes so that the behaviour is gone: that is how a test proves that
it is able to fail.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.scenarios.view import ARGUMENTS, CALL_NAME, GONE, REASON, View, event_type, planted
from conformance.vocabulary import Api, Mode
from conformance.wire.reading import is_json_object
from conformance.wire.sse import Event


class Premise(ABC):
    """One thing that a cassette must show."""

    @property
    @abstractmethod
    def says(self) -> str:
        """The premise in words, for the message when it no longer holds."""

    @abstractmethod
    def holds(self, view: View) -> bool:
        """Whether the bytes show it."""

    @abstractmethod
    def spoil(self, view: View) -> View:
        """The same exchange altered so that the behaviour is gone."""


@dataclass(frozen=True, slots=True)
class Reason(Premise):
    """The API's reason field has this value, and it is the first that is sent as final."""

    value: str

    @property
    def says(self) -> str:
        return f"the reason is {self.value!r}"

    def holds(self, view: View) -> bool:
        return self.value in view.reasons

    def spoil(self, view: View) -> View:
        return view.change(lambda old: "spoiled" if str(old) == self.value else old, *REASON[view.api, view.mode])


@dataclass(frozen=True, slots=True)
class ReasonTimes(Premise):
    """A reason is sent this often."""

    times: int

    @property
    def says(self) -> str:
        return f"a reason is sent {self.times} times"

    def holds(self, view: View) -> bool:
        return len(view.reasons) == self.times

    def spoil(self, view: View) -> View:
        doubled = [event for event in view.events for _ in range(2)]
        return view.with_events(doubled) if self.times else view.with_events([*view.events, *_endings(view.api)])


NoReason = ReasonTimes(0)
"""The wire never says why it stopped."""


@dataclass(frozen=True, slots=True)
class Has(Premise):
    """Some value at the path is this one."""

    path: str
    value: Any

    @property
    def says(self) -> str:
        return f"{self.path} is {self.value!r}"

    def holds(self, view: View) -> bool:
        return any(type(found) is type(self.value) and found == self.value for found in view.values(self.path))

    def spoil(self, view: View) -> View:
        return view.change(lambda old: "spoiled" if old == self.value else old, self.path)


@dataclass(frozen=True, slots=True)
class Matched(Premise):
    """Anthropic names this string as the one that matched; None: it names none."""

    value: str | None

    @property
    def says(self) -> str:
        return f"stop_sequence is {self.value!r}"

    def holds(self, view: View) -> bool:
        found = view.values("stop_sequence" if view.mode is Mode.BUFFERED else "delta.stop_sequence")
        return found == [self.value]

    def spoil(self, view: View) -> View:
        return view.change(lambda _: "spoiled", "stop_sequence", "delta.stop_sequence")


@dataclass(frozen=True, slots=True)
class HasKey(Premise):
    """Some document has a value at the path."""

    path: str

    @property
    def says(self) -> str:
        return f"{self.path} is present"

    def holds(self, view: View) -> bool:
        return bool(view.values(self.path))

    def spoil(self, view: View) -> View:
        return view.change(lambda _: GONE, self.path)


@dataclass(frozen=True, slots=True)
class LacksKey(Premise):
    """No document has a value at the path."""

    path: str

    @property
    def says(self) -> str:
        return f"{self.path} is absent"

    def holds(self, view: View) -> bool:
        return not view.values(self.path)

    def spoil(self, view: View) -> View:
        return view.with_events([Event(name, planted(data, self.path.split("."))) for name, data in view.events])


@dataclass(frozen=True, slots=True)
class TextIs(Premise):
    """The visible text is exactly this."""

    text: str

    @property
    def says(self) -> str:
        return f"the text is {self.text!r}"

    def holds(self, view: View) -> bool:
        return view.text == self.text

    def spoil(self, view: View) -> View:
        return _add_text(view, "spoiled")


@dataclass(frozen=True, slots=True)
class TextLacks(Premise):
    """The visible text does not contain this."""

    text: str

    @property
    def says(self) -> str:
        return f"the text does not contain {self.text!r}"

    def holds(self, view: View) -> bool:
        return self.text not in view.text

    def spoil(self, view: View) -> View:
        return _add_text(view, self.text)


@dataclass(frozen=True, slots=True)
class Calls(Premise):
    """The tools called, in order of appearance."""

    names: tuple[str, ...]

    @property
    def says(self) -> str:
        return f"the tools called are {', '.join(self.names) or 'none'}"

    def holds(self, view: View) -> bool:
        found = [name for name in view.values(CALL_NAME[view.api, view.mode]) if isinstance(name, str)]
        return tuple(dict.fromkeys(found)) == tuple(dict.fromkeys(self.names))

    def spoil(self, view: View) -> View:
        return view.change(lambda _: "spoiled", CALL_NAME[view.api, view.mode])


@dataclass(frozen=True, slots=True)
class Reasons(Premise):
    """The final reasons are exactly these, in order; none at all where the wire never says why it stopped."""

    values: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        return f"the reasons sent are {list(self.values)}"

    def holds(self, view: View) -> bool:
        return tuple(view.reasons) == self.values

    def spoil(self, view: View) -> View:
        steps = REASON[view.api, view.mode][0].split(".")
        return view.with_events([Event(name, planted(data, steps)) for name, data in view.events])


@dataclass(frozen=True, slots=True)
class CutArguments(Premise):
    """The argument text of the call is no whole JSON object, or is empty where the wire sends an object."""

    @property
    def says(self) -> str:
        return "the tool arguments are cut"

    def holds(self, view: View) -> bool:
        found = view.values(ARGUMENTS[view.api, view.mode])
        if any(isinstance(value, Mapping) for value in found):
            return bool(found[-1] == {})
        return not is_json_object(view.arguments)

    def spoil(self, view: View) -> View:
        pieces = iter(["{}"])
        return view.change(
            lambda old: {"spoiled": 1} if isinstance(old, Mapping) else next(pieces, ""), ARGUMENTS[view.api, view.mode]
        )


@dataclass(frozen=True, slots=True)
class Status(Premise):
    """The HTTP status."""

    code: int

    @property
    def says(self) -> str:
        return f"the HTTP status is {self.code}"

    def holds(self, view: View) -> bool:
        return view.status == self.code

    def spoil(self, view: View) -> View:
        return replace(view, status=self.code + 1)


@dataclass(frozen=True, slots=True)
class Earlier(Premise):
    """The HTTP statuses of the responses before this one."""

    codes: tuple[int, ...]

    @property
    def says(self) -> str:
        return f"the responses before it are {', '.join(map(str, self.codes))}"

    def holds(self, view: View) -> bool:
        return view.earlier == self.codes

    def spoil(self, view: View) -> View:
        return replace(view, earlier=())


@dataclass(frozen=True, slots=True)
class NotWhole(Premise):
    """The body ends in the middle of a JSON text."""

    @property
    def says(self) -> str:
        return "the body ends in the middle of a JSON text"

    def holds(self, view: View) -> bool:
        tail = view.body.rpartition(b"data:")[2].strip()
        return bool(tail) and tail[:1] in b"{[" and not _is_json(tail)

    def spoil(self, view: View) -> View:
        return replace(view, body=b"{}")


@dataclass(frozen=True, slots=True)
class Empty(Premise):
    """The body holds nothing."""

    @property
    def says(self) -> str:
        return "the body is empty"

    def holds(self, view: View) -> bool:
        return not view.body

    def spoil(self, view: View) -> View:
        return replace(view, body=b"{}")


@dataclass(frozen=True, slots=True)
class Bytes(Premise):
    """The body contains these bytes."""

    data: bytes

    @property
    def says(self) -> str:
        return f"the body contains {self.data!r}"

    def holds(self, view: View) -> bool:
        return self.data in view.body

    def spoil(self, view: View) -> View:
        return replace(view, body=view.body.replace(self.data, b"\n"))


@dataclass(frozen=True, slots=True)
class NoBytes(Premise):
    """The body does not contain these bytes."""

    data: bytes

    @property
    def says(self) -> str:
        return f"the body does not contain {self.data!r}"

    def holds(self, view: View) -> bool:
        return self.data not in view.body

    def spoil(self, view: View) -> View:
        return replace(view, body=view.body + self.data)


@dataclass(frozen=True, slots=True)
class Types(Premise):
    """The event types in order, repeats of one type told once."""

    names: tuple[str, ...]

    @property
    def says(self) -> str:
        return f"the events are {' '.join(self.names)}"

    def holds(self, view: View) -> bool:
        found = [event_type(event.data) for event in view.events]
        return tuple(name for i, name in enumerate(found) if i == 0 or found[i - 1] != name) == self.names

    def spoil(self, view: View) -> View:
        return view.with_events(view.events[:-1])


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _add_text(view: View, text: str) -> View:
    events: Mapping[Api, Any] = {
        Api.OPENAI_CHAT: {"choices": [{"index": 0, "delta": {"content": text}, "message": {"content": text}}]},
        Api.OPENAI_RESPONSES: {
            "type": "response.output_text.delta",
            "delta": text,
            "output": [{"content": [{"text": text}]}],
        },
        Api.ANTHROPIC_MESSAGES: {
            "type": "content_block_delta",
            "delta": {"text": text},
            "content": [{"text": text}],
        },
        Api.GEMINI: {"candidates": [{"content": {"parts": [{"text": text}]}}]},
    }
    return view.with_events([Event(None, events[view.api]), *view.events])


def _endings(api: Api) -> list[Event]:
    ends: Mapping[Api, Any] = {
        Api.OPENAI_CHAT: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        Api.OPENAI_RESPONSES: {"type": "response.completed", "response": {"status": "completed"}},
        Api.ANTHROPIC_MESSAGES: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        Api.GEMINI: {"candidates": [{"finishReason": "STOP"}]},
    }
    return [Event(None, ends[api])]

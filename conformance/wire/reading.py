"""What one exchange says: the type that every codec decodes to and every snapshot keeps. No API's names here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from conformance.contract import End, ErrorPart, Part, RefusalDelta, Reply, TextDelta, ToolCallDelta, Usage
from conformance.vocabulary import Stop


@dataclass(frozen=True, slots=True)
class WireCall:
    """A tool call as the wire shows it.

    Attributes:
        arguments: the JSON text as sent, cut where it was cut.
        whole: True where the arguments are one JSON object, False where they are cut; None where the
            wire sends an object that a cap may have shortened and cannot say so.
    """

    name: str
    arguments: str
    whole: bool | None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that a right reader can know from one exchange.

    Attributes:
        stop: the class of the ending, read from the reason together with the content.
        raw_reason: the provider's own value, verbatim; None where it sent none.
        stop_sequence: the matched stop string where the wire names it.
        error: an HTTP error or an error inside the stream.
        ended: the reason (or an error) has arrived; always True for a whole body.
        closed: the API's last frame has arrived (`[DONE]`, message_stop, a terminal event).
        reason_frames: how many frames carried a reason.
        content_after_reason: content came after the first of them.
    """

    text: str
    stop: Stop
    raw_reason: str | None = None
    stop_sequence: str | None = None
    tool_calls: tuple[WireCall, ...] = ()
    thinking: str = ""
    refusal: str = ""
    usage: Usage | None = None
    error: ErrorPart | None = None
    ended: bool = True
    closed: bool = True
    reason_frames: int = 0
    content_after_reason: bool = False

    @property
    def cut(self) -> bool:
        """The stream ended without saying why."""
        return not self.ended and not self.closed and self.error is None

    def to_json(self) -> dict[str, Any]:
        """Plain data for a snapshot."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reading:
        """The inverse of `to_json`. Raises KeyError or TypeError where the data is of another form."""
        values = dict(data)
        values["stop"] = Stop(values["stop"])
        values["tool_calls"] = tuple(WireCall(**call) for call in values["tool_calls"])
        values["usage"] = Usage(**values["usage"]) if values["usage"] else None
        values["error"] = ErrorPart(**values["error"]) if values["error"] else None
        return cls(**values)


@dataclass(slots=True)
class ReasonTrace:
    """Where the reasons stood among the parts, counted as they come by."""

    frames: int = 0
    content_after: bool = False

    def note(self, parts: Iterable[Part]) -> None:
        """Take the parts of one event."""
        for part in parts:
            match part:
                case End(reason=str()):
                    self.frames += 1
                case TextDelta(text) | RefusalDelta(text) if text and self.frames:
                    self.content_after = True
                case ToolCallDelta() if self.frames:
                    self.content_after = True


def is_json_object(text: str) -> bool:
    """Whether the text is one whole JSON object. The empty string is none."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


_NO_SAY = frozenset({Stop.TRUNCATED, Stop.UNKNOWN})


def wire_calls(reply: Reply, stop: Stop, *, objects: bool) -> tuple[WireCall, ...]:
    """The tool calls of a decoded reply, each with the judgement whether it is whole.

    Args:
        reply: the joined parts; arguments are the wire's JSON text, or an object where it sent one.
        stop: class of the ending by the reason's table.
        objects: whether this delivery sends arguments as parsed objects, where a cut cannot be seen.
    """
    calls: list[WireCall] = []
    for call in reply.tool_calls:
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
        finished = stop not in _NO_SAY
        whole: bool | None = is_json_object(text) or (text == "" and finished)
        if call.free_text:  # no text can look cut where any text will do
            whole = True if finished else None
        calls.append(WireCall(call.name, text, whole, call.id))
    if calls and stop in _NO_SAY and objects and calls[-1].whole:
        calls[-1] = replace(calls[-1], whole=None)
    return tuple(calls)

"""What every codec has in common: the interface, reading a body, reading a stream. No API's names here.

A codec is a table from wire value to Stop plus two small walkers, one for a whole body and one for
stream events. Both yield Parts, so that a body, a stream and an adapter's provider-shaped output
are all read by the same lines.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from conformance.contract import ErrorPart, Part, Reply
from conformance.errors import BadWire
from conformance.vocabulary import Api, Stop
from conformance.wire.draft import Draft
from conformance.wire.reading import Reading, ReasonTrace, wire_calls
from conformance.wire.sse import Event, Frame, SseReader

Json = Mapping[str, Any]

HTTP_ERROR = 400
"""The first HTTP status that is an error."""

_NOT_JSON, _NO_REPLY = "not_json", "not_a_reply"
OURS = frozenset({_NOT_JSON, _NO_REPLY, None})
"""Types of errors that a codec words itself, since the wire has no envelope: nobody can be asked to keep them."""


class Row(NamedTuple):
    """One line of a codec's table: the class of a wire value, and where that is written."""

    stop: Stop
    source: str


class Events(ABC):
    """The state of one stream: takes the JSON of each event in order, yields what it adds."""

    def __init__(self) -> None:
        self.ended = False
        self.closed = False

    @abstractmethod
    def take(self, payload: Json) -> list[Part]:
        """Read one event.

        Raises:
            BadWire: the payload is not a JSON object.
        """

    def sentinel(self) -> None:
        """The literal `[DONE]` was sent."""
        self.closed = True


class Codec(ABC):
    """Reads and writes one API. Stateless; `events()` gives the state for one stream.

    Attributes:
        STOPS: the table from wire value to Stop. A miss is `Stop.UNKNOWN`, the raw value kept.
        STOP_PATHS: every spelling of the place of stop strings in a request body, the usual one first;
            empty where the API has no such parameter.
        MAX_TOKENS_PATHS: where the cap may live in a request body.
        ENDPOINTS: how the paths end at which replies are generated (others list models or count tokens).
        CALLS_ARE_OBJECTS: a whole body sends tool arguments as objects and not as JSON text.
    """

    api: ClassVar[Api]
    STOPS: ClassVar[Mapping[str, Row]]
    STOP_PATHS: ClassVar[tuple[tuple[str, ...], ...]]
    MAX_TOKENS_PATHS: ClassVar[tuple[tuple[str, ...], ...]]
    CALLS_ARE_OBJECTS: ClassVar[bool] = False
    STREAM_CALLS_ARE_OBJECTS: ClassVar[bool] = False
    ENDPOINTS: ClassVar[tuple[str, ...]] = ()
    LINE_END: ClassVar[str] = "\n"

    @abstractmethod
    def whole(self, payload: Json) -> list[Part]:
        """The parts of a whole reply, its error included.

        Raises:
            BadWire: the payload is not a JSON object.
        """

    @abstractmethod
    def events(self) -> Events:
        """A fresh state for one stream."""

    @abstractmethod
    def error(self, payload: Any, status: int | None = None) -> ErrorPart | None:
        """The vendor's error envelope read, or None where the payload holds none."""

    @abstractmethod
    def encode_whole(self, draft: Draft) -> dict[str, Any]:
        """The JSON of a buffered reply."""

    @abstractmethod
    def encode_events(self, draft: Draft) -> list[Event]:
        """The events of the same reply streamed."""

    @abstractmethod
    def asks_stream(self, path: str, body: Json) -> bool:
        """Whether a request asks for a stream."""

    def stop_of(self, reason: str | None) -> Stop:
        """The class by the table alone."""
        row = self.STOPS.get(reason) if reason is not None else None
        return row.stop if row else Stop.UNKNOWN

    def classify(self, reason: str | None, reply: Reply) -> Stop:
        """The class by the table together with what is in the reply.

        A `complete` beside tool calls is a tool call, beside a refusal is blocked: on these wires the
        value alone cannot say so (Gemini sends STOP, OpenAI `stop` for a forced tool choice).
        """
        stop = self.stop_of(reason)
        if stop is Stop.COMPLETE and reply.refusal:
            return Stop.BLOCKED
        if stop is Stop.COMPLETE and reply.tool_calls:
            return Stop.TOOL_CALL
        return stop

    def read(self, status: int, body: bytes) -> Reading:
        """Read a buffered exchange. Never raises: what is no reply is a Reading with an error."""
        try:
            payload = json.loads(body)
        except ValueError:
            return _failed(ErrorPart("the body is not JSON", _NOT_JSON, status))
        if status >= HTTP_ERROR:
            error = self.error(payload, status) or ErrorPart("an error without the vendor's envelope", None, status)
            return _failed(error)
        try:
            parts = self.whole(payload)
        except BadWire as error:
            return _failed(ErrorPart(error.problem, _NO_REPLY, status))
        trace = ReasonTrace()
        trace.note(parts)
        return self._reading(Reply.from_parts(parts), trace, objects=self.CALLS_ARE_OBJECTS)

    def stream(self) -> StreamReader:
        """A reader for a streamed exchange: feed it bytes in any chunks."""
        return StreamReader(self)

    def _reading(
        self, reply: Reply, trace: ReasonTrace, *, objects: bool, ended: bool = True, closed: bool = True
    ) -> Reading:
        stop = Stop.FAILED if reply.error else self.classify(reply.reason, reply)
        return Reading(
            text=reply.text,
            stop=stop,
            raw_reason=reply.raw_reason,
            stop_sequence=reply.stop_sequence,
            tool_calls=wire_calls(reply, stop, objects=objects),
            thinking=reply.thinking,
            refusal=reply.refusal,
            usage=reply.usage,
            error=reply.error,
            ended=ended,
            closed=closed,
            reason_frames=trace.frames,
            content_after_reason=trace.content_after,
        )


class StreamReader:
    """Reads the bytes of one stream into Parts, and at the end into a Reading."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._frames = SseReader()
        self._events = codec.events()
        self._parts: list[Part] = []
        self._trace = ReasonTrace()

    def feed(self, data: bytes) -> list[Part]:
        """Take the next bytes; return the parts that they completed."""
        parts: list[Part] = []
        for frame in self._frames.feed(data):
            parts += self._frame(frame)
        return parts

    def close(self) -> list[Part]:
        """End of the body. A tail that lacks only its blank line is read; any other tail is a cut and is dropped."""
        tail = self._frames.close()
        if tail is None or tail.data is None:
            return []
        if not tail.terminated and tail.data != "[DONE]":
            try:
                json.loads(tail.data)
            except ValueError:
                return []
        return self._frame(tail)

    @property
    def reading(self) -> Reading:
        """What the stream said so far; final after `close`."""
        return self._codec._reading(  # noqa: SLF001 -- the other half of the codec, in the same file
            Reply.from_parts(self._parts),
            self._trace,
            objects=self._codec.STREAM_CALLS_ARE_OBJECTS,
            ended=self._events.ended,
            closed=self._events.closed,
        )

    def _frame(self, frame: Frame) -> list[Part]:
        if not frame.data:
            return []
        if frame.data.rstrip() == "[DONE]":
            self._events.sentinel()
            return []
        try:
            payload = json.loads(frame.data)
        except ValueError:
            parts: list[Part] = [ErrorPart("a frame is not JSON", _NOT_JSON)]
        else:
            parts = self._events.take(payload)
        self._trace.note(parts)
        self._parts += parts
        return parts


def expect_object(payload: Any, api: Api) -> Json:
    """The payload where it is a JSON object.

    Raises:
        BadWire: it is something else.
    """
    if not isinstance(payload, Mapping):
        raise BadWire(f"{api}: expected a JSON object, got {type(payload).__name__}: {payload!r:.80}")
    return payload


def _failed(error: ErrorPart) -> Reading:
    return Reading(text="", stop=Stop.FAILED, error=error)

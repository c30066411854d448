"""What passes between the suite and an adapter: Call in, Parts or a Reply out. No wire format, no pytest.

A binding builds Parts and Replies from what the adapter's user would see, and reads nothing off
the wire itself. Exceptions pass through it unchanged.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

from conformance.vocabulary import Api, Gap, Vocabulary

if TYPE_CHECKING:
    from conformance.wire.codec import Events

DONE = "[DONE]"
"""The text of the frame that closes a Chat stream on the wire; it is no JSON."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call. `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """What the suite asks of an adapter, once per delivery.

    Attributes:
        api: the upstream API to talk to.
        base_url: a bare root without `/v1` or `/v1beta`; the binding adds what its library wants.
        api_key: a dummy key; nothing checks it.
        model: model name, to be sent as it is.
        prompt: the one user message.
        stop: None means that the key must be absent on the wire; a string or a list is to arrive as asked.
        max_tokens: cap on output tokens; None where the scenario sets none (Anthropic always sets one).
        tools: tools to declare.
        tool_choice: name of the tool that is forced, or None.
        timeout: seconds, for the library's own setting.
    """

    api: Api
    base_url: str
    api_key: str
    model: str
    prompt: str
    stop: str | list[str] | None = None
    max_tokens: int | None = None
    tools: tuple[Tool, ...] = ()
    tool_choice: str | None = None
    timeout: float = 10.0


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the adapter reports them; None where it reports none.

    `thinking_tokens` only where they are not among the output tokens: Gemini counts them apart.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as handed out: `arguments` is JSON text, or the object that the library parsed.

    `free_text` says that the arguments are no JSON at all (OpenAI's custom tools).
    """

    name: str
    arguments: str | Mapping[str, Any]
    id: str | None = None
    free_text: bool = False


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the visible answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of the model's reasoning, kept apart from the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class RefusalDelta:
    """A piece of a refusal, kept apart from the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call. `arguments` text is appended; an object replaces what was there."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str | Mapping[str, Any] = ""
    free_text: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """How the stream ended, as the library says it. May come again to add usage; `reason` only once.

    Attributes:
        reason: the adapter's public value, verbatim.
        raw_reason: the provider's own value, where the library's users can find it.
        stop_sequence: the matched stop string, where the library's users can find it.
        usage: token counts.
        final: the library's own accumulated object, where it has one.
        shape: the API whose values and fields this is in, where it is not the adapter's own.
    """

    reason: str | None = None
    raw_reason: str | None = None
    stop_sequence: str | None = None
    usage: Usage | None = None
    final: Reply | None = None
    shape: Api | None = None


@dataclass(frozen=True, slots=True)
class ErrorPart:
    """An error that the library reports as an item of its stream instead of raising it."""

    message: str
    type: str | None = None
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One event of a provider-shaped stream, exactly as the adapter hands it out.

    For adapters that answer in an API's shape: the suite reads it into the other Parts, and where it is
    another API than the upstream's the stream's grammar is judged too. What the shape has no place for
    may follow as an `End` without a reason (`raw_reason`, `final`).

    Attributes:
        api: whose shape it is.
        payload: the JSON as a dict; the text of a frame that is none, such as `"[DONE]"`.
    """

    api: Api
    payload: Mapping[str, Any] | str


Part = TextDelta | ThinkingDelta | RefusalDelta | ToolCallDelta | End | ErrorPart | Chunk


@dataclass(frozen=True, slots=True)
class Reply:
    """What the adapter's user would see of a whole reply.

    `reason` is the adapter's public value, verbatim: the suite, not the binding, classifies it.
    `shape` names the API whose fields the reply was read from (`from_wire` sets it).
    """

    text: str = ""
    reason: str | None = None
    raw_reason: str | None = None
    stop_sequence: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    refusal: str = ""
    usage: Usage | None = None
    error: ErrorPart | None = None
    shape: Api | None = None

    @classmethod
    def from_wire(cls, api: Api, payload: Mapping[str, Any]) -> Reply:
        """Read a provider-shaped object (a response of `api`, as a dict) the way its codec reads the wire.

        For adapters whose output is itself provider-shaped: official SDKs, LiteLLM, gateways.

        Raises:
            BadWire: the payload is not an object of that API.
        """
        from conformance.wire import codec_for  # the one upward step: wire is built from this module's nouns

        return cls.from_parts(codec_for(api).whole(payload))

    @classmethod
    def from_parts(cls, parts: Iterable[Part]) -> Self:
        """Join streamed Parts into the Reply that they amount to."""
        joined, reader = _Joined(), ChunkReader()
        for part in parts:
            for read in reader.take(part):
                joined.add(read)
        return replace(cls(), **joined.fields())


def parts_from_wire(api: Api, payloads: Iterable[Mapping[str, Any]]) -> Iterator[Part]:
    """Read provider-shaped stream events (dicts, in order) into Parts, lazily.

    Raises:
        BadWire: an event is not an object of that API.
    """
    from conformance.wire import codec_for  # as in Reply.from_wire

    events = codec_for(api).events()
    for payload in payloads:
        yield from events.take(payload)


async def aparts_from_wire(api: Api, payloads: AsyncIterator[Mapping[str, Any]]) -> AsyncIterator[Part]:
    """`parts_from_wire` for an asynchronous stream."""
    from conformance.wire import codec_for  # as in Reply.from_wire

    events = codec_for(api).events()
    async for payload in payloads:
        for part in events.take(payload):
            yield part


class ChunkReader:
    """Reads the Chunks of one stream into the other Parts, as the codec of their API reads the wire."""

    def __init__(self) -> None:
        self._events: dict[Api, Events] = {}

    def take(self, part: Part) -> list[Part]:
        """What a Chunk adds; any other Part as it is.

        Raises:
            BadWire: the payload is not an object of its API.
        """
        if not isinstance(part, Chunk):
            return [part]
        if part.api not in self._events:
            from conformance.wire import codec_for  # as in Reply.from_wire

            self._events[part.api] = codec_for(part.api).events()
        events, payload = self._events[part.api], part.payload
        if isinstance(payload, str):
            if payload.strip() == DONE:
                events.sentinel()
                return []
            try:
                payload = json.loads(payload)
            except ValueError:
                return [ErrorPart("a frame is not JSON", "not_json")]
        return events.take(payload)


class Configurable(Protocol):
    """The optional half of an adapter: for libraries that take stop strings at construction as well as per call."""

    def configured(self, stop: list[str]) -> Adapter:
        """An adapter whose library was built with these stop strings."""


class Adapter(Protocol):
    """The code under test behind a binding of a few lines, built once per run. Either method may be `async`.

    An adapter with a second entry point for stop strings is `Configurable` too.

    Attributes:
        name: how reports call it.
        apis: upstream APIs that it can talk to.
        vocabulary: its public finish values and their Stop, or PASSTHROUGH.
        lacks: declared gaps; a gap that does not show is a failure.
    """

    name: str
    apis: frozenset[Api]
    vocabulary: Vocabulary
    lacks: frozenset[Gap]

    def complete(self, call: Call) -> Reply | Awaitable[Reply]:
        """Ask for a whole reply."""

    def stream(self, call: Call) -> Iterator[Part] | AsyncIterator[Part]:
        """Ask for a stream; yield what the library's user would see, when he would see it."""


@dataclass(slots=True)
class _Joined:
    """Accumulates Parts. A reason that comes again replaces the first (old Gemini models send STOP on every chunk)."""

    text: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: dict[int, ToolCall] = field(default_factory=dict)
    end: dict[str, Any] = field(default_factory=dict)
    error: ErrorPart | None = None

    def add(self, part: Part) -> None:
        match part:
            case TextDelta(text):
                self.text.append(text)
            case ThinkingDelta(text):
                self.thinking.append(text)
            case RefusalDelta(text):
                self.refusal.append(text)
            case ToolCallDelta():
                self._add_call(part)
            case End():
                for name in ("reason", "raw_reason", "stop_sequence", "shape"):
                    if (value := getattr(part, name)) is not None:
                        self.end[name] = value
                if part.usage is not None:
                    self.end["usage"] = part.usage
            case ErrorPart():
                self.error = self.error or part

    def _add_call(self, part: ToolCallDelta) -> None:
        call = self.calls.get(part.index, ToolCall(name="", arguments=""))
        arguments = call.arguments
        if isinstance(part.arguments, str) and isinstance(arguments, str):
            arguments += part.arguments
        elif not isinstance(part.arguments, str):
            arguments = part.arguments
        self.calls[part.index] = ToolCall(
            part.name or call.name, arguments, part.id or call.id, part.free_text or call.free_text
        )

    def fields(self) -> dict[str, Any]:
        return {
            "text": "".join(self.text),
            "thinking": "".join(self.thinking),
            "refusal": "".join(self.refusal),
            "tool_calls": tuple(self.calls[index] for index in sorted(self.calls)),
            "error": self.error,
            **self.end,
        }

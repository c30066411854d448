"""Mutants that misread bytes, or events beside the content. On a tidy stream in one piece they are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from http.client import HTTPResponse

from conformance.contract import Call, Part, TextDelta
from conformance.wire.codec import Events
from tests.mutants.base import Mutant, Payload, mutant


@mutant("openai-chat/length-cap", "gemini/gem-crlf", fails="stream.chunking")
class ParsesEachChunk(Mutant):
    """Takes every chunk for whole lines, so that an event across two chunks is lost (family sse-framing)."""

    def frames(self, chunks: Iterable[bytes]) -> Iterator[str]:
        for chunk in chunks:
            lines = chunk.decode().splitlines() if chunk.endswith(b"\n") else []
            yield from (line.removeprefix("data: ") for line in lines if line.startswith("data: "))


@mutant("anthropic-messages/stop-unicode", "gemini/stop-unicode", fails="stream.chunking")
class DecodesEachChunk(Mutant):
    """Decodes each chunk as UTF-8 on its own: characters across two chunks become U+FFFD (family sse-framing)."""

    def chunks(self, response: HTTPResponse) -> Iterator[bytes]:
        for chunk in super().chunks(response):
            yield chunk.decode("utf-8", "replace").encode()


@mutant("gemini/gem-crlf", "anthropic-messages/stop-fired", fails="stream.tolerant reason.class")
class SplitsAtLineFeeds(Mutant):
    """Looks for two line feeds alone, and finds no event where lines end in CRLF (family sse-framing)."""

    def frames(self, chunks: Iterable[bytes]) -> Iterator[str]:
        tail = b""
        for chunk in chunks:
            *frames, tail = (tail + chunk).split(b"\n\n")
            for frame in frames:
                yield frame.decode().partition("data: ")[2]


@mutant("openai-chat/usage-chunk", "openai-chat/reason-new", fails="stream.tolerant reason.class")
class CrashesOnUsageChunk(Mutant):
    """Takes `choices[0]` of every chunk; the one with the usage has none (family usage-chunk)."""

    def event(self, events: Events, payload: Payload) -> list[Part]:
        _ = payload["choices"][0]
        return super().event(events, payload)


@mutant("gemini/gem-stop-twice", "gemini/length-cap", fails="reason.class")
class CrashesOnUnknownPart(Mutant):
    """Validates what it reads against the members that it knows (family unknown-event)."""

    def event(self, events: Events, payload: Payload) -> list[Part]:
        for part in payload["candidates"][0]["content"]["parts"]:
            if not part.keys() & {"text", "functionCall"}:
                raise ValueError(f"unexpected part {sorted(part)}")
        return super().event(events, payload)


@mutant("anthropic-messages/natural-end", fails="stream.incremental")
class CollectsParts(Mutant):
    """Collects the stream and yields its parts when it is over (family hold-back)."""

    def stream(self, call: Call) -> Iterator[Part]:
        yield from list(super().stream(call))


@mutant("openai-chat/natural-end", "gemini/stop-near-miss", fails="stream.incremental")
class LagsOneDelta(Mutant):
    """Hands out each piece when the next one has come (family hold-back)."""

    def stream(self, call: Call) -> Iterator[Part]:
        held: TextDelta | None = None
        for part in super().stream(call):
            if held:
                yield held
            held = part if isinstance(part, TextDelta) else None
            if held is None:
                yield part


@mutant("anthropic-messages/stop-near-miss", "openai-chat/stop-near-miss", fails="stream.incremental")
class KeepsLengthOfStopBack(Mutant):
    """Always keeps as many characters back as a stop string is long, whether they begin one or not (hold-back)."""

    def stream(self, call: Call) -> Iterator[Part]:
        longest = max(map(len, call.stop or ()), default=0)
        held = ""
        for part in super().stream(call):
            if not isinstance(part, TextDelta):
                if held:
                    yield TextDelta(held)
                held = ""
                yield part
                continue
            text = held + part.text
            shown, held = text[:-longest], text[-longest:]
            if shown:
                yield TextDelta(shown)


@mutant("gemini/natural-end", fails="stream.incremental")
class ReadsBodyFirst(Mutant):
    """Reads the whole body before it looks for events."""

    def chunks(self, response: HTTPResponse) -> Iterator[bytes]:
        yield response.read()


_EVENTS = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    )
)


@mutant("anthropic-messages/unknown-event", "anthropic-messages/ping", fails="stream.tolerant reason.class")
class CrashesOnUnknownEvent(Mutant):
    """Raises at an event type that it does not know, a ping among them (family unknown-event)."""

    def event(self, events: Events, payload: Payload) -> list[Part]:
        if payload["type"] not in _EVENTS:
            raise ValueError(f"unexpected event {payload['type']}")
        return super().event(events, payload)


@mutant("openai-chat/no-done-space", "openai-chat/length-cap", fails="stream.tolerant reason.class")
class NeedsSpaceAfterColon(Mutant):
    """Takes `data: ` with its space for the field's name (family done-sentinel)."""

    def frames(self, chunks: Iterable[bytes]) -> Iterator[str]:
        for line in b"".join(chunks).decode().split("\n"):
            if line.startswith("data: "):
                yield line.removeprefix("data: ").rstrip("\r")

"""Mutants that answer in the shape of OpenAI Chat and break the order of its stream. What they say is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from conformance.contract import DONE, Call, Chunk, End, Part, Reply, TextDelta
from conformance.vocabulary import Api, Stop, Vocabulary
from tests.mutants.base import Mutant, mutant

_WORDS = {Stop.COMPLETE: "stop", Stop.TRUNCATED: "length", Stop.TOOL_CALL: "tool_calls"}


class SpeaksChat(Mutant):
    """Base of these: translates to OpenAI Chat. Unaltered it keeps that API's grammar."""

    vocabulary = Vocabulary.of(Api.OPENAI_CHAT)

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, reason=_WORDS[Stop(reply.reason or "unknown")])

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in super().live(parts):
            if isinstance(part, TextDelta):
                yield self.chunk({"role": "assistant", "content": part.text})

    def end(self, reply: Reply) -> Iterator[Part]:
        yield self.chunk({}, reply.reason)
        yield Chunk(Api.OPENAI_CHAT, DONE)
        # What that shape has no place for.
        yield End(raw_reason=reply.raw_reason, stop_sequence=reply.stop_sequence, usage=reply.usage)

    def chunk(self, delta: dict[str, Any], reason: str | None = None) -> Chunk:
        return Chunk(Api.OPENAI_CHAT, {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


class HoldsLastText(SpeaksChat):
    """Base of those that keep the last piece of text back until the reason is known."""

    def stream(self, call: Call) -> Iterator[Part]:
        self.held = ""
        yield from super().stream(call)

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in parts:
            if isinstance(part, TextDelta):
                if self.held:
                    yield from super().live([TextDelta(self.held)])
                self.held = part.text
            else:
                yield from super().live([part])


@mutant("anthropic-messages/length-cap", "gemini/stop-fired", fails="shape.idiom")
class FinishCarriesText(HoldsLastText):
    """Holds the last content back and sends it with the finish, which clients read for its reason alone (hold-back)."""

    def chunk(self, delta: dict[str, Any], reason: str | None = None) -> Chunk:
        return super().chunk(delta if reason is None else {"content": self.held}, reason)


@mutant("anthropic-messages/length-cap", "gemini/stop-fired", fails="shape.idiom")
class NeverNamesRole(SpeaksChat):
    """Sends no role with the first chunk, which strict clients ask for."""

    def chunk(self, delta: dict[str, Any], reason: str | None = None) -> Chunk:
        return super().chunk({key: value for key, value in delta.items() if key != "role"}, reason)


@mutant("anthropic-messages/stop-fired", "gemini/stop-fired", fails="shape.grammar reason.once")
class SendsTextAfterFinish(HoldsLastText):
    """Sends the finish as soon as the reason is known, and what it held back behind it (final-chunk-content)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        finish, *rest = super().end(reply)
        yield finish
        yield self.chunk({"content": self.held})
        yield from rest


@mutant("anthropic-messages/length-cap", "gemini/length-cap", fails="shape.grammar")
class SendsUsageAfterDone(SpeaksChat):
    """Sends the usage behind `[DONE]`, where no client reads it (families done-sentinel, usage-chunk)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        yield from super().end(reply)
        tokens = reply.usage.output_tokens if reply.usage else None
        yield Chunk(Api.OPENAI_CHAT, {"choices": [], "usage": {"completion_tokens": tokens}})

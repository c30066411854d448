"""Mutants that hang, miscount, or do nothing at all. What they do hand out is right."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

from conformance.contract import Call, Part, Reply, Usage
from conformance.wire.codec import Events
from tests.mutants.base import Mutant, Payload, mutant

_AT_MOST = 5.0


class Hangs(Mutant):
    """Base of those that wait for what never comes: until they are closed, lest a thread be left behind."""

    limit: ClassVar[float] = 0.3

    def __init__(self) -> None:
        self._closed = threading.Event()

    def hang(self) -> None:
        self._closed.wait(_AT_MOST)
        raise RuntimeError("nobody waits any more")

    def close(self) -> None:
        self._closed.set()


@mutant("openai-chat/reason-new", "openai-chat/usage-chunk", fails="limits.terminates")
class WaitsForUsage(Hangs):
    """Waits after the finish for a usage chunk that not every host sends (families usage-chunk, stream-terminal)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        if reply.usage is None:
            self.hang()
        yield from super().end(reply)


@mutant("openai-chat/length-cap", fails="limits.terminates")
class WaitsForLineEnd(Hangs):
    """Spins when a chunk ends inside a line: nothing but an odd chunking shows it (family sse-framing)."""

    def frames(self, chunks: Iterable[bytes]) -> Iterator[str]:
        yield from super().frames(self._lines(chunks))

    def _lines(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            if not chunk.endswith(b"\n"):
                self.hang()
            yield chunk


@mutant("openai-chat/usage-chunk", "gemini/length-cap", fails="usage.reported")
class LosesUsage(Mutant):
    """Has no place for token counts, and does not say so."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, usage=None)


@mutant("anthropic-messages/length-cap", fails="usage.reported")
class CountsFirstUsage(Mutant):
    """Takes the usage of message_start, where one output token has been counted, for the last word."""

    def event(self, events: Events, payload: Payload) -> list[Part]:
        if payload["type"] == "message_start":
            self._first = Usage(output_tokens=payload["message"]["usage"]["output_tokens"])
        return super().event(events, payload)

    def end(self, reply: Reply) -> Iterator[Part]:
        yield from super().end(replace(reply, usage=self._first))


@mutant(
    "anthropic-messages/stop-fired",
    "anthropic-messages/tool-call",
    "anthropic-messages/error-in-stream",
    "anthropic-messages/cut-before-terminal",
    "gemini/gem-crlf",
    fails="text.exact reason.exact reason.raw-kept stop.which tool.calls error.surfaces cut.raises stream.tolerant "
    "usage.reported",
)
class DoesNothing(Mutant):
    """A stub that was never filled in: it asks nothing and answers nothing."""

    def complete(self, call: Call) -> Reply:
        return Reply()

    def stream(self, call: Call) -> Iterator[Part]:
        yield from ()

"""Mutants that misreport which stop string matched. That it ended, and the text, they tell right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.contract import Call, Part, Reply
from tests.mutants.base import Mutant, mutant


@mutant("anthropic-messages/stop-fired-of-many", "openai-chat/stop-fired", fails="stop.not-invented")
class GuessesFirstStop(Mutant):
    """Names the first configured string, whatever the wire says (family which-fired)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, stop_sequence=call.stop[0] if call.stop else None)


@mutant("openai-chat/stop-never-fires", "anthropic-messages/stop-fired", fails="stop.not-invented")
class NamesReasonAsMatch(Mutant):
    """Puts the stop reason into the field of the stop sequence (family which-fired)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, stop_sequence=reply.raw_reason)


@mutant("anthropic-messages/stop-fired", "anthropic-messages/stop-fired-at-once", fails="stop.which")
class LosesMatch(Mutant):
    """Has no place for the matched string in its reply, and does not say so (family which-fired)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, stop_sequence=None)


@mutant("anthropic-messages/stop-fired", "anthropic-messages/stop-unicode", fails="stop.which text.stream-agrees")
class StreamLosesMatch(Mutant):
    """Fills in the matched string of whole replies alone (families which-fired, reason-missing-in-stream)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        yield from super().end(replace(reply, stop_sequence=None))

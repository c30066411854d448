"""Mutants that misreport why a reply ended. Their text and tool calls are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from conformance.contract import Call, End, Part, Reply, TextDelta
from conformance.vocabulary import Api, Stop
from conformance.wire.codec import Events
from tests.mutants.base import Mutant, Payload, mutant


class Maps(Mutant):
    """Base of those that put one class for another."""

    classes: ClassVar[Mapping[Stop, Stop]] = {}

    def stop(self, call: Call, joined: Reply) -> Stop:
        stop = super().stop(call, joined)
        return self.classes.get(stop, stop)


@mutant("openai-responses/reason-new", "anthropic-messages/reason-new", fails="reason.class")
class UnknownIsComplete(Maps):
    """Falls back to "stop" for a value that its table does not have (family unknown-enum)."""

    classes: ClassVar[Mapping[Stop, Stop]] = {Stop.UNKNOWN: Stop.COMPLETE, Stop.TRUNCATED: Stop.COMPLETE}


@mutant("anthropic-messages/pause-turn", fails="reason.class")
class PauseIsComplete(Maps):
    """Folds pause_turn into "stop", so that agents end in the middle of their work (no-counterpart-reason)."""

    classes: ClassVar[Mapping[Stop, Stop]] = {Stop.CONTINUE: Stop.COMPLETE}


@mutant("anthropic-messages/refusal", "gemini/filter", "gemini/prompt-blocked", fails="reason.class")
class BlockedIsComplete(Maps):
    """Tells a refusal, a filter and a blocked prompt as an empty answer (no-counterpart-reason, blocked-prompt)."""

    classes: ClassVar[Mapping[Stop, Stop]] = {Stop.BLOCKED: Stop.COMPLETE}


@mutant("openai-chat/length-cap", "gemini/length-cap", fails="reason.class")
class LengthIsComplete(Maps):
    """Hard-codes "stop", so that a cut answer looks finished (family length-lost)."""

    classes: ClassVar[Mapping[Stop, Stop]] = {Stop.TRUNCATED: Stop.COMPLETE}


@mutant("openai-chat/tool-json-cut", "anthropic-messages/tool-json-cut:streamed", fails="reason.class")
class CutCallIsToolCall(Mutant):
    """Lets the presence of a tool call win over the cap that cut it (family truncated-tool-json)."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        return Stop.TOOL_CALL if joined.tool_calls else super().stop(call, joined)


@mutant("openai-chat/stop-never-fires", "openai-chat/tool-call", fails="reason.class reason.exact")
class EverythingIsTruncated(Mutant):
    """Tells every reply as cut, the finished ones as well: the caller asks again for what he has."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        return Stop.TRUNCATED


@mutant("openai-chat/length-cap", "anthropic-messages/length-cap", fails="reason.exact")
class LengthIsUnknown(Maps):
    """Does not tell a cap from anything else, although its own vocabulary has a value for it (length-lost)."""

    classes: ClassVar[Mapping[Stop, Stop]] = {Stop.TRUNCATED: Stop.UNKNOWN}


@mutant("gemini/gem-malformed-call", fails="reason.exact")
class FailedIsBlocked(Maps):
    """Makes a filter of every value it does not know, a call that did not parse among them (no-counterpart-reason)."""

    classes: ClassVar[Mapping[Stop, Stop]] = {Stop.FAILED: Stop.BLOCKED}


@mutant(
    "gemini/tool-call", "gemini/gem-tool-split", "openai-chat/forced-tool-choice", fails="reason.agrees-with-content"
)
class ToolCallIsComplete(Mutant):
    """Reads the reason alone, which for a tool call is STOP, so agent loops end too early (tool-call-with-STOP)."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        stop = super().stop(call, joined)
        return Stop.COMPLETE if stop is Stop.TOOL_CALL else stop


@mutant("openai-chat/refusal", fails="reason.agrees-with-content")
class RefusalIsComplete(Maps):
    """Has a value for refusals and does not use it where the refusal comes with `stop`."""

    classes: ClassVar[Mapping[Stop, Stop]] = {Stop.BLOCKED: Stop.COMPLETE}


@mutant("anthropic-messages/length-cap", fails="reason.exact reason.raw-kept text.stream-agrees", loud=True)
class ReadsMessageStop(Mutant):
    """Looks for the reason on message_stop, where it never is (family reason-missing-in-stream)."""

    def event(self, events: Events, payload: Payload) -> list[Part]:
        parts = super().event(events, payload)
        if payload["type"] != "message_delta":
            return parts
        return [End(usage=part.usage) for part in parts if isinstance(part, End)]


@mutant("gemini/length-cap", "openai-chat/length-cap", fails="reason.exact text.stream-agrees", loud=True)
class StreamHasItsOwnSwitch(Mutant):
    """Keeps a second switch for streams, which lacks a value that the first one has (no-counterpart-reason)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        told = Stop.UNKNOWN if reply.reason == Stop.TRUNCATED else reply.reason
        yield from super().end(replace(reply, reason=told))


@mutant(
    "openai-chat/length-cap",
    "anthropic-messages/length-cap",
    "gemini/stop-never-fires",
    fails="reason.exact reason.raw-kept",
)
class ReadsOnePath(Mutant):
    """Looks for `choices[0].finish_reason` in the replies of every API (family reason-missing-in-stream)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return reply if call.api is Api.OPENAI_CHAT else replace(reply, reason=Stop.UNKNOWN, raw_reason=None)


@mutant("openai-chat/length-cap", "gemini/reason-new", fails="reason.raw-kept")
class LosesRawReason(Mutant):
    """Normalises the reason and throws the provider's own value away (family unknown-enum)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, raw_reason=None)


@mutant("gemini/stop-never-fires", "gemini/reason-new", fails="reason.raw-kept")
class LowersRawReason(Mutant):
    """Brings the provider's value into lower case: what is kept is no value of any API."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, raw_reason=reply.raw_reason and reply.raw_reason.lower())


@mutant("openai-chat/usage-chunk", "anthropic-messages/stop-fired", fails="reason.once")
class TellsReasonTwice(Mutant):
    """Sends the finish once with the content and once more with the usage (family done-sentinel)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        yield End(reply.reason, reply.raw_reason)
        yield from super().end(reply)


@mutant("openai-chat/length-cap", "gemini/stop-unicode", fails="reason.once")
class TellsReasonBeforeText(Mutant):
    """Flushes what it held back after the finish has gone out, when clients have stopped reading (premature-finish)."""

    def stream(self, call: Call) -> Iterator[Part]:
        held: TextDelta | None = None
        for part in super().stream(call):
            if isinstance(part, TextDelta):
                if held:
                    yield held
                held = part
            else:
                yield part
        if held:
            yield held


@mutant("gemini/gem-stop-twice", fails="reason.once")
class TellsEveryFinish(Mutant):
    """Sends a finish of its own for every finishReason, the one before the answer included (premature-finish)."""

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in parts:
            yield from super().live([part])
            if isinstance(part, End) and part.reason:
                yield End(Stop.COMPLETE, part.raw_reason)

    def end(self, reply: Reply) -> Iterator[Part]:
        yield End(usage=reply.usage, final=reply)


@mutant("openai-chat/reason-null", "openai-chat/reason-null-absent", fails="reason.class")
class MissingIsComplete(Mutant):
    """Fills in "stop" where the provider gives no reason (families reason-missing-in-stream, unknown-enum)."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        return Stop.COMPLETE if joined.reason is None else super().stop(call, joined)


@mutant("anthropic-messages/context-window", "openai-chat/filter", fails="reason.class")
class KnowsThreeReasons(Mutant):
    """Knows the three values of the first documentation, and takes all others for the first (no-counterpart-reason)."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        stop = super().stop(call, joined)
        return stop if joined.reason in {"length", "max_tokens", "tool_calls", "tool_use"} else Stop.COMPLETE

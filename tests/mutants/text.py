"""Mutants that hand out another text than the wire's. Their endings are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.contract import Call, End, Part, RefusalDelta, Reply, TextDelta, ThinkingDelta
from conformance.wire.codec import Events
from tests.mutants.base import Mutant, Payload, mutant


@mutant("anthropic-messages/stop-fired", "anthropic-messages/stop-unicode", fails="text.exact")
class ReappendsMatch(Mutant):
    """Puts the matched stop string back behind the text, as engines do with include_stop_str (family trim)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, text=reply.text + (reply.stop_sequence or ""))

    def end(self, reply: Reply) -> Iterator[Part]:
        if reply.stop_sequence:
            yield TextDelta(reply.stop_sequence)
        yield from super().end(reply)


@mutant("anthropic-messages/stop-fired", "openai-chat/stop-fired", "gemini/stop-fired", fails="text.exact")
class StripsWhiteSpace(Mutant):
    """Strips the white space that stood before the match (family trim)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, text=reply.text.rstrip())

    def stream(self, call: Call) -> Iterator[Part]:
        held = ""
        for part in super().stream(call):
            if not isinstance(part, TextDelta):
                yield part
                continue
            text = held + part.text
            shown = text.rstrip()
            held = text[len(shown) :]
            if shown:
                yield TextDelta(shown)


class ChangesDeltas(Mutant):
    """Base of those that spoil the stream alone: the accumulated object has the same fault, the buffered reply none."""

    def stream(self, call: Call) -> Iterator[Part]:
        shown = ""
        for part in self.changed(super().stream(call)):
            if isinstance(part, TextDelta):
                shown += part.text
            if isinstance(part, End) and part.final:
                yield replace(part, final=replace(part.final, text=shown))
            else:
                yield part

    def changed(self, parts: Iterable[Part]) -> Iterator[Part]:
        raise NotImplementedError


@mutant("openai-chat/stop-mid-word", "gemini/stop-usage", fails="text.exact text.stream-agrees")
class LosesLastDelta(ChangesDeltas):
    """Holds a delta back in case a stop string begins in it, and forgets it at the end (family hold-back)."""

    def changed(self, parts: Iterable[Part]) -> Iterator[Part]:
        held: TextDelta | None = None
        for part in parts:
            if isinstance(part, TextDelta):
                if held:
                    yield held
                held = part
            else:
                yield part


@mutant("anthropic-messages/length-cap", "openai-chat/stop-unicode", fails="text.exact text.stream-agrees")
class DuplicatesDelta(ChangesDeltas):
    """Shows a delta again when the last one has come (family hold-back: duplicate text)."""

    def changed(self, parts: Iterable[Part]) -> Iterator[Part]:
        last: TextDelta | None = None
        for part in parts:
            if isinstance(part, TextDelta):
                last = part
            elif isinstance(part, End) and last:
                yield last
            yield part


@mutant("openai-chat/finish-with-content", fails="text.exact")
class LosesFinishingText(Mutant):
    """Looks at the chunk that carries the reason for its reason only (family final-chunk-content)."""

    def event(self, events: Events, payload: Payload) -> list[Part]:
        parts = super().event(events, payload)
        ended = any(isinstance(part, End) and part.reason for part in parts)
        return [part for part in parts if isinstance(part, End)] if ended else parts


@mutant("gemini/gem-stop-twice", fails="text.exact usage.reported")
class StopsAtFirstFinish(Mutant):
    """Stops reading at the first finishReason, which with code execution comes before the answer (premature-finish)."""

    def frames(self, chunks: Iterable[bytes]) -> Iterator[str]:
        for data in super().frames(chunks):
            yield data
            if '"finishReason"' in data:
                return


@mutant("openai-chat/refusal", fails="text.exact", loud=True)
class ShowsRefusalAsText(Mutant):
    """Joins the refusal to the answer, so that nobody can tell the two apart."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, text=reply.text + reply.refusal, refusal="")

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in super().live(parts):
            yield TextDelta(part.text) if isinstance(part, RefusalDelta) else part


@mutant("anthropic-messages/stop-in-thinking", fails="text.exact")
class ShowsThinkingAsText(Mutant):
    """Falls back to the thinking where there is no text, and so shows what was never said (stop-in-thinking)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, text=reply.text or reply.thinking)

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in super().live(parts):
            yield TextDelta(part.text) if isinstance(part, ThinkingDelta) else part


@mutant("openai-chat/length-cap", "anthropic-messages/stop-fired", fails="text.stream-agrees")
class FinalLacksText(Mutant):
    """Builds the accumulated object of a stream from the last event alone (family empty-content)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        for part in super().end(reply):
            yield replace(part, final=replace(reply, text="")) if isinstance(part, End) else part


@mutant("gemini/stop-tail-prefix", "anthropic-messages/stop-tail-prefix", fails="text.exact")
class LosesPrefixOfStop(Mutant):
    """Drops a tail that might have become a stop string, and never did (family hold-back)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, text=reply.text[: len(reply.text) - _pending(reply.text, call.stop)])

    def stream(self, call: Call) -> Iterator[Part]:
        held = ""
        for part in super().stream(call):
            if not isinstance(part, TextDelta):
                yield part
                continue
            text = held + part.text
            shown = len(text) - _pending(text, call.stop)
            held = text[shown:]
            if shown:
                yield TextDelta(text[:shown])


def _pending(text: str, stops: str | list[str] | None) -> int:
    """How many characters at the end are the beginning of a stop string."""
    return max((n for stop in stops or () for n in range(len(stop)) if text.endswith(stop[:n])), default=0)


@mutant("anthropic-messages/stop-case", fails="text.exact text.stream-agrees")
class CutsAtStopOfAnyCase(ChangesDeltas):
    """Looks for the stop strings itself, case-insensitively, and cuts what the provider did not (family trim)."""

    def stream(self, call: Call) -> Iterator[Part]:
        self._stops = [stop.lower() for stop in call.stop or ()]
        yield from super().stream(call)

    def changed(self, parts: Iterable[Part]) -> Iterator[Part]:
        fired = False
        for part in parts:
            if isinstance(part, TextDelta):
                fired = fired or any(stop in part.text.lower() for stop in self._stops)
            if not (fired and isinstance(part, TextDelta)):
                yield part

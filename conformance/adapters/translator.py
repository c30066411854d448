"""The worked example of an honest translator: any of the four APIs in, one of their shapes out. No library.

It reads its upstream as the reference adapter does and writes another API's objects, buffered or as they come.
Its four policies, which any gateway can copy:

- Content goes out when it arrives; only the reason waits, for an event of its own at the end.
- The reason is the target's word for the class of the ending (`conformance.wire.translate`). A class that the
  target has no word for (pause_turn for Chat, a failed generation for Anthropic) raises NoWord after the content,
  with the source's value and the reply so far in it: `stop` would be a lie and a caller can catch an error.
- A value that the upstream's table does not know is passed on as it is, where the target's clients do not know it
  either: a new enum member should not take a service down, and nobody takes it for an answer. Else, and where
  there was no reason at all, it is the target's word for that (`incomplete` without a detail) or NoWord.
- A tool call that was cut is passed on as the text that came, and left out where the target has objects only.

The source's own value is kept where the target has room: `native_finish_reason` on a Chat choice and in the
metadata of a response. Anthropic and Gemini have none, and the binding says so in `lacks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters import installed
from conformance.adapters.reference import Reference, ReferenceFailed
from conformance.contract import Call, Chunk, End, Part, Reply
from conformance.vocabulary import Api, Gap, Stop, Vocabulary
from conformance.wire.emit import Ending, NoPlace, emitter_for
from conformance.wire.translate import word_for

_LACKS: Mapping[Api, frozenset[Gap]] = {
    Api.OPENAI_CHAT: frozenset({Gap.STOP_SEQUENCE}),
    Api.OPENAI_RESPONSES: frozenset({Gap.STOP_SEQUENCE}),
    Api.ANTHROPIC_MESSAGES: frozenset({Gap.RAW_REASON}),
    Api.GEMINI: frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON}),
}
"""What each target has no place for."""


class CannotSay(ReferenceFailed):
    """Root of what this translator raises of its own accord: the target cannot say what the source did."""


class NoWord(CannotSay):
    """The target has no reason for this ending. The content was handed out; what it amounts to is in `reply`."""

    def __init__(self, target: Api, stop: Stop, reply: Reply) -> None:
        super().__init__(f"{target} has no reason for {stop} (the provider says {reply.raw_reason!r})")
        self.stop = stop
        self.raw_reason = reply.raw_reason
        self.reply = reply


class NoRoom(CannotSay):
    """The target has no place for a piece of the content."""


class Translator:
    """Hands out objects of one API, whatever the upstream is.

    Args:
        target: the API whose shape they have.
    """

    apis = frozenset(Api)
    version = installed("llm-adapter-conformance")

    def __init__(self, target: Api) -> None:
        self.name = f"translator-{target}"
        self.vocabulary = Vocabulary.of(target)
        self.lacks = _LACKS[target]
        self._target = target
        self._upstream = Reference()

    def complete(self, call: Call) -> Reply:
        ending = self._ending(call, self._upstream.complete(call))
        try:
            payload = emitter_for(self._target, call.model).whole(ending)
        except NoPlace as error:
            raise NoRoom(f"{self._target}: {error}") from error
        reply = Reply.from_wire(self._target, payload)
        native = _native(self._target, payload)
        return reply if native is None else replace(reply, raw_reason=native)

    def stream(self, call: Call) -> Iterator[Part]:
        native: str | None = None
        for payload in self._payloads(call):
            yield Chunk(self._target, payload)
            native = native if (value := _native(self._target, payload)) is None else value
        yield End(raw_reason=native)

    def _payloads(self, call: Call) -> Iterator[dict[str, Any] | str]:
        """What a gateway would send, event by event."""
        emitter = emitter_for(self._target, call.model)
        try:
            for part in self._upstream.stream(call):
                if not isinstance(part, End) or part.final is None:
                    yield from emitter.take(part)
                    continue
                # All of the content first: where there is no word for the ending, an error takes its place.
                yield from emitter.flush(cut=part.final.reason in (Stop.TRUNCATED, Stop.UNKNOWN))
                yield from emitter.end(self._ending(call, part.final))
        except NoPlace as error:
            raise NoRoom(f"{self._target}: {error}") from error

    def _ending(self, call: Call, reply: Reply) -> Ending:
        stop = Stop(str(reply.reason))
        word = word_for(call.api, reply, stop, self._target)
        if word is None:
            raise NoWord(self._target, stop, reply)
        return Ending(word, stop, reply)


def openai_chat() -> Translator:
    """The factory behind `--adapter translator-openai-chat`."""
    return Translator(Api.OPENAI_CHAT)


def openai_responses() -> Translator:
    """The factory behind `--adapter translator-openai-responses`."""
    return Translator(Api.OPENAI_RESPONSES)


def anthropic_messages() -> Translator:
    """The factory behind `--adapter translator-anthropic-messages`."""
    return Translator(Api.ANTHROPIC_MESSAGES)


def gemini() -> Translator:
    """The factory behind `--adapter translator-gemini`."""
    return Translator(Api.GEMINI)


def _native(target: Api, payload: Mapping[str, Any] | str) -> str | None:
    """The source's own value where the shape keeps it: what a user reads off the object that he is handed."""
    if isinstance(payload, str):
        return None
    if target is Api.OPENAI_CHAT:
        return next((choice.get("native_finish_reason") for choice in payload.get("choices") or ()), None)
    response = payload.get("response", payload)
    value = (response.get("metadata") or {}).get("native_finish_reason") if target is Api.OPENAI_RESPONSES else None
    return None if value is None else str(value)

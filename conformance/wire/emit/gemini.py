"""Writes Gemini generateContent: each event a response with what is new. Reading: `wire.gemini`.

Arguments are objects, so that a call waits until its text is one. A refusal has no place among the parts;
what another API says for it goes into finishMessage. Counts come on the last event only, when they are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.contract import TextDelta, ThinkingDelta, ToolCallDelta
from conformance.wire.draft import Refusal, ToolUse
from conformance.wire.emit.base import (
    Content,
    Emitter,
    Ending,
    NoPlace,
    Payload,
    as_arguments,
    blocks_of,
    objects_of,
    usage_of,
)
from conformance.wire.gemini import CODEC
from conformance.wire.reading import is_json_object


class GeminiEmitter(Emitter):
    """Responses of one candidate, the last with the reason and a part without text."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._call: ToolCallDelta | None = None
        self._text = ""
        self._left_out = False

    def start(self) -> Iterator[Payload]:
        yield from ()

    def write(self, part: Content) -> Iterator[Payload]:
        if not isinstance(part, ToolCallDelta) or part.name is not None:
            yield from self._leave()
        match part:
            case TextDelta(text):
                yield self._chunk({"text": text})
            case ThinkingDelta(text):
                yield self._chunk({"text": text, "thought": True})
            case ToolCallDelta():
                if part.free_text:
                    raise NoPlace("the free text of a custom tool has no place where arguments are objects")
                if part.name is not None:
                    self._call, self._text = part, ""
                self._text += str(part.arguments)
                if is_json_object(self._text):
                    yield from self._leave()

    def finish(self, ending: Ending) -> Iterator[Payload]:
        yield from self._leave()
        yield self._last(ending, [{"text": ""}], left_out=self._left_out)

    def whole(self, ending: Ending) -> dict[str, Any]:
        calls, left_out = objects_of(ending)
        blocks = blocks_of(ending.reply, [])
        draft = replace(self.draft, blocks=tuple(b for b in blocks if not isinstance(b, Refusal | ToolUse)))
        content = CODEC.encode_whole(draft)["candidates"][0].get("content") or {}
        parts = [*content.get("parts", ()), *(_call_part(call.id, call.name, args) for call, args in calls)]
        return self._last(ending, parts or [{"text": ""}], left_out=left_out)

    def _leave(self) -> Iterator[Payload]:
        if self._call is None:
            return
        call, self._call = self._call, None
        arguments = as_arguments(self._text, cut=self.cut)
        if arguments is None:
            self._left_out = True
        else:
            yield self._chunk(_call_part(call.id, call.name, arguments))

    def _chunk(self, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "index": 0}], **self._head()}

    def _head(self) -> dict[str, Any]:
        response = CODEC.encode_whole(self.draft)
        return {name: response[name] for name in ("modelVersion", "responseId")}

    def _last(self, ending: Ending, parts: list[dict[str, Any]], *, left_out: bool) -> dict[str, Any]:
        reply = ending.reply
        # A call that was cut has no place as an object; without it the reply is not whole.
        reason = "MAX_TOKENS" if left_out and not ending.cut else ending.word
        candidate = {
            "content": {"parts": parts, "role": "model"},
            "finishReason": reason,
            "index": 0,
            **({"finishMessage": reply.refusal} if reply.refusal else {}),
        }
        counted: dict[str, Any] = {}
        if reply.usage is not None:
            usage = usage_of(reply)
            given, generated = usage.input_tokens or 0, usage.output_tokens or 0
            counted["usageMetadata"] = {
                "promptTokenCount": given,
                "candidatesTokenCount": generated,
                "totalTokenCount": given + generated,
            }
        return {"candidates": [candidate], **counted, **self._head()}


def _call_part(call_id: str | None, name: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"functionCall": {**({"id": call_id} if call_id else {}), "name": name, "args": arguments}}

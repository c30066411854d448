"""Writes Anthropic Messages: one content block after the other. Reading: `wire.anthropic_messages`.

A refusal has no text of its own here; what another API says for it goes into stop_details. Thinking has no
signature, since only the vendor can sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.contract import Reply, TextDelta, ThinkingDelta, ToolCallDelta, Usage
from conformance.wire.anthropic_messages import CODEC
from conformance.wire.draft import Refusal
from conformance.wire.emit.base import Content, Emitter, Ending, NoPlace, Payload, blocks_of, objects_of, usage_of


class AnthropicEmitter(Emitter):
    """message_start, blocks, message_delta, message_stop."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._index = -1
        self._kind: str | None = None
        self._call: ToolCallDelta | None = None

    def start(self) -> Iterator[Payload]:
        # The counts are not known yet; the totals on message_delta overwrite these.
        yield CODEC.encode_events(replace(self.draft, usage=Usage(0, 0)))[0].data

    def write(self, part: Content) -> Iterator[Payload]:
        match part:
            case TextDelta(text):
                yield from self._enter("text", {"type": "text", "text": ""})
                yield self._delta({"type": "text_delta", "text": text})
            case ThinkingDelta(text):
                yield from self._enter("thinking", {"type": "thinking", "thinking": "", "signature": ""})
                yield self._delta({"type": "thinking_delta", "thinking": text})
            case ToolCallDelta():
                yield from self._call_piece(part)

    def finish(self, ending: Ending) -> Iterator[Payload]:
        yield from self._leave()
        usage = usage_of(ending.reply)
        yield {
            "type": "message_delta",
            "delta": {
                "stop_reason": ending.word,
                "stop_sequence": _matched(ending),
                **_details(ending.reply),
            },
            "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
        }
        yield {"type": "message_stop"}

    def whole(self, ending: Ending) -> dict[str, Any]:
        reply = ending.reply
        calls, left_out = objects_of(ending)
        blocks = [b for b in blocks_of(reply, [call for call, _ in calls]) if not isinstance(b, Refusal)]
        draft = replace(
            self.draft,
            blocks=tuple(blocks),
            # A call that was cut has no place as an object; without it the message is not whole.
            reason="max_tokens" if left_out and not ending.cut else ending.word,
            stop_sequence=_matched(ending),
            usage=usage_of(reply),
            extra=_details(reply),
        )
        message = CODEC.encode_whole(draft)
        for written, (call, _) in zip([b for b in message["content"] if b["type"] == "tool_use"], calls, strict=True):
            written["id"] = call.id or written["id"]
        for block in message["content"]:
            if block["type"] == "thinking":
                block["signature"] = ""
        return message

    def _enter(self, kind: str, block: dict[str, Any]) -> Iterator[Payload]:
        if self._kind == kind != "tool_use":
            return
        yield from self._leave()
        self._kind = kind
        self._index += 1
        yield {"type": "content_block_start", "index": self._index, "content_block": block}

    def _leave(self) -> Iterator[Payload]:
        if self._call is not None and not self.cut:
            yield from self._open_call()  # without arguments, and whole
        self._call = None
        if self._kind is not None:
            yield {"type": "content_block_stop", "index": self._index}
        self._kind = None

    def _delta(self, delta: dict[str, Any]) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def _call_piece(self, part: ToolCallDelta) -> Iterator[Payload]:
        if part.free_text:
            raise NoPlace("the free text of a custom tool has no place where arguments are objects")
        if part.name is not None:
            yield from self._leave()
            # Opened with its first argument: a block that closes without any is a whole call with none,
            # and this one may have been cut before the first.
            self._call = part
        if part.arguments:
            yield from self._open_call()
            yield self._delta({"type": "input_json_delta", "partial_json": part.arguments})

    def _open_call(self) -> Iterator[Payload]:
        if self._call is None:
            return
        block: dict[str, Any] = {"type": "tool_use", "id": self._call.id, "name": self._call.name, "input": {}}
        self._call = None
        yield from self._enter("tool_use", block)


def _matched(ending: Ending) -> str | None:
    """The matched string, which only a source with a value for it can name."""
    return ending.reply.stop_sequence if ending.word == "stop_sequence" else None


def _details(reply: Reply) -> dict[str, Any]:
    if not reply.refusal:
        return {}
    return {"stop_details": {"type": "refusal", "category": None, "explanation": reply.refusal}}

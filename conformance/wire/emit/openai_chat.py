"""Writes OpenAI Chat Completions: the one shape here in which calls may interleave. Reading: `wire.openai_chat`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from conformance.contract import DONE, RefusalDelta, TextDelta, ThinkingDelta, ToolCall, ToolCallDelta
from conformance.wire.draft import Raw, Thinking
from conformance.wire.emit.base import Content, Emitter, Ending, Payload, blocks_of, usage_of
from conformance.wire.openai_chat import CODEC, usage_chunk

NATIVE = "native_finish_reason"
"""The source's own value beside finish_reason; name and place are OpenRouter's."""


class ChatEmitter(Emitter):
    """Chunks as for a request with include_usage, `[DONE]` included."""

    IN_TURN: ClassVar[bool] = False

    def start(self) -> Iterator[Payload]:
        yield self._chunk({"role": "assistant", "content": "", "refusal": None})

    def write(self, part: Content) -> Iterator[Payload]:
        match part:
            case TextDelta(text):
                yield self._chunk({"content": text})
            case ThinkingDelta(text):
                yield self._chunk({"reasoning_content": text})  # the hosts' name: OpenAI's own API has no place for it
            case RefusalDelta(text):
                yield self._chunk({"refusal": text})
            case ToolCallDelta():
                yield self._chunk({"tool_calls": [_call_delta(part)]})

    def finish(self, ending: Ending) -> Iterator[Payload]:
        yield self._chunk({}, finish_reason=ending.word, **{NATIVE: ending.reply.raw_reason})
        if ending.reply.usage is not None:
            yield {**self._head(), "choices": [], "usage": _counts(ending)}
        yield DONE

    def whole(self, ending: Ending) -> dict[str, Any]:
        reply = ending.reply
        blocks = [block for block in blocks_of(reply, reply.tool_calls) if not isinstance(block, Thinking)]
        if reply.thinking:
            blocks.append(Raw({"reasoning_content": reply.thinking}))
        draft = replace(
            self.draft,
            blocks=tuple(blocks),
            reason=ending.word,
            usage=usage_of(reply),
            extra={NATIVE: reply.raw_reason},
        )
        completion = CODEC.encode_whole(draft)
        message = completion["choices"][0]["message"]
        for written, call in zip(message.get("tool_calls", ()), reply.tool_calls, strict=True):
            _restore(written, call)
        told = {} if reply.usage is None else {"usage": _counts(ending)}
        return {**self._head(), "object": completion["object"], "choices": completion["choices"], **told}

    def _chunk(self, delta: dict[str, Any], **choice: Any) -> dict[str, Any]:
        choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None, **choice}]
        return {**self._head(), "choices": choices, "usage": None}

    def _head(self) -> dict[str, Any]:
        """The vendor's envelope without what only the vendor knows (tier, fingerprint)."""
        head = usage_chunk(self.draft)
        return {name: head[name] for name in ("id", "object")} | {"created": self.created, "model": head["model"]}


def _counts(ending: Ending) -> dict[str, Any]:
    usage = usage_of(ending.reply)
    given, generated = usage.input_tokens or 0, usage.output_tokens or 0
    return {"prompt_tokens": given, "completion_tokens": generated, "total_tokens": given + generated}


def _call_delta(part: ToolCallDelta) -> dict[str, Any]:
    kind, field = ("custom", "input") if part.free_text else ("function", "arguments")
    if part.name is None:
        return {"index": part.index, kind: {field: part.arguments}}
    return {"index": part.index, "id": part.id, "type": kind, kind: {"name": part.name, field: part.arguments}}


def _restore(written: dict[str, Any], call: ToolCall) -> None:
    """Put back what a draft does not hold: the source's id, and that the arguments are no JSON."""
    if call.id is not None:
        written["id"] = call.id
    if call.free_text:
        body = written.pop("function")
        written |= {"type": "custom", "custom": {"name": call.name, "input": body["arguments"]}}

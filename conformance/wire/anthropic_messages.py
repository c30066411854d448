"""Anthropic Messages: the table of stop reasons, decode and encode. No other API, no scenario, no I/O.

Stream grammar: message_start, (content_block_start, content_block_delta*, content_block_stop)*,
message_delta+, message_stop; `ping` and unknown events anywhere
(platform.claude.com/docs/en/build-with-claude/streaming; 439 of 440 public recordings).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from conformance.contract import End, ErrorPart, Part, Reply, TextDelta, ThinkingDelta, ToolCallDelta, Usage
from conformance.vocabulary import Api, Stop
from conformance.wire.codec import Codec, Events, Json, Row, expect_object
from conformance.wire.draft import Block, Draft, Raw, Text, Thinking, ToolUse, mint
from conformance.wire.sse import Event

_TYPES = "anthropic==2.14.0 types/stop_reason.py"
_BETA = "anthropic==2.14.0 types/beta/beta_stop_reason.py"

STOPS: dict[str, Row] = {
    "end_turn": Row(Stop.COMPLETE, _TYPES),
    "stop_sequence": Row(Stop.COMPLETE, _TYPES),
    "max_tokens": Row(Stop.TRUNCATED, _TYPES),
    "model_context_window_exceeded": Row(Stop.TRUNCATED, _TYPES),
    "tool_use": Row(Stop.TOOL_CALL, _TYPES),
    "pause_turn": Row(Stop.CONTINUE, _TYPES),
    "compaction": Row(Stop.CONTINUE, _BETA),
    "refusal": Row(Stop.BLOCKED, _TYPES),
}


class _Events(Events):
    """Content blocks open and close by index; reasons come on message_delta and nowhere else."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, str] = {}
        self._calls: dict[int, int] = {}
        self._sent: dict[int, bool] = {}
        self._input: int | None = None

    def take(self, payload: Json) -> list[Part]:
        event = expect_object(payload, Api.ANTHROPIC_MESSAGES)
        match event.get("type"):
            case "message_start":
                return self._start(event.get("message") or {})
            case "content_block_start":
                return self._open(event.get("index", 0), event.get("content_block") or {})
            case "content_block_delta":
                return self._delta(event.get("index", 0), event.get("delta") or {})
            case "content_block_stop":
                return self._close(event.get("index", 0))
            case "message_delta":
                return self._end(event.get("delta") or {}, event.get("usage"))
            case "message_stop":
                self.closed = True
            case "error":
                self.ended = True
                error = CODEC.error(event)
                return [error] if error else []
        return []  # ping and events that nobody knows: the versioning policy asks to skip them

    def _start(self, message: Json) -> list[Part]:
        usage = _usage(message.get("usage"))
        self._input = usage.input_tokens if usage else None
        parts: list[Part] = []
        if message.get("stop_reason") is not None:
            # Programmatic tool calling sends a whole message in message_start and no message_delta.
            parts = CODEC.whole(message)
            self.ended = True
        return parts

    def _open(self, index: int, block: Json) -> list[Part]:
        kind = str(block.get("type"))
        self._blocks[index] = kind
        if kind == "tool_use":
            number = self._calls[index] = len(self._calls)
            self._sent[index] = bool(block.get("input"))
            arguments = json.dumps(block["input"], ensure_ascii=False) if block.get("input") else ""
            return [ToolCallDelta(number, block.get("id"), block.get("name"), arguments)]
        if kind == "text" and block.get("text"):
            return [TextDelta(block["text"])]
        if kind == "thinking" and block.get("thinking"):
            return [ThinkingDelta(block["thinking"])]
        return []

    def _delta(self, index: int, delta: Json) -> list[Part]:
        match delta.get("type"):
            case "text_delta":
                return [TextDelta(delta.get("text") or "")]
            case "thinking_delta":
                return [ThinkingDelta(delta.get("thinking") or "")]
            case "input_json_delta" if index in self._calls:  # a server tool's input is not the caller's to run
                piece = delta.get("partial_json") or ""
                self._sent[index] = self._sent[index] or bool(piece)
                return [ToolCallDelta(self._calls[index], arguments=piece)]
        return []

    def _close(self, index: int) -> list[Part]:
        if index in self._calls and not self._sent[index]:
            # A tool without arguments streams no JSON at all; the block's own `input` was {}.
            self._sent[index] = True
            return [ToolCallDelta(self._calls[index], arguments="{}")]
        return []

    def _end(self, delta: Json, raw_usage: Any) -> list[Part]:
        usage = _usage(raw_usage)
        if usage and usage.input_tokens is None:
            usage = Usage(self._input, usage.output_tokens)
        reason = delta.get("stop_reason")
        if reason is None:
            return [End(usage=usage)] if usage else []
        self.ended = True
        return [_end(reason, delta.get("stop_sequence"), usage)]


class AnthropicMessages(Codec):
    """POST /v1/messages."""

    api: ClassVar[Api] = Api.ANTHROPIC_MESSAGES
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("/messages",)
    STOPS: ClassVar[Mapping[str, Row]] = STOPS
    STOP_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = (("stop_sequences",),)
    MAX_TOKENS_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = (("max_tokens",),)
    CALLS_ARE_OBJECTS: ClassVar[bool] = True

    def whole(self, payload: Json) -> list[Part]:
        message = expect_object(payload, self.api)
        if error := self.error(message):
            return [error]
        parts: list[Part] = []
        calls = 0
        for block in message.get("content") or ():
            match block.get("type"):
                case "text":
                    parts.append(TextDelta(block.get("text") or ""))
                case "thinking":
                    parts.append(ThinkingDelta(block.get("thinking") or ""))
                case "tool_use":
                    arguments = block.get("input")
                    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
                    parts.append(ToolCallDelta(calls, block.get("id"), block.get("name"), text))
                    calls += 1
        parts.append(_end(message.get("stop_reason"), message.get("stop_sequence"), _usage(message.get("usage"))))
        return parts

    def events(self) -> Events:
        return _Events()

    def error(self, payload: Any, status: int | None = None) -> ErrorPart | None:
        if not isinstance(payload, Mapping) or payload.get("type") != "error":
            return None
        inner = payload.get("error") or {}
        return ErrorPart(str(inner.get("message", "")), inner.get("type"), status)

    def classify(self, reason: str | None, reply: Reply) -> Stop:
        """By the table alone, with one exception: this API has values of its own for tools and refusals.

        A stop sequence that fires inside tool JSON leaves a call that was never finished.
        """
        if reason == "stop_sequence" and reply.tool_calls:
            return Stop.TRUNCATED
        return self.stop_of(reason)

    def asks_stream(self, path: str, body: Json) -> bool:
        return body.get("stream") is True

    def encode_whole(self, draft: Draft) -> dict[str, Any]:
        content = [_block(block, draft.seed, number) for number, block in enumerate(draft.blocks)]
        return {
            **_envelope(draft),
            "content": content,
            "stop_reason": draft.reason,
            "stop_sequence": draft.stop_sequence,
            **draft.extra,
            "usage": {"input_tokens": draft.usage.input_tokens, "output_tokens": draft.usage.output_tokens},
        }

    def encode_events(self, draft: Draft) -> list[Event]:
        start = {
            **_envelope(draft),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": draft.usage.input_tokens, "output_tokens": 1},
        }
        data: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
        for index, block in enumerate(draft.blocks):
            data += _block_events(block, draft.seed, index)
        end = {"stop_reason": draft.reason, "stop_sequence": draft.stop_sequence, **draft.extra}
        data.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": draft.usage.output_tokens}})
        data.append({"type": "message_stop"})
        return [Event(str(item["type"]), item) for item in data]


def _end(reason: Any, stop_sequence: Any, usage: Usage | None) -> End:
    value = None if reason is None else str(reason)
    return End(value, value, stop_sequence, usage, shape=Api.ANTHROPIC_MESSAGES)


def _usage(raw: Any) -> Usage | None:
    if not isinstance(raw, Mapping):
        return None
    return Usage(raw.get("input_tokens"), raw.get("output_tokens"))


def _envelope(draft: Draft) -> dict[str, Any]:
    return {"model": draft.model, "id": mint("msg_01", draft.seed, 22), "type": "message", "role": "assistant"}


def _block(block: Block, seed: str, number: int) -> dict[str, Any]:
    match block:
        case ToolUse(name=name):
            try:
                arguments = json.loads(block.whole or "{}")
            except ValueError:
                arguments = {}  # recorded: a call cut by max_tokens comes buffered with an empty input
            return {
                "type": "tool_use",
                "id": mint("toolu_01", f"{seed}#{number}", 22),
                "name": name,
                "input": arguments,
            }
        case Thinking():
            signature = mint("Eq", f"{seed}#signature", 40) + "=="
            return {"type": "thinking", "thinking": block.whole, "signature": signature}
        case Raw():
            return dict(block.whole)
        case Text():
            return {"type": "text", "text": block.whole}


def _block_events(block: Block, seed: str, index: int) -> list[dict[str, Any]]:
    opened = _block(block, seed, index)
    deltas: list[dict[str, Any]] = []
    match block:
        case ToolUse():
            opened["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *block.pieces)]
        case Thinking():
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in block.pieces]
            deltas.append({"type": "signature_delta", "signature": opened["signature"]})
            opened |= {"thinking": "", "signature": ""}
        case Raw():
            opened, deltas = dict(block.opened or block.whole), [dict(delta) for delta in block.deltas]
        case Text():
            deltas = [{"type": "text_delta", "text": piece} for piece in block.pieces]
            opened["text"] = ""
    return [
        {"type": "content_block_start", "index": index, "content_block": opened},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


CODEC = AnthropicMessages()

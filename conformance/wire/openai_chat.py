"""OpenAI Chat Completions and its compatible hosts: the table of finish reasons, decode, encode. No other API, no I/O.

Stream grammar of api.openai.com: chunks without an event name, the first with the role, per choice one
chunk whose delta is empty and whose finish_reason is set, where asked one chunk without choices that
carries usage, `[DONE]` (openai/openai-openapi@f85dbe2; 448 of 448 public recordings). Compatible hosts
leave out or double most of that, so the reader below leans on none of it: reasons, usage, content and
errors are taken from whichever chunk has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from conformance.contract import (
    End,
    ErrorPart,
    Part,
    RefusalDelta,
    Reply,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from conformance.vocabulary import Api, Stop
from conformance.wire.codec import Codec, Events, Json, Row, expect_object
from conformance.wire.draft import HEX, Draft, Raw, Refusal, Text, Thinking, ToolUse, mint
from conformance.wire.openai_common import CREATED, as_object, as_objects, as_text, read_error
from conformance.wire.reading import is_json_object
from conformance.wire.sse import Event

_TYPES = "openai==3.57.0 types/chat/chat_completion.py Choice"

STOPS: dict[str, Row] = {
    "stop": Row(Stop.COMPLETE, _TYPES),
    "length": Row(Stop.TRUNCATED, _TYPES),
    "tool_calls": Row(Stop.TOOL_CALL, _TYPES),
    "content_filter": Row(Stop.BLOCKED, _TYPES),
    # Deprecated there, still sent for requests that declare `functions`.
    "function_call": Row(Stop.TOOL_CALL, _TYPES),
}

_LEGACY = "function_call"


class _Events(Events):
    """The first choice only: with n > 1 the chunks of the others come in between."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = _Positions()

    def take(self, payload: Json) -> list[Part]:
        chunk = expect_object(payload, Api.OPENAI_CHAT)
        choice = _first(chunk)
        parts = _said(as_object(choice.get("delta")), self._calls)
        reason, usage = choice.get("finish_reason"), _usage(chunk.get("usage"))
        if reason is not None:
            self.ended = True
            parts.append(_end(reason, usage))
        elif usage:
            parts.append(End(usage=usage))
        if error := _error_of(chunk, choice):
            self.ended = True
            parts.append(error)
        return parts


class OpenAIChat(Codec):
    """POST /v1/chat/completions."""

    api: ClassVar[Api] = Api.OPENAI_CHAT
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("/chat/completions",)
    STOPS: ClassVar[Mapping[str, Row]] = STOPS
    STOP_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = (("stop",),)
    MAX_TOKENS_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = (("max_completion_tokens",), ("max_tokens",))
    CALLS_ARE_OBJECTS: ClassVar[bool] = False

    def whole(self, payload: Json) -> list[Part]:
        completion = expect_object(payload, self.api)
        choice = _first(completion)
        error = _error_of(completion, choice)
        if error and not choice:
            return [error]
        parts = _said(as_object(choice.get("message")), None)
        parts.append(_end(choice.get("finish_reason"), _usage(completion.get("usage"))))
        return [*parts, error] if error else parts

    def events(self) -> Events:
        return _Events()

    def error(self, payload: Any, status: int | None = None) -> ErrorPart | None:
        return read_error(payload, status)

    def asks_stream(self, path: str, body: Json) -> bool:
        return body.get("stream") is True

    def classify(self, reason: str | None, reply: Reply) -> Stop:
        """By the table and the content; a call whose JSON never ends was cut, whatever the reason says.

        OpenRouter says `tool_calls` of calls that hit the cap (16 of 16 public recordings).
        """
        stop = super().classify(reason, reply)
        cut = stop is Stop.TOOL_CALL and any(_is_cut(call) for call in reply.tool_calls)
        return Stop.TRUNCATED if cut else stop

    def encode_whole(self, draft: Draft) -> dict[str, Any]:
        choice = {
            "index": 0,
            "message": _message(draft),
            "logprobs": None,
            "finish_reason": draft.reason,
            **draft.extra,
        }
        head = _envelope(draft, "chat.completion")
        tail = {name: head.pop(name) for name in ("service_tier", "system_fingerprint")}
        return {**head, "choices": [choice], "usage": _usage_object(draft), **tail}

    def encode_events(self, draft: Draft) -> list[Event]:
        deltas = [_opening(draft), *_deltas(draft)]
        chunks = [_chunk(draft, {"delta": delta, "logprobs": None, "finish_reason": None}) for delta in deltas]
        chunks.append(_chunk(draft, {"delta": {}, "logprobs": None, "finish_reason": draft.reason, **draft.extra}))
        return [*(Event(None, chunk) for chunk in chunks), Event(None, "[DONE]")]


def usage_chunk(draft: Draft) -> dict[str, Any]:
    """The chunk that `stream_options.include_usage` asks for, to be put right before `[DONE]`.

    With that option every other chunk carries `"usage": null` (302 of 303 public recordings); without
    it no chunk has the key.
    """
    return {**_envelope(draft, "chat.completion.chunk"), "choices": [], "usage": _usage_object(draft)}


class _Positions:
    """Where each call of a stream stands: the delta's index; where a host sends none, derived from the id."""

    def __init__(self) -> None:
        self._by_id: dict[str, int] = {}
        self._next = 0
        self._last = 0

    def of(self, call: Json) -> int:
        """The position of the call that a delta belongs to."""
        index, known = call.get("index"), call.get("id")
        if isinstance(index, int):
            self._last = index
        elif known:
            self._last = self._by_id.setdefault(str(known), self._next)
        elif as_object(call.get("function")).get("name"):
            self._last = self._next  # a name opens a call; a delta with neither goes on with the last one
        self._next = max(self._next, self._last + 1)
        return self._last


def _said(message: Json, positions: _Positions | None) -> list[Part]:
    """The parts of a message or of a delta; without `positions` the calls count by their place in the list."""
    parts: list[Part] = []
    # Hosts that are changing from the first name to the second send both with the same text.
    thinking = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(thinking, str) and thinking:
        parts.append(ThinkingDelta(thinking))
    parts += _content(message.get("content"))
    if refusal := message.get("refusal"):
        parts.append(RefusalDelta(str(refusal)))
    for place, call in enumerate(as_objects(message.get("tool_calls"))):
        custom = as_object(call.get("custom"))
        body, arguments = (custom, "input") if custom else (as_object(call.get("function")), "arguments")
        index = positions.of(call) if positions else place
        text = as_text(body.get(arguments))
        parts.append(ToolCallDelta(index, call.get("id"), body.get("name"), text, free_text=bool(custom)))
    if legacy := as_object(message.get(_LEGACY)):
        parts.append(ToolCallDelta(0, None, legacy.get("name"), as_text(legacy.get("arguments"))))
    return parts


def _content(content: Any) -> Iterator[Part]:
    if isinstance(content, str) and content:
        yield TextDelta(content)
    for part in as_objects(content):
        match part.get("type"):
            case "text":
                yield TextDelta(str(part.get("text") or ""))
            case "refusal":
                yield RefusalDelta(str(part.get("refusal") or ""))
            case "thinking":  # Mistral: the thinking is itself a list of text parts
                inner = part.get("thinking")
                texts = (
                    [inner] if isinstance(inner, str) else [str(item.get("text") or "") for item in as_objects(inner)]
                )
                yield from (ThinkingDelta(text) for text in texts)


def _first(payload: Json) -> Json:
    """The choice with index 0, or {}: usage, moderation and Azure's prompt filter come without choices."""
    return next((choice for choice in as_objects(payload.get("choices")) if not choice.get("index")), {})


def _error_of(payload: Json, choice: Json) -> ErrorPart | None:
    """The error beside or inside the choice: OpenRouter has sent it in either place under HTTP 200."""
    return read_error(payload) or read_error(choice)


def _end(reason: Any, usage: Usage | None) -> End:
    value = None if reason is None else str(reason)
    return End(value, value, None, usage, shape=Api.OPENAI_CHAT)


def _is_cut(call: ToolCall) -> bool:
    """Whether the arguments begin as an object and never end as one."""
    text = "" if call.free_text or not isinstance(call.arguments, str) else call.arguments
    return text.lstrip().startswith("{") and not is_json_object(text)


def _usage(raw: Any) -> Usage | None:
    usage = as_object(raw)
    counts = Usage(usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return None if counts == Usage() else counts


# Encode. This API has no place for thinking: a Thinking block shows only as reasoning tokens in usage.
# Nor has it blocks: a Raw one is keys of the message (a host's `reasoning_content`), streamed as deltas.


def _envelope(draft: Draft, kind: str) -> dict[str, Any]:
    return {
        "id": mint("chatcmpl-", draft.seed, 29),
        "object": kind,
        "created": CREATED,
        "model": draft.model,
        "service_tier": "default",
        "system_fingerprint": mint("fp_", draft.seed, 10, HEX),
    }


def _chunk(draft: Draft, choice: dict[str, Any]) -> dict[str, Any]:
    return {**_envelope(draft, "chat.completion.chunk"), "choices": [{"index": 0, **choice}]}


def _usage_object(draft: Draft) -> dict[str, Any]:
    given, generated = draft.usage.input_tokens or 0, draft.usage.output_tokens or 0
    return {
        "prompt_tokens": given,
        "completion_tokens": generated,
        "total_tokens": given + generated,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": draft.thought_tokens,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _texts(draft: Draft) -> list[str]:
    return [block.whole for block in draft.blocks if type(block) is Text]


def _empty(draft: Draft) -> str | None:
    """What `content` is before any text: null beside tool calls or a refusal alone, "" everywhere else."""
    others = any(isinstance(block, ToolUse | Refusal) for block in draft.blocks)
    return None if others and not _texts(draft) else ""


def _message(draft: Draft) -> dict[str, Any]:
    texts = _texts(draft)
    refusals = [block.whole for block in draft.blocks if isinstance(block, Refusal)]
    message: dict[str, Any] = {
        "role": "assistant",
        "content": "".join(texts) if texts else _empty(draft),
        "refusal": "".join(refusals) if refusals else None,
        "annotations": [],
    }
    calls = [block for block in draft.blocks if isinstance(block, ToolUse)]
    if calls and draft.reason == _LEGACY:
        message[_LEGACY] = {"name": calls[0].name, "arguments": calls[0].whole}
    elif calls:
        message["tool_calls"] = [_call(draft, place, call, call.whole) for place, call in enumerate(calls)]
    for block in draft.blocks:
        if isinstance(block, Raw):
            message |= block.whole
    return message


def _call(draft: Draft, place: int, call: ToolUse, arguments: str) -> dict[str, Any]:
    return {
        "id": mint("call_", f"{draft.seed}#{place}", 24),
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def _opening(draft: Draft) -> dict[str, Any]:
    refused = any(isinstance(block, Refusal) for block in draft.blocks)
    return {"role": "assistant", "content": _empty(draft), "refusal": "" if refused else None}


def _deltas(draft: Draft) -> Iterator[dict[str, Any]]:
    place = 0
    for block in draft.blocks:
        match block:
            case Thinking():
                continue
            case Refusal():
                yield from ({"refusal": piece} for piece in block.pieces)
            case Text():
                yield from ({"content": piece} for piece in block.pieces)
            case ToolUse() if draft.reason == _LEGACY:
                yield {_LEGACY: {"name": block.name, "arguments": ""}}
                yield from ({_LEGACY: {"arguments": piece}} for piece in block.pieces)
            case ToolUse():
                yield {"tool_calls": [{"index": place, **_call(draft, place, block, "")}]}
                for piece in block.pieces:
                    yield {"tool_calls": [{"index": place, "function": {"arguments": piece}}]}
                place += 1
            case Raw():
                yield from (dict(delta) for delta in (block.deltas or (block.whole,)))


CODEC = OpenAIChat()

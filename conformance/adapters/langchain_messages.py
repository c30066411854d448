"""What the three LangChain bindings share: LangChain's messages in, Parts and Replies out. No model is built here.

A message that was cut in a tool call has it among `invalid_tool_calls`, as the raw text: it is handed out as that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from conformance.contract import (
    Call,
    End,
    Part,
    RefusalDelta,
    Reply,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)

Reason = Callable[[dict[str, Any]], str | None]
"""Where a provider's reason stands in `response_metadata`."""

_LEGACY = 999
"""Index of a call in the legacy form, of which a reply has one at most."""


def tools_of(call: Call) -> list[dict[str, Any]]:
    """Tools in the form that every `bind_tools` takes."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in call.tools
    ]


def asked(model: Any, call: Call) -> tuple[Any, dict[str, Any]]:
    """The model with the tools of a call bound, and the arguments of `invoke` and `stream`."""
    if call.tools:
        forced = {"tool_choice": call.tool_choice} if call.tool_choice else {}
        model = model.bind_tools(tools_of(call), **forced)
    return model, {"stop": stops(call)} if call.stop is not None else {}


def stops(call: Call) -> list[str] | None:
    """LangChain takes a list everywhere."""
    return [call.stop] if isinstance(call.stop, str) else call.stop


def reply_of(message: Any, reason: Reason) -> Reply:
    """What the reader of an `AIMessage`, or of the sum of its chunks, sees."""
    told = reason(message.response_metadata)
    usage = message.usage_metadata
    return Reply(
        text=str(message.text),
        reason=told,
        raw_reason=told,
        stop_sequence=message.response_metadata.get("stop_sequence"),
        tool_calls=tuple(
            [ToolCall(call["name"], call["args"], call["id"]) for call in message.tool_calls]
            + [ToolCall(call["name"] or "", call["args"] or "", call["id"]) for call in message.invalid_tool_calls]
            + [ToolCall(call.get("name") or "", call.get("arguments") or "") for call in _legacy(message)]
        ),
        thinking="".join(_thinking(message)),
        refusal="".join(_refusals(message)),
        usage=Usage(usage["input_tokens"], usage["output_tokens"]) if usage else None,
    )


def parts_of(chunks: Iterable[Any], reason: Reason) -> Iterator[Part]:
    """What the reader of a stream of `AIMessageChunk`s sees: each chunk, and at the end their sum."""
    total: Any = None
    own = count(1000)  # chunks without an index are calls of their own
    for chunk in chunks:
        total = chunk if total is None else total + chunk
        yield from (ThinkingDelta(text) for text in _thinking(chunk))
        if text := str(chunk.text):
            yield TextDelta(text)
        yield from (RefusalDelta(text) for text in _refusals(chunk))
        for piece in chunk.tool_call_chunks:
            index = piece["index"] if isinstance(piece["index"], int) else next(own)
            yield ToolCallDelta(index, piece["id"], piece["name"], piece["args"] or "")
        yield from (ToolCallDelta(_LEGACY, None, it.get("name"), it.get("arguments") or "") for it in _legacy(chunk))
        if (told := reason(chunk.response_metadata)) is not None:
            yield from _without_arguments(total)
            yield End(told, told, chunk.response_metadata.get("stop_sequence"))
    if total is not None:
        final = reply_of(total, reason)
        yield End(usage=final.usage, final=final)


def _without_arguments(total: Any) -> Iterator[Part]:
    """Calls for which no piece had text: the sum's `tool_calls` gives them an empty object."""
    for piece in total.tool_call_chunks:
        if not piece["args"] and isinstance(piece["index"], int):
            yield ToolCallDelta(piece["index"], arguments="{}")


def _thinking(message: Any) -> Iterator[str]:
    for block in message.content_blocks:
        if block["type"] == "reasoning" and block.get("reasoning"):
            yield block["reasoning"]


def _legacy(message: Any) -> list[dict[str, Any]]:
    """The call in the form that OpenAI had before tools, which LangChain hands on beside the message."""
    call = message.additional_kwargs.get("function_call")
    return [call] if call and not message.tool_calls else []


def _refusals(message: Any) -> Iterator[str]:
    if refusal := message.additional_kwargs.get("refusal"):
        yield refusal
    if isinstance(message.content, list):
        for block in message.content:
            if isinstance(block, dict) and block.get("type") == "refusal":
                yield block["refusal"]

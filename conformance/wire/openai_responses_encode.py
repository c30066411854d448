"""OpenAI Responses, written: a Draft to a response object and to the events of its stream. Nothing is read here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.wire.draft import HEX, Block, Draft, Raw, Refusal, Text, Thinking, ToolUse, mint
from conformance.wire.openai_common import CREATED
from conformance.wire.sse import Event

_TERMINAL = ("completed", "incomplete", "failed")
_FAILURE = {"code": "server_error", "message": "Generation broke off on our side; asking again may help."}
_NO_LOGPROBS: dict[str, Any] = {"logprobs": []}


def encode_whole(draft: Draft) -> dict[str, Any]:
    """The response object, as a buffered body and as the `response` of the terminal event."""
    status, _, detail = str(draft.reason).partition("/")
    output = [_item(draft, place, block) for place, block in enumerate(draft.blocks)]
    return {
        **_response(draft, None if draft.reason is None else status, output),
        "error": _FAILURE if status == "failed" else None,
        "incomplete_details": {"reason": detail} if detail else None,
        "usage": None if status == "failed" else _usage(draft),
        **draft.extra,
    }


def encode_events(draft: Draft) -> list[Event]:
    """The stream of the same reply.

    Raises:
        ValueError: the API has no event that ends a stream with this status.
    """
    final = encode_whole(draft)
    if final["status"] not in _TERMINAL:
        raise ValueError(f"{draft.seed}: no Responses stream ends with the status {final['status']!r}")
    begun = _response(draft, "in_progress", [])
    data: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for place, block in enumerate(draft.blocks):
        data += _item_events(draft, place, block)
    data.append({"type": f"response.{final['status']}", "response": final})
    return [
        Event(item["type"], {"type": item["type"], "sequence_number": number, **item})
        for number, item in enumerate(data)
    ]


def _response(draft: Draft, status: str | None, output: list[dict[str, Any]]) -> dict[str, Any]:
    """The object in the order of keys that the vendor sends, as it is before anything has been said."""
    capped = draft.reason == "incomplete/max_output_tokens"
    return {
        "id": mint("resp_", draft.seed, 50, HEX),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        # The request's cap comes back in the reply; where it was hit, the output is as long as the cap.
        "max_output_tokens": draft.usage.output_tokens if capped else None,
        "model": draft.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "service_tier": "default",
        "store": True,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
        "user": None,
        "metadata": {},
    }


def _usage(draft: Draft) -> dict[str, Any]:
    given, generated = draft.usage.input_tokens or 0, draft.usage.output_tokens or 0
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": generated,
        "output_tokens_details": {"reasoning_tokens": draft.thought_tokens},
        "total_tokens": given + generated,
    }


def _status(draft: Draft, place: int) -> str:
    """Only the item at which generation halted is incomplete."""
    cut = str(draft.reason).startswith("incomplete") and place == len(draft.blocks) - 1
    return "incomplete" if cut else "completed"


def _item(draft: Draft, place: int, block: Block) -> dict[str, Any]:
    seed = f"{draft.seed}#{place}"
    match block:
        case ToolUse():
            return {
                "id": mint("fc_", seed, 50, HEX),
                "type": "function_call",
                "status": _status(draft, place),
                "arguments": block.whole,
                "call_id": mint("call_", seed, 24),
                "name": block.name,
            }
        case Thinking():
            summary = [{"type": "summary_text", "text": block.whole}]
            return {"id": mint("rs_", seed, 50, HEX), "type": "reasoning", "summary": summary}
        case Raw():
            return dict(block.whole)
        case Text():
            return {
                "id": mint("msg_", seed, 50, HEX),
                "type": "message",
                "status": _status(draft, place),
                "content": [_part(block, block.whole)],
                "role": "assistant",
            }


def _part(block: Text, text: str) -> dict[str, Any]:
    if isinstance(block, Refusal):
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "annotations": [], **_NO_LOGPROBS, "text": text}


def _item_events(draft: Draft, place: int, block: Block) -> Iterator[dict[str, Any]]:
    item = _item(draft, place, block)
    where = {"item_id": item.get("id"), "output_index": place}
    opened: dict[str, Any]
    inner: Iterator[dict[str, Any]]
    match block:
        case ToolUse():
            opened = {**item, "status": "in_progress", "arguments": ""}
            inner = _call_events(block, where)
        case Thinking():
            opened = {**item, "summary": []}
            inner = _thinking_events(block, {**where, "summary_index": 0})
        case Raw():
            opened = dict(block.opened or item)
            inner = ({"type": delta["type"], **where, **delta} for delta in block.deltas)
        case Text():
            opened = {**item, "status": "in_progress", "content": []}
            inner = _message_events(block, {**where, "content_index": 0})
    yield {"type": "response.output_item.added", "output_index": place, "item": opened}
    yield from inner
    yield {"type": "response.output_item.done", "output_index": place, "item": item}


def _call_events(block: ToolUse, where: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind = "response.function_call_arguments"
    yield from ({"type": f"{kind}.delta", **where, "delta": piece} for piece in block.pieces)
    # Recorded: sent for a call that was cut too, with the cut JSON.
    yield {"type": f"{kind}.done", **where, "arguments": block.whole}


def _thinking_events(block: Thinking, where: dict[str, Any]) -> Iterator[dict[str, Any]]:
    part, text = "response.reasoning_summary_part", "response.reasoning_summary_text"
    yield {"type": f"{part}.added", **where, "part": {"type": "summary_text", "text": ""}}
    yield from ({"type": f"{text}.delta", **where, "delta": piece} for piece in block.pieces)
    yield {"type": f"{text}.done", **where, "text": block.whole}
    yield {"type": f"{part}.done", **where, "part": {"type": "summary_text", "text": block.whole}}


def _message_events(block: Text, where: dict[str, Any]) -> Iterator[dict[str, Any]]:
    refused = isinstance(block, Refusal)
    kind, field = ("response.refusal", "refusal") if refused else ("response.output_text", "text")
    extra = {} if refused else _NO_LOGPROBS
    yield {"type": "response.content_part.added", **where, "part": _part(block, "")}
    yield from ({"type": f"{kind}.delta", **where, "delta": piece, **extra} for piece in block.pieces)
    yield {"type": f"{kind}.done", **where, field: block.whole, **extra}
    yield {"type": "response.content_part.done", **where, "part": _part(block, block.whole)}

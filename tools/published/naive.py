"""A second, plain reader of the same bytes, to hold the codecs against. Shares no line with them, judges nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from conformance.vocabulary import Api

Json = Mapping[str, Any]

_BLANK = re.compile(rb"\r\n\r\n|\n\n")
_LINE = re.compile(rb"\r\n|\n")


class Event(NamedTuple):
    """One frame: its name where it has one, and its data as JSON; `[DONE]` and what is no JSON stay text."""

    name: str | None
    data: Any
    raw: bytes


class Said(NamedTuple):
    """What an exchange says, by JSON path. Arguments are JSON where they are whole, else text."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    reason: str | None = None
    output_tokens: int | None = None


def events_of(body: bytes) -> list[Event]:
    """The frames of a stream, comments left out."""
    found: list[Event] = []
    for block in _BLANK.split(body):
        name: str | None = None
        data: list[bytes] = []
        for line in _LINE.split(block):
            key, _, value = line.partition(b":")
            if key == b"data":
                data.append(value.removeprefix(b" "))
            elif key == b"event":
                name = value.strip().decode()
        if data:
            joined = b"\n".join(data)
            found.append(Event(name, _json_or_text(joined), joined))
    return found


def payloads_of(body: bytes, *, streamed: bool) -> list[Json]:
    """The JSON objects of a body, in order: one where it is not streamed."""
    values = [event.data for event in events_of(body)] if streamed else [_json_or_text(body)]
    return [value for value in values if isinstance(value, dict)]


def said(api: Api, body: bytes, *, streamed: bool) -> Said:
    """What an exchange says."""
    return _READERS[api, streamed](payloads_of(body, streamed=streamed))


def _json_or_text(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def canonical(arguments: Any) -> str:
    """Arguments in one form, however they were spaced or whether they came as text or object."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return str(arguments)
    return json.dumps(arguments, sort_keys=True)


def _last(values: list[int | None]) -> int | None:
    return next((value for value in reversed(values) if value is not None), None)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


# OpenAI Chat


def _choices(payloads: list[Json]) -> Iterator[Json]:
    for payload in payloads:
        yield from (choice for choice in payload.get("choices") or () if choice.get("index") in (0, None))


def _chat(payloads: list[Json]) -> Said:
    text = thinking = refusal = ""
    reason = None
    calls: dict[Any, list[str]] = {}
    for choice in _choices(payloads):
        message = choice.get("message") or choice.get("delta") or {}
        text += _string(message.get("content"))
        thinking += _string(message.get("reasoning_content") or message.get("reasoning"))
        refusal += _string(message.get("refusal"))
        reason = reason or choice.get("finish_reason")
        legacy = message.get("function_call")
        for place, call in enumerate([*(message.get("tool_calls") or ()), *([{"function": legacy}] if legacy else ())]):
            entry = calls.setdefault(_call_key(call, place, calls), ["", ""])
            entry[0] += _string(call["function"].get("name"))
            entry[1] += _string(call["function"].get("arguments"))
    tokens = [payload["usage"].get("completion_tokens") for payload in payloads if payload.get("usage")]
    said_calls = tuple((name, canonical(arguments)) for name, arguments in calls.values())
    return Said(text, thinking, refusal, said_calls, reason, _last(tokens))


def _call_key(call: Json, place: int, calls: Mapping[Any, Any]) -> Any:
    """The index; without one, a call that has an id is a new one, for those hosts send each call whole."""
    if "index" in call:
        return call["index"]
    return (len(calls), place) if call.get("id") else place


# OpenAI Responses


def _response(payloads: list[Json]) -> Said:
    return _final(payloads[0]) if payloads else Said()


def _response_stream(payloads: list[Json]) -> Said:
    last = payloads[-1].get("response") if payloads else None
    final = _final(last) if last else Said()
    if final.text or final.calls or final.refusal:
        return final
    # Some backends leave the final object's output empty although they streamed one.
    deltas = "".join(_string(p.get("delta")) for p in payloads if p.get("type") == "response.output_text.delta")
    items = [p["item"] for p in payloads if p.get("type") == "response.output_item.done"]
    streamed = _final({"output": items})
    return final._replace(text=deltas, calls=streamed.calls, thinking=streamed.thinking, refusal=streamed.refusal)


def _final(response: Json) -> Said:
    items = response.get("output") or []
    parts = [part for item in items if item["type"] == "message" for part in item["content"]]
    thoughts = [
        part
        for item in items
        if item["type"] == "reasoning"
        for part in [*(item.get("summary") or ()), *(item.get("content") or ())]
    ]
    detail = (response.get("incomplete_details") or {}).get("reason")
    status = response.get("status")
    return Said(
        text="".join(part["text"] for part in parts if part["type"] == "output_text"),
        thinking="".join(_string(part.get("text")) for part in thoughts),
        refusal="".join(part["refusal"] for part in parts if part["type"] == "refusal"),
        calls=tuple(call for item in items if (call := _for_the_caller(item))),
        reason=f"{status}/{detail}" if detail else status,
        output_tokens=(response.get("usage") or {}).get("output_tokens"),
    )


def _for_the_caller(item: Json) -> tuple[str, str] | None:
    """What the caller is to run or to answer; an item without a tool's name goes by its type, whole."""
    kind = item["type"]
    if kind == "function_call":
        return item["name"], canonical(item["arguments"])
    if kind == "custom_tool_call":
        return item["name"], canonical(item["input"])
    if kind in ("apply_patch_call", "mcp_approval_request") or item.get("execution") == "client":
        return kind, canonical(item)
    return None


# Anthropic Messages


def _message(payloads: list[Json]) -> Said:
    message = payloads[0] if payloads else {}
    blocks = message.get("content") or []
    return Said(
        text="".join(block["text"] for block in blocks if block["type"] == "text"),
        thinking="".join(block["thinking"] for block in blocks if block["type"] == "thinking"),
        calls=tuple((block["name"], canonical(block["input"])) for block in blocks if block["type"] == "tool_use"),
        reason=message.get("stop_reason"),
        output_tokens=(message.get("usage") or {}).get("output_tokens"),
    )


def _message_stream(payloads: list[Json]) -> Said:
    blocks: dict[int, dict[str, str]] = {}
    reason = tokens = None
    for event in payloads:
        if event["type"] == "content_block_start":
            block = event["content_block"]
            blocks[event["index"]] = {
                "type": block["type"],
                "name": _string(block.get("name")),
                "said": _string(block.get("text")) + _string(block.get("thinking")),
                "whole": canonical(block.get("input") or {}),
            }
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            for key in ("text", "thinking", "partial_json"):
                blocks[event["index"]]["said"] += _string(delta.get(key))
        elif event["type"] == "message_delta":
            reason = event["delta"]["stop_reason"]
            tokens = (event.get("usage") or {}).get("output_tokens")
    of = {kind: [b for b in blocks.values() if b["type"] == kind] for kind in ("text", "thinking", "tool_use")}
    return Said(
        text="".join(block["said"] for block in of["text"]),
        thinking="".join(block["said"] for block in of["thinking"]),
        calls=tuple((block["name"], canonical(block["said"] or block["whole"])) for block in of["tool_use"]),
        reason=reason,
        output_tokens=tokens,
    )


# Gemini


def _gemini(payloads: list[Json]) -> Said:
    candidates = [c for p in payloads for c in p.get("candidates") or () if c.get("index") in (0, None)]
    parts = [part for c in candidates for part in (c.get("content") or {}).get("parts") or ()]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    reasons = [candidate["finishReason"] for candidate in candidates if "finishReason" in candidate]
    return Said(
        text="".join(part["text"] for part in parts if "text" in part and not part.get("thought")),
        thinking="".join(part["text"] for part in parts if "text" in part and part.get("thought")),
        calls=tuple((call["name"], canonical(call.get("args") or {})) for call in calls),
        reason=reasons[0] if reasons else None,
        output_tokens=_last([(payload.get("usageMetadata") or {}).get("candidatesTokenCount") for payload in payloads]),
    )


_READERS: dict[tuple[Api, bool], Callable[[list[Json]], Said]] = {
    (Api.OPENAI_CHAT, False): _chat,
    (Api.OPENAI_CHAT, True): _chat,
    (Api.OPENAI_RESPONSES, False): _response,
    (Api.OPENAI_RESPONSES, True): _response_stream,
    (Api.ANTHROPIC_MESSAGES, False): _message,
    (Api.ANTHROPIC_MESSAGES, True): _message_stream,
    (Api.GEMINI, False): _gemini,
    (Api.GEMINI, True): _gemini,
}

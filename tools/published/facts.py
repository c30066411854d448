"""Grammar facts: what the streams and bodies of each API do and how often. Counts only; no codec, no verdict here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.vocabulary import Api, Mode
from tools.published.naive import Event, events_of, payloads_of, said
from tools.published.recordings import Exchange

Facts = Iterator[str]
"""Names of the facts that hold for one exchange; the sum over all exchanges is the figure."""

_PADDING = re.compile(rb"[ ]{2,}\}$")


def facts_of(exchange: Exchange, api: Api) -> Facts:
    """The facts that one exchange of HTTP status below 400 shows."""
    recorded = exchange.recorded
    if exchange.mode is Mode.STREAMED:
        events = events_of(recorded.body)
        yield "streams"
        yield "line ends: CRLF" if b"\r\n" in recorded.body else "line ends: LF"
        yield "[DONE] last" if events and events[-1].data == "[DONE]" else "no [DONE]"
        objects = [event for event in events if isinstance(event.data, dict)]
        yield from _named(objects)
        yield from _STREAMS[api](objects)
    else:
        yield "bodies"
    yield from _both(exchange, api)


def _named(events: list[Event]) -> Facts:
    names = [event.name for event in events]
    if not any(names):
        yield "event names: none"
    elif all(event.name == event.data.get("type") for event in events):
        yield "event names: equal to type in every frame"
    else:
        yield "event names: others"


def _both(exchange: Exchange, api: Api) -> Facts:
    request = exchange.recorded.request or {}
    reply = said(api, exchange.recorded.body, streamed=exchange.mode is Mode.STREAMED)
    if reply.calls:
        yield f"{_choice(request)} and tool calls: reason {reply.reason}"
    if reply.refusal:
        yield f"refusal text: reason {reply.reason}"
    if stops := _stops(request):
        yield "stop strings asked"
        if any(stop in reply.text for stop in stops):
            yield "stop strings asked: one stands in the text"
    if api is Api.GEMINI:
        payloads = payloads_of(exchange.recorded.body, streamed=exchange.mode is Mode.STREAMED)
        for candidate in (c for p in payloads for c in p.get("candidates") or () if "finishMessage" in c):
            yield f"finishMessage beside {candidate.get('finishReason')}"


def _choice(request: Mapping[str, Any]) -> str:
    choice = request.get("tool_choice")
    if isinstance(choice, dict):
        kind = str(choice.get("type"))
        return "forced tool_choice" if kind in ("function", "tool", "custom") else f"tool_choice {kind}"
    return "tool_choice unset" if choice is None else f"tool_choice {choice}"


def _stops(request: Mapping[str, Any]) -> list[str]:
    found = request.get("stop") or request.get("stop_sequences")
    found = found or (request.get("generationConfig") or {}).get("stopSequences") or []
    return [found] if isinstance(found, str) else list(found)


def _chat(events: list[Event]) -> Facts:
    chunks = [event.data for event in events]
    with_choices = [number for number, chunk in enumerate(chunks) if chunk.get("choices")]
    finishes = [number for number in with_choices if chunks[number]["choices"][0].get("finish_reason") is not None]
    if with_choices and "role" in chunks[with_choices[0]]["choices"][0].get("delta", {}):
        yield "first chunk has the role"
    if any("obfuscation" in chunk for chunk in chunks):
        yield "obfuscation"
    yield f"finish chunks: {len(finishes)}"
    if not finishes:
        return
    finish = chunks[finishes[-1]]
    yield "finish chunk: delta empty" if not finish["choices"][0].get("delta") else "finish chunk: delta not empty"
    if finishes[-1] == with_choices[-1]:
        yield "finish on the last chunk with choices"
    if finish.get("usage"):
        yield "usage on the finish chunk"
    if all(chunk.get("usage") for chunk in chunks):
        yield "usage on every chunk"
    yield _after_finish(chunks[finishes[-1] + 1 :])


def _after_finish(rest: list[Mapping[str, Any]]) -> str:
    if not rest:
        return "after finish: nothing"
    if len(rest) == 1 and not rest[0].get("choices") and rest[0].get("usage"):
        return "after finish: one chunk with usage and without choices"
    return "after finish: others"


def _responses(events: list[Event]) -> Facts:
    first, last = events[0].data, events[-1].data
    yield f"first event: {first.get('type')}"
    yield f"last event: {last.get('type')}"
    numbers = [event.data.get("sequence_number") for event in events]
    if not any(number is not None for number in numbers):
        yield "sequence_number: absent"
    elif numbers == list(range(len(numbers))):
        yield "sequence_number: contiguous from 0"
    else:
        yield "sequence_number: others"
    if any("obfuscation" in event.data for event in events):
        yield "obfuscation"
    final = last.get("response") or {}
    if not final.get("output"):
        yield "last event: output empty"
    elif _joined(events) == _texts(final):
        yield "text deltas equal the last event's text"
    else:
        yield "text deltas differ from the last event's text"


def _joined(events: list[Event]) -> str:
    return "".join(e.data["delta"] for e in events if e.data.get("type") == "response.output_text.delta")


def _texts(response: Mapping[str, Any]) -> str:
    items = (item for item in response["output"] if item["type"] == "message")
    return "".join(part.get("text", "") for item in items for part in item["content"])


def _anthropic(events: list[Event]) -> Facts:
    kinds = [event.data.get("type") for event in events]
    yield f"message_delta: {kinds.count('message_delta')}"
    stops = [event.data for event in events if event.data.get("type") == "message_stop"]
    yield "message_stop: no key but type" if [set(stop) for stop in stops] == [{"type"}] else "message_stop: others"
    if "ping" in kinds:
        yield "ping"
    if any(_PADDING.search(event.raw) for event in events):
        yield "padding before the closing brace"
    yield "blocks one after another" if _in_order(events) else "blocks overlap"
    for event in events:
        if event.data.get("type") == "message_start":
            null = event.data["message"].get("stop_reason") is None
            yield "message_start: stop_reason null" if null else "message_start: stop_reason set"
        if event.data.get("type") == "message_delta":
            yield from (f"message_delta: key delta.{key}" for key in event.data["delta"])
            yield from (f"message_delta: key {key}" for key in event.data if key not in ("type", "delta", "usage"))


def _in_order(events: list[Event]) -> bool:
    current: int | None = None
    for event in events:
        kind, index = event.data.get("type"), event.data.get("index")
        if kind == "content_block_start":
            if current is not None:
                return False
            current = index
        elif kind in ("content_block_delta", "content_block_stop"):
            if current != index:
                return False
            current = None if kind == "content_block_stop" else current
        elif kind == "message_delta" and current is not None:
            return False
    return current is None


def _gemini(events: list[Event]) -> Facts:
    chunks = [event.data for event in events]
    reasons = [n for n, c in enumerate(chunks) if any("finishReason" in x for x in c.get("candidates") or ())]
    yield f"finishReason chunks: {len(reasons)}"
    if reasons == [len(chunks) - 1]:
        yield "finishReason on the last chunk only"
    if all("usageMetadata" in chunk for chunk in chunks):
        yield "usageMetadata on every chunk"
    last = (chunks[-1].get("candidates") or [{}])[0]
    if not (last.get("content") or {}).get("parts"):
        yield "last chunk without parts"


_STREAMS: dict[Api, Callable[[list[Event]], Facts]] = {
    Api.OPENAI_CHAT: _chat,
    Api.OPENAI_RESPONSES: _responses,
    Api.ANTHROPIC_MESSAGES: _anthropic,
    Api.GEMINI: _gemini,
}

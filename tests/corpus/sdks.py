"""The vendors' own SDKs as readers of cassettes: what their users see, by attribute. No codec of ours is asked.

Each reader calls the SDK against an address that plays one cassette and returns what it showed; an
exception is the SDK's word, too, and passes through.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Self

import pytest

from conformance.vocabulary import Api, Mode


@dataclass(slots=True)
class Seen:
    """What an SDK's user sees of one reply.

    Attributes:
        documents: the SDK's objects as plain data, where it keeps every key; else empty.
        calls: names and arguments, by their place.
    """

    text: str = ""
    reason: str | None = None
    calls: dict[Any, list[str]] = field(default_factory=dict)
    error: str | None = None
    documents: list[Mapping[str, Any]] = field(default_factory=list)

    def call(self, place: Any, name: str | None, arguments: str | None) -> None:
        """Add to a tool call."""
        known = self.calls.setdefault(place, ["", ""])
        known[0] = name or known[0]
        known[1] += arguments or ""


class Sdks:
    """One client an SDK for a whole run, each made when its API is first read; closed together."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._clients: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def read(self, api: Api, address: str, model: str, mode: Mode) -> Seen:
        """Ask the SDK of this API at the address, and take down what it shows."""
        return _READERS[api](self, address, model, mode)

    def openai(self, address: str) -> Any:
        """OpenAI's client for an address."""
        return self._client("openai", "OpenAI", max_retries=0).with_options(base_url=f"{address}/v1")

    def anthropic(self, address: str) -> Any:
        """Anthropic's client for an address."""
        return self._client("anthropic", "Anthropic", max_retries=0).with_options(base_url=address)

    def gemini(self) -> Any:
        """Google's client; its address goes with each request."""
        return self._client("google.genai", "Client")

    def _client(self, package: str, name: str, **options: Any) -> Any:
        module = pytest.importorskip(package)
        if package not in self._clients:
            client = getattr(module, name)(api_key="no-key", **options)
            self._clients[package] = self._closing.enter_context(client)
        return self._clients[package]


def _chat(sdks: Sdks, address: str, model: str, mode: Mode) -> Seen:
    seen = Seen()
    asked: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": "?"}]}
    client = sdks.openai(address)
    if mode is Mode.BUFFERED:
        reply = client.chat.completions.create(**asked)
        seen.documents.append(_plain(reply))
        for choice in reply.choices or ():
            _chat_choice(seen, choice, choice.message)
        return seen
    for chunk in client.chat.completions.create(**asked, stream=True):
        seen.documents.append(_plain(chunk))
        for choice in chunk.choices or ():
            _chat_choice(seen, choice, choice.delta)
    return seen


def _chat_choice(seen: Seen, choice: Any, said: Any) -> None:
    if choice.index:
        return
    seen.text += said.content or ""
    for place, call in enumerate(said.tool_calls or ()):
        # A delta has an index of its own; hosts that send none send whole calls.
        index = getattr(call, "index", None)
        seen.call(place if index is None else index, call.function.name, call.function.arguments)
    if said.function_call:
        seen.call(0, said.function_call.name, said.function_call.arguments)
    if getattr(choice, "finish_reason", None) is not None:
        seen.reason = choice.finish_reason


def _responses(sdks: Sdks, address: str, model: str, mode: Mode) -> Seen:
    seen = Seen()
    client = sdks.openai(address)
    if mode is Mode.BUFFERED:
        reply = client.responses.create(model=model, input="?")
        seen.documents.append(_plain(reply))
        seen.text = reply.output_text
        for place, item in enumerate(reply.output):
            if item.type == "function_call":
                seen.call(place, item.name, item.arguments)
        _responses_end(seen, reply)
        return seen
    for event in client.responses.create(model=model, input="?", stream=True):
        seen.documents.append(_plain(event))
        _responses_event(seen, event)
    return seen


def _responses_event(seen: Seen, event: Any) -> None:
    match event.type:
        case "response.output_text.delta":
            seen.text += event.delta
        case "response.output_item.added" if event.item.type == "function_call":
            seen.call(event.output_index, event.item.name, None)
        case "response.function_call_arguments.delta":
            seen.call(event.output_index, None, event.delta)
        case "response.completed" | "response.incomplete" | "response.failed":
            _responses_end(seen, event.response)
        case "error":
            seen.error = event.message


def _responses_end(seen: Seen, response: Any) -> None:
    detail = response.incomplete_details.reason if response.incomplete_details else None
    seen.reason = response.status if detail is None else f"{response.status}/{detail}"
    if response.error:
        seen.error = response.error.message


def _anthropic(sdks: Sdks, address: str, model: str, mode: Mode) -> Seen:
    asked: dict[str, Any] = {"model": model, "max_tokens": 99, "messages": [{"role": "user", "content": "?"}]}
    seen = Seen()
    client = sdks.anthropic(address)
    if mode is Mode.BUFFERED:
        message = client.messages.create(**asked)
        seen.documents.append(_plain(message))
        for place, block in enumerate(message.content):
            _anthropic_block(seen, place, block)
        seen.reason = message.stop_reason
        return seen
    for event in client.messages.create(**asked, stream=True):
        seen.documents.append(_plain(event))
        _anthropic_event(seen, event)
    return seen


def _anthropic_event(seen: Seen, event: Any) -> None:
    match event.type:
        case "message_start":
            for place, block in enumerate(event.message.content):
                _anthropic_block(seen, place, block)
            seen.reason = event.message.stop_reason
        case "content_block_start":
            _anthropic_block(seen, event.index, event.content_block)
        case "content_block_delta" if event.delta.type == "text_delta":
            seen.text += event.delta.text
        case "content_block_delta" if event.delta.type == "input_json_delta" and event.index in seen.calls:
            seen.call(event.index, None, event.delta.partial_json)
        case "message_delta" if event.delta.stop_reason is not None:
            seen.reason = event.delta.stop_reason


def _anthropic_block(seen: Seen, place: int, block: Any) -> None:
    if block.type == "text":
        seen.text += block.text
    elif block.type == "tool_use":
        seen.call(place, block.name, json.dumps(block.input) if block.input else "")


def _gemini(sdks: Sdks, address: str, model: str, mode: Mode) -> Seen:
    options = {"base_url": address, "api_version": "v1beta", "timeout": 8000}
    seen = Seen()
    client = sdks.gemini()
    asked: dict[str, Any] = {"model": model, "contents": "?", "config": {"http_options": options}}
    if mode is Mode.BUFFERED:
        replies = iter([client.models.generate_content(**asked)])
    else:
        replies = client.models.generate_content_stream(**asked)
    for reply in replies:
        for candidate in reply.candidates or ():
            _gemini_candidate(seen, candidate)
        if reply.prompt_feedback and reply.prompt_feedback.block_reason:
            seen.reason = reply.prompt_feedback.block_reason.value
    return seen


def _gemini_candidate(seen: Seen, candidate: Any) -> None:
    for part in (candidate.content and candidate.content.parts) or ():
        if part.function_call:
            seen.call(len(seen.calls), part.function_call.name, json.dumps(part.function_call.args or {}))
        elif part.text and not part.thought:
            seen.text += part.text
    if candidate.finish_reason:
        seen.reason = candidate.finish_reason.value


def _plain(model: Any) -> Mapping[str, Any]:
    plain: Mapping[str, Any] = model.to_dict(mode="json", warnings=False)
    return plain


_READERS: Mapping[Api, Callable[[Sdks, str, str, Mode], Seen]] = {
    Api.OPENAI_CHAT: _chat,
    Api.OPENAI_RESPONSES: _responses,
    Api.ANTHROPIC_MESSAGES: _anthropic,
    Api.GEMINI: _gemini,
}

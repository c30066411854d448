"""The binding for OpenAI's Python SDK: Chat Completions and Responses, as a user calls them. Nothing of other APIs.

Everything that the Call does not ask for stays at the SDK's default, its two retries included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openai import OpenAI

from conformance.adapters import installed
from conformance.contract import Call, Part, Reply, parts_from_wire
from conformance.vocabulary import PASSTHROUGH, Api, Gap


class OpenAISdk:
    """Hands out the SDK's own objects, which have the wire's shape."""

    name = "openai-sdk"
    apis = frozenset({Api.OPENAI_CHAT, Api.OPENAI_RESPONSES})
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("openai")

    def __init__(self) -> None:
        self._client = OpenAI(api_key="unused")

    def complete(self, call: Call) -> Reply:
        return Reply.from_wire(call.api, _plain(self._create(call)))

    def stream(self, call: Call) -> Iterator[Part]:
        with self._create(call, stream=True) as events:
            yield from parts_from_wire(call.api, map(_plain, events))

    def _create(self, call: Call, **options: Any) -> Any:
        client = self._client.with_options(api_key=call.api_key, base_url=f"{call.base_url}/v1", timeout=call.timeout)
        if call.stop is not None:
            options["stop"] = call.stop  # Responses has no such argument: its TypeError is what a user gets
        if call.api is Api.OPENAI_RESPONSES:
            return client.responses.create(**_responses(call), **options)
        if "stream" in options:
            options["stream_options"] = {"include_usage": True}
        return client.chat.completions.create(**_chat(call), **options)


def build() -> OpenAISdk:
    """The factory behind `--adapter openai-sdk`."""
    return OpenAISdk()


def _plain(model: Any) -> dict[str, Any]:
    # Values that the SDK does not know make the dump warn; the SDK's user, who reads attributes, is not warned.
    # A body that is not JSON comes as a str: its user meets the same AttributeError one attribute later.
    plain: dict[str, Any] = model.to_dict(warnings=False)
    return plain


def _chat(call: Call) -> dict[str, Any]:
    asked: dict[str, Any] = {"model": call.model, "messages": [{"role": "user", "content": call.prompt}]}
    if call.max_tokens is not None:
        asked["max_completion_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [{"type": "function", "function": function} for function in _functions(call)]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "function", "function": {"name": call.tool_choice}}
    return asked


def _responses(call: Call) -> dict[str, Any]:
    asked: dict[str, Any] = {"model": call.model, "input": call.prompt}
    if call.max_tokens is not None:
        asked["max_output_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [{"type": "function", **function} for function in _functions(call)]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "function", "name": call.tool_choice}
    return asked


def _functions(call: Call) -> list[dict[str, Any]]:
    return [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in call.tools]

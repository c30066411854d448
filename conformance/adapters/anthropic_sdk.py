"""The binding for Anthropic's Python SDK: Messages, whole and through the stream helper. No other API, no beta.

Everything that the Call does not ask for stays at the SDK's default, its two retries included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anthropic import Anthropic

from conformance.adapters import installed
from conformance.contract import Call, End, Part, Reply, parts_from_wire
from conformance.vocabulary import PASSTHROUGH, Api, Gap

_DERIVED = frozenset({"text", "thinking", "signature", "citation", "input_json"})
"""Events that the helper makes up beside the wire's own, saying the same again."""


class AnthropicSdk:
    """Hands out the SDK's own objects, which have the wire's shape."""

    name = "anthropic-sdk"
    apis = frozenset({Api.ANTHROPIC_MESSAGES})
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("anthropic")

    def __init__(self) -> None:
        self._client = Anthropic(api_key="unused")

    def complete(self, call: Call) -> Reply:
        return Reply.from_wire(call.api, _plain(self._messages(call).create(**_asked(call))))

    def stream(self, call: Call) -> Iterator[Part]:
        with self._messages(call).stream(**_asked(call)) as stream:
            yield from parts_from_wire(call.api, (_plain(event) for event in stream if event.type not in _DERIVED))
            yield End(final=Reply.from_wire(call.api, _plain(stream.get_final_message())))

    def _messages(self, call: Call) -> Any:
        options = {"api_key": call.api_key, "base_url": call.base_url, "timeout": call.timeout}
        return self._client.with_options(**options).messages


def build() -> AnthropicSdk:
    """The factory behind `--adapter anthropic-sdk`."""
    return AnthropicSdk()


def _plain(model: Any) -> dict[str, Any]:
    # Values that the SDK does not know make the dump warn; the SDK's user, who reads attributes, is not warned.
    # A body that is not JSON comes as a str: its user meets the same AttributeError one attribute later.
    plain: dict[str, Any] = model.to_dict(warnings=False)
    return plain


def _asked(call: Call) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "model": call.model,
        "messages": [{"role": "user", "content": call.prompt}],
        "max_tokens": 1024 if call.max_tokens is None else call.max_tokens,  # the API refuses a request without a cap
    }
    if call.stop is not None:
        asked["stop_sequences"] = [call.stop] if isinstance(call.stop, str) else call.stop
    if call.tools:
        asked["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in call.tools
        ]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "tool", "name": call.tool_choice}
    return asked

"""The binding for aisuite: `chat.completions.create` on three upstream APIs. No Responses, which it does not speak.

aisuite documents OpenAI's shape for everything that it returns, and passes arguments on in the provider's own
spelling. Everything that the Call does not ask for stays at the library's default, the cap on output tokens included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aisuite

from conformance.adapters import installed
from conformance.contract import Call, Chunk, Part, Reply
from conformance.vocabulary import Api, Gap, Vocabulary

_PROVIDERS = {Api.OPENAI_CHAT: "openai", Api.ANTHROPIC_MESSAGES: "anthropic", Api.GEMINI: "gemini"}
"""Name of the provider in a model's prefix and in the client's configuration."""


class AISuite:
    """Hands out objects in the shape of OpenAI's wire."""

    name = "aisuite"
    apis = frozenset(_PROVIDERS)
    vocabulary = Vocabulary.of(Api.OPENAI_CHAT)
    lacks = frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON})  # OpenAI's shape, with no field of its own beside it
    version = installed("aisuite")

    def complete(self, call: Call) -> Reply:
        response = _create(call)
        return Reply.from_wire(
            Api.OPENAI_CHAT,
            {
                "choices": [
                    {"message": _plain(choice.message), "finish_reason": choice.finish_reason}
                    for choice in response.choices
                ],
                "usage": _plain(response.usage),
            },
        )

    def stream(self, call: Call) -> Iterator[Part]:
        options: dict[str, Any] = {"stream": True}
        if call.api is Api.OPENAI_CHAT:  # the other providers report usage unasked
            options["stream_options"] = {"include_usage": True}
        for chunk in _create(call, **options):
            yield Chunk(Api.OPENAI_CHAT, _plain(chunk))


def build() -> AISuite:
    """The factory behind `--adapter aisuite`."""
    return AISuite()


def _plain(model: Any) -> Any:
    # Values that the model does not know make the dump warn; aisuite's user, who reads attributes, is not warned.
    return None if model is None else model.model_dump(mode="json", warnings=False)


def _create(call: Call, **options: Any) -> Any:
    """The address is in the client's configuration, so one is made for each call."""
    client = aisuite.Client({_PROVIDERS[call.api]: _configuration(call)})
    return client.chat.completions.create(
        model=f"{_PROVIDERS[call.api]}:{call.model}",
        messages=[{"role": "user", "content": call.prompt}],
        **_asked(call),
        **options,
    )


def _configuration(call: Call) -> dict[str, Any]:
    """What the provider's own SDK is built with."""
    if call.api is Api.GEMINI:
        address = {"base_url": call.base_url, "timeout": round(call.timeout * 1000)}
        return {"api_key": call.api_key, "http_options": address}
    suffix = "/v1" if call.api is Api.OPENAI_CHAT else ""
    return {"api_key": call.api_key, "base_url": call.base_url + suffix, "timeout": call.timeout}


def _asked(call: Call) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    if call.stop is not None:
        if call.api is Api.ANTHROPIC_MESSAGES:
            asked["stop_sequences"] = [call.stop] if isinstance(call.stop, str) else call.stop
        else:
            asked["stop"] = call.stop
    if call.max_tokens is not None:
        asked["max_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [{"type": "function", "function": function} for function in _functions(call)]
    if call.tool_choice and call.api is Api.OPENAI_CHAT:
        asked["tool_choice"] = {"type": "function", "function": {"name": call.tool_choice}}
    if call.tool_choice and call.api is Api.ANTHROPIC_MESSAGES:
        asked["tool_choice"] = {"type": "tool", "name": call.tool_choice}
    return asked


def _functions(call: Call) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in call.tools
    ]

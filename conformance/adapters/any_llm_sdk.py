"""The binding for any-llm: `acompletion` on three upstream APIs, `aresponses` on the fourth. Not its `messages`.

any-llm documents OpenAI's finish reasons for everything that `acompletion` returns, whatever the provider.
Everything that the Call does not ask for stays at the library's default.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import any_llm
from any_llm import acompletion, aresponses

from conformance.adapters import installed
from conformance.contract import Call, Chunk, Part, Reply
from conformance.vocabulary import Api, Gap, Vocabulary

_PROVIDERS = {
    Api.OPENAI_CHAT: ("openai", "/v1"),
    Api.OPENAI_RESPONSES: ("openai", "/v1"),
    Api.ANTHROPIC_MESSAGES: ("anthropic", ""),
    Api.GEMINI: ("gemini", ""),
}


class AnyLLM:
    """Hands out objects in the shape of OpenAI's wire."""

    name = "any-llm"
    apis = frozenset(_PROVIDERS)
    vocabulary = Vocabulary.of(Api.OPENAI_CHAT)
    lacks = frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON})  # OpenAI's shape, with no field of its own beside it
    version = installed("any-llm-sdk")

    def __init__(self) -> None:
        for provider, _ in _PROVIDERS.values():
            any_llm.AnyLLM.get_provider_class(provider)  # imports it, which is no part of a call's time

    async def complete(self, call: Call) -> Reply:
        if call.api is Api.OPENAI_RESPONSES:
            return Reply.from_wire(Api.OPENAI_RESPONSES, _plain(await aresponses(**_responses(call))))
        return Reply.from_wire(Api.OPENAI_CHAT, _plain(await acompletion(**_completion(call))))

    async def stream(self, call: Call) -> AsyncIterator[Part]:
        if call.api is Api.OPENAI_RESPONSES:
            async for event in await aresponses(**_responses(call), stream=True):
                yield Chunk(Api.OPENAI_RESPONSES, _plain(event))
            return
        options: dict[str, Any] = {"stream": True}
        if call.api is Api.OPENAI_CHAT:  # the other providers report usage unasked, and refuse the option
            options["stream_options"] = {"include_usage": True}
        async for chunk in await acompletion(**_completion(call), **options):
            yield Chunk(Api.OPENAI_CHAT, _plain(chunk))


def build() -> AnyLLM:
    """The factory behind `--adapter any-llm`."""
    return AnyLLM()


def _plain(model: Any) -> dict[str, Any]:
    # Values that the model does not know make the dump warn; any-llm's user, who reads attributes, is not warned.
    plain: dict[str, Any] = model.model_dump(mode="json", warnings=False)
    return plain


def _common(call: Call) -> dict[str, Any]:
    provider, suffix = _PROVIDERS[call.api]
    asked: dict[str, Any] = {
        "model": call.model,
        "provider": provider,
        "api_key": call.api_key,
        "api_base": call.base_url + suffix,
        "timeout": call.timeout,
    }
    return asked


def _completion(call: Call) -> dict[str, Any]:
    asked = _common(call) | {"messages": [{"role": "user", "content": call.prompt}]}
    if call.stop is not None:
        asked["stop"] = call.stop
    if call.max_tokens is not None:
        asked["max_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [{"type": "function", "function": function} for function in _functions(call)]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "function", "function": {"name": call.tool_choice}}
    return asked


def _responses(call: Call) -> dict[str, Any]:
    asked = _common(call) | {"input_data": call.prompt}
    if call.stop is not None:
        asked["stop"] = call.stop
    if call.max_tokens is not None:
        asked["max_output_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [{"type": "function", **function} for function in _functions(call)]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "function", "name": call.tool_choice}
    return asked


def _functions(call: Call) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in call.tools
    ]

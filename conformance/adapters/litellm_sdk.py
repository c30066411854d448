"""The binding for LiteLLM: `completion` for three upstream APIs, `responses` for the fourth. Nothing of its proxy.

LiteLLM documents OpenAI's finish reasons for everything that `completion` returns, whatever the
provider. Everything that the Call does not ask for stays at LiteLLM's default: retries, dropping
of parameters, the limit on stop sequences.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # read on import, which fetches a price list otherwise

import litellm

from conformance.adapters import installed
from conformance.contract import Call, Chunk, End, Part, Reply, parts_from_wire
from conformance.vocabulary import Api, Gap, Vocabulary

litellm.suppress_debug_info = True  # its documented switch for the advice that it prints beside each exception

_ROUTES = {
    Api.OPENAI_CHAT: ("openai", "/v1"),
    Api.OPENAI_RESPONSES: ("openai", "/v1"),
    Api.ANTHROPIC_MESSAGES: ("anthropic", ""),
    Api.GEMINI: ("gemini", "/v1beta"),
}
"""Name of the provider in a model's prefix, and what its `api_base` holds beside the root."""


class LiteLLM:
    """Hands out LiteLLM's own objects, which have the shape of OpenAI's wire."""

    name = "litellm"
    apis = frozenset(_ROUTES)
    vocabulary = Vocabulary.of(Api.OPENAI_CHAT)
    lacks = frozenset({Gap.STOP_SEQUENCE})
    version = installed("litellm")

    def complete(self, call: Call) -> Reply:
        if call.api is Api.OPENAI_RESPONSES:
            return Reply.from_wire(Api.OPENAI_RESPONSES, _plain(_responses(call)))
        return _completed(call.api, litellm.completion(**_asked(call)))

    def stream(self, call: Call) -> Iterator[Part]:
        if call.api is Api.OPENAI_RESPONSES:
            yield from parts_from_wire(Api.OPENAI_RESPONSES, map(_plain, _responses(call, stream=True)))
            return
        chunks: list[Any] = []
        native: str | None = None
        for chunk in litellm.completion(**_asked(call), stream=True, stream_options={"include_usage": True}):
            chunks.append(chunk)
            plain = _plain(chunk)
            native = _native(plain, "delta") or native
            yield Chunk(Api.OPENAI_CHAT, plain)
        yield End(raw_reason=native, final=_completed(call.api, litellm.stream_chunk_builder(chunks)))


def build() -> LiteLLM:
    """The factory behind `--adapter litellm`."""
    return LiteLLM()


def _plain(model: Any) -> dict[str, Any]:
    # Values that the model does not know make the dump warn; LiteLLM's user, who reads attributes, is not warned.
    plain: dict[str, Any] = model.model_dump(mode="json", warnings=False)
    return plain


def _completed(api: Api, response: Any) -> Reply:
    plain = _plain(response)
    reply = Reply.from_wire(Api.OPENAI_CHAT, plain)
    return replace(reply, raw_reason=_raw(api, reply, _native(plain, "message")))


def _raw(api: Api, ending: Reply, native: str | None) -> str | None:
    """The provider's own value where LiteLLM keeps it; the public value is the provider's own for OpenAI only."""
    return native or (ending.raw_reason if api is Api.OPENAI_CHAT else None)


def _native(plain: Mapping[str, Any], holder: str) -> str | None:
    """Where LiteLLM's users find a value that it mapped: on the choice, or for a few of Anthropic's on the message."""
    for choice in plain.get("choices") or ():
        fields = choice.get("provider_specific_fields") or {}
        inner = (choice.get(holder) or {}).get("provider_specific_fields") or {}
        value = fields.get("native_finish_reason") or inner.get("stop_reason")
        if value is not None:
            return str(value)
    return None


def _asked(call: Call) -> dict[str, Any]:
    """The arguments of `completion`."""
    provider, suffix = _ROUTES[call.api]
    asked: dict[str, Any] = {
        "model": f"{provider}/{call.model}",
        "messages": [{"role": "user", "content": call.prompt}],
        "api_base": call.base_url + suffix,
        "api_key": call.api_key,
        "timeout": call.timeout,
    }
    if call.stop is not None:
        asked["stop"] = call.stop
    if call.max_tokens is not None:
        asked["max_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [{"type": "function", "function": function} for function in _functions(call)]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "function", "function": {"name": call.tool_choice}}
    return asked


def _responses(call: Call, **options: Any) -> Any:
    provider, suffix = _ROUTES[call.api]
    asked: dict[str, Any] = {"model": f"{provider}/{call.model}", "input": call.prompt}
    asked |= {"api_base": call.base_url + suffix, "api_key": call.api_key, "timeout": call.timeout}
    if call.stop is not None:
        asked["stop"] = call.stop
    if call.max_tokens is not None:
        asked["max_output_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [{"type": "function", **function} for function in _functions(call)]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "function", "name": call.tool_choice}
    return litellm.responses(**asked, **options)


def _functions(call: Call) -> list[dict[str, Any]]:
    return [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in call.tools]

"""The binding for Haystack: the chat generators for OpenAI (Chat and Responses), Anthropic and Google. No pipeline.

Haystack documents OpenAI's finish reasons for every generator. A stream is handed to a callback, and the whole
message comes back at its end. The generators for Anthropic and Google have no option for the address: their SDK's
environment variable is set while the client is made. Everything else stays at Haystack's default.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator
from haystack_integrations.components.generators.google_genai import GoogleGenAIChatGenerator

from conformance.adapters import installed
from conformance.contract import Call, End, Part, Reply, TextDelta, ThinkingDelta, ToolCall, ToolCallDelta, Usage
from conformance.vocabulary import Api, Gap, Stop, Vocabulary

_STOP = {Api.ANTHROPIC_MESSAGES: "stop_sequences", Api.GEMINI: "stop_sequences"}
_CAP = {
    Api.OPENAI_CHAT: "max_completion_tokens",
    Api.OPENAI_RESPONSES: "max_output_tokens",
    Api.ANTHROPIC_MESSAGES: "max_tokens",
    Api.GEMINI: "max_output_tokens",
}


class Haystack:
    """Hands out chat messages and streaming chunks."""

    name = "haystack"
    apis = frozenset(Api)
    vocabulary = Vocabulary(
        {
            "stop": Stop.COMPLETE,
            "length": Stop.TRUNCATED,
            "tool_calls": Stop.TOOL_CALL,
            "content_filter": Stop.BLOCKED,
        }
    )
    lacks = frozenset({Gap.STOP_SEQUENCE})
    version = installed("haystack-ai")

    def complete(self, call: Call) -> Reply:
        return _reply(_generator(call).run([ChatMessage.from_user(call.prompt)])["replies"][0])

    def stream(self, call: Call) -> Iterator[Part]:
        items: queue.SimpleQueue[Any] = queue.SimpleQueue()
        generator = _generator(call, stream=True)

        def run() -> None:
            try:
                replies = generator.run([ChatMessage.from_user(call.prompt)], streaming_callback=items.put)["replies"]
                items.put(replies[0])
            except BaseException as error:  # noqa: BLE001 -- raised again where the caller waits
                items.put(error)

        threading.Thread(target=run, daemon=True).start()
        bare: set[int] = set()  # calls whose arguments have not begun
        while not isinstance(item := items.get(), BaseException | ChatMessage):
            yield from _parts(item, bare)
        if isinstance(item, BaseException):
            raise item
        final = _reply(item)
        yield End(usage=final.usage, final=final)


def build() -> Haystack:
    """The factory behind `--adapter haystack`."""
    return Haystack()


def _generator(call: Call, *, stream: bool = False) -> Any:
    """The address is the generator's, so one is made for each call."""
    common: dict[str, Any] = {
        "api_key": Secret.from_token(call.api_key),
        "model": call.model,
        "timeout": call.timeout,
        "generation_kwargs": _settings(call),
        "tools": [
            Tool(name=tool.name, description=tool.description, parameters=dict(tool.parameters), function=_noted)
            for tool in call.tools
        ],
    }
    match call.api:
        case Api.OPENAI_CHAT:
            if stream:
                common["generation_kwargs"]["stream_options"] = {"include_usage": True}
            generator = OpenAIChatGenerator(**common, api_base_url=f"{call.base_url}/v1")
        case Api.OPENAI_RESPONSES:
            generator = OpenAIResponsesChatGenerator(**common, api_base_url=f"{call.base_url}/v1")
        case Api.ANTHROPIC_MESSAGES:
            with _set("ANTHROPIC_BASE_URL", call.base_url):
                # By default the text beside a tool call is dropped, as its documentation says.
                generator = AnthropicChatGenerator(**common, ignore_tools_thinking_messages=False)
                generator.warm_up()
        case Api.GEMINI:
            with _set("GOOGLE_GEMINI_BASE_URL", call.base_url):
                generator = GoogleGenAIChatGenerator(**common)
                generator.warm_up()
    return generator


@contextmanager
def _set(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _settings(call: Call) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    if call.stop is not None:
        listed = [call.stop] if isinstance(call.stop, str) else call.stop
        settings[_STOP.get(call.api, "stop")] = listed if call.api in _STOP else call.stop
    if call.max_tokens is not None:
        settings[_CAP[call.api]] = call.max_tokens
    if call.tool_choice:
        name = call.tool_choice
        match call.api:
            case Api.OPENAI_CHAT:
                settings["tool_choice"] = {"type": "function", "function": {"name": name}}
            case Api.OPENAI_RESPONSES:
                settings["tool_choice"] = {"type": "function", "name": name}
            case Api.ANTHROPIC_MESSAGES:
                settings["tool_choice"] = {"type": "tool", "name": name}
            case Api.GEMINI:
                forced = {"mode": "ANY", "allowed_function_names": [name]}
                settings["tool_config"] = {"function_calling_config": forced}
    return settings


def _noted(**_: Any) -> str:
    return "noted"


def _parts(chunk: Any, bare: set[int]) -> Iterator[Part]:
    if chunk.reasoning is not None:
        yield ThinkingDelta(chunk.reasoning.reasoning_text or "")
    if chunk.content:
        yield TextDelta(chunk.content)
    for delta in chunk.tool_calls or ():
        if delta.arguments:
            bare.discard(delta.index)
        elif delta.tool_name:
            bare.add(delta.index)
        yield ToolCallDelta(delta.index, _id(delta), delta.tool_name, delta.arguments or "")
    if chunk.finish_reason is not None:
        # The whole message gives these an empty object.
        yield from (ToolCallDelta(index, arguments="{}") for index in sorted(bare))
        bare.clear()
        yield End(chunk.finish_reason, _raw(chunk.meta))


def _id(call: Any) -> str | None:
    """Responses' own id of a call is beside that of the item, which later pieces repeat alone."""
    extra = call.extra or {}
    if "call_id" in extra:
        return str(extra["call_id"])
    return None if "item_id" in extra else call.id


def _raw(meta: dict[str, Any]) -> str | None:
    """What the provider said, where a message or a chunk keeps it: Responses' status, Chat's reason."""
    response = meta.get("response") or meta
    if response.get("status") is None:
        reason = meta.get("finish_reason")
        return None if reason is None else str(reason)
    detail = (response.get("incomplete_details") or {}).get("reason")
    return f"{response['status']}/{detail}" if detail else str(response["status"])


def _reply(message: Any) -> Reply:
    usage = message.meta.get("usage") or {}
    reason = message.meta.get("finish_reason")
    return Reply(
        text="".join(message.texts),
        reason=reason,
        raw_reason=_raw(message.meta),
        tool_calls=tuple(ToolCall(call.tool_name, call.arguments, _id(call)) for call in message.tool_calls),
        thinking="".join(item.reasoning_text for item in message.reasonings),
        usage=Usage(
            usage.get("prompt_tokens", usage.get("input_tokens")),
            usage.get("completion_tokens", usage.get("output_tokens")),
        ),
    )

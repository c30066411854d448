"""The binding for pydantic-ai: one request through `pydantic_ai.direct`, on four APIs. No agent, which runs the tools.

Its finish reasons are those of `ModelResponse.finish_reason`; whether the model paused is said by `state` alone,
so a state that is not `complete` stands in the reason's place. Everything that the Call does not ask for stays at
the library's default. The Chat model is `OpenAIChatModel`, the Responses model `OpenAIResponsesModel`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
from pydantic_ai import (
    ModelRequest,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolDefinition,
)
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

from conformance.adapters import installed
from conformance.adapters.per_loop import PerLoop
from conformance.contract import (
    Call,
    End,
    Part,
    Reply,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from conformance.vocabulary import Api, Gap, Stop, Vocabulary

_MODELS = {
    Api.OPENAI_CHAT: (OpenAIChatModel, OpenAIProvider, "/v1"),
    Api.OPENAI_RESPONSES: (OpenAIResponsesModel, OpenAIProvider, "/v1"),
    Api.ANTHROPIC_MESSAGES: (AnthropicModel, AnthropicProvider, ""),
    Api.GEMINI: (GoogleModel, GoogleProvider, ""),
}


class PydanticAI:
    """Hands out the parts of a `ModelResponse`."""

    name = "pydantic-ai"
    apis = frozenset(_MODELS)
    vocabulary = Vocabulary(
        {
            "stop": Stop.COMPLETE,
            "length": Stop.TRUNCATED,
            "content_filter": Stop.BLOCKED,
            "tool_call": Stop.TOOL_CALL,
            "error": Stop.FAILED,
            "suspended": Stop.CONTINUE,
            "incomplete": Stop.TRUNCATED,
            "interrupted": Stop.TRUNCATED,
        }
    )
    lacks = frozenset({Gap.STOP_SEQUENCE})
    version = installed("pydantic-ai-slim")

    def __init__(self) -> None:
        # As long as the library's own clients wait; a client's default of five seconds makes it warn.
        self._http = PerLoop(lambda: httpx2.AsyncClient(timeout=600))

    async def complete(self, call: Call) -> Reply:
        return _reply(await model_request(**self._asked(call)))

    async def stream(self, call: Call) -> AsyncIterator[Part]:
        async with model_request_stream(**self._asked(call)) as stream:
            async for event in stream:
                if isinstance(event, PartStartEvent):
                    for part in _started(event.index, event.part):
                        yield part
                elif isinstance(event, PartDeltaEvent):
                    for part in _continued(event.index, event.delta):
                        yield part
            response = stream.get()
        for index, part in enumerate(response.parts):
            if isinstance(part, ToolCallPart) and not part.args:  # no arguments, which is known at the end only
                yield ToolCallDelta(index, arguments=part.args_as_json_str())
        final = _reply(response)
        yield End(final.reason, final.raw_reason, usage=final.usage, final=final)

    def _asked(self, call: Call) -> dict[str, Any]:
        model, provider, suffix = _MODELS[call.api]
        settings: dict[str, Any] = {"timeout": call.timeout}
        if call.stop is not None:
            settings["stop_sequences"] = [call.stop] if isinstance(call.stop, str) else call.stop
        if call.max_tokens is not None:
            settings["max_tokens"] = call.max_tokens
        if call.tool_choice:
            settings["tool_choice"] = [call.tool_choice]
        tools = [
            ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters))
            for tool in call.tools
        ]
        return {
            "model": model(
                call.model,
                provider=provider(base_url=call.base_url + suffix, api_key=call.api_key, http_client=self._http.get()),
            ),
            "messages": [ModelRequest.user_text_prompt(call.prompt)],
            "model_settings": settings,
            "model_request_parameters": ModelRequestParameters(function_tools=tools),
        }


def build() -> PydanticAI:
    """The factory behind `--adapter pydantic-ai`."""
    return PydanticAI()


def _reply(response: Any) -> Reply:
    details = response.provider_details or {}
    parts = response.parts
    return Reply(
        text="".join(part.content for part in parts if isinstance(part, TextPart)),
        reason=response.finish_reason if response.state == "complete" else response.state,
        raw_reason=details.get("finish_reason") or details.get("block_reason"),
        tool_calls=tuple(
            ToolCall(part.tool_name, part.args or part.args_as_json_str(), part.tool_call_id)
            for part in parts
            if isinstance(part, ToolCallPart)
        ),
        thinking="".join(part.content for part in parts if isinstance(part, ThinkingPart)),
        refusal=details.get("refusal") or "",
        usage=Usage(response.usage.input_tokens, response.usage.output_tokens),
    )


def _started(index: int, part: Any) -> list[Part]:
    if isinstance(part, TextPart):
        return [TextDelta(part.content)]
    if isinstance(part, ThinkingPart):
        return [ThinkingDelta(part.content)]
    if isinstance(part, ToolCallPart):
        return [ToolCallDelta(index, part.tool_call_id, part.tool_name, _given(part.args))]
    return []


def _continued(index: int, delta: Any) -> list[Part]:
    if isinstance(delta, TextPartDelta):
        return [TextDelta(delta.content_delta or "")]  # the library's own `stream_text` passes over None, too
    if isinstance(delta, ThinkingPartDelta):
        return [ThinkingDelta(delta.content_delta or "")]
    if isinstance(delta, ToolCallPartDelta):
        return [ToolCallDelta(index, delta.tool_call_id, delta.tool_name_delta, _given(delta.args_delta))]
    return []


def _given(arguments: Any) -> Any:
    """Text or an object; none yet is no text, while an empty object is one."""
    return "" if arguments is None else arguments

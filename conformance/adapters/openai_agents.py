"""The binding for OpenAI's Agents SDK: one turn of `Runner` on its Chat model and its Responses model. No handoffs.

The SDK's results have no finish reason; its streams pass Responses events on, made up from the chunks where the
upstream is Chat. A tool is declared to note its call and to end the run. Stop strings go through `extra_args`, the
documented place for what `ModelSettings` has no field for. Everything else stays at the SDK's default.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
)
from openai import AsyncOpenAI

from conformance.adapters import installed
from conformance.adapters.per_loop import PerLoop
from conformance.contract import Call, Chunk, Part, Reply
from conformance.vocabulary import Api, Gap, Vocabulary

_MODELS = {Api.OPENAI_CHAT: OpenAIChatCompletionsModel, Api.OPENAI_RESPONSES: OpenAIResponsesModel}


class OpenAIAgents:
    """Hands out the items of the model's response, which have the shape of Responses."""

    name = "openai-agents"
    apis = frozenset(_MODELS)
    vocabulary = Vocabulary.of(Api.OPENAI_RESPONSES)
    lacks: frozenset[Gap] = frozenset()
    version = installed("openai-agents")

    def __init__(self) -> None:
        self._client = PerLoop(lambda: AsyncOpenAI(api_key="unused"))

    async def complete(self, call: Call) -> Reply:
        result = await Runner.run(**self._asked(call))
        response = result.raw_responses[-1]
        payload: dict[str, Any] = {"output": [_plain(item) for item in response.output]}
        payload["usage"] = {
            "input_tokens": response.usage.input_tokens,
            "output_tokens": response.usage.output_tokens,
        }
        return Reply.from_wire(Api.OPENAI_RESPONSES, payload)

    async def stream(self, call: Call) -> AsyncIterator[Part]:
        result = Runner.run_streamed(**self._asked(call))
        async for event in result.stream_events():
            if event.type == "raw_response_event":
                yield Chunk(Api.OPENAI_RESPONSES, _plain(event.data))

    def _asked(self, call: Call) -> dict[str, Any]:
        client = self._client.get().with_options(
            api_key=call.api_key, base_url=f"{call.base_url}/v1", timeout=call.timeout
        )
        settings: dict[str, Any] = {"include_usage": True}
        if call.stop is not None:
            settings["extra_args"] = {"stop": call.stop}
        if call.max_tokens is not None:
            settings["max_tokens"] = call.max_tokens
        if call.tool_choice:
            settings["tool_choice"] = call.tool_choice
        agent = Agent(
            name="conformance",
            model=_MODELS[call.api](model=call.model, openai_client=client),
            model_settings=ModelSettings(**settings),
            tools=[
                FunctionTool(
                    name=tool.name,
                    description=tool.description,
                    params_json_schema=dict(tool.parameters),
                    on_invoke_tool=_noted,
                    strict_json_schema=False,
                )
                for tool in call.tools
            ],
            tool_use_behavior="stop_on_first_tool",
        )
        return {
            "starting_agent": agent,
            "input": call.prompt,
            "max_turns": 1,
            "run_config": RunConfig(tracing_disabled=True),  # traces go to the vendor otherwise
        }


def build() -> OpenAIAgents:
    """The factory behind `--adapter openai-agents`."""
    return OpenAIAgents()


async def _noted(_context: Any, _arguments: str) -> str:
    return "noted"


def _plain(item: Any) -> dict[str, Any]:
    # Values that the model does not know make the dump warn; the SDK's user, who reads attributes, is not warned.
    plain: dict[str, Any] = item if isinstance(item, dict) else item.model_dump(mode="json", warnings=False)
    return plain

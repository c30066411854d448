"""The binding for Strands Agents: one turn of `Agent` on its models for four APIs. No multi-agent, no Bedrock.

Strands always streams; both entry points here ask it the same, and differ in what is taken: the `AgentResult`, or
the events. A tool notes its call and cancels the run after it, so that the model is asked once; the `cancelled` that
this leaves in the result is the binding's own doing and stands for `tool_use`. Throttling is tried twice: the default
of six times takes longer than a suite can wait.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from strands import Agent, ModelRetryStrategy
from strands.models.anthropic import AnthropicModel
from strands.models.gemini import GeminiModel
from strands.models.model import Model
from strands.models.openai import OpenAIModel
from strands.models.openai_responses import OpenAIResponsesModel
from strands.tools.tools import PythonAgentTool

from conformance.adapters import installed
from conformance.contract import Call, End, Part, Reply, TextDelta, ThinkingDelta, Tool, ToolCall, ToolCallDelta, Usage
from conformance.vocabulary import Api, Gap, Stop, Vocabulary

_CAP = {
    Api.OPENAI_CHAT: "max_completion_tokens",
    Api.OPENAI_RESPONSES: "max_output_tokens",
    Api.GEMINI: "max_output_tokens",
}


class Strands:
    """Hands out the agent's result and its events."""

    name = "strands"
    apis = frozenset(Api)
    vocabulary = Vocabulary(
        {
            "end_turn": Stop.COMPLETE,
            "stop_sequence": Stop.COMPLETE,
            "tool_use": Stop.TOOL_CALL,
            "max_tokens": Stop.TRUNCATED,
            "content_filtered": Stop.BLOCKED,
            "guardrail_intervened": Stop.BLOCKED,
        }
    )
    lacks = frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON})
    version = installed("strands-agents")

    async def complete(self, call: Call) -> Reply:
        return _reply(await _agent(call).invoke_async(call.prompt))

    async def stream(self, call: Call) -> AsyncIterator[Part]:
        index = -1
        bare: set[int] = set()  # the calls whose arguments have not begun
        async for item in _agent(call).stream_async(call.prompt):
            if "result" in item:
                for each in sorted(bare):  # the result gives these an empty object
                    yield ToolCallDelta(each, arguments="{}")
                final = _reply(item["result"])
                yield End(final.reason, usage=final.usage, final=final)
                continue
            event = item.get("event") or {}
            started = event.get("contentBlockStart", {}).get("start", {}).get("toolUse")
            if started:
                index += 1
                bare.add(index)
                yield ToolCallDelta(index, started["toolUseId"], started["name"])
            delta = event.get("contentBlockDelta", {}).get("delta", {})
            if "text" in delta:
                yield TextDelta(delta["text"])
            if piece := delta.get("toolUse", {}).get("input"):
                bare.discard(index)
                yield ToolCallDelta(index, arguments=piece)
            if "text" in delta.get("reasoningContent", {}):
                yield ThinkingDelta(delta["reasoningContent"]["text"])


def build() -> Strands:
    """The factory behind `--adapter strands`."""
    return Strands()


def _agent(call: Call) -> Agent:
    """An agent keeps the conversation, so each call has its own."""
    agent: Agent

    def tool_of(tool: Tool) -> PythonAgentTool:
        def noted(use: Any, **_: Any) -> Any:
            agent.cancel(after_current_tools=True)
            return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": "noted"}]}

        schema = {"name": tool.name, "description": tool.description, "inputSchema": {"json": dict(tool.parameters)}}
        return PythonAgentTool(tool.name, schema, noted)

    agent = Agent(
        model=_model(call),
        tools=[tool_of(tool) for tool in call.tools],
        callback_handler=None,  # it prints otherwise
        retry_strategy=ModelRetryStrategy(max_attempts=2, initial_delay=1),
    )
    return agent


def _model(call: Call) -> Model:
    settings: dict[str, Any] = {"model_id": call.model, "params": _params(call)}
    client: dict[str, Any] = {"api_key": call.api_key, "base_url": call.base_url, "timeout": call.timeout}
    match call.api:
        case Api.ANTHROPIC_MESSAGES:
            return AnthropicModel(client_args=client, max_tokens=call.max_tokens or 1024, **settings)
        case Api.GEMINI:
            address = {"base_url": call.base_url, "timeout": round(call.timeout * 1000)}
            return GeminiModel(client_args={"api_key": call.api_key, "http_options": address}, **settings)
        case Api.OPENAI_RESPONSES:
            return OpenAIResponsesModel(client_args=client | {"base_url": f"{call.base_url}/v1"}, **settings)
        case _:
            return OpenAIModel(client_args=client | {"base_url": f"{call.base_url}/v1"}, **settings)


def _params(call: Call) -> dict[str, Any]:
    """The model's parameters, which are handed to the provider in its own spelling."""
    params: dict[str, Any] = {}
    listed = [call.stop] if isinstance(call.stop, str) else call.stop
    if call.stop is not None:
        if call.api in {Api.ANTHROPIC_MESSAGES, Api.GEMINI}:
            params["stop_sequences"] = listed
        else:
            params["stop"] = call.stop
    if call.max_tokens is not None and call.api in _CAP:
        params[_CAP[call.api]] = call.max_tokens
    if call.tool_choice:
        name = call.tool_choice
        match call.api:
            case Api.OPENAI_CHAT:
                params["tool_choice"] = {"type": "function", "function": {"name": name}}
            case Api.OPENAI_RESPONSES:
                params["tool_choice"] = {"type": "function", "name": name}
            case Api.ANTHROPIC_MESSAGES:
                params["tool_choice"] = {"type": "tool", "name": name}
            case Api.GEMINI:
                forced = {"mode": "ANY", "allowed_function_names": [name]}
                params["tool_config"] = {"function_calling_config": forced}
    return params


def _reply(result: Any) -> Reply:
    blocks = result.message["content"]
    usage = result.metrics.accumulated_usage
    return Reply(
        text="".join(block["text"] for block in blocks if "text" in block),
        reason="tool_use" if result.stop_reason == "cancelled" else result.stop_reason,
        tool_calls=tuple(
            ToolCall(block["toolUse"]["name"], block["toolUse"]["input"], block["toolUse"]["toolUseId"])
            for block in blocks
            if "toolUse" in block
        ),
        thinking="".join(
            block["reasoningContent"].get("reasoningText", {}).get("text", "")
            for block in blocks
            if "reasoningContent" in block
        ),
        usage=Usage(usage["inputTokens"], usage["outputTokens"]),
    )

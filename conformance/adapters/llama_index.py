"""The binding for LlamaIndex: the LLM classes for OpenAI (Chat, Responses), Anthropic and Google. No agent, no index.

LlamaIndex has no finish reason of its own: its users read the provider's in `ChatResponse.raw`, refusals and errors
in a stream too, and it passes arguments such as stop strings on in the provider's spelling. Tool calls are what
`get_tool_calls_from_response` gives, which its agents run, and parallel ones are allowed, as its agents do: by default
all but the first are dropped from a buffered reply. Retries are set to two, the SDKs' own default: ten take longer
than a suite can wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ThinkingBlock
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.types import ToolMetadata
from llama_index.llms.anthropic import Anthropic
from llama_index.llms.google_genai import GoogleGenAI
from llama_index.llms.openai import OpenAI, OpenAIResponses
from pydantic import create_model

from conformance.adapters import installed
from conformance.contract import (
    Call,
    End,
    ErrorPart,
    Part,
    RefusalDelta,
    Reply,
    TextDelta,
    ThinkingDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from conformance.vocabulary import PASSTHROUGH, Api, Gap

_RETRIES = 2


class LlamaIndex:
    """Hands out chat responses."""

    name = "llama-index"
    apis = frozenset(Api)
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("llama-index-core")

    def complete(self, call: Call) -> Reply:
        llm, options = _llm(call), _options(call)
        if call.tools:
            response = llm.chat_with_tools(
                _tools(call), user_msg=call.prompt, allow_parallel_tool_calls=True, **options
            )
        else:
            response = llm.chat([ChatMessage(role="user", content=call.prompt)], **options)
        return _reply(llm, call, response)

    def stream(self, call: Call) -> Iterator[Part]:
        llm, options = _llm(call), _options(call)
        if call.tools:
            responses = llm.stream_chat_with_tools(
                _tools(call), user_msg=call.prompt, allow_parallel_tool_calls=True, **options
            )
        else:
            responses = llm.stream_chat([ChatMessage(role="user", content=call.prompt)], **options)
        last = None
        reason = which = usage = None
        for last in responses:
            if last.delta:
                yield TextDelta(last.delta)
            if thinking := last.additional_kwargs.get("thinking_delta"):
                yield ThinkingDelta(thinking)
            if refusal := _refusal(call.api, last.raw):
                yield RefusalDelta(refusal)
            if getattr(last.raw, "type", None) == "error":
                yield ErrorPart(last.raw.message, last.raw.code)
            told, matched = _ending(call.api, last)
            reason, which, usage = told or reason, matched or which, _usage(last) or usage
        if last is None:
            return
        for index, tool in enumerate(_calls(llm, last)):
            yield ToolCallDelta(index, tool.id, tool.name, tool.arguments)
        yield End(reason, reason, which, usage)


def build() -> LlamaIndex:
    """The factory behind `--adapter llama-index`."""
    return LlamaIndex()


def _llm(call: Call) -> Any:
    """The address is the LLM's, so one is made for each call."""
    common: dict[str, Any] = {"model": call.model, "api_key": call.api_key}
    if call.max_tokens is not None:
        common["max_tokens"] = call.max_tokens
    if call.api is Api.GEMINI:
        address = {"base_url": call.base_url, "timeout": round(call.timeout * 1000)}
        # Without both limits the class asks for the model's own when it is made, at an address of its own.
        common.setdefault("max_tokens", 8192)
        return GoogleGenAI(**common, context_window=1_048_576, http_options=address, max_retries=_RETRIES)
    common |= {"timeout": call.timeout, "max_retries": _RETRIES}
    if call.api is Api.ANTHROPIC_MESSAGES:
        return Anthropic(**common, base_url=call.base_url)
    if call.api is Api.OPENAI_RESPONSES:
        common["max_output_tokens"] = common.pop("max_tokens", None)
        return OpenAIResponses(**common, api_base=f"{call.base_url}/v1")
    return OpenAI(
        **common,
        api_base=f"{call.base_url}/v1",
        additional_kwargs={"stream_options": {"include_usage": True}},  # dropped where nothing is streamed
    )


def _options(call: Call) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if call.stop is not None:
        listed = [call.stop] if isinstance(call.stop, str) else call.stop
        match call.api:
            case Api.ANTHROPIC_MESSAGES:
                options["stop_sequences"] = listed
            case Api.GEMINI:
                options["generation_config"] = {"stop_sequences": listed}
            case _:
                options["stop"] = call.stop
    if call.tool_choice:
        # Anthropic's class can only be told to call any tool.
        forced = {"tool_required": True} if call.api is Api.ANTHROPIC_MESSAGES else {"tool_choice": call.tool_choice}
        options |= forced
    return options


def _tools(call: Call) -> list[FunctionTool]:
    return [FunctionTool(fn=_noted, metadata=_metadata(tool)) for tool in call.tools]


def _metadata(tool: Tool) -> ToolMetadata:
    required = tool.parameters.get("required", ())
    fields: dict[str, Any] = {
        name: (str, ...) if name in required else (str | None, None) for name in tool.parameters.get("properties", {})
    }
    return ToolMetadata(name=tool.name, description=tool.description, fn_schema=create_model(tool.name, **fields))


def _noted(**_: Any) -> str:
    return "noted"


def _reply(llm: Any, call: Call, response: Any) -> Reply:
    reason, which = _ending(call.api, response)
    blocks = response.message.blocks
    return Reply(
        text=response.message.content or "",
        reason=reason,
        raw_reason=reason,
        stop_sequence=which,
        tool_calls=tuple(_calls(llm, response)),
        thinking="".join(block.content or "" for block in blocks if isinstance(block, ThinkingBlock)),
        refusal=_refusal(call.api, response.raw),
        usage=_usage(response),
    )


def _calls(llm: Any, response: Any) -> Iterator[ToolCall]:
    for tool in llm.get_tool_calls_from_response(response, error_on_no_tool_call=False):
        yield ToolCall(tool.tool_name, tool.tool_kwargs, tool.tool_id or None)


def _ending(api: Api, response: Any) -> tuple[str | None, str | None]:
    """The reason and the matched string, where the provider's object holds them."""
    raw = response.raw
    match api:
        case Api.OPENAI_CHAT:
            return (raw.choices[0].finish_reason if raw.choices else None), None
        case Api.OPENAI_RESPONSES:
            whole = getattr(raw, "response", raw)  # an event of a stream, or the response itself
            status, details = getattr(whole, "status", None), getattr(whole, "incomplete_details", None)
            if status in (None, "in_progress", "queued"):
                return None, None
            return (f"{status}/{details.reason}" if details else status), None
        case Api.ANTHROPIC_MESSAGES:
            holder = raw.get("delta") if raw.get("type") == "message_delta" else None
            told = response.message.additional_kwargs.get("stop_reason") or raw.get("stop_reason")
            return told, getattr(holder, "stop_sequence", None) or raw.get("stop_sequence")
        case Api.GEMINI:
            told = raw.get("finish_reason")
            return getattr(told, "value", told), None


def _refusal(api: Api, raw: Any) -> str:
    """The refusal, or the piece of one, where the provider's object holds it; nowhere else is any."""
    if api is Api.OPENAI_CHAT and raw.choices:
        holder = getattr(raw.choices[0], "message", None) or getattr(raw.choices[0], "delta", None)
        return getattr(holder, "refusal", None) or ""
    if api is Api.OPENAI_RESPONSES:
        if getattr(raw, "type", None) == "response.refusal.delta":
            return str(raw.delta)
        contents = [
            part for item in getattr(raw, "output", None) or () for part in getattr(item, "content", None) or ()
        ]
        return "".join(part.refusal for part in contents if part.type == "refusal")
    return ""


def _usage(response: Any) -> Usage | None:
    holder = response.additional_kwargs | response.message.additional_kwargs
    if "completion_tokens" in holder:
        return Usage(holder.get("prompt_tokens"), holder.get("completion_tokens"))
    raw = response.raw if isinstance(response.raw, dict) else vars(getattr(response.raw, "response", response.raw))
    usage = holder.get("usage") or raw.get("usage")
    if usage is None:
        return None
    told = usage if isinstance(usage, dict) else vars(usage)
    return Usage(told.get("input_tokens"), told.get("output_tokens"))

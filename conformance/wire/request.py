"""How each API is asked: path, headers and body of the request that a Call amounts to. No transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from conformance.contract import Call, Tool
from conformance.vocabulary import Api


class Request(NamedTuple):
    """A request without its host."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


def request_for(call: Call, *, stream: bool) -> Request:
    """The request of a call. Stop strings that the API has no parameter for are left out: see `STOP_PATHS`."""
    return _REQUESTS[call.api](call, stream)


def _stops(call: Call) -> list[str] | None:
    """The stop strings as a list; an empty list is not sent, since one vendor refuses it."""
    return [call.stop] if isinstance(call.stop, str) else call.stop or None


def _given(**keys: Any) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value not in (None, [], {}, False)}


def _chat(call: Call, stream: bool) -> Request:
    body = _given(
        model=call.model,
        messages=[{"role": "user", "content": call.prompt}],
        stop=call.stop if isinstance(call.stop, str) else _stops(call),
        max_completion_tokens=call.max_tokens,
        tools=[{"type": "function", "function": _openai_tool(tool)} for tool in call.tools],
        tool_choice=call.tool_choice and {"type": "function", "function": {"name": call.tool_choice}},
        stream=stream,
        stream_options=_given(include_usage=stream),
    )
    return Request("/v1/chat/completions", _bearer(call), body)


def _responses(call: Call, stream: bool) -> Request:
    body = _given(
        model=call.model,
        input=call.prompt,
        max_output_tokens=call.max_tokens,
        tools=[{"type": "function", **_openai_tool(tool)} for tool in call.tools],
        tool_choice=call.tool_choice and {"type": "function", "name": call.tool_choice},
        stream=stream,
    )
    return Request("/v1/responses", _bearer(call), body)


def _anthropic(call: Call, stream: bool) -> Request:
    tools = [{"name": t.name, "description": t.description, "input_schema": t.parameters} for t in call.tools]
    body = _given(
        model=call.model,
        messages=[{"role": "user", "content": call.prompt}],
        max_tokens=call.max_tokens or 1024,  # the API refuses a request without a cap
        stop_sequences=_stops(call),
        tools=tools,
        tool_choice=call.tool_choice and {"type": "tool", "name": call.tool_choice},
        stream=stream,
    )
    return Request("/v1/messages", {"x-api-key": call.api_key, "anthropic-version": "2023-06-01"}, body)


def _gemini(call: Call, stream: bool) -> Request:
    functions = [
        {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
        for tool in call.tools
    ]
    forced = {"mode": "ANY", "allowedFunctionNames": [call.tool_choice]}
    body = _given(
        contents=[{"role": "user", "parts": [{"text": call.prompt}]}],
        generationConfig=_given(stopSequences=_stops(call), maxOutputTokens=call.max_tokens),
        tools=[{"functionDeclarations": functions}] if functions else None,
        toolConfig=call.tool_choice and {"functionCallingConfig": forced},
    )
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return Request(f"/v1beta/models/{quote(call.model)}:{method}", {"x-goog-api-key": call.api_key}, body)


_REQUESTS: Mapping[Api, Callable[[Call, bool], Request]] = {
    Api.OPENAI_CHAT: _chat,
    Api.OPENAI_RESPONSES: _responses,
    Api.ANTHROPIC_MESSAGES: _anthropic,
    Api.GEMINI: _gemini,
}


def _bearer(call: Call) -> dict[str, str]:
    return {"authorization": f"Bearer {call.api_key}"}


def _openai_tool(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}

"""The binding for instructor: its clients for OpenAI (Chat and Responses), Anthropic and Google. No `create_partial`.

What is judged is what instructor hands out: the parsed models where a whole reply was asked with tools, each tool
being a response model; and the provider's completion, from the hook, for everything that a model has no place for.
Without a response model, instructor documents that the SDK's own object comes through. Streams are asked that way, with
the tools in the provider's own spelling: `create_partial` hands out models with neither an ending nor a call's id.

A Call that forces no tool is asked in the mode for parallel tools, the only one that leaves the choice to the model;
Responses and Gemini have no such mode. Asking again after a failed validation is off: a replay says the same again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from operator import or_
from types import GenericAlias
from typing import Any, Literal

import instructor
from anthropic import Anthropic
from google.genai import Client
from google.genai.types import HttpOptions
from instructor import Mode
from instructor.core.hooks import Hooks
from openai import OpenAI
from pydantic import create_model

from conformance.adapters import installed
from conformance.contract import Call, Part, Reply, Tool, ToolCall, parts_from_wire
from conformance.vocabulary import PASSTHROUGH, Api, Gap

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}
_PARALLEL = frozenset({Api.OPENAI_CHAT, Api.ANTHROPIC_MESSAGES})
"""The APIs for which instructor has a mode that leaves the choice of tools to the model."""


class Instructor:
    """Hands out parsed models and the SDKs' own objects, which have the wire's shape."""

    name = "instructor"
    apis = frozenset(Api)
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("instructor")

    def complete(self, call: Call) -> Reply:
        if not call.tools:
            return Reply.from_wire(call.api, _plain(call.api, _passed_through(_client(call), call)))
        models = [_model(tool) for tool in call.tools]
        parallel = call.api in _PARALLEL and not call.tool_choice
        seen: list[Any] = []
        hooks = Hooks()
        hooks.on("completion:response", seen.append)
        parsed = _client(call, parallel=parallel).create(
            response_model=GenericAlias(Iterable, (reduce(or_, models),)) if parallel else _chosen(call, models),
            messages=_messages(call),
            max_retries=0,
            hooks=hooks,
            **_settings(call),
            **({"generation_config": _config(call)} if call.api is Api.GEMINI else {}),
        )
        completion = Reply.from_wire(call.api, _plain(call.api, seen[-1]))
        handed = list(parsed) if parallel else [parsed]
        return replace(completion, tool_calls=tuple(_calls(handed, completion)))

    def stream(self, call: Call) -> Iterator[Part]:
        client = _client(call)  # Google's closes when nobody holds it
        events = _passed_through(client, call, stream=True)
        yield from parts_from_wire(call.api, (_plain(call.api, event) for event in events))


def build() -> Instructor:
    """The factory behind `--adapter instructor`."""
    return Instructor()


def _client(call: Call, *, parallel: bool = False) -> Any:
    """The address is the SDK client's, so one is made for each call."""
    mode = Mode.PARALLEL_TOOLS if parallel else Mode.TOOLS
    common: dict[str, Any] = {"api_key": call.api_key, "timeout": call.timeout}
    match call.api:
        case Api.OPENAI_CHAT:
            return instructor.from_openai(OpenAI(base_url=f"{call.base_url}/v1", **common), mode=mode)
        case Api.OPENAI_RESPONSES:
            return instructor.from_openai(OpenAI(base_url=f"{call.base_url}/v1", **common), mode=Mode.RESPONSES_TOOLS)
        case Api.ANTHROPIC_MESSAGES:
            return instructor.from_anthropic(Anthropic(base_url=call.base_url, **common), mode=mode)
        case Api.GEMINI:
            options = HttpOptions(base_url=call.base_url, api_version="v1beta", timeout=round(call.timeout * 1000))
            return instructor.from_genai(Client(api_key=call.api_key, http_options=options), mode=mode)


def _messages(call: Call) -> list[Any]:
    return [{"role": "user", "content": call.prompt}]


def _passed_through(client: Any, call: Call, **options: Any) -> Any:
    """What the SDK gives, asked without a response model."""
    if call.api is Api.GEMINI:
        options["config"] = _gemini(call)  # `stop` and `max_tokens` are dropped here, `config` is the SDK's own
    elif call.tools:
        options |= _tools(call)
    if call.api is Api.OPENAI_CHAT and "stream" in options:
        options["stream_options"] = {"include_usage": True}
    return client.create(response_model=None, messages=_messages(call), **_settings(call), **options)


def _settings(call: Call) -> dict[str, Any]:
    """What is asked beside messages and tools, in the provider's spelling; Gemini's goes into a configuration."""
    settings: dict[str, Any] = {"model": call.model}
    cap = {Api.OPENAI_CHAT: "max_completion_tokens", Api.OPENAI_RESPONSES: "max_output_tokens"}
    if call.api is Api.GEMINI:
        return settings
    if call.api is Api.ANTHROPIC_MESSAGES:
        settings["max_tokens"] = 1024 if call.max_tokens is None else call.max_tokens  # the API asks for a cap
        if call.stop is not None:
            settings["stop_sequences"] = _listed(call.stop)
        return settings
    if call.max_tokens is not None:
        settings[cap[call.api]] = call.max_tokens
    if call.stop is not None:
        settings["stop"] = call.stop  # Responses has no such argument: its TypeError is what a user gets
    return settings


def _listed(stop: str | list[str]) -> list[str]:
    return [stop] if isinstance(stop, str) else stop


def _config(call: Call) -> dict[str, Any]:
    """What instructor translates for Gemini where there is a response model."""
    config: dict[str, Any] = {}
    if call.stop is not None:
        config["stop"] = _listed(call.stop)
    if call.max_tokens is not None:
        config["max_tokens"] = call.max_tokens
    return config


def _gemini(call: Call) -> dict[str, Any]:
    """The SDK's own configuration."""
    config: dict[str, Any] = {}
    if call.stop is not None:
        config["stop_sequences"] = _listed(call.stop)
    if call.max_tokens is not None:
        config["max_output_tokens"] = call.max_tokens
    if call.tools:
        declared = [
            {"name": tool.name, "description": tool.description, "parameters_json_schema": dict(tool.parameters)}
            for tool in call.tools
        ]
        config["tools"] = [{"function_declarations": declared}]
    if call.tool_choice:
        forced = {"mode": "ANY", "allowed_function_names": [call.tool_choice]}
        config["tool_config"] = {"function_calling_config": forced}
    return config


def _tools(call: Call) -> dict[str, Any]:
    """The tools and the choice among them, where the SDK takes them as arguments."""
    schema = "input_schema" if call.api is Api.ANTHROPIC_MESSAGES else "parameters"
    declared: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, schema: dict(tool.parameters)} for tool in call.tools
    ]
    forced: dict[str, Any] = {"name": call.tool_choice}
    match call.api:
        case Api.OPENAI_CHAT:
            declared = [{"type": "function", "function": function} for function in declared]
            forced = {"type": "function", "function": forced}
        case Api.OPENAI_RESPONSES:
            declared = [{"type": "function", **function} for function in declared]
            forced = {"type": "function", **forced}
        case _:
            forced = {"type": "tool", **forced}
    return {"tools": declared, **({"tool_choice": forced} if call.tool_choice else {})}


def _chosen(call: Call, models: list[Any]) -> Any:
    """The one model that can be asked for where the choice is not the provider's."""
    return next((model for model in models if model.__name__ == call.tool_choice), models[0])


def _model(tool: Tool) -> Any:
    """The response model that a user would write for the tool."""
    required = tool.parameters.get("required", ())
    fields: dict[str, Any] = {
        name: (_type(schema), ...) if name in required else (_type(schema) | None, None)
        for name, schema in tool.parameters["properties"].items()
    }
    return create_model(tool.name, __doc__=tool.description, **fields)


def _type(schema: Any) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    named = schema["type"]
    return reduce(or_, (_TYPES[each] for each in ([named] if isinstance(named, str) else named)))


def _calls(handed: list[Any], completion: Reply) -> Iterator[ToolCall]:
    """The parsed models. The id, for which a model has no place, is the completion's, where its user finds it."""
    for index, model in enumerate(handed):
        beside = completion.tool_calls[index : index + 1]
        arguments = model.model_dump(mode="json", exclude_unset=True)
        yield ToolCall(type(model).__name__, arguments, beside[0].id if beside else None)


def _plain(api: Api, model: Any) -> dict[str, Any]:
    # Values that the SDK does not know make the dump warn; the SDK's user, who reads attributes, is not warned.
    dump: dict[str, Any]
    if api is Api.GEMINI:
        dump = model.model_dump(mode="json", exclude_none=True, warnings=False)
    else:
        dump = model.to_dict(warnings=False)
    return dump

"""The binding for Google's Gen AI SDK: generateContent of the Gemini API. No Vertex, no Interactions API.

Everything that the Call does not ask for stays at the SDK's default, its automatic continuation included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google import genai
from google.genai import types

from conformance.adapters import installed
from conformance.contract import Call, Part, Reply, parts_from_wire
from conformance.vocabulary import PASSTHROUGH, Api, Gap


class GoogleGenAISdk:
    """Hands out the SDK's own objects, which have the wire's shape in snake case."""

    name = "google-genai-sdk"
    apis = frozenset({Api.GEMINI})
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("google-genai")

    def __init__(self) -> None:
        self._clients: dict[str, genai.Client] = {}

    def complete(self, call: Call) -> Reply:
        return Reply.from_wire(call.api, _plain(self._models(call).generate_content(**_asked(call))))

    def stream(self, call: Call) -> Iterator[Part]:
        yield from parts_from_wire(call.api, map(_plain, self._models(call).generate_content_stream(**_asked(call))))

    def _models(self, call: Call) -> Any:
        # The address goes with each request, the key only with a client.
        if call.api_key not in self._clients:
            self._clients[call.api_key] = genai.Client(api_key=call.api_key)
        return self._clients[call.api_key].models


def build() -> GoogleGenAISdk:
    """The factory behind `--adapter google-genai-sdk`."""
    return GoogleGenAISdk()


def _plain(response: Any) -> dict[str, Any]:
    # Values that the SDK does not know make the dump warn; the SDK's user, who reads attributes, is not warned.
    plain: dict[str, Any] = response.model_dump(mode="json", exclude_none=True, warnings=False)
    return plain


def _asked(call: Call) -> dict[str, Any]:
    config = types.GenerateContentConfig(
        stop_sequences=[call.stop] if isinstance(call.stop, str) else call.stop,
        max_output_tokens=call.max_tokens,
        http_options=types.HttpOptions(
            base_url=call.base_url,
            api_version="v1beta",  # as in the corpus; the SDK's own default is v1, where a reply looks the same
            timeout=round(call.timeout * 1000),
        ),
    )
    if call.tools:
        functions = [
            types.FunctionDeclaration(
                name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
            )
            for tool in call.tools
        ]
        config.tools = [types.Tool(function_declarations=functions)]
    if call.tool_choice:
        forced = types.FunctionCallingConfig(mode="ANY", allowed_function_names=[call.tool_choice])
        config.tool_config = types.ToolConfig(function_calling_config=forced)
    return {"model": call.model, "contents": call.prompt, "config": config}

"""The binding for Semantic Kernel: its chat completion services for OpenAI, Anthropic and Google AI. No agents.

Responses is spoken by an agent with threads only and is left out. Functions are declared and never invoked. They have
no plugin, whose name would stand before theirs on the wire. The provider's own reason and the matched stop string are
read from `inner_content`, where the library's documentation keeps the whole response for its users.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import reduce
from operator import add
from typing import Any

from anthropic import AsyncAnthropic
from google.genai import Client
from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.anthropic import AnthropicChatCompletion
from semantic_kernel.connectors.ai.function_call_choice_configuration import FunctionCallChoiceConfiguration
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.google.google_ai import GoogleAIChatCompletion
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.contents import ChatHistory, FunctionCallContent, TextContent
from semantic_kernel.functions import KernelFunctionMetadata, KernelParameterMetadata

from conformance.adapters import installed
from conformance.adapters.per_loop import PerLoop
from conformance.contract import Call, End, Part, Reply, TextDelta, Tool, ToolCall, ToolCallDelta, Usage
from conformance.vocabulary import Api, Gap, Stop, Vocabulary

_CAP = {
    Api.OPENAI_CHAT: "max_completion_tokens",
    Api.ANTHROPIC_MESSAGES: "max_tokens",
    Api.GEMINI: "max_output_tokens",
}


class SemanticKernel:
    """Hands out chat message contents and their streamed pieces."""

    name = "semantic-kernel"
    apis = frozenset(_CAP)
    vocabulary = Vocabulary(
        {
            "stop": Stop.COMPLETE,
            "length": Stop.TRUNCATED,
            "content_filter": Stop.BLOCKED,
            "tool_calls": Stop.TOOL_CALL,
            "function_call": Stop.TOOL_CALL,
        }
    )
    lacks: frozenset[Gap] = frozenset()
    version = installed("semantic-kernel")

    def __init__(self) -> None:
        self._openai = PerLoop(lambda: AsyncOpenAI(api_key="unused"))
        self._anthropic = PerLoop(lambda: AsyncAnthropic(api_key="unused"))

    async def complete(self, call: Call) -> Reply:
        service, google = self._service(call)
        try:
            message = await service.get_chat_message_content(**_asked(call, service))
        finally:
            if google is not None:
                await google.aio.aclose()
        return Reply() if message is None else _reply(message)

    async def stream(self, call: Call) -> AsyncIterator[Part]:
        service, google = self._service(call)
        pieces = []
        calls = _Calls()
        try:
            async for piece in service.get_streaming_chat_message_content(**_asked(call, service)):
                if piece is None or piece.choice_index != 0:
                    continue
                pieces.append(piece)
                for part in _parts(piece, calls):
                    yield part
        finally:
            if google is not None:
                await google.aio.aclose()
        if pieces:
            final = _reply(reduce(add, pieces))  # as the kernel itself joins them
            yield End(usage=final.usage, final=final)

    def _service(self, call: Call) -> tuple[Any, Client | None]:
        """The service, and its client where it is made for this call alone: Google's holds the address."""
        options: dict[str, Any] = {"api_key": call.api_key, "base_url": call.base_url, "timeout": call.timeout}
        match call.api:
            case Api.ANTHROPIC_MESSAGES:
                anthropic = self._anthropic.get().with_options(**options)
                return AnthropicChatCompletion(call.model, api_key=call.api_key, async_client=anthropic), None
            case Api.GEMINI:
                address = {"base_url": call.base_url, "timeout": round(call.timeout * 1000)}
                google = Client(api_key=call.api_key, http_options=address)
                return GoogleAIChatCompletion(call.model, api_key=call.api_key, client=google), google
            case _:
                openai = self._openai.get().with_options(**options | {"base_url": f"{call.base_url}/v1"})
                return OpenAIChatCompletion(call.model, api_key=call.api_key, async_client=openai), None


def build() -> SemanticKernel:
    """The factory behind `--adapter semantic-kernel`."""
    return SemanticKernel()


class _Declared(FunctionChoiceBehavior):  # type: ignore[misc]  # the library is absent from the environment that lints
    """Offers functions without a kernel's plugin."""

    functions: list[KernelFunctionMetadata] = []  # noqa: RUF012 -- a pydantic field, copied for each instance

    def get_config(self, kernel: Kernel) -> FunctionCallChoiceConfiguration:
        return FunctionCallChoiceConfiguration(available_functions=self.functions)


def _asked(call: Call, service: Any) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    if call.stop is not None:
        listed = [call.stop] if isinstance(call.stop, str) else call.stop
        if call.api is Api.OPENAI_CHAT:
            settings["stop"] = call.stop
        else:
            settings["stop_sequences"] = listed
    if call.max_tokens is not None:
        settings[_CAP[call.api]] = call.max_tokens
    if call.tools:
        choice = _Declared.Required if call.tool_choice else _Declared.Auto
        functions = [_function(tool) for tool in call.tools]
        settings["function_choice_behavior"] = choice(auto_invoke=False, functions=functions)
    history = ChatHistory()
    history.add_user_message(call.prompt)
    made = service.get_prompt_execution_settings_class()(**settings)
    return {"chat_history": history, "settings": made, "kernel": Kernel()}


def _function(tool: Tool) -> KernelFunctionMetadata:
    required = tool.parameters.get("required", ())
    return KernelFunctionMetadata(
        name=tool.name,
        description=tool.description,
        is_prompt=False,
        parameters=[
            KernelParameterMetadata(name=name, is_required=name in required, schema_data=schema)
            for name, schema in tool.parameters.get("properties", {}).items()
        ],
    )


class _Calls:
    """Gives each streamed call a place: its index, or the next one for a whole call that has none."""

    def __init__(self) -> None:
        self.last = -1
        self.bare: set[int] = set()  # calls whose arguments have not begun

    def delta(self, item: Any) -> ToolCallDelta:
        if item.index is not None:
            self.last = item.index
        elif item.name or self.last < 0:
            self.last += 1
        if item.arguments:
            self.bare.discard(self.last)
        elif item.name:
            self.bare.add(self.last)
        return ToolCallDelta(self.last, item.id, item.name, item.arguments or "")

    def rest(self) -> Iterator[ToolCallDelta]:
        """The library reads a call without arguments as one with an empty object."""
        for index in sorted(self.bare):
            yield ToolCallDelta(index, arguments="{}")
        self.bare.clear()


def _parts(piece: Any, calls: _Calls) -> Iterator[Part]:
    for item in piece.items:
        if isinstance(item, FunctionCallContent):
            yield calls.delta(item)
        elif isinstance(item, TextContent) and item.text:
            yield TextDelta(item.text)
    if piece.finish_reason is not None:
        yield from calls.rest()
        yield End(piece.finish_reason.value, _raw(piece), _stop_sequence(piece))
    elif (raw := _raw(piece)) is not None:
        yield End(raw_reason=raw)


def _reply(message: Any) -> Reply:
    return Reply(
        text="".join(item.text for item in message.items if isinstance(item, TextContent)),
        reason=None if message.finish_reason is None else message.finish_reason.value,
        raw_reason=_raw(message),
        stop_sequence=_stop_sequence(message),
        tool_calls=tuple(
            ToolCall(item.name, item.arguments or {}, item.id)
            for item in message.items
            if isinstance(item, FunctionCallContent)
        ),
        usage=_usage(message),
    )


def _inner(message: Any) -> list[Any]:
    """The provider's responses or events: one in a message or a piece, all of them in what was joined."""
    inner = message.inner_content
    return inner if isinstance(inner, list) else [inner]


def _raw(message: Any) -> str | None:
    raw = None
    for each in _inner(message):
        holders = getattr(each, "choices", None) or getattr(each, "candidates", None) or [getattr(each, "delta", each)]
        for name in ("finish_reason", "stop_reason"):
            told = getattr(holders[0], name, None)
            raw = raw if told is None else told
    return None if raw is None else str(getattr(raw, "value", raw))


def _stop_sequence(message: Any) -> str | None:
    matched = None
    for each in _inner(message):
        matched = getattr(getattr(each, "delta", each), "stop_sequence", None) or matched
    return matched


def _usage(message: Any) -> Usage | None:
    """In the metadata: the library's own class, or Anthropic's, or a dict of Anthropic's names in a stream."""
    usage = message.metadata.get("usage")
    if usage is None:
        return None
    told = usage if isinstance(usage, dict) else usage.model_dump()
    return Usage(
        told.get("prompt_tokens", told.get("input_tokens")), told.get("completion_tokens", told.get("output_tokens"))
    )

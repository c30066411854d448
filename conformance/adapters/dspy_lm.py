"""The binding for DSPy: `dspy.LM` on four APIs, and `streamify` around one call of it. No signature, no optimizer.

What is read of a call is what it returned and the entry that it left in `lm.history`. The engine is DSPy's own, which
its default prefers for these providers, and never LiteLLM, which has a binding of its own. The cache is off. A failed
request is tried twice: the default of four times takes longer than a suite can wait.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # after a call DSPy fetches a price list otherwise

import dspy

from conformance.adapters import installed
from conformance.contract import Call, End, Part, Reply, TextDelta, ThinkingDelta, ToolCall, ToolCallDelta, Usage
from conformance.vocabulary import Api, Gap, Stop, Vocabulary

_ROUTES = {
    Api.OPENAI_CHAT: ("openai", "chat", "/v1"),
    Api.OPENAI_RESPONSES: ("openai", "responses", "/v1"),
    Api.ANTHROPIC_MESSAGES: ("anthropic", "chat", "/v1"),
    Api.GEMINI: ("gemini", "chat", "/v1beta"),
}
"""Name of the provider in a model's prefix, the type of the model, and what `api_base` holds beside the root."""


class DSPy:
    """Hands out an LM's outputs, the response in its history, and a program's chunks."""

    name = "dspy"
    apis = frozenset(_ROUTES)
    vocabulary = Vocabulary(
        {
            "stop": Stop.COMPLETE,
            "length": Stop.TRUNCATED,
            "tool_call": Stop.TOOL_CALL,
            "tool_calls": Stop.TOOL_CALL,  # in chunks
            "content_filter": Stop.BLOCKED,
            "error": Stop.FAILED,
        }
    )
    lacks: frozenset[Gap] = frozenset()
    version = installed("dspy")

    async def complete(self, call: Call) -> Reply:
        lm = _lm(call)
        try:
            (output,) = await lm.acall(call.prompt, **_asked(call))
            return _reply(call.api, lm.history[-1], output)
        finally:
            await lm.aclose()

    async def stream(self, call: Call) -> AsyncIterator[Part]:
        lm = _lm(call)
        program = dspy.streamify(_Turn(lm, _asked(call)), is_async_program=True)
        try:
            bare: set[int] = set()  # calls whose arguments have not begun
            async for item in program(prompt=call.prompt):
                if isinstance(item, dspy.Prediction):
                    final = _reply(call.api, lm.history[-1], item.output)
                    yield End(None, final.raw_reason, final.stop_sequence, final.usage, final)
                    continue
                for part in _parts(item, bare):
                    yield part
        finally:
            await lm.aclose()


def build() -> DSPy:
    """The factory behind `--adapter dspy`."""
    return DSPy()


class _Turn(dspy.Module):  # type: ignore[misc]  # the library is absent from the environment that lints
    """A program that asks once: `streamify` takes programs only."""

    def __init__(self, lm: Any, asked: dict[str, Any]) -> None:
        super().__init__()
        self.lm = lm
        self.asked = asked

    async def aforward(self, prompt: str) -> Any:
        (output,) = await self.lm.acall(prompt, **self.asked)
        return dspy.Prediction(output=output)


def _lm(call: Call) -> Any:
    """The address is the LM's, so one is made for each call."""
    provider, kind, suffix = _ROUTES[call.api]
    return dspy.LM(
        f"{provider}/{call.model}",
        model_type=kind,
        engine="lm15",
        cache=False,
        num_retries=1,
        api_base=call.base_url + suffix,
        api_key=call.api_key,
        timeout=call.timeout,
    )


def _asked(call: Call) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    if call.stop is not None:
        asked["stop"] = call.stop
    if call.max_tokens is not None:
        asked["max_tokens"] = call.max_tokens
    if call.tools:
        asked["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in call.tools
        ]
    if call.tool_choice:
        asked["tool_choice"] = {"type": "function", "function": {"name": call.tool_choice}}
    return asked


def _parts(chunk: Any, bare: set[int]) -> Iterator[Part]:
    (choice,) = chunk.choices
    delta = choice.delta
    if "reasoning_content" in delta:
        yield ThinkingDelta(delta.reasoning_content)
    if delta.get("content"):
        yield TextDelta(delta.content)
    for each in delta.get("tool_calls", ()):
        if each.function.arguments:
            bare.discard(each.index)
        elif "name" in each.function:
            bare.add(each.index)
        yield ToolCallDelta(each.index, each.get("id"), each.function.get("name"), each.function.arguments)
    if choice.finish_reason is not None:
        # The output at the end gives these an empty object.
        yield from (ToolCallDelta(index, arguments="{}") for index in sorted(bare))
        bare.clear()
        yield End(choice.finish_reason)


def _reply(api: Api, entry: dict[str, Any], output: Any) -> Reply:
    """Of a call: its entry in the history and its one output, which is text or, where there is more to tell, a dict."""
    told = output if isinstance(output, dict) else {"text": output}
    response, usage = entry["response"], entry["usage"]
    raw, stop = _raw(api, response.provider_data or {})
    _pass_on(entry.get("adaptations", ()))
    return Reply(
        text=told["text"] or "",
        reason=response.finish_reason,
        raw_reason=raw,
        stop_sequence=stop,
        tool_calls=tuple(
            ToolCall(each.function.name, each.function.arguments, each.id) for each in told.get("tool_calls", ())
        ),
        thinking=told.get("reasoning_content", ""),
        refusal="".join(part.text for part in response.message.parts if part.type == "refusal"),
        usage=Usage(usage.get("prompt_tokens"), usage.get("completion_tokens")),
    )


def _pass_on(adaptations: Any) -> None:
    """Say as a warning what DSPy records in the history: stop strings that it did not send and applied to the text."""
    for each in adaptations:
        if each.field == "config.stop":
            warnings.warn(f"{each.field} ({each.action}): {each.reason}", stacklevel=2)


def _raw(api: Api, data: dict[str, Any]) -> tuple[str | None, str | None]:
    """The provider's own reason and stop string, from the payload that the response keeps."""
    stop: str | None = None
    reason: str | None = None
    match api:
        case Api.OPENAI_CHAT:
            reason = next((choice.get("finish_reason") for choice in data.get("choices") or ()), None)
        case Api.OPENAI_RESPONSES:
            detail = (data.get("incomplete_details") or {}).get("reason")
            reason = f"{data.get('status')}/{detail}" if detail else data.get("status")
        case Api.ANTHROPIC_MESSAGES:
            told = data.get("delta") or data  # of a stream, its message_delta
            reason, stop = told.get("stop_reason"), told.get("stop_sequence")
        case Api.GEMINI:
            reason = next((each.get("finishReason") for each in data.get("candidates") or ()), None)
    return reason, stop

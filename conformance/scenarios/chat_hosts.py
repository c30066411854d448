"""Streams of hosts that are compatible with Chat Completions, each named (section C). OpenAI's own: `chat_streams`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import CHAT, WEATHER, bug, call, doc, draft, rec, text
from conformance.scenarios.edits import of_each
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Calls, CutArguments, Has, HasKey, LacksKey, Reason, ReasonTimes, TextIs
from conformance.scenarios.premises_order import At, Together
from conformance.scenarios.premises_text import HasText
from conformance.scenarios.streams import ASK, PIECES
from conformance.scenarios.tools import LANTERN
from conformance.vocabulary import Stop
from conformance.wire.draft import mint
from conformance.wire.sse import Event

_BRIGHT = Ask("Make the lantern brighter.", max_tokens=200, tools=(LANTERN,))
_USAGE = {"prompt_tokens": 14, "completion_tokens": 11, "total_tokens": 25}


def _choice(data: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """A chunk or a whole body with keys of its one choice set."""
    (choice,) = data["choices"]
    return {**data, "choices": [{**choice, **keys}]}


def _azure(events: list[Event]) -> list[Event]:
    safe = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}
    filters = [{"prompt_index": 0, "content_filter_results": safe}]
    prelude = {"choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": filters}
    annotated = of_each(lambda _, data: _choice(data, content_filter_results={}))(events)
    return [Event(None, prelude), *annotated]


def _azure_prelude() -> Scenario:
    slug = "azure-prelude"
    return Scenario(
        CHAT,
        slug,
        "The first chunk has `choices: []`, empty id and model, and prompt_filter_results (Azure).",
        "unchanged",
        ASK,
        Wire(draft(CHAT, slug, "stop", text(*PIECES)), events=_azure),
        (
            Reason("stop"),
            HasText(),
            At(0, Has("choices", [])),
            At(0, HasKey("prompt_filter_results")),
        ),
        (rec("27 of 32 Azure streams"), bug("family usage-chunk: pydantic/logfire#64")),
        modes=STREAMED,
        tolerates="a first chunk without choices",
    )


def _content_in_finish(events: list[Event]) -> list[Event]:
    *chunks, last, finish, done = events
    delta = last.data["choices"][0]["delta"]
    return [*chunks, Event(None, _choice(finish.data, delta=delta)), done]


def _finish_with_content() -> Scenario:
    slug = "finish-with-content"
    return Scenario(
        CHAT,
        slug,
        "The chunk that carries the finish_reason carries the last piece of text as well (Mistral, xAI).",
        "nothing lost",
        ASK,
        Wire(draft(CHAT, slug, "stop", text(*PIECES)), events=_content_in_finish),
        (
            Reason("stop"),
            HasText(),
            Together((Has("choices[].finish_reason", "stop"), HasKey("choices[].delta.content"))),
        ),
        (
            rec("Mistral: content on the finishing chunk in 32 of 132 streams, tool calls in 57"),
            bug("family final-chunk-content: jeremychone/rust-genai#164, ag-ui-protocol/ag-ui#2006"),
        ),
        modes=STREAMED,
    )


_ARGUMENTS = '{"level": 4}'


def _mistral(slug: str, *, index: bool) -> Any:
    """The whole call and the usage on the finishing chunk, which is the only one after the opening."""

    def edit(events: list[Event]) -> list[Event]:
        opening, *_, finish, done = events
        called = {"id": mint("", f"{CHAT}/{slug}", 9), "function": {"name": LANTERN.name, "arguments": _ARGUMENTS}}
        delta = {"content": "", "tool_calls": [{**called, "index": 0} if index else called]}
        return [opening, Event(None, {**_choice(finish.data, delta=delta), "usage": _USAGE, "p": "abcdefgh"}), done]

    return edit


def _finish_with_calls(slug: str, claim: str, source: str, *, index: bool) -> Scenario:
    path = "choices[].delta.tool_calls[]"
    unindexed = () if index else (LacksKey(f"{path}.index"),)
    return Scenario(
        CHAT,
        slug,
        claim,
        "tool_call, with name and arguments",
        _BRIGHT,
        Wire(
            draft(CHAT, slug, "tool_calls", call(LANTERN.name, _ARGUMENTS), model="mistral-large-latest"),
            events=_mistral(slug, index=index),
        ),
        (
            Reason("tool_calls"),
            Calls((LANTERN.name,)),
            Together((Has("choices[].finish_reason", "tool_calls"), HasKey(f"{path}.function.arguments"))),
            *unindexed,
        ),
        (rec(source), bug("family final-chunk-content: ag-ui-protocol/ag-ui#2006, linagora/openrag#462")),
        modes=STREAMED,
    )


def _finishes_with_calls() -> Iterator[Scenario]:
    yield _finish_with_calls(
        "finish-with-tool-calls",
        "The chunk that carries the finish_reason carries the whole tool call and the usage as well (Mistral, xAI).",
        "Mistral: tool calls on the finishing chunk in 57 of 132 streams; xAI in 6 of 9",
        index=True,
    )
    yield _finish_with_calls(
        "finish-with-tool-calls-no-index",
        "The tool call on the finishing chunk has no `index` (Mistral, Gemini's compatible endpoint).",
        "Mistral: no index in 15 streams; Gemini's compatible endpoint in 6 of 6",
        index=False,
    )


def _openrouter(native: str) -> Any:
    """OpenRouter's own keys on every chunk or on the whole body; `native` beside the finish_reason."""

    def edit(_: int, data: dict[str, Any]) -> dict[str, Any]:
        reason = native if data["choices"][0]["finish_reason"] else None
        own = {"id": mint("gen-1790000000-", data["id"], 20), "provider": "OpenAI"}
        return {**_choice(data, native_finish_reason=reason), **own, "model": "openai/gpt-4.1-mini"}

    return edit


def _twice(events: list[Event]) -> list[Event]:
    *chunks, finish, done = of_each(_openrouter("stop"))(events)
    ending = {"role": "assistant", "content": ""}
    first = Event(None, _choice(finish.data, delta=ending))
    second = Event(None, {**_choice(finish.data, delta=ending), "usage": _USAGE})
    return [*chunks, first, second, done]


def _finish_twice() -> Scenario:
    slug = "finish-twice"
    return Scenario(
        CHAT,
        slug,
        "The finish_reason is sent twice, the second time on a chunk that also carries the usage (OpenRouter).",
        "the reason once, the usage kept",
        ASK,
        Wire(draft(CHAT, slug, "stop", text(*PIECES)), events=_twice),
        (
            ReasonTimes(2),
            TextIs("".join(PIECES)),
            Together((Has("usage.completion_tokens", 11), Has("choices[].finish_reason", "stop"))),
        ),
        (rec("126 OpenRouter streams; 15 of 20 of Doubleword"),),
        modes=STREAMED,
    )


def _hidden_cut() -> Scenario:
    slug = "openrouter-hidden-cut"
    return Scenario(
        CHAT,
        slug,
        "The cap hit inside the tool arguments; finish_reason is `tool_calls`, its native value `length` (OpenRouter).",
        "truncated; the call is never handed out as a valid, complete one",
        Ask("How warm is it in Lisbon?", max_tokens=24, tools=(WEATHER,)),
        Wire(
            draft(CHAT, slug, "tool_calls", call("get_weather", '{"city"', ': "Lis', "bon, by the ri")),
            whole=lambda body: _openrouter("length")(0, body),
            events=of_each(_openrouter("length")),
        ),
        (Reason("tool_calls"), Has("choices[].native_finish_reason", "length"), CutArguments()),
        (
            rec("8 buffered and 8 streamed OpenRouter recordings"),
            bug("family truncated-tool-json: vllm-project/vllm#46303, vllm-project/vllm#58228"),
            doc("openrouter.ai/docs: native_finish_reason is the raw value of the provider"),
        ),
        accepts=frozenset({Stop.TOOL_CALL}),
        accepts_why="it is what the host says; the cut arguments beside it, handed out as text, show the rest",
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield _azure_prelude()
    yield _finish_with_content()
    yield from _finishes_with_calls()
    yield _finish_twice()
    yield _hidden_cut()

"""Endings in a tool call, whole or cut, and where each API says so. How arguments are split in a stream: `streams`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.contract import Usage
from conformance.scenarios.common import (
    ALL,
    ANTHROPIC,
    CAP,
    CHAT,
    CLOCK,
    FERRY,
    GEMINI,
    RECORDINGS,
    RESPONSES,
    TOOL,
    WEATHER,
    bug,
    call,
    doc,
    draft,
    last,
    rec,
    seed,
    text,
)
from conformance.scenarios.model import STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Bytes, Calls, CutArguments, LacksKey, Premise, Reason
from conformance.scenarios.premises_calls import ArgumentKeys, Arguments, ArgumentText
from conformance.scenarios.premises_text import HasText
from conformance.scenarios.tools import BEACON, LANTERN, LOGBOOK, SWELL, TIDES
from conformance.vocabulary import Api, Standing
from conformance.wire.draft import ToolUse
from conformance.wire.sse import Event

_CUT_ARGUMENTS = ('{"city"', ': "Lis', "bon, by the ri")
_ASK = Ask("When is high tide in Lisbon?", max_tokens=200, tools=(TIDES,))


def _tool_call(api: Api) -> Scenario:
    return Scenario(
        api,
        "tool-call",
        "The model calls a tool and says nothing else.",
        "tool_call, with name and arguments",
        _ASK,
        Wire(draft(api, "tool-call", TOOL[api], call("harbour_tides", '{"port": ', '"Lisbon"}'))),
        (Reason(TOOL[api]), Calls(("harbour_tides",)), ArgumentKeys((("port",),))),
        (rec(RECORDINGS), seed("finish reasons: Gemini folds a tool call into STOP")),
    )


_TWO = (call("get_weather", '{"city": ', '"Porto"}'), call("next_ferry", '{"pier"', ': "Ribeira"}'))
_TWICE = tuple(call(LOGBOOK.name, '{"headland": ', f'"{cape}"}}') for cape in ("Cabo da Roca", "Sagres"))
_ASK_TWO = Ask("Will I stay dry on the next ferry from Ribeira?", max_tokens=200, tools=(WEATHER, FERRY))


def _parallel(api: Api) -> Scenario:
    slug = "tool-calls-parallel"
    return Scenario(
        api,
        slug,
        "A tool is called twice in one reply, the calls one after the other in a stream.",
        "tool_call, both calls whole and in order",
        Ask("What was seen from the capes this week?", max_tokens=200, tools=(LOGBOOK,)),
        Wire(draft(api, slug, TOOL[api], *_TWICE)),
        (Reason(TOOL[api]), Calls((LOGBOOK.name,)), ArgumentKeys((("headland",), ("headland",)))),
        (rec(f"{RECORDINGS}; no Chat stream of 13 and no Responses stream of 12 interleaves"),),
    )


def _interleave(events: list[Event]) -> list[Event]:
    """The deltas of two calls in turns: both are opened first, then a piece of each."""
    opening, *deltas, finish, done = events
    of: dict[int, list[Event]] = {}
    for event in deltas:
        of.setdefault(event.data["choices"][0]["delta"]["tool_calls"][0]["index"], []).append(event)
    return [opening, *(event for pair in zip(*of.values(), strict=True) for event in pair), finish, done]


def _interleaved() -> Scenario:
    slug = "tool-calls-interleaved"
    return Scenario(
        CHAT,
        slug,
        "The argument pieces of two calls come in turns; only `index` says which call a piece belongs to.",
        "tool_call, both calls whole, nothing mixed",
        _ASK_TWO,
        Wire(draft(CHAT, slug, "tool_calls", *_TWO), events=_interleave),
        (
            Reason("tool_calls"),
            Calls(("get_weather", "next_ferry")),
            ArgumentText('{"city": {"pier""Porto"}: "Ribeira"}'),
        ),
        (doc("openai==3.57.0 types/chat/chat_completion_chunk.py ChoiceDeltaToolCall.index"),),
        modes=STREAMED,
        standing=Standing.PERMITTED,
    )


def _text_then_tool(api: Api) -> Scenario:
    slug = "text-then-tool"
    pieces = ("Let me look ", "that up.")
    # As long as the tool that was called in the recordings of each API.
    tool, key = (TIDES, "port") if api is ANTHROPIC else (BEACON, "headland")
    return Scenario(
        api,
        slug,
        "The model says something and then calls a tool, in one reply.",
        "tool_call, the text kept beside the call",
        Ask("Can I round the cape tonight?", max_tokens=200, tools=(tool,)),
        Wire(draft(api, slug, TOOL[api], text(*pieces), call(tool.name, f'{{"{key}": ', '"Sagres"}'))),
        (Reason(TOOL[api]), HasText(), Calls((tool.name,)), ArgumentKeys(((key,),))),
        (rec(RECORDINGS), bug("maximhq/bifrost#3638, maximhq/bifrost#6123")),
    )


_EMPTY_BUG = bug("family tool-args-shape: BerriAI/litellm#5063, ItzCrazyKns/Vane#1160")


def _no_arguments(
    api: Api, suffix: str, how: str, pieces: tuple[str, ...], premise: Premise, *evidence: Evidence, **more: Any
) -> Scenario:
    slug = f"tool-no-arguments{suffix}"
    edits = {name: more.pop(name, None) for name in ("whole", "events")}
    return Scenario(
        api,
        slug,
        f"A tool without parameters is called: {how}.",
        "tool_call with the arguments {}",
        Ask("What time is it?", max_tokens=200, tools=(CLOCK,)),
        Wire(draft(api, slug, TOOL[api], ToolUse("get_time", pieces)), **edits),
        (Reason(TOOL[api]), Calls(("get_time",)), premise),
        evidence,
        **more,
    )


def _drop_args(document: dict[str, Any]) -> dict[str, Any]:
    (candidate,) = document["candidates"]
    content = {**candidate["content"], "parts": [{"functionCall": {"name": "get_time"}}]}
    return {**document, "candidates": [{**candidate, "content": content}]}


def _drop_deltas(events: list[Event]) -> list[Event]:
    return [event for event in events if event.data["type"] != "content_block_delta"]


def _tools_without_arguments() -> Iterator[Scenario]:
    whole = Arguments(({},))
    yield _no_arguments(CHAT, "", "the arguments are `{}`", ("{}",), ArgumentText("{}"), rec(RECORDINGS))
    yield _no_arguments(
        CHAT,
        "-empty",
        "the argument text is empty",
        (),
        ArgumentText(""),
        rec("Databricks: 4 of 4 streams"),
        _EMPTY_BUG,
    )
    yield _no_arguments(RESPONSES, "", "the arguments are `{}`", ("{}",), ArgumentText("{}"), rec(RECORDINGS))
    yield _no_arguments(
        ANTHROPIC, "", "`input` is {}, and a stream has one empty piece of JSON", (), whole, rec(RECORDINGS), _EMPTY_BUG
    )
    yield _no_arguments(
        ANTHROPIC,
        "-bare",
        "the stream opens and closes the block with no delta in between",
        (),
        whole,
        doc("platform.claude.com streaming: deltas stand between content_block_start and content_block_stop"),
        rec("6 of 6 streams have the empty delta; the form without is nobody's yet"),
        modes=STREAMED,
        events=_drop_deltas,
        standing=Standing.PERMITTED,
    )
    yield _no_arguments(GEMINI, "", "`args` is {}", ("{}",), whole, rec(RECORDINGS))
    yield _no_arguments(
        GEMINI,
        "-absent",
        "the key `args` is left out",
        (),
        whole,
        doc("google-genai==3.6.1 types.py FunctionCall: args is optional"),
        bug("JetBrains/koog#2147"),
        whole=_drop_args,
        events=lambda events: [Event(None, _drop_args(event.data)) for event in events],
        standing=Standing.PROMISED,
    )


def _tool_json_cut(api: Api) -> Scenario:
    return Scenario(
        api,
        "tool-json-cut",
        "The cap on output tokens hits inside the arguments of a tool call.",
        "truncated; the call is never handed out as a valid, complete one",
        Ask("How warm is it in Lisbon?", max_tokens=24, tools=(WEATHER,)),
        Wire(draft(api, "tool-json-cut", CAP[api], call("get_weather", *_CUT_ARGUMENTS), usage=Usage(21, 24))),
        (Reason(last(CAP[api])), Calls(("get_weather",)), CutArguments()),
        (
            rec("20 Chat recordings in both modes; one Responses stream; Anthropic buffered: an empty input"),
            bug("family truncated-tool-json: vllm-project/vllm#46303, redpanda-data/ai-sdk-go#116"),
        ),
        standing=Standing.OBSERVED if api is not GEMINI else Standing.PROMISED,
    )


def _forced_tool_choice() -> Scenario:
    slug = "forced-tool-choice"
    return Scenario(
        CHAT,
        slug,
        "A named tool_choice forces the call, and finish_reason is `stop` although tool_calls are there.",
        "tool_call",
        Ask("Make the lantern brighter.", max_tokens=200, tools=(LANTERN,), tool_choice=LANTERN.name),
        Wire(draft(CHAT, slug, "stop", call(LANTERN.name, '{"level"', ": 4}"))),
        (Reason("stop"), Calls((LANTERN.name,)), ArgumentKeys((("level",),))),
        (rec("56 of 56 exchanges with a named tool_choice"),),
    )


def _legacy() -> Scenario:
    slug = "legacy-function-call"
    return Scenario(
        CHAT,
        slug,
        "The form before tools: `message.function_call` and finish_reason `function_call`.",
        "tool_call, with name and arguments; there is no id",
        Ask("How high is the swell at Sagres?", max_tokens=200, tools=(SWELL,)),
        Wire(draft(CHAT, slug, "function_call", call(SWELL.name, '{"headland": ', '"Sagres"}'))),
        (
            Reason("function_call"),
            Bytes(b'"function_call":'),
            LacksKey("choices[].message.tool_calls"),
            Bytes(SWELL.name.encode()),
        ),
        (
            rec("25 recordings, all of requests that declare `functions`"),
            doc("openai==3.57.0 types/chat/chat_completion_message.py FunctionCall, deprecated"),
        ),
        # The suite declares `tools`, and the vendor answers those with tool_calls only.
        standing=Standing.PERMITTED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield _tool_call(api)
        yield _parallel(api)
        yield _text_then_tool(api)
        yield _tool_json_cut(api)
    yield from _tools_without_arguments()
    yield _interleaved()
    yield _forced_tool_choice()
    yield _legacy()

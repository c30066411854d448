"""Stop sequences: what comes back when one fires or does not (section B of the catalogue). What is sent: `requests`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import (
    ANTHROPIC,
    CHAT,
    FIRED,
    GEMINI,
    NATURAL,
    RECORDINGS,
    WEATHER,
    WITH_STOP,
    bug,
    call,
    draft,
    rec,
    seed,
    text,
)
from conformance.scenarios.model import Ask, Scenario, Wire
from conformance.scenarios.premises import CutArguments, Matched, Premise, Reason, TextIs, TextLacks
from conformance.vocabulary import Api, Standing, Stop
from conformance.wire.draft import Block, Text, Thinking

_RIGHT = {
    ANTHROPIC: "complete, and which string matched",
    CHAT: "complete; no matched string, since the wire names none",
    GEMINI: "complete; no matched string, since the wire names none",
}


def _matched(api: Api, value: str | None) -> tuple[Premise, ...]:
    """Only Anthropic says which string matched."""
    return (Matched(value),) if api is ANTHROPIC else ()


def _fired(
    api: Api, slug: str, claim: str, *blocks: Block, stops: tuple[str, ...], which: str, prompt: str, **more: Any
) -> Scenario:
    visible = "".join(block.whole for block in blocks if type(block) is Text)
    return Scenario(
        api,
        slug,
        claim,
        more.pop("right", _RIGHT[api]),
        Ask(prompt, stop=stops, max_tokens=200, tools=more.pop("tools", ())),
        Wire(draft(api, slug, FIRED[api], *blocks, stop_sequence=which if api is ANTHROPIC else None)),
        (
            Reason(FIRED[api]),
            TextIs(visible),
            TextLacks(which),
            *_matched(api, which),
            *more.pop("premise", ()),
        ),
        more.pop("evidence"),
        **more,
    )


def _stop_fired(api: Api) -> Scenario:
    return _fired(
        api,
        "stop-fired",
        "A stop sequence ends the answer: the match is trimmed, the white space before it is kept.",
        text("<answer>", "Roll back with ", "the previous tag. "),
        stops=("\n\nHuman:", "</answer>"),
        which="</answer>",
        prompt="Give the answer inside <answer> tags.",
        evidence=(
            rec("43 Anthropic, 28 Chat and 2 Gemini recordings; white space before the match is kept"),
            seed("stop sequences: the matched text is not returned"),
        ),
    )


def _stop_unicode(api: Api) -> Scenario:
    return _fired(
        api,
        "stop-unicode",
        "An emoji stop sequence fires among combining characters and other emoji.",
        text("Cafe\u0301 ", "Zürich 🍰", "🧁 naïve 日本", "語 👩\u200d🍳 "),
        stops=("🛑",),
        which="🛑",
        prompt="Decorate the menu.",
        evidence=(rec("Anthropic recordings with emoji stop sequences"), bug("abetlen/llama-cpp-python#372")),
    )


def _never_fires(api: Api) -> Scenario:
    slug = "stop-never-fires"
    pieces = ("Seven bridges ", "cross the river.")
    return Scenario(
        api,
        slug,
        "A stop sequence is configured and never met.",
        "complete; no matched string",
        Ask("How many bridges are there?", stop=("</answer>",), max_tokens=200),
        Wire(draft(api, slug, NATURAL[api], text(*pieces))),
        (Reason(NATURAL[api]), TextIs("".join(pieces)), *_matched(api, None)),
        (rec(RECORDINGS), seed("stop sequences: on two of three APIs the value is the same as when one fired")),
    )


def _at_once() -> Scenario:
    return _fired(
        ANTHROPIC,
        "stop-fired-at-once",
        "The match is the first thing generated: no content; a stream of message_start, message_delta, message_stop.",
        stops=("bravo",),
        which="bravo",
        prompt="Say bravo.",
        right="complete, empty text, which string matched, no crash",
        evidence=(rec("16 buffered and 4 streamed recordings"),),
    )


def _of_many() -> Scenario:
    return _fired(
        ANTHROPIC,
        "stop-fired-of-many",
        "Four strings are configured; the earliest in the output fires, not the first of the list.",
        text("alpha\n"),
        stops=("delta", "charlie", "bravo", "echo"),
        which="bravo",
        prompt="Recite the spelling alphabet, one word a line.",
        evidence=(rec("4-sequence recordings: the earliest in the output wins"), bug("paiml/aprender#2016")),
    )


def _in_tool_json() -> Scenario:
    return _fired(
        ANTHROPIC,
        "stop-in-tool-json",
        "A stop sequence fires inside the arguments of a tool call: the input was never completed.",
        call("get_weather", '{"city', '": "Lisbon', '", "unit": "cel'),
        stops=("sius",),
        which="sius",
        prompt="How warm is it in Lisbon, in celsius?",
        right="the call is never handed out as valid; the ending is never tool_call",
        tools=(WEATHER,),
        premise=(CutArguments(),),
        evidence=(seed("stop sequences on Claude: tool call arguments are generated text too"),),
        standing=Standing.PROMISED,
        accepts=frozenset({Stop.COMPLETE, Stop.UNKNOWN}),
        accepts_why="`stop_sequence` with the string named is exact; OpenAI's `stop` means a stop sequence too",
    )


def _in_thinking() -> Scenario:
    return _fired(
        ANTHROPIC,
        "stop-in-thinking",
        "A stop sequence fires inside the thinking block: HTTP 200 with thinking and no visible text.",
        Thinking(("The user wants ", "a list. First item: ")),
        stops=("1.",),
        which="1.",
        prompt="List the steps.",
        right="empty text, which string matched, no crash",
        evidence=(
            seed("stop sequences on Claude: a thinking block and nothing else"),
            bug("family stop-in-thinking: vllm-project/vllm#14399"),
        ),
        standing=Standing.PROMISED,
        accepts=frozenset({Stop.TRUNCATED, Stop.UNKNOWN}),
        accepts_why="the answer had not begun; both readings are honest",
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in WITH_STOP:
        yield _stop_fired(api)
        yield _never_fires(api)
        yield _stop_unicode(api)
    yield _at_once()
    yield _of_many()
    yield _in_tool_json()
    yield _in_thinking()

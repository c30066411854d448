"""Stop sequences: what comes back when one fires (section B of the catalogue). One not met: `stops_unmet`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contract import Tool, Usage
from conformance.scenarios.common import (
    ANTHROPIC,
    CHAT,
    FIRED,
    GEMINI,
    WEATHER,
    WITH_STOP,
    bug,
    call,
    doc,
    draft,
    rec,
    seed,
    text,
)
from conformance.scenarios.edits import with_usage_chunk
from conformance.scenarios.model import STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import CutArguments, Has, Matched, Premise, Reason, TextIs, TextLacks
from conformance.scenarios.premises_order import Rebuilt
from conformance.scenarios.premises_text import EndsInSpace, HasText
from conformance.vocabulary import Api, Standing, Stop
from conformance.wire.draft import Block, Text, Thinking

_RIGHT = {
    ANTHROPIC: "complete, and which string matched",
    CHAT: "complete; no matched string, since the wire names none",
    GEMINI: "complete; no matched string, since the wire names none",
}

_TRIMMED = {
    ANTHROPIC: rec("43 of 43 Anthropic replies: the matched text is absent from the output"),
    CHAT: doc("openai/openai-openapi@f85dbe2 StopConfiguration: the returned text does not hold the stop sequence"),
    GEMINI: doc("google-ai-generativelanguage==0.12.1 GenerationConfig.stop_sequences: not included in the response"),
}
"""Where each API says, or shows, that the match is left out."""

FIRED_ASK = Ask("Give the answer inside <answer> tags.", stop=("\n\nHuman:", "</answer>"), max_tokens=200)
FIRED_TEXT = text("<answer>", "Roll back with ", "the previous tag. ")
"""The request and the text of `stop-fired`, which `stop-ambiguous` sends again byte for byte."""

_USUAL = Usage(21, 19)
_AT_ONCE = Usage(21, 1)
"""What recordings count where nothing came before the match."""


@dataclass(frozen=True, slots=True)
class _Firing:
    """A reply that a stop string ended. `more` are further fields of the Scenario."""

    slug: str
    claim: str
    ask: Ask
    which: str
    evidence: tuple[Evidence, ...]
    blocks: tuple[Block, ...] = ()
    apis: tuple[Api, ...] = WITH_STOP
    right: str | None = None
    premise: tuple[Premise, ...] = ()
    text_shows: Premise | None = None  # of the text, where a recording may bring other words
    usage: Usage = _USUAL
    more: Mapping[str, Any] = field(default_factory=dict)


def _ask(prompt: str, *stops: str, tools: tuple[Tool, ...] = ()) -> Ask:
    return Ask(prompt, stop=stops, max_tokens=200, tools=tools)


_FIRINGS = (
    _Firing(
        "stop-fired",
        "A stop sequence ends the answer: the match is trimmed, the white space before it is kept.",
        FIRED_ASK,
        "</answer>",
        (
            rec("43 Anthropic, 28 Chat and 2 Gemini recordings; white space before the match is kept"),
            seed("stop sequences: the matched text is not returned"),
        ),
        (FIRED_TEXT,),
        text_shows=EndsInSpace(),
    ),
    _Firing(
        "stop-unicode",
        "An emoji stop sequence fires among combining characters and other emoji.",
        _ask("Decorate the menu.", "🛑"),
        "🛑",
        (rec("Anthropic recordings with emoji stop sequences"), bug("abetlen/llama-cpp-python#372")),
        (text("Cafe\u0301 ", "Zürich 🍰", "🧁 naïve 日本", "語 👩\u200d🍳 "),),
    ),
    _Firing(
        "stop-fired-at-once",
        "The match is the first thing generated: no content; a stream of message_start, message_delta, message_stop.",
        _ask("Say bravo.", "bravo"),
        "bravo",
        (rec("16 buffered and 4 streamed recordings"),),
        apis=(ANTHROPIC,),
        right="complete, empty text, which string matched, no crash",
        usage=_AT_ONCE,
    ),
    _Firing(
        "stop-fired-at-once",
        "The match is the first thing generated: a reply that ended well and has no text at all.",
        _ask("Say bravo.", "bravo"),
        "bravo",
        (
            seed("stop sequences: the matched text is not returned"),
            bug("family empty-content: pydantic/pydantic-ai#2630, PrefectHQ/fastmcp#3846"),
        ),
        apis=(CHAT, GEMINI),
        right="complete, empty text, no crash; no matched string, since the wire names none",
        usage=_AT_ONCE,
        more={"standing": Standing.PROMISED},
    ),
    _Firing(
        "stop-fired-of-many",
        "Four strings are configured; the earliest in the output fires, not the first of the list.",
        _ask("Recite the spelling alphabet, one word a line.", "delta", "charlie", "bravo", "echo"),
        "bravo",
        (rec("4-sequence recordings: the earliest in the output wins"), bug("paiml/aprender#2016")),
        (text("alpha\n"),),
        apis=(ANTHROPIC,),
    ),
    _Firing(
        "stop-mid-word",
        "The stop sequence `end` halts the answer inside the word `calendar`, whose first letters stay.",
        _ask("Where do I note the date?", "end"),
        "end",
        (seed("stop sequences: matching is on characters, there is no word boundary on any of these APIs"),),
        (text("Mark it in ", "the cal"),),
        more={"standing": Standing.PROMISED},
    ),
    _Firing(
        "stop-spans-deltas",
        "The text ends inside a word and beside multi-byte characters, and so do the deltas that bring it.",
        _ask("Beschreibe den Fluss.", "ücke"),
        "ücke",
        (
            seed("stop sequences: a match spans tokens, so the text ends in the middle of one"),
            bug("family hold-back: SharpAI/SwiftLM#126, mzau/mlx-knife#68"),
        ),
        (text("Der Fl", "uss führt Hochw", "asser; 川", "の水", " — 🌊", "🚣 bis zur Br"),),
        more={"standing": Standing.PROMISED, "modes": STREAMED},
    ),
    _Firing(
        "stop-newline",
        "A stop sequence that starts with two newlines fires: they belong to the match and are gone with it.",
        _ask("When does it open?", "\n\nHuman:"),
        "\n\nHuman:",
        (
            rec("Anthropic recordings with newlines in the stop string; 23 Chat replies to `\\nObservation:`"),
            seed("stop sequences on Claude: preventing role bleed"),
        ),
        (text("It opens ", "at eight."),),
        text_shows=HasText(),
    ),
    _Firing(
        "stop-newline-kept",
        "The text ends in newlines before a match that holds none: they stay.",
        _ask("List what I need, then ###.", "###"),
        "###",
        (
            rec("21 of 43 Anthropic replies keep a space or a newline before the match"),
            bug("family trim: vllm-project/vllm#3672, jundot/omlx#2386"),
        ),
        (text("oats\n", "salt\n", "water", "\n\n"),),
    ),
    _Firing(
        "stop-reattach",
        "Text and `stop_sequence` together are what the model wrote: the caller may put the match back, once.",
        _ask("Print the tide in Python, code only.", "```"),
        "```",
        (
            rec("a streamed recording with a code fence as stop string"),
            seed("stop sequences on Claude: if you need the delimiter, you reattach it yourself"),
        ),
        (text("print(", "'low tide'", ")\n"),),
        apis=(ANTHROPIC,),
        right="the text as on the wire, never with the match re-appended; and which string matched",
        premise=(Rebuilt("print('low tide')\n```"),),
    ),
    _Firing(
        "stop-in-tool-json",
        "A stop sequence fires inside the arguments of a tool call: the input was never completed.",
        _ask("How warm is it in Lisbon, in celsius?", "sius", tools=(WEATHER,)),
        "sius",
        (seed("stop sequences on Claude: tool call arguments are generated text too"),),
        (call("get_weather", '{"city', '": "Lisbon', '", "unit": "cel'),),
        apis=(ANTHROPIC,),
        right="the call is never handed out as valid; the ending is never tool_call",
        premise=(CutArguments(),),
        more={
            "standing": Standing.PROMISED,
            "accepts": frozenset({Stop.COMPLETE, Stop.UNKNOWN}),
            "accepts_why": "`stop_sequence` with the string named is exact; OpenAI's `stop` means a stop sequence too",
        },
    ),
    _Firing(
        "stop-in-thinking",
        "A stop sequence fires inside the thinking block: HTTP 200 with thinking and no visible text.",
        _ask("List the steps.", "1."),
        "1.",
        (
            seed("stop sequences on Claude: a thinking block and nothing else"),
            bug("family stop-in-thinking: vllm-project/vllm#14399"),
        ),
        (Thinking(("The user wants ", "a list. First item: ")),),
        apis=(ANTHROPIC,),
        right="empty text, which string matched, no crash",
        more={
            "standing": Standing.PROMISED,
            "accepts": frozenset({Stop.TRUNCATED, Stop.UNKNOWN}),
            "accepts_why": "the answer had not begun; both readings are honest",
        },
    ),
)


def _fired(api: Api, firing: _Firing) -> Scenario:
    visible = "".join(block.whole for block in firing.blocks if type(block) is Text)
    matched = firing.which if api is ANTHROPIC else None
    named = (Matched(firing.which),) if api is ANTHROPIC else ()
    return Scenario(
        api,
        firing.slug,
        firing.claim,
        firing.right or _RIGHT[api],
        firing.ask,
        Wire(draft(api, firing.slug, FIRED[api], *firing.blocks, stop_sequence=matched, usage=firing.usage)),
        (Reason(FIRED[api]), firing.text_shows or TextIs(visible), TextLacks(firing.which), *named, *firing.premise),
        (*firing.evidence, _TRIMMED[api]),
        **firing.more,
    )


_BILLED = Usage(33, 48)
_OUTPUT = {
    CHAT: "usage.completion_tokens",
    ANTHROPIC: "usage.output_tokens",
    GEMINI: "usageMetadata.candidatesTokenCount",
}


def _usage(api: Api) -> Scenario:
    slug, which = "stop-usage", "</plan>"
    pieces = ("<plan>", "Oil the hinge. ")
    counted = {"prompt_tokens": _BILLED.input_tokens, "completion_tokens": _BILLED.output_tokens, "total_tokens": 81}
    matched = which if api is ANTHROPIC else None
    return Scenario(
        api,
        slug,
        "Usage counts every token generated up to the match, more than the text that is left amounts to.",
        "output tokens as on the wire, not counted anew from the text",
        _ask("Write the plan inside <plan> tags.", which),
        Wire(
            draft(api, slug, FIRED[api], text(*pieces), stop_sequence=matched, usage=_BILLED),
            events=(lambda events: with_usage_chunk(events, counted)) if api is CHAT else None,
        ),
        (Reason(FIRED[api]), TextIs("".join(pieces)), Has(_OUTPUT[api], _BILLED.output_tokens)),
        (seed("stop sequences on Claude: everything up to the match was produced and is charged"), _TRIMMED[api]),
        standing=Standing.PROMISED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for firing in _FIRINGS:
        for api in firing.apis:
            yield _fired(api, firing)
    for api in WITH_STOP:
        yield _usage(api)

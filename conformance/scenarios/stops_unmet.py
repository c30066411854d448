"""Stop sequences that are configured and do not fire (section B of the catalogue). Those that fire: `stops`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.scenarios.common import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    NATURAL,
    RECORDINGS,
    WITH_STOP,
    bug,
    draft,
    rec,
    seed,
    text,
)
from conformance.scenarios.model import Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Matched, Premise, Reason, TextIs, TextLacks
from conformance.scenarios.premises_text import EndsInSpace, HasText
from conformance.scenarios.stops import FIRED_ASK, FIRED_TEXT
from conformance.vocabulary import Api


@dataclass(frozen=True, slots=True)
class _Unmet:
    """A reply that ended by itself although a stop string was asked for."""

    slug: str
    claim: str
    right: str
    prompt: str
    stop: str
    pieces: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    apis: tuple[Api, ...] = WITH_STOP
    text_shows: Premise | None = None  # of the text, where a recording may bring other words
    held: bool = False


_UNMET = (
    _Unmet(
        "stop-never-fires",
        "A stop sequence is configured and never met.",
        "complete; no matched string",
        "How many bridges are there?",
        "</answer>",
        ("Seven bridges ", "cross the river."),
        (rec(RECORDINGS), seed("stop sequences: on two of three APIs the value is the same as when one fired")),
        text_shows=HasText(),
    ),
    _Unmet(
        "stop-near-miss",
        "The text begins like the stop sequence three times and goes on differently each time.",
        "complete; every character is there, none held back and none twice",
        "Which tag closes the answer?",
        "</answer>",
        ("Not </ans", "were>, not </answ", "er >, nor ", "</answer", "s> either."),
        (
            rec("natural ends beside stop strings; the text is our own"),
            bug("family hold-back: ggml-org/llama.cpp#9867, ggml-org/llama.cpp#10914"),
        ),
        held=True,
    ),
    _Unmet(
        "stop-tail-prefix",
        "The reply ends by itself on text that is the beginning of the stop sequence.",
        "complete; the beginning of the stop sequence is text and is handed out",
        "How does the tag start?",
        "</answer>",
        ("It starts with ", "</ans"),
        (
            rec("natural ends beside stop strings; the text is our own"),
            bug("family hold-back: ggml-org/llama.cpp#15007; family trim: huggingface/smolagents#1851"),
        ),
    ),
    _Unmet(
        "stop-case",
        "The stop sequence `bravo` does not fire on `BRAVO`: matching is by case.",
        "complete; no matched string, and the text with the word in it",
        "Recite the spelling alphabet in capitals.",
        "bravo",
        ("ALPHA\n", "BRAVO\n", "CHARLIE"),
        (rec("an Anthropic recording whose output differs from the stop string in case only: end_turn, null"),),
        apis=(ANTHROPIC,),
    ),
)


def _unmet(api: Api, unmet: _Unmet) -> Scenario:
    named = (Matched(None),) if api is ANTHROPIC else ()
    return Scenario(
        api,
        unmet.slug,
        unmet.claim,
        unmet.right,
        Ask(unmet.prompt, stop=(unmet.stop,), max_tokens=200),
        Wire(draft(api, unmet.slug, NATURAL[api], text(*unmet.pieces))),
        (Reason(NATURAL[api]), unmet.text_shows or TextIs("".join(unmet.pieces)), TextLacks(unmet.stop), *named),
        unmet.evidence,
        held=unmet.held,
    )


def _ambiguous(api: Api) -> Scenario:
    return Scenario(
        api,
        "stop-ambiguous",
        "The model ended by itself where a match would have begun: byte for byte the reply of stop-fired.",
        "the same Reply as for stop-fired: complete, and no matched string is invented",
        FIRED_ASK,
        Wire(draft(api, "stop-fired", NATURAL[api], FIRED_TEXT)),
        (Reason(NATURAL[api]), EndsInSpace()),
        (
            rec("28 Chat recordings: the value is the same whether a stop string fired or not"),
            seed("stop sequences: a heuristic fails when the model legitimately ends its turn at the same place"),
        ),
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for unmet in _UNMET:
        for api in unmet.apis:
            yield _unmet(api, unmet)
    for api in (CHAT, GEMINI):
        yield _ambiguous(api)

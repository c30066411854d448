"""Streams that only Gemini has (section C). Those of several APIs: `streams`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.scenarios.common import GEMINI, bug, doc, draft, rec, text
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Bytes, Has, HasKey, LacksKey, NoBytes, Premise, Reason, ReasonTimes, TextIs
from conformance.scenarios.premises_order import At
from conformance.scenarios.premises_text import HasText
from conformance.scenarios.streams import ASK, PIECES
from conformance.vocabulary import Standing
from conformance.wire.draft import Raw, mint
from conformance.wire.sse import Event

_TEXT = "".join(PIECES)
_PARTS = "candidates[].content.parts"


def _with(event: Event, **keys: Any) -> Event:
    """The event with keys of its candidate set; None takes a key away."""
    (candidate,) = event.data["candidates"]
    kept = {key: value for key, value in {**candidate, **keys}.items() if value is not None}
    return Event(None, {**event.data, "candidates": [kept]})


def _code_execution(events: list[Event]) -> list[Event]:
    """STOP on the chunk with the code, then the code's result and the answer, and STOP again."""
    first, *middle, last = events
    code = {"executableCode": {"language": "PYTHON", "code": "print(6 * 7)"}}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}}
    asked = _with(first, content={"parts": [code], "role": "model"}, finishReason="STOP")
    told = _with(first, content={"parts": [result], "role": "model"})
    return [first, asked, told, *middle, last]


def _stop_twice() -> Scenario:
    slug = "gem-stop-twice"
    pieces = ("Let me compute that. ", "The product ", "is 42.")
    return Scenario(
        GEMINI,
        slug,
        "With code execution STOP comes on a chunk that is not the last; more text follows, then STOP again.",
        "all the text, the reason once",
        Ask("What is six times seven? Use code.", max_tokens=400),
        Wire(draft(GEMINI, slug, "STOP", text(*pieces)), events=_code_execution),
        (ReasonTimes(2), TextIs("".join(pieces))),
        (rec("7 of 241 streams"),),
        modes=STREAMED,
    )


def _every_chunk() -> Scenario:
    slug = "gem-stop-every-chunk"
    return Scenario(
        GEMINI,
        slug,
        "Every chunk carries `finishReason: STOP` (old models).",
        "all the text, the reason once",
        ASK,
        Wire(
            draft(GEMINI, slug, "STOP", text(*PIECES)),
            events=lambda events: [_with(event, finishReason="STOP") for event in events],
        ),
        (ReasonTimes(len(PIECES)), TextIs(_TEXT)),
        (bug("family premature-finish: BerriAI/litellm#2195, MartialBE/one-hub#402"),),
        modes=STREAMED,
    )


def _crlf() -> Scenario:
    slug = "gem-crlf"
    return Scenario(
        GEMINI,
        slug,
        "The stream's line ends are CRLF.",
        "unchanged",
        ASK,
        Wire(draft(GEMINI, slug, "STOP", text(*PIECES))),
        (Reason("STOP"), HasText(), Bytes(b"\r\n\r\n")),
        (rec("203 of 203 streams"), bug("family sse-framing: miruamel/xuan#194")),
        modes=STREAMED,
        tolerates="CRLF line ends",
    )


_EMPTY = {"parts": [{"text": "", "thoughtSignature": mint("", "gemini/gem-empty-tail-text", 40)}], "role": "model"}
_TAILS: Mapping[str, tuple[str, dict[str, Any], str, tuple[Premise, ...]]] = {
    "gem-empty-tail": (
        "The closing chunk has `content` without parts.",
        {"role": "model"},
        "3 streams; family empty-content: pydantic/pydantic-ai#2630, agentjido/req_llm#638",
        (At(-1, LacksKey(_PARTS)), At(-1, HasKey("candidates[].content.role"))),
    ),
    "gem-empty-tail-text": (
        "The closing chunk has one part whose text is empty, with a signature.",
        _EMPTY,
        "65 streams",
        (At(-1, Has(f"{_PARTS}[].text", "")), At(-1, HasKey(f"{_PARTS}[].thoughtSignature"))),
    ),
}


def _tail(slug: str) -> Scenario:
    claim, content, source, premise = _TAILS[slug]

    def edit(events: list[Event]) -> list[Event]:
        *before, last = events
        return [*before, _with(last, finishReason=None), _with(last, content=content)]

    return Scenario(
        GEMINI,
        slug,
        claim,
        "unchanged: the reason counts, nothing is added to the text",
        ASK,
        Wire(draft(GEMINI, slug, "STOP", text(*PIECES)), events=edit),
        (At(-1, Has("candidates[].finishReason", "STOP")), HasText(), *premise),
        (rec(source),),
        modes=STREAMED,
        tolerates="a closing chunk without text",
    )


def _unknown_part() -> Scenario:
    slug = "unknown-part"
    return Scenario(
        GEMINI,
        slug,
        "Between the text parts stands a part with a key that nobody knows.",
        "the text is whole, no crash",
        ASK,
        Wire(
            draft(GEMINI, slug, "STOP", text(*PIECES[:1]), Raw({"storyboard": {"panels": 3}}), text(*PIECES[1:])),
        ),
        (Reason("STOP"), TextIs(_TEXT), HasKey(f"{_PARTS}[].storyboard")),
        (doc("google.aip.dev/180: adding a field to a message is a compatible change"),),
        standing=Standing.PERMITTED,
        tolerates="a part of an unknown kind",
    )


def _array(body: bytes) -> bytes:
    """The data of the frames as one array: elements indented, a comma on a line of its own between them."""
    frames = [json.loads(line.removeprefix(b"data: ")) for line in body.splitlines() if line]
    elements = [json.dumps(frame, ensure_ascii=False, indent=2) for frame in frames]
    return ("[" + "\n,\r\n".join(elements) + "\n]\n").encode()


def _json_array() -> Scenario:
    slug = "gem-json-array"
    return Scenario(
        GEMINI,
        slug,
        "Asked for without `alt=sse`, the stream is one JSON array, an element for each chunk.",
        "unchanged: the text grows with each element, the reason comes with the last",
        ASK,
        Wire(
            draft(GEMINI, slug, "STOP", text(*PIECES)),
            raw=_array,
            headers={"content-type": "application/json; charset=UTF-8"},
        ),
        (Reason("STOP"), TextIs(_TEXT), NoBytes(b"data:"), Bytes(b"\n,\r\n")),
        (rec("16 streams of clients that ask so"), bug("family sse-framing: BerriAI/litellm#14747")),
        modes=STREAMED,
        without_query="alt=sse",
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield _stop_twice()
    yield _every_chunk()
    yield _crlf()
    for slug in _TAILS:
        yield _tail(slug)
    yield _unknown_part()
    yield _json_array()

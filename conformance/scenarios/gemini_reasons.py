"""Every finish reason of Gemini that is no plain ending, one scenario each. Those of tool calls: `gemini_calls`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from conformance.contract import Usage
from conformance.scenarios.common import GEMINI, bug, doc, draft, rec, seed, text
from conformance.scenarios.model import BOTH, BUFFERED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Has, Reason, Reasons, TextIs
from conformance.vocabulary import Mode, Standing, Stop

_PICTURES = "gemini-2.5-flash-image"


class _Row(NamedTuple):
    """One finish reason: what the reply is, and what a right adapter makes of it."""

    reason: str
    claim: str
    right: str
    prompt: str
    pieces: tuple[str, ...] = ()
    extra: dict[str, Any] = {}  # noqa: RUF012 -- never changed
    model: str | None = None
    accepts: frozenset[Stop] = frozenset()
    accepts_why: str = ""
    evidence: tuple[Evidence, ...] = ()
    observed: bool = False


_CITED = {"citationSources": [{"startIndex": 0, "endIndex": 64, "uri": "https://poems.example/harbour", "license": ""}]}
_NOT_SAID = "the vendor says no more than that it stopped; none of these calls the answer whole"

_ROWS = (
    _Row(
        "RECITATION",
        "The answer would have repeated a source: `RECITATION`, the source cited, no content.",
        "blocked, empty text; never complete",
        "Recite the harbour poem.",
        extra={"citationMetadata": _CITED},
        evidence=(seed("finish reasons: RECITATION"),),
    ),
    _Row(
        "LANGUAGE",
        "The answer was in a language that is not supported: `LANGUAGE` with a finishMessage, no content.",
        "blocked, empty text; never complete",
        "Answer in Volapük.",
        extra={"finishMessage": "The candidate used a language that is not supported."},
        accepts=frozenset({Stop.FAILED, Stop.UNKNOWN}),
        accepts_why="nothing offensive was filtered: users asked that it be told apart from a content filter",
        evidence=(bug("vercel/ai#4997, envoyproxy/ai-gateway#2118"),),
    ),
    _Row(
        "OTHER",
        "The model stopped for a reason that is not told: `OTHER`, no content.",
        "unknown; never complete",
        "Summarise the attachment.",
        accepts=frozenset({Stop.FAILED, Stop.BLOCKED, Stop.TRUNCATED}),
        accepts_why=_NOT_SAID,
        evidence=(bug("envoyproxy/ai-gateway#2118"),),
    ),
    _Row(
        "BLOCKLIST",
        "The answer held a term of the blocklist: `BLOCKLIST`, no content.",
        "blocked, empty text; never complete",
        "Name the product that we must not name.",
        evidence=(bug("agentjido/req_llm#939"),),
    ),
    _Row(
        "PROHIBITED_CONTENT",
        "The answer may be prohibited: `PROHIBITED_CONTENT`, no content.",
        "blocked, empty text; never complete",
        "Tell the story without holding back.",
        evidence=(bug("agentjido/req_llm#939"),),
    ),
    _Row(
        "SPII",
        "The answer held personal data: `SPII`, no content.",
        "blocked, empty text; never complete",
        "What is the number of her identity card?",
        evidence=(bug("agentjido/req_llm#939"),),
    ),
    _Row(
        "MODEL_ARMOR",
        "Model Armor blocked the answer (Vertex AI): `MODEL_ARMOR` and no key `content` at all.",
        "blocked, empty text, no crash; never complete",
        "Repeat your instructions.",
        extra={"finishMessage": "The response violated the template's filters."},
        evidence=(rec("1 recording without the key `content`"),),
        observed=True,
    ),
    _Row(
        "ESCALATION",
        "A rule for escalation filtered the request: `ESCALATION`, no content.",
        "blocked, empty text; never complete",
        "Open the case again.",
    ),
    _Row(
        "PUP_LIMITED_DISABLED",
        "The account is limited for breaches of the use policy: `PUP_LIMITED_DISABLED`, no content.",
        "blocked, empty text; never complete",
        "Write the next message to the list.",
        accepts=frozenset({Stop.FAILED}),
        accepts_why="it is the account that is blocked and not this answer",
    ),
    _Row(
        "IMAGE_SAFETY",
        "The picture would be unsafe: `IMAGE_SAFETY`, no content.",
        "blocked; never complete",
        "Draw the accident.",
        model=_PICTURES,
        evidence=(bug("agentjido/req_llm#939"),),
    ),
    _Row(
        "IMAGE_PROHIBITED_CONTENT",
        "The picture may be prohibited: `IMAGE_PROHIBITED_CONTENT`, no content.",
        "blocked; never complete",
        "Draw the minister in the bath.",
        model=_PICTURES,
        evidence=(bug("agentjido/req_llm#939"),),
    ),
    _Row(
        "IMAGE_RECITATION",
        "The picture would have repeated a source: `IMAGE_RECITATION`, no content.",
        "blocked; never complete",
        "Draw the famous mouse.",
        model=_PICTURES,
    ),
    _Row(
        "IMAGE_OTHER",
        "Drawing stopped for a reason that is not told: `IMAGE_OTHER`, no content.",
        "failed; never complete",
        "Draw a lighthouse at dusk.",
        model=_PICTURES,
        accepts=frozenset({Stop.BLOCKED, Stop.UNKNOWN}),
        accepts_why=_NOT_SAID,
    ),
    _Row(
        "NO_IMAGE",
        "A picture was expected and none was made: `NO_IMAGE`, with a word of text.",
        "failed, the text kept; never complete",
        "Draw the harbour.",
        pieces=("Here is ", "the harbour:"),
        model=_PICTURES,
        accepts=frozenset({Stop.UNKNOWN}),
        accepts_why="there is text, and what is missing is not it",
    ),
    _Row(
        "TOO_MANY_TOOL_CALLS",
        "The server's own tool loop was stopped before the answer: `TOO_MANY_TOOL_CALLS` after some text.",
        "truncated, the text kept; never complete, and there is no call to run",
        "Compare the prices of all forty shops.",
        pieces=("So far I have looked at ", "nine shops; "),
        accepts=frozenset({Stop.FAILED, Stop.UNKNOWN}),
        accepts_why="a limit was hit that is none of tokens; a loop that was broken off has failed as well",
    ),
    _Row(
        "MALFORMED_RESPONSE",
        "What the model generated could not be read: `MALFORMED_RESPONSE`, no content.",
        "failed: to be retried; never complete",
        "Answer in the given form.",
    ),
    _Row(
        "MISSING_THOUGHT_SIGNATURE",
        "The request left out a thought signature: `MISSING_THOUGHT_SIGNATURE`, no content.",
        "failed; never complete",
        "Carry on from the tool's result.",
        accepts=frozenset({Stop.UNKNOWN}),
        accepts_why="nothing was generated, and a retry as it is would not help",
    ),
)


def _reason(row: _Row) -> Scenario:
    slug = f"gem-reason-{row.reason.lower().replace('_', '-')}"
    blocks = [text(*row.pieces)] if row.pieces else []
    usage = Usage(14, 11 if row.pieces else None)  # as recorded: without content no candidate tokens are counted
    more = {"model": row.model} if row.model else {}
    return Scenario(
        GEMINI,
        slug,
        row.claim,
        row.right,
        Ask(row.prompt, max_tokens=200, model=row.model),
        Wire(draft(GEMINI, slug, row.reason, *blocks, usage=usage, extra=row.extra, **more)),
        (Reason(row.reason), TextIs("".join(row.pieces))),
        (*row.evidence, doc(f"google-genai==3.6.1 types.py FinishReason.{row.reason}")),
        standing=Standing.OBSERVED if row.observed else Standing.PROMISED,
        accepts=row.accepts,
        accepts_why=row.accepts_why,
    )


_SWIFTS = ("Swifts sleep ", "while they fly.")


def _unspecified(
    suffix: str,
    reason: str | int | None,
    claim: str,
    right: str,
    premise: Any,
    *evidence: Evidence,
    modes: tuple[Mode, ...] = BOTH,
    **more: Any,
) -> Scenario:
    slug = f"gem-unspecified{suffix}"
    return Scenario(
        GEMINI,
        slug,
        claim,
        right,
        Ask("How do swifts sleep?", max_tokens=200),
        Wire(draft(GEMINI, slug, reason, text(*_SWIFTS))),
        (premise, TextIs("".join(_SWIFTS))),
        evidence,
        modes=modes,
        **more,
    )


def _unspecifieds() -> Iterator[Scenario]:
    types = doc("google-genai==3.6.1 types.py FinishReason")
    yield _unspecified(
        "",
        "FINISH_REASON_UNSPECIFIED",
        "The finish reason is the enum's default, `FINISH_REASON_UNSPECIFIED`.",
        "unknown; never complete",
        Reason("FINISH_REASON_UNSPECIFIED"),
        types,
        standing=Standing.PROMISED,
    )
    yield _unspecified(
        "-absent",
        None,
        "A whole reply has no finishReason: by the type, the model has not stopped.",
        "unknown; never complete",
        Reasons(),
        types,
        modes=BUFFERED,
        standing=Standing.PROMISED,
    )
    integers = rec("13 recordings of Vertex AI, all of clients that ask for `enum-encoding=int`")
    why = "only a client that asks for numbers gets them; to who did not, they are strange"
    yield _unspecified(
        "-int-1",
        1,
        "finishReason is the number 1, which is STOP.",
        "complete, or unknown",
        Has("candidates[].finishReason", 1),
        integers,
        standing=Standing.PERMITTED,
        accepts=frozenset({Stop.UNKNOWN}),
        accepts_why=why,
    )
    yield _unspecified(
        "-int-2",
        2,
        "finishReason is the number 2, which is MAX_TOKENS.",
        "truncated, or unknown; never complete",
        Has("candidates[].finishReason", 2),
        integers,
        standing=Standing.PERMITTED,
        accepts=frozenset({Stop.UNKNOWN}),
        accepts_why=why,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for row in _ROWS:
        yield _reason(row)
    yield from _unspecifieds()

"""What an adapter sends: place, type, order and wholeness of what was asked (section B, requests). Replies: `stops`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from conformance.scenarios.common import (
    ALL,
    ANTHROPIC,
    CHAT,
    GEMINI,
    NATURAL,
    RESPONSES,
    WITH_STOP,
    bug,
    doc,
    draft,
    rec,
    seed,
    text,
)
from conformance.scenarios.model import Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Has, Reason, Status
from conformance.scenarios.premises_text import HasText
from conformance.vocabulary import Api, Standing

_FIVE = ("END", "STOP", "###", "\n\nHuman:", "</answer>")
_TWENTY = tuple(f"</section-{number}>" for number in range(1, 21))


class _Answered(NamedTuple):
    """A request that the vendor answers as usual: what is asked, of which APIs, and what must arrive."""

    slug: str
    apis: tuple[Api, ...]
    stop: str | tuple[str, ...] | None
    claim: str
    right: str
    prompt: str
    pieces: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    standing: Standing = Standing.OBSERVED
    may_refuse: bool = False
    at_construction: bool = False


_LIMITS = "openai/openai-openapi@f85dbe2 StopConfiguration: 1 to 4 items"

_ANSWERED = (
    _Answered(
        "stop-entry-points",
        WITH_STOP,
        ("END", "</answer>"),
        "Stop strings are set where the library is built, and the call names none.",
        "they reach the wire as those of a call do",
        "Which gates does a lock have?",
        ("Two: ", "an upper and a lower one."),
        (bug("family stop-ignored: langchain-ai/langchain-google#1586, crewAIInc/crewAI#3836"),),
        at_construction=True,
    ),
    _Answered(
        "send-stop-list",
        WITH_STOP,
        ("END", "\n\nHuman:"),
        "Two stop strings are asked.",
        "the same two strings in the same order, at the API's place",
        "Which colours does a traffic light have?",
        ("Three colours: ", "red, amber and green."),
        (
            seed("stop sequences: four names for one parameter"),
            bug("family stop-ignored: crewAIInc/crewAI#3836, pydantic/pydantic-ai#1927"),
        ),
    ),
    _Answered(
        "send-stop-none",
        ALL,
        None,
        "No stop sequence is asked.",
        "the key is absent on the wire",
        "Which colours does a traffic light have?",
        ("Three colours: ", "red, amber and green."),
        (rec("models that refuse `stop` refuse a placeholder as well"), doc("sbintuitions/flexeval#218")),
    ),
    _Answered(
        "send-stop-string",
        WITH_STOP,
        "</answer>",
        "One stop string is asked, as a bare string.",
        "the string or a list of one where the API takes both, else a list of one; or an error before sending",
        "How many strings does a cello have?",
        ("A cello has ", "four strings."),
        (
            seed("stop sequences: one string or a list"),
            rec("Chat takes the bare string"),
            bug("QuantumNous/new-api#7175"),
        ),
        may_refuse=True,
    ),
    _Answered(
        "send-stop-empty",
        ALL,
        (),
        "An empty list of stop strings is asked.",
        "the key absent or empty, and the reply surfaces; or an error before sending",
        "What does an altimeter measure?",
        ("It measures ", "height above a level."),
        (
            doc(f"{_LIMITS}; Vertex AI: google/generative-ai-go#233"),
            bug("promptfoo/promptfoo#280, EleutherAI/lm-evaluation-harness#3822, langchain-ai/langchain#38047"),
        ),
        may_refuse=True,
    ),
    _Answered(
        "send-stop-4",
        (CHAT,),
        _FIVE[:4],
        "Four stop strings are asked, as many as the API takes.",
        "four, whole and in order",
        "What is a spinnaker?",
        ("A large sail ", "for running before the wind."),
        (doc(_LIMITS), seed("stop sequences: do not slice")),
    ),
    _Answered(
        "send-stop-5",
        (GEMINI,),
        _FIVE,
        "Five stop strings are asked, as many as the API takes.",
        "five, whole and in order",
        "What is a spinnaker?",
        ("A large sail ", "for running before the wind."),
        (doc("google-ai-generativelanguage==0.12.1 GenerationConfig.stop_sequences: up to 5"),),
    ),
    _Answered(
        "send-stop-many",
        (ANTHROPIC,),
        _TWENTY,
        "Twenty stop strings are asked of an API that documents no limit.",
        "twenty, whole and in order",
        "Name the first section.",
        ("The first section ", "is the preface."),
        (doc("anthropic==2.14.0 types/message_create_params.py: no limit; AWS documents 8191 for the same body"),),
        standing=Standing.PROMISED,
    ),
    _Answered(
        "send-stop-duplicate",
        WITH_STOP,
        ("END", "END"),
        "The same stop string is asked twice.",
        "both, as asked",
        "What is a dovetail?",
        ("A joint ", "for the corners of a drawer."),
        (doc("no API documents that its stop strings must differ; leaving one out loses nothing"),),
        # Who sends it once deceives nobody, so this can be no more than a remark.
        standing=Standing.PERMITTED,
    ),
    _Answered(
        "send-stop-overlapping",
        WITH_STOP,
        ("END", "ENDING"),
        "One stop string is the beginning of the other.",
        "both, in the order asked",
        "How does a fugue begin?",
        ("One voice ", "states the subject alone."),
        (doc("no API documents that its stop strings must not overlap"), bug("jundot/omlx#2386")),
        standing=Standing.PROMISED,
    ),
    _Answered(
        "send-stop-responses",
        (RESPONSES,),
        ("</answer>",),
        "A stop sequence is asked of the one API that has no such parameter.",
        "an error or a warning; dropped in silence fails",
        "Which colours does a traffic light have?",
        ("Three colours: ", "red, amber and green."),
        (doc("openapi.json CreateResponse: no `stop` among its properties"), bug("langchain-ai/langchain#38336")),
        standing=Standing.PROMISED,
        may_refuse=True,
    ),
)


def _answered(api: Api, row: _Answered) -> Scenario:
    return Scenario(
        api,
        row.slug,
        row.claim,
        row.right,
        Ask(row.prompt, stop=row.stop, max_tokens=200, at_construction=row.at_construction),
        Wire(draft(api, row.slug, NATURAL[api], text(*row.pieces))),
        (Reason(NATURAL[api]), HasText()),
        row.evidence,
        standing=row.standing,
        may_refuse=row.may_refuse,
    )


class _Refused(NamedTuple):
    """A request that the vendor answers with a 400."""

    slug: str
    api: Api
    stop: tuple[str, ...]
    claim: str
    right: str
    prompt: str
    body: dict[str, Any]
    premise: Has
    evidence: tuple[Evidence, ...]
    standing: Standing = Standing.OBSERVED
    model: str | None = None


def openai_refuses(message: str, code: str) -> dict[str, Any]:
    """OpenAI's envelope for a `stop` that it does not take."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": "stop", "code": code}}


_BLANK = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "stop_sequences: each stop sequence must contain non-whitespace",
    },
    "request_id": "req_011CVbX2kQz7LmN4sTd8Rw3P",
}
_BLANK_BUGS = bug("family param-shape: BerriAI/litellm#3286, BerriAI/litellm#7484, MegaGrindStone/mcp-web-ui#5")

_REFUSED = (
    _Refused(
        "send-stop-5",
        CHAT,
        _FIVE,
        "Five stop strings are asked of an API that takes four; the vendor answers 400 `array_above_max_length`.",
        "five arrive whole and the 400 surfaces, or an error before sending; slicing to four fails",
        "Which colours does a traffic light have?",
        openai_refuses(
            "Invalid 'stop': array too long. Expected an array with maximum length 4, "
            "but got an array with length 5 instead.",
            "array_above_max_length",
        ),
        Has("error.code", "array_above_max_length"),
        (
            seed("stop sequences: do not slice"),
            doc("openapi.json StopConfiguration maxItems 4; error text: continuedev/continue#2461"),
            bug("family limit: QwenLM/Qwen-Agent#808, lm-sys/FastChat#2766"),
        ),
        standing=Standing.PROMISED,
    ),
    _Refused(
        "send-stop-6",
        GEMINI,
        (*_FIVE, "----"),
        "Six stop strings are asked of an API that takes five; the vendor answers 400 INVALID_ARGUMENT.",
        "six arrive whole and the 400 surfaces, or an error before sending; slicing to five fails",
        "Which colours does a traffic light have?",
        {
            "error": {
                "code": 400,
                "message": "Invalid value: the number of stop_sequences must not exceed 5.",
                "status": "INVALID_ARGUMENT",
            }
        },
        Has("error.status", "INVALID_ARGUMENT"),
        (doc("GenerationConfig: up to 5; error text: continuedev/continue#2702"),),
        standing=Standing.PROMISED,
    ),
    _Refused(
        "send-stop-blank",
        ANTHROPIC,
        ("\n",),
        "A stop string of white space alone is asked; the vendor answers 400 invalid_request_error.",
        "it arrives whole and the 400 surfaces, or an error before sending; dropping it fails",
        "List three rivers, one a line.",
        _BLANK,
        Has("error.type", "invalid_request_error"),
        (_BLANK_BUGS,),
    ),
    _Refused(
        "send-stop-blank-mixed",
        ANTHROPIC,
        ("\n\n", "END"),
        "Of two stop strings one is white space alone; the vendor answers 400 invalid_request_error.",
        "both arrive and the 400 surfaces, or an error before sending; dropping one fails",
        "List three rivers in one paragraph.",
        _BLANK,
        Has("error.type", "invalid_request_error"),
        (_BLANK_BUGS,),
    ),
    _Refused(
        "send-stop-reasoning-model",
        CHAT,
        ("</answer>",),
        "A stop string is asked of a reasoning model; the vendor answers 400 `unsupported_parameter`.",
        "it arrives and the 400 surfaces, or an error before sending; dropping it fails",
        "Prove it, then write </answer>.",
        openai_refuses("Unsupported parameter: 'stop' is not supported with this model.", "unsupported_parameter"),
        Has("error.code", "unsupported_parameter"),
        (
            rec("1 recording (gpt-5.4-nano); gpt-5-mini and o1-mini answer the same"),
            doc("openai/openai-openapi@f85dbe2: not supported with o3 and o4-mini"),
            bug("crewAIInc/crewAI#2843, huggingface/smolagents#1211, BerriAI/litellm#15244"),
        ),
        model="o3",
    ),
)


def _refused(row: _Refused) -> Scenario:
    return Scenario(
        row.api,
        row.slug,
        row.claim,
        row.right,
        Ask(row.prompt, stop=row.stop, max_tokens=200, model=row.model),
        Wire(status=400, body=row.body),
        (Status(400), row.premise),
        row.evidence,
        standing=row.standing,
        may_refuse=True,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for row in _ANSWERED:
        for api in row.apis:
            yield _answered(api, row)
    for refused in _REFUSED:
        yield _refused(refused)

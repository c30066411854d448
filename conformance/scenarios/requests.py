"""What an adapter sends: place, type, order and wholeness of what was asked (section B, requests). Replies: `stops`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import (
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
from conformance.scenarios.model import Ask, Scenario, Wire
from conformance.scenarios.premises import Has, Reason, Status
from conformance.vocabulary import Api, Standing

_PIECES = ("Three colours: ", "red, amber and green.")
_PROMPT = "Which colours does a traffic light have?"
_FIVE = ("END", "STOP", "###", "\n\nHuman:", "</answer>")


def openai_refuses(message: str, code: str) -> dict[str, Any]:
    """OpenAI's envelope for a `stop` that it does not take."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": "stop", "code": code}}


def _answered(api: Api, slug: str, claim: str, right: str, stop: Any, *evidence: Any, **more: Any) -> Scenario:
    """A request that the vendor answers as usual."""
    return Scenario(
        api,
        slug,
        claim,
        right,
        Ask(_PROMPT, stop=stop, max_tokens=200),
        Wire(draft(api, slug, NATURAL[api], text(*_PIECES))),
        (Reason(NATURAL[api]),),
        evidence,
        **more,
    )


def _refused(
    api: Api, slug: str, claim: str, right: str, stop: Any, body: Any, premise: Has, *evidence: Any, **more: Any
) -> Scenario:
    """A request that the vendor answers with a 400."""
    return Scenario(
        api,
        slug,
        claim,
        right,
        Ask(_PROMPT, stop=stop, max_tokens=200),
        Wire(status=400, body=body),
        (Status(400), premise),
        evidence,
        **more,
    )


def _send_five() -> Scenario:
    message = (
        "Invalid 'stop': array too long. Expected an array with maximum length 4, "
        "but got an array with length 5 instead."
    )
    code = "array_above_max_length"
    return _refused(
        CHAT,
        "send-stop-5",
        "Five stop strings are asked of an API that takes four; the vendor answers 400 `array_above_max_length`.",
        "five arrive whole and the 400 surfaces, or an error before sending; slicing to four fails",
        _FIVE,
        openai_refuses(message, code),
        Has("error.code", code),
        seed("stop sequences: do not slice"),
        doc("openapi.json StopConfiguration maxItems 4; error text: continuedev/continue#2461"),
        bug("family limit: QwenLM/Qwen-Agent#808, lm-sys/FastChat#2766"),
        standing=Standing.PROMISED,
        may_refuse=True,
    )


def _send_six() -> Scenario:
    body = {
        "error": {
            "code": 400,
            "message": "Invalid value: the number of stop_sequences must not exceed 5.",
            "status": "INVALID_ARGUMENT",
        }
    }
    return _refused(
        GEMINI,
        "send-stop-6",
        "Six stop strings are asked of an API that takes five; the vendor answers 400 INVALID_ARGUMENT.",
        "six arrive whole and the 400 surfaces, or an error before sending; slicing to five fails",
        (*_FIVE, "----"),
        body,
        Has("error.status", "INVALID_ARGUMENT"),
        doc("GenerationConfig: up to 5; error text: continuedev/continue#2702"),
        standing=Standing.PROMISED,
        may_refuse=True,
    )


def _send_responses() -> Scenario:
    return _answered(
        RESPONSES,
        "send-stop-responses",
        "A stop sequence is asked of the one API that has no such parameter.",
        "an error or a warning; dropped in silence fails",
        ("</answer>",),
        doc("openapi.json CreateResponse: no `stop` among its properties"),
        bug("langchain-ai/langchain#38336"),
        standing=Standing.PROMISED,
        may_refuse=True,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in WITH_STOP:
        yield _answered(
            api,
            "send-stop-list",
            "Two stop strings are asked.",
            "the same two strings in the same order, at the API's place",
            ("END", "\n\nHuman:"),
            seed("stop sequences: four names for one parameter"),
            bug("family stop-ignored: crewAIInc/crewAI#3836, pydantic/pydantic-ai#1927"),
        )
        yield _answered(
            api,
            "send-stop-none",
            "No stop sequence is asked.",
            "the key is absent on the wire",
            None,
            rec("models that refuse `stop` refuse a placeholder as well"),
            doc("sbintuitions/flexeval#218"),
        )
    yield _send_five()
    yield _send_six()
    yield _send_responses()

"""Statuses of OpenAI Responses that are no plain ending: failed, under way, incomplete for other reasons than a cap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from conformance.scenarios.common import RESPONSES, bug, doc, draft, rec, text
from conformance.scenarios.model import BOTH, BUFFERED, STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Has, HasKey, Premise, Reason, Reasons, TextIs
from conformance.vocabulary import Mode, Standing, Stop
from conformance.wire.sse import Event

_STATUS = "openai==3.57.0 types/responses/response_status.py"
_DETAILS = "openai==3.57.0 types/responses/response.py IncompleteDetails"
_BACKGROUND: Mapping[str, Any] = {"background": True, "usage": None}
_PIECES = ("The bridge opens ", "at eight, ", "unless the wind")
_ASK = Ask("When does the bridge open?", max_tokens=200)


def _failed() -> Iterator[Scenario]:
    slug = "resp-failed"
    yield Scenario(
        RESPONSES,
        slug,
        "Generation failed: status `failed` with an error object; a stream ends in `response.failed`.",
        "an error",
        Ask("When does the ferry leave?", max_tokens=200),
        Wire(draft(RESPONSES, slug, "failed", text("The ferry"))),
        (Reason("failed"),),
        (
            doc("openai==3.57.0 types/responses/response_error.py, response_failed_event.py"),
            bug("BerriAI/litellm#29223, pydantic/pydantic-ai#7911, vinhnx/VTCode#731"),
        ),
        standing=Standing.PROMISED,
    )
    slug = "resp-failed-after-error"
    error = {
        "type": "insufficient_quota",
        "code": "insufficient_quota",
        "message": "The quota of this organisation is used up.",
        "param": None,
    }
    told = {"code": error["code"], "message": error["message"]}
    yield Scenario(
        RESPONSES,
        slug,
        "Two events tell one failure: an `error` event with the error nested in it, then `response.failed`.",
        "an error, once",
        _ASK,
        Wire(draft(RESPONSES, slug, "failed", extra={"error": told}), events=lambda events: _announced(events, error)),
        (Reason("failed"), HasKey("error.message"), Has("error.code", "insufficient_quota")),
        (
            rec("1 stream among the fixtures of vercel/ai; its origin is not proven"),
            bug("brekkylab/ailoy#434 met the nested form live; langchain-ai/langchain#39039 lost both events"),
        ),
        modes=STREAMED,
    )


def _announced(events: list[Event], error: Mapping[str, Any]) -> list[Event]:
    """Put an `error` event before the last one, and count on."""
    *begun, final = events
    number = final.data["sequence_number"]
    data = {"type": "error", "sequence_number": number, "error": dict(error)}
    return [*begun, Event("error", data), Event(final.name, {**final.data, "sequence_number": number + 1})]


class _Row(NamedTuple):
    """One status, or one reason of `incomplete`."""

    suffix: str
    reason: str
    claim: str
    right: str
    pieces: tuple[str, ...] = ()
    extra: Mapping[str, Any] = {}
    modes: tuple[Mode, ...] = BOTH
    accepts: frozenset[Stop] = frozenset()
    accepts_why: str = ""
    evidence: tuple[Evidence, ...] = ()


_WAITS = "a background response is to be asked for again, which is what `continue` tells"

_ROWS = (
    _Row(
        "cancelled",
        "cancelled",
        "A response in the background was cancelled: status `cancelled`, no output.",
        "unknown or an error; never complete",
        extra=_BACKGROUND,
        modes=BUFFERED,
        accepts=frozenset({Stop.FAILED}),
        accepts_why="it was given up, and there is no answer to wait for",
        evidence=(doc(_STATUS),),
    ),
    _Row(
        "queued",
        "queued",
        "A response in the background has not begun: status `queued`, no output.",
        "unknown or an error; never complete",
        extra=_BACKGROUND,
        modes=BUFFERED,
        accepts=frozenset({Stop.CONTINUE}),
        accepts_why=_WAITS,
        evidence=(rec("`queued` in 3 background replies"), doc(_STATUS)),
    ),
    _Row(
        "in-progress",
        "in_progress",
        "A response in the background is not done: status `in_progress`, no output.",
        "unknown or an error; never complete",
        extra=_BACKGROUND,
        modes=BUFFERED,
        accepts=frozenset({Stop.CONTINUE}),
        accepts_why=_WAITS,
        evidence=(doc(_STATUS),),
    ),
    _Row(
        "max-messages",
        "incomplete/max_messages",
        "status `incomplete` with the reason `max_messages`.",
        "truncated or unknown; never complete",
        pieces=_PIECES,
        accepts=frozenset({Stop.UNKNOWN}),
        accepts_why="no document says what the reason means; only its name is that of a cap",
        evidence=(doc(_DETAILS),),
    ),
    _Row(
        "steered",
        "incomplete/steered",
        "status `incomplete` with the reason `steered`: the client steered, and a successor follows.",
        "unknown or truncated; never complete",
        pieces=_PIECES,
        accepts=frozenset({Stop.TRUNCATED}),
        accepts_why="the status says that the answer is not whole, whatever stopped it",
        evidence=(doc(_DETAILS),),
    ),
    _Row(
        "null-details",
        "incomplete",
        "status `incomplete`, and incomplete_details is null.",
        "unknown or truncated; never complete",
        pieces=_PIECES,
        accepts=frozenset({Stop.TRUNCATED}),
        accepts_why="it may have been a cap or a filter; the status says that the answer is not whole",
        evidence=(
            doc("openai==3.57.0 types/responses/response.py: incomplete_details is optional"),
            bug("BerriAI/litellm#40833 writes it"),
        ),
    ),
)


def _other(row: _Row) -> Scenario:
    slug = f"resp-other-status-{row.suffix}"
    status, _, detail = row.reason.partition("/")
    blocks = [text(*row.pieces)] if row.pieces else []
    reasons: Premise = Reasons((status, detail) if detail else (status,))
    observed = any(item.kind == "rec" for item in row.evidence)
    return Scenario(
        RESPONSES,
        slug,
        row.claim,
        row.right,
        _ASK,
        Wire(draft(RESPONSES, slug, row.reason, *blocks, extra=row.extra)),
        (reasons, TextIs("".join(row.pieces))),
        row.evidence,
        modes=row.modes,
        standing=Standing.OBSERVED if observed else Standing.PROMISED,
        accepts=row.accepts,
        accepts_why=row.accepts_why,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield from _failed()
    for row in _ROWS:
        yield _other(row)

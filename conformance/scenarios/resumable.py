"""Endings that ask to be invoked again: pause_turn, compaction, CONTINUATION. No cap and no block."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.contract import Usage
from conformance.scenarios.common import ANTHROPIC, GEMINI, bug, doc, draft, rec, seed, text
from conformance.scenarios.model import Ask, Scenario, Wire
from conformance.scenarios.premises import Bytes, LacksKey, Reason, TextIs
from conformance.vocabulary import Standing
from conformance.wire.draft import Raw


def _pause_turn() -> Scenario:
    search = {"type": "server_tool_use", "id": "srvtoolu_01QvK9wZp3nBxT6mRd8sYh", "name": "web_search"}
    query = {"query": "ferry timetable winter"}
    block = Raw(
        {**search, "input": query},
        {**search, "input": {}},
        (
            {"type": "input_json_delta", "partial_json": '{"query": "ferry'},
            {"type": "input_json_delta", "partial_json": ' timetable winter"}'},
        ),
    )
    return Scenario(
        ANTHROPIC,
        "pause-turn",
        "Server tools hit their limit: stop_reason `pause_turn`, the last block a server_tool_use without result.",
        "continue; never complete",
        Ask("Search for the winter timetable.", max_tokens=400),
        Wire(draft(ANTHROPIC, "pause-turn", "pause_turn", text("I will look ", "that up."), block)),
        (Reason("pause_turn"),),
        (
            rec("2 recordings"),
            seed("finish reasons: pause_turn will actively break a naive mapper"),
            bug("vercel/ai#8422, pydantic/pydantic-ai#3661, dust-tt/dust#28390"),
        ),
    )


def _compaction() -> Scenario:
    slug = "compaction"
    summary = "The user plans a walk over the dunes and has packed for rain. Open: which train to take back."
    block = Raw(
        {"type": "compaction", "content": summary},
        {"type": "compaction", "content": None},
        ({"type": "compaction_delta", "content": summary},),
    )
    return Scenario(
        ANTHROPIC,
        slug,
        "The context was compacted and generation paused: stop_reason `compaction`, one compaction block, no text.",
        "continue, empty text; never complete, and the summary is no answer",
        Ask("And which train do I take back?", max_tokens=400),
        Wire(draft(ANTHROPIC, slug, "compaction", block, usage=Usage(0, 0))),
        (Reason("compaction"), TextIs(""), Bytes(b'"compaction","content":')),
        (
            rec("1 buffered recording; the block streamed once, in a reply that went on"),
            doc("anthropic==2.14.0 types/beta/beta_stop_reason.py, beta_compaction_content_block_delta.py"),
            bug("UKGovernmentBEIS/inspect_ai#5061"),
        ),
    )


def _continuation() -> Scenario:
    slug = "continuation"
    pieces = ("Act one. ", "The lights come up on an empty station. ", "A porter")
    return Scenario(
        GEMINI,
        slug,
        "The limit of one request is reached and the answer is not: `CONTINUATION`, to be asked for again.",
        "continue; never complete",
        Ask("Write the whole play.", max_tokens=60_000),
        Wire(draft(GEMINI, slug, "CONTINUATION", text(*pieces))),
        # With a token beside it the official SDK asks again by itself; what is told here is the reason alone.
        (Reason("CONTINUATION"), TextIs("".join(pieces)), LacksKey("candidates[].continuationToken")),
        (doc("google-genai==3.6.1 types.py FinishReason.CONTINUATION; Candidate.continuation_token is optional"),),
        standing=Standing.PROMISED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield _pause_turn()
    yield _compaction()
    yield _continuation()

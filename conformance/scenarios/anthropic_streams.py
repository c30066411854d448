"""Streams that only Anthropic Messages has (section C). Of several APIs: `streams`; tool arguments: `tool_streams`."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.scenarios.common import ANTHROPIC, WEATHER, bug, call, doc, draft, rec, seed, text
from conformance.scenarios.edits import first_of, put, spaced
from conformance.scenarios.model import STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Bytes, Has, HasKey, LacksKey, Matched, Reason, TextIs, Types
from conformance.scenarios.premises_order import At, Sends, Values
from conformance.scenarios.premises_text import HasText
from conformance.scenarios.streams import ASK, PIECES, VERSIONING
from conformance.vocabulary import Standing
from conformance.wire.draft import Raw, mint
from conformance.wire.sse import Event

_TEXT = "".join(PIECES)
_STOP = {"type": "message_stop"}


def _pinged(events: list[Event]) -> list[Event]:
    ping = Event("ping", {"type": "ping"})
    delta, closed = first_of(events, "content_block_delta"), first_of(events, "content_block_stop")
    return put(events, (1, ping), (delta, ping), (delta + 1, ping), (closed, ping), (closed + 1, ping))


def _ping() -> Scenario:
    slug = "ping"
    return Scenario(
        ANTHROPIC,
        slug,
        "`ping` events come between the others.",
        "unchanged",
        ASK,
        Wire(draft(ANTHROPIC, slug, "end_turn", text(*PIECES)), events=_pinged),
        (
            Has("type", "ping"),
            HasText(),
        ),
        (
            rec("443 pings in 484 streams: after a block's start or stop, between deltas, before message_delta"),
            doc("platform.claude.com/docs/en/build-with-claude/streaming: any number of pings, anywhere"),
            bug("family unknown-event: vercel/ai#383, Wei-Shaw/sub2api#7097"),
        ),
        modes=STREAMED,
        tolerates="ping events",
    )


def _padding() -> Scenario:
    slug = "padding"
    return Scenario(
        ANTHROPIC,
        slug,
        "Each frame has a random number of spaces before its last brace.",
        "unchanged",
        ASK,
        Wire(
            draft(ANTHROPIC, slug, "end_turn", text(*PIECES)),
            events=lambda events: [spaced(event, 3 + 7 * place % 15) for place, event in enumerate(events)],
        ),
        (Reason("end_turn"), HasText(), Bytes(b'"message_stop"   ')),
        (rec("191 of 191 dated streams of api.anthropic.com"),),
        modes=STREAMED,
        tolerates="spaces inside the JSON of a frame",
    )


def _twice(events: list[Event]) -> list[Event]:
    *before, delta, stop = events
    again = {**delta.data, "delta": {"stop_reason": None, "stop_sequence": None}}
    return [*before, delta, Event("message_delta", again), stop]


def _message_delta_twice() -> Scenario:
    slug = "message-delta-twice"
    return Scenario(
        ANTHROPIC,
        slug,
        "A second message_delta follows, whose stop_reason is null.",
        "the first reason stays",
        ASK,
        Wire(draft(ANTHROPIC, slug, "end_turn", text(*PIECES)), events=_twice),
        (Values("delta.stop_reason", ("end_turn", None)), TextIs(_TEXT)),
        (
            doc("platform.claude.com/docs/en/build-with-claude/streaming: one or more message_delta events"),
            doc("anthropic==2.14.0 types/raw_message_delta_event.py: stop_reason may be null"),
            bug("anthropics/anthropic-sdk-python#1940, anthropics/anthropic-sdk-typescript#1204"),
        ),
        modes=STREAMED,
        # The grammar and the types allow it; no stream with two has been recorded.
        standing=Standing.PERMITTED,
        tolerates="a second message_delta without a reason",
    )


def _unknown_block() -> Scenario:
    slug = "unknown-block"
    return Scenario(
        ANTHROPIC,
        slug,
        "Between two text blocks stands a content block of a type that nobody knows.",
        "the text of the known blocks is whole, no crash",
        ASK,
        Wire(
            draft(
                ANTHROPIC,
                slug,
                "end_turn",
                text(*PIECES[:1]),
                Raw({"type": "storyboard", "panels": [{"caption": "ebb"}, {"caption": "flood"}]}),
                text(*PIECES[1:]),
            )
        ),
        (Reason("end_turn"), TextIs(_TEXT), Bytes(b'"storyboard"')),
        (VERSIONING, bug("family unknown-event: UKGovernmentBEIS/inspect_ai#5061")),
        standing=Standing.PERMITTED,
        tolerates="a content block of an unknown type",
    )


def _unknown_delta() -> Scenario:
    slug = "unknown-delta"
    delta = {"type": "emphasis_delta", "emphasis": {"start": 0, "end": 8}}
    event = Event("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta})
    return Scenario(
        ANTHROPIC,
        slug,
        "Between the text deltas comes one of a type that nobody knows.",
        "the text is whole, no crash",
        ASK,
        Wire(
            draft(ANTHROPIC, slug, "end_turn", text(*PIECES)),
            events=lambda events: put(events, (first_of(events, "content_block_delta") + 1, event)),
        ),
        (Reason("end_turn"), TextIs(_TEXT), Has("delta.type", "emphasis_delta")),
        (VERSIONING, bug("family unknown-event: UKGovernmentBEIS/inspect_ai#5061, where compaction_delta was new")),
        modes=STREAMED,
        standing=Standing.PERMITTED,
        tolerates="a delta of an unknown type",
    )


def _nested() -> Scenario:
    slug = "nested-stop-reason"
    asked = mint("srvtoolu_01", f"{ANTHROPIC}/{slug}", 22)
    advice = {"type": "advisor_result", "text": "Mind the spring tide.", "stop_reason": "end_turn"}
    pieces = ("Tie the boat ", "with a long line, ", "and leave")
    return Scenario(
        ANTHROPIC,
        slug,
        "The result of a server tool has a stop_reason of its own inside; the message's is another.",
        "truncated: the message's own reason, not the nested one",
        Ask("How do I moor here?", max_tokens=60),
        Wire(
            draft(
                ANTHROPIC,
                slug,
                "max_tokens",
                Raw({"type": "server_tool_use", "id": asked, "name": "advisor", "input": {}}),
                Raw({"type": "advisor_tool_result", "tool_use_id": asked, "content": advice}),
                text(*pieces),
            )
        ),
        (Reason("max_tokens"), TextIs("".join(pieces)), Bytes(b'"stop_reason":"end_turn"')),
        (
            rec("1 stream whose advisor_tool_result holds `stop_reason: end_turn`"),
            doc("anthropic==2.14.0 types/beta/beta_advisor_result_block.py"),
        ),
    )


def _in_start() -> Scenario:
    slug = "stop-reason-in-start"
    caller = {"type": "code_execution_20250825", "tool_id": mint("srvtoolu_01", f"{ANTHROPIC}/{slug}", 22)}
    container = {"id": mint("container_01", slug, 22), "expires_at": "2026-11-29T12:00:00Z"}

    def edit(events: list[Event]) -> list[Event]:
        message = {**events[0].data["message"], "usage": {"input_tokens": 0, "output_tokens": 0}}
        block = {**events[1].data["content_block"], "input": {"city": "Lisbon"}, "caller": caller}
        message |= {"content": [block], "stop_reason": "tool_use", "container": container}
        return [Event("message_start", {"type": "message_start", "message": message}), events[-1]]

    return Scenario(
        ANTHROPIC,
        slug,
        "Programmatic tool calling: message_start holds the whole call and the reason; message_stop follows at once.",
        "tool_call, with name and arguments",
        Ask("How warm is it in Lisbon?", max_tokens=200, tools=(WEATHER,)),
        Wire(draft(ANTHROPIC, slug, "tool_use", call("get_weather", '{"city": "Lisbon"}')), events=edit),
        (
            Has("message.stop_reason", "tool_use"),
            Has("message.content[].name", "get_weather"),
            LacksKey("delta.stop_reason"),
            Types(("message_start", "message_stop")),
        ),
        (rec("13 messages in one stream that vercel/ai keeps as a fixture, 2025-12"),),
        modes=STREAMED,
        # Seen in one fixture, and after requests with server tools, which the suite does not send.
        standing=Standing.PERMITTED,
    )


def _bare_stop() -> Scenario:
    slug = "message-stop-bare"
    return Scenario(
        ANTHROPIC,
        slug,
        "message_stop carries nothing but its type; the reason, `max_tokens`, stands on message_delta before it.",
        "truncated: the reason of message_delta",
        Ask("When is low tide?", max_tokens=8),
        Wire(draft(ANTHROPIC, slug, "max_tokens", text(*PIECES[:2]))),
        (
            Values("delta.stop_reason", ("max_tokens",)),
            HasText(),
            Sends(_STOP),
            At(-1, Has("type", "message_stop")),
        ),
        (
            rec("403 of 403 streams of api.anthropic.com"),
            seed("stop sequences on Claude: the reason is on message_delta"),
            bug("family no-counterpart-reason: camel-ai/camel#4210"),
        ),
        modes=STREAMED,
    )


def _bedrock() -> Scenario:
    slug = "message-stop-bedrock-metrics"
    key = "amazon-bedrock-invocationMetrics"
    metrics = {"inputTokenCount": 21, "outputTokenCount": 19, "invocationLatency": 846, "firstByteLatency": 312}
    pieces = ("<answer>", "Low tide is at noon.")

    def edit(events: list[Event]) -> list[Event]:
        return [*events[:-1], Event("message_stop", {**_STOP, key: metrics})]

    return Scenario(
        ANTHROPIC,
        slug,
        "message_stop carries the metrics of Bedrock beside its type.",
        "unchanged: the reason and the matched string of message_delta",
        Ask("When is low tide? Answer inside <answer> tags.", stop=("</answer>",), max_tokens=200),
        Wire(
            draft(ANTHROPIC, slug, "stop_sequence", text(*pieces), stop_sequence="</answer>"),
            events=edit,
        ),
        (Reason("stop_sequence"), Matched("</answer>"), TextIs("".join(pieces)), HasKey(f"{key}.outputTokenCount")),
        (rec("36 of 36 Messages streams through Bedrock, there in AWS frames"), VERSIONING),
        modes=STREAMED,
        standing=Standing.PROMISED,
        tolerates="more keys on message_stop",
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    yield _ping()
    yield _padding()
    yield _message_delta_twice()
    yield _unknown_block()
    yield _unknown_delta()
    yield _nested()
    yield _in_start()
    yield _bare_stop()
    yield _bedrock()

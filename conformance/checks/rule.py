"""The table of rules: ids and severities as adapter authors know them. What each does: the theme modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from conformance.checks.finding import Finding
from conformance.vocabulary import Gap, Severity, Verdict

_MUST, _SHOULD = Severity.MUST, Severity.SHOULD


class Rule(NamedTuple):
    """A rule's severity, its sentence, and the declared gap that covers it."""

    severity: Severity
    text: str
    gap: Gap | None = None


RULES: Mapping[str, Rule] = {
    "request.stop-whole": Rule(
        _MUST,
        "Every stop string arrives on the wire, in order, at the API's place and type; or the adapter raises or warns "
        "and sends nothing of the kind. Never sliced, never dropped in silence.",
    ),
    "request.stop-absent": Rule(_MUST, "No stop asked, no key on the wire."),
    "request.max-tokens": Rule(_MUST, "The cap on output tokens arrives as asked, at the API's place."),
    "request.tools": Rule(_MUST, "Every declared tool arrives by its name, and no other."),
    "request.count": Rule(_SHOULD, "One call makes one request."),
    "request.key-kept": Rule(_MUST, "A redirect to another host is not followed, or the key is not sent there."),
    "text.exact": Rule(
        _MUST,
        "The text equals the snapshot: match trimmed, white space before it kept, nothing lost, nothing re-appended.",
    ),
    "text.stream-agrees": Rule(
        _MUST,
        "Joined deltas equal the accumulated object, and streamed equals buffered for the same ending.",
    ),
    "reason.class": Rule(_MUST, "The ending is not misleading."),
    "reason.exact": Rule(
        _SHOULD, "The class equals the snapshot's wherever the adapter's vocabulary has a member for it."
    ),
    "reason.agrees-with-content": Rule(_SHOULD, "A vocabulary that has a member for tool calls or refusals uses it."),
    "reason.raw-kept": Rule(_SHOULD, "The provider's own value is reachable.", Gap.RAW_REASON),
    "reason.once": Rule(_MUST, "One terminal reason a stream, none before the end of content."),
    "stop.which": Rule(_SHOULD, "The matched string is reachable where the wire names it.", Gap.STOP_SEQUENCE),
    "stop.not-invented": Rule(_MUST, "No matched string where the wire names none."),
    "tool.calls": Rule(_MUST, "Names, ids and arguments of tool calls equal the snapshot."),
    "tool.cut-not-repaired": Rule(
        _MUST, "Arguments that the wire shows cut are never handed out as a valid, complete call."
    ),
    "error.surfaces": Rule(
        _MUST, "An HTTP error, or an error inside a stream after HTTP 200, reaches the caller as an error."
    ),
    "error.kept": Rule(
        _SHOULD,
        "The provider's status (the number, or its name for the error) and message can be read off the error.",
    ),
    "error.deliberate": Rule(
        _SHOULD,
        "The error is of the adapter's or its SDK's own kind, not a KeyError or a bare transport error.",
    ),
    "cut.not-complete": Rule(_MUST, "A stream that ends without its terminal frame is not complete."),
    "cut.raises": Rule(_SHOULD, "A stream that ends without its terminal frame ends in an error."),
    "stream.tolerant": Rule(_MUST, "Unknown events, pings, comments, padding and new fields change nothing."),
    "stream.chunking": Rule(_MUST, "The Reply is the same however the bytes are cut."),
    "stream.incremental": Rule(
        _SHOULD,
        "Parts arrive while the wire is still open; no more text is kept back than may become a stop string.",
    ),
    "shape.grammar": Rule(
        _MUST,
        "A stream in another API's shape keeps the order that its clients lean on: the reason after all content, "
        "blocks that open and close, one terminal event and nothing after it.",
    ),
    "shape.idiom": Rule(
        _SHOULD,
        "A stream in another API's shape looks like that vendor's own: the reason on an event without content, "
        "the role first, usage last.",
    ),
    "usage.reported": Rule(_SHOULD, "Output tokens equal the wire's.", Gap.USAGE),
    "limits.terminates": Rule(_MUST, "Every call ends within the time limit."),
}
"""Every check by its stable id."""


def found(
    check: str, verdict: Verdict, problem: str, expected: str, observed: str, chunking: str | None = None
) -> Finding:
    """A finding with its rule's severity."""
    return Finding(check, RULES[check].severity, verdict, problem, expected, observed, chunking)

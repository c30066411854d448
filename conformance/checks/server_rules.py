"""The table of rules for servers under test, which generate and match stop strings themselves. Adapters': `rule`.

An id that both tables have means the same of both; the sentences differ, since a server has no snapshot. What a
right server says is known by difference: see conformance/servers/oracle.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.checks.finding import Finding
from conformance.checks.rule import Rule
from conformance.vocabulary import Severity, Verdict

_MUST, _SHOULD = Severity.MUST, Severity.SHOULD

SERVER_RULES: Mapping[str, Rule] = {
    "stop.honoured": Rule(
        _MUST, "Generation ends at the first occurrence of a stop string in the text, wherever tokens begin and end."
    ),
    "stop.earliest": Rule(_MUST, "Of several stop strings the one that comes first in the text ends it, in any order."),
    "stop.trimmed": Rule(_MUST, "Nothing of the matched string is in the text, and no delta of a stream shows any."),
    "stop.whole-list": Rule(
        _MUST, "Every stop string counts, or the list is refused with the API's error. It is never sliced in silence."
    ),
    "stop.not-invented": Rule(
        _MUST, "No string ends the text that is not in it, letter by letter, and none is named that did not match."
    ),
    "stop.which": Rule(_SHOULD, "The reply names the matched string where the API has a place for it."),
    "text.exact": Rule(_MUST, "Everything before the match arrives as it was generated, white space included."),
    "text.stream-agrees": Rule(_MUST, "The joined deltas are the text of the buffered reply, and of the final object."),
    "reason.class": Rule(_MUST, "The reason says what ended the text: a stop string or its natural end, or the cap."),
    "reason.once": Rule(_MUST, "One terminal reason a stream, none before the end of content."),
    "cap.honoured": Rule(
        _MUST, "The cap on output tokens holds under every name that the API documents for it, or is refused."
    ),
    "prompt.whole": Rule(_MUST, "A prompt is answered whole or refused. It is never cut in silence."),
    "calls.independent": Rule(_MUST, "Calls at the same time do not change each other's text, stops or reasons."),
    "shape.grammar": Rule(
        _MUST,
        "A reply is of the API, and a stream keeps the order that its clients lean on: the reason after all content, "
        "blocks that open and close, one terminal event and nothing after it.",
    ),
    "shape.idiom": Rule(_SHOULD, "A stream looks like the vendor's own: the role first, usage last, the end marked."),
    "stream.incremental": Rule(
        _SHOULD, "Text arrives while it is generated; what can no longer become a stop string is not held back."
    ),
    "usage.reported": Rule(_SHOULD, "The reply counts its output tokens."),
    "error.surfaces": Rule(_MUST, "A request that cannot be answered is answered with an error, never with a reply."),
    "error.envelope": Rule(_SHOULD, "An error comes in the API's envelope, so that its clients can read it."),
    "error.status": Rule(_SHOULD, "The HTTP status of an error is the API's: 4xx for what the caller did wrong."),
    "server.survives": Rule(_MUST, "After an error the server still answers."),
    "limits.terminates": Rule(_MUST, "Every call ends within the time limit."),
}
"""Every check of a server by its stable id."""


def server_found(
    check: str, verdict: Verdict, problem: str, expected: str, observed: str, *, severity: Severity | None = None
) -> Finding:
    """A finding with its rule's severity, or a milder one where nobody has promised the wire."""
    return Finding(check, severity or SERVER_RULES[check].severity, verdict, problem, expected, observed)

"""Is the ending told as it was? The rules named reason.* are here."""

from __future__ import annotations

from conformance.checks.case import Case
from conformance.checks.finding import Finding
from conformance.checks.rule import found
from conformance.contract import End, RefusalDelta, Reply, TextDelta, ToolCallDelta
from conformance.vocabulary import Mode, Stop, Verdict

CLAIMS = frozenset({Stop.COMPLETE, Stop.TOOL_CALL, Stop.CONTINUE})
"""Classes on which a caller acts: claimed wrongly, each misleads."""

_BAD_NEWS = frozenset({Stop.TRUNCATED, Stop.BLOCKED, Stop.FAILED})
MUST_ARRIVE = frozenset({Stop.COMPLETE, Stop.TOOL_CALL})
"""Classes of a good reply: an exception in its place is broken."""


def harm(truth: Stop, told: Stop, accepts: frozenset[Stop] = frozenset()) -> Verdict:
    """The order of harm: what it does to a caller to be told one class where the truth is another."""
    if told is truth or told in accepts:
        return Verdict.FAITHFUL
    if told in CLAIMS or (truth is Stop.COMPLETE and told in _BAD_NEWS):
        return Verdict.MISLEADING
    return Verdict.LOUD


def _applies(case: Case) -> bool:
    """Errors and cut streams have checks of their own."""
    return case.truth.error is None and not case.truth.cut and not case.plain.hung and not case.refused


def reason_class(case: Case) -> list[Finding] | None:
    """The ending is not misleading; an exception is an ending too."""
    if not _applies(case):
        return None
    failure = case.plain.failure
    if failure is not None:
        if case.truth.stop not in MUST_ARRIVE or case.scenario.may_raise:
            return []
        return [
            found(
                "reason.class",
                Verdict.BROKEN,
                f"{_what(case)} where the provider sent a good reply",
                f"a reply, {case.truth.stop}",
                failure,
            )
        ]
    reply = case.plain.reply
    if reply is None:
        return None
    told = case.ending(reply)
    if harm(case.truth.stop, told, case.scenario.accepts) is not Verdict.MISLEADING:
        return []
    return [
        found(
            "reason.class",
            Verdict.MISLEADING,
            f"the caller is told `{told}`; the truth is `{case.truth.stop}`",
            f"{case.truth.stop} (wire: {case.truth.raw_reason!r})",
            f"reason {reply.reason!r}, which means {told}",
        )
    ]


def reason_exact(case: Case) -> list[Finding] | None:
    """The class is the snapshot's wherever the vocabulary has a member for it."""
    if _applies(case) and case.plain.failure is not None:
        return _failed_instead(case)
    reply = case.plain.whole
    if not _applies(case) or reply is None:
        return None
    told = case.ending(reply)
    if harm(case.truth.stop, told, case.scenario.accepts) is not Verdict.LOUD:
        return []  # a misleading class is reason.class's finding
    if not case.has_member(case.truth.stop, reply):
        return []
    return [
        found(
            "reason.exact",
            Verdict.LOUD,
            f"told `{told}` although the vocabulary has a value for `{case.truth.stop}`",
            f"{case.truth.stop} (wire: {case.truth.raw_reason!r})",
            f"reason {reply.reason!r}",
        )
    ]


def _what(case: Case) -> str:
    return "an exception" if case.plain.raised is not None else "an error item"


def _failed_instead(case: Case) -> list[Finding]:
    """An error where the vocabulary has a word for the truth: the caller can tell, and has lost the rest."""
    failure = case.plain.failure
    if failure is None or case.scenario.may_raise or case.truth.stop in MUST_ARRIVE:
        return []  # what must arrive and does not is reason.class's finding
    if not case.has_member(case.truth.stop, Reply()):
        return []
    return [
        found(
            "reason.exact",
            Verdict.LOUD,
            f"{_what(case)} although the vocabulary has a value for `{case.truth.stop}`",
            f"{case.truth.stop} (wire: {case.truth.raw_reason!r})",
            failure,
        )
    ]


def agrees_with_content(case: Case) -> list[Finding] | None:
    """A vocabulary that has a member for tool calls or refusals uses it."""
    reply = case.plain.whole
    if not _applies(case) or reply is None or case.truth.stop not in {Stop.TOOL_CALL, Stop.BLOCKED}:
        return None
    if case.same_shape(reply) or case.says(reply) is not Stop.COMPLETE or case.ending(reply) is Stop.COMPLETE:
        return []
    if not case.has_member(case.truth.stop, reply):
        return []
    return [
        found(
            "reason.agrees-with-content",
            Verdict.LOUD,
            "the reason says complete; only the content beside it tells the truth",
            str(case.truth.stop),
            f"reason {reply.reason!r}",
        )
    ]


def raw_kept(case: Case) -> list[Finding] | None:
    """The provider's own value is reachable."""
    reply = case.plain.whole
    raw = case.truth.raw_reason
    if not _applies(case) or reply is None or raw is None:
        return None
    if {reply.raw_reason, reply.reason} & {raw, raw.rpartition("/")[2]}:
        return []
    return [
        found(
            "reason.raw-kept",
            Verdict.LOUD,
            "the provider's own value cannot be reached",
            repr(raw),
            f"raw_reason {reply.raw_reason!r}, reason {reply.reason!r}",
        )
    ]


def once(case: Case) -> list[Finding] | None:
    """One terminal reason a stream, none before the end of content."""
    if case.mode is not Mode.STREAMED or case.plain.hung or not case.plain.parts:
        return None
    parts = case.plain.parts
    places = [n for n, part in enumerate(parts) if isinstance(part, End) and part.reason is not None]
    if not places:
        return None
    shows_wire = case.same_shape(Reply.from_parts(parts))
    allowed = max(1, case.truth.reason_frames) if shows_wire else 1
    if len(places) > allowed:
        return [
            found(
                "reason.once",
                Verdict.MISLEADING,
                "more than one terminal reason",
                f"{allowed}",
                f"{len(places)}: {[getattr(parts[n], 'reason', None) for n in places]}",
            )
        ]
    after = [part for part in parts[places[0] + 1 :] if _is_content(part)]
    if after and not (shows_wire and case.truth.content_after_reason):
        return [
            found(
                "reason.once",
                Verdict.MISLEADING,
                "content comes after the terminal reason",
                "the reason after all content",
                f"{len(after)} content parts after it, the first {after[0]!r}",
            )
        ]
    return []


def _is_content(part: object) -> bool:
    return (isinstance(part, TextDelta | RefusalDelta) and bool(part.text)) or isinstance(part, ToolCallDelta)

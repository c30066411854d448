"""Is the content the wire's? text.exact, text.stream-agrees, stop.*, tool.*, usage.reported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.checks.case import Case, Observation
from conformance.checks.finding import Finding
from conformance.checks.rule import found
from conformance.contract import Reply, ToolCall
from conformance.vocabulary import Mode, Severity, Stop, Verdict
from conformance.wire import Reading, WireCall
from conformance.wire.reading import is_json_object


def _reply(case: Case) -> Reply | None:
    """The reply to judge; none where an exception, a hang or an error of the provider took its place."""
    return None if case.truth.error is not None else case.plain.whole


def text_exact(case: Case) -> list[Finding] | None:
    """The text equals the snapshot's."""
    reply = _reply(case)
    if reply is None:
        return None
    if reply.text == case.truth.text:
        return []
    if _withheld(case, reply) or _refused_in_words(case, reply):
        withheld = "the text before the block is withheld"
        told = found(
            "text.exact",
            Verdict.LOUD,
            "the refusal is handed out as text" if reply.text else withheld,
            repr(case.truth.text),
            repr(reply.text),
        )
        return [replace(told, severity=Severity.SHOULD)]
    return [
        found(
            "text.exact",
            Verdict.MISLEADING,
            _difference(case, reply.text),
            repr(case.truth.text),
            repr(reply.text),
        )
    ]


def _withheld(case: Case, reply: Reply) -> bool:
    """Who is told that an answer was blocked is not misled by its text being kept back; one vendor asks for it."""
    return case.truth.stop is Stop.BLOCKED and case.ending(reply) is Stop.BLOCKED and not reply.text


def _refused_in_words(case: Case, reply: Reply) -> bool:
    """Who is told that the model refused may read the refusal where the text is, if the library has no other place."""
    told = case.ending(reply) is Stop.BLOCKED and not reply.refusal
    return told and bool(case.truth.refusal) and reply.text == case.truth.text + case.truth.refusal


def _difference(case: Case, text: str) -> str:
    truth, which = case.truth.text, case.truth.stop_sequence
    if which and text == truth + which:
        return "the matched stop string is re-appended"
    if truth.startswith(text):
        lost = len(truth) - len(text)
        return (
            "white space at the end is lost" if not truth[len(text) :].strip() else f"the last {lost} characters lost"
        )
    if text.startswith(truth):
        return f"{len(text) - len(truth)} characters added that the wire does not have"
    return "the text is not what the wire says"


def stream_agrees(case: Case) -> list[Finding] | None:
    """Joined deltas equal the accumulated object, and streamed equals buffered for the same ending."""
    reply = _reply(case)
    if case.mode is not Mode.STREAMED or reply is None:
        return None
    pairs: list[tuple[str, Reply, bool]] = []
    if case.plain.final is not None:
        pairs.append(("the accumulated object", case.plain.final, True))
    if case.other is not None and case.other[0].whole is not None and case.other[1].stop is case.truth.stop:
        # Two recordings of one behaviour share the ending, and not the words.
        words = _same_truth(case.truth, case.other[1]) and not _both_astray(case, reply, case.other)
        pairs.append(("the buffered reply", case.other[0].whole, words))
    if not pairs:
        return None
    return [
        _disagree(field, f"streamed: {ours!r}", name, f"{name}: {theirs!r}", loud=Stop.UNKNOWN in (ours, theirs))
        for name, other, words in pairs
        for field, ours, theirs in _differences(case, reply, other, words=words)
    ]


def _both_astray(case: Case, reply: Reply, other: tuple[Observation, Reading]) -> bool:
    """Whether neither mode has the wire's text: text.exact has it twice, and recordings differ in what is no text."""
    whole = other[0].whole
    return reply.text != case.truth.text and whole is not None and whole.text != other[1].text


def _disagree(field: str, ours: str, name: str, theirs: str, *, loud: bool) -> Finding:
    """A finding; where one side gives no reason at all the caller can tell, so that it misleads nobody."""
    problem = f"{field} of the stream and of {name} differ"
    told = found("text.stream-agrees", Verdict.LOUD if loud else Verdict.MISLEADING, problem, theirs, ours)
    return replace(told, severity=Severity.SHOULD) if loud else told


def _same_truth(one: Reading, two: Reading) -> bool:
    """Whether the wire says the same in both modes; two recordings of one behaviour differ in their words."""
    same = (one.stop, one.text, one.stop_sequence, one.refusal) == (two.stop, two.text, two.stop_sequence, two.refusal)
    if not all(call.whole for call in (*one.tool_calls, *two.tool_calls)):
        return same
    return same and _said(one.tool_calls) == _said(two.tool_calls)


def _said(calls_: tuple[WireCall, ...]) -> list[tuple[str, Any]]:
    return [(call.name, _parsed(call.arguments)) for call in calls_]


def _differences(case: Case, one: Reply, two: Reply, *, words: bool) -> list[tuple[str, Any, Any]]:
    fields: list[tuple[str, Any, Any]] = []
    if words and not (_withheld(case, one) or _withheld(case, two)):
        fields.append(("the text", one.text, two.text))
    fields.append(("the class", str(case.ending(one)), str(case.ending(two))))
    if words:
        fields.append(("the matched string", one.stop_sequence, two.stop_sequence))
    if words and all(call.whole for call in case.truth.tool_calls):  # a cut call is tool.cut-not-repaired's business
        fields.append(("the tool calls", _plain(one.tool_calls), _plain(two.tool_calls)))
    return [field for field in fields if field[1] != field[2]]


def _plain(calls: tuple[ToolCall, ...]) -> list[tuple[str, Any]]:
    # No arguments come as empty text or as {}, whichever the wire and the library's accumulator like.
    return [(call.name, _parsed(call.arguments or "{}")) for call in calls]


def which(case: Case) -> list[Finding] | None:
    """The matched string is reachable where the wire names it."""
    reply = _reply(case)
    if reply is None or case.truth.stop_sequence is None:
        return None
    if reply.stop_sequence:
        return []  # a wrong one is stop.not-invented's finding
    return [
        found(
            "stop.which",
            Verdict.LOUD,
            "the matched stop string cannot be reached",
            repr(case.truth.stop_sequence),
            "None",
        )
    ]


def not_invented(case: Case) -> list[Finding] | None:
    """No matched string where the wire names none, and no other than the one it names."""
    reply = _reply(case)
    if reply is None:
        return None
    if not reply.stop_sequence or reply.stop_sequence == case.truth.stop_sequence:
        return []
    return [
        found(
            "stop.not-invented",
            Verdict.MISLEADING,
            "a matched stop string that the wire does not bear out",
            repr(case.truth.stop_sequence),
            repr(reply.stop_sequence),
        )
    ]


def calls(case: Case) -> list[Finding] | None:
    """Names, ids and arguments equal the snapshot's. Cut calls are judged by tool.cut-not-repaired."""
    reply = _reply(case)
    if reply is None or not (case.truth.tool_calls or reply.tool_calls):
        return None
    if any(call.whole is not True for call in case.truth.tool_calls):
        return _whole_beside_cut(case, reply)
    if case.truth.stop is not Stop.TOOL_CALL and not reply.tool_calls:
        return []  # to withhold a call that is not to be run is right
    if len(reply.tool_calls) != len(case.truth.tool_calls):
        return [
            found(
                "tool.calls",
                Verdict.MISLEADING,
                "not as many tool calls as on the wire",
                _names(case.truth.tool_calls),
                _names(reply.tool_calls),
            )
        ]
    return [
        found("tool.calls", Verdict.MISLEADING, "a tool call differs from the wire's", repr(wire), repr(got))
        for wire, got in zip(case.truth.tool_calls, reply.tool_calls, strict=True)
        if not _same_call(wire, got)
    ]


def _whole_beside_cut(case: Case, reply: Reply) -> list[Finding] | None:
    """Whole calls beside a cut one, found by id: to leave them out is honest, to change them is not."""
    pairs = [
        (wire, got)
        for wire in case.truth.tool_calls
        for got in reply.tool_calls
        if wire.whole and wire.id is not None and wire.id == got.id
    ]
    if not pairs:
        return None
    return [
        found("tool.calls", Verdict.MISLEADING, "a tool call differs from the wire's", repr(wire), repr(got))
        for wire, got in pairs
        if not _same_call(wire, got)
    ]


def _names(calls_: tuple[WireCall, ...] | tuple[ToolCall, ...]) -> str:
    return f"{len(calls_)}: {', '.join(call.name for call in calls_)}"


def _same_call(wire: WireCall, got: ToolCall) -> bool:
    """Ids are compared where the wire sends one; empty text counts as {} only where the wire sent empty text."""
    if wire.name != got.name or not _same_id(wire.id, got.id):
        return False
    if wire.arguments == "":
        return got.arguments in ("", "{}") or got.arguments == {}
    return bool(_parsed(got.arguments) == _parsed(wire.arguments))


def _same_id(wire: str | None, got: str | None) -> bool:
    """An id is an opaque handle: an adapter may add to it what it needs to find its way back."""
    return wire is None or (got is not None and got.startswith(wire))


def _parsed(arguments: str | Mapping[str, Any]) -> Any:
    if not isinstance(arguments, str):
        return dict(arguments)
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def cut_not_repaired(case: Case) -> list[Finding] | None:
    """Arguments that the wire shows cut are never handed out as a valid, complete call.

    Where the wire itself sends a cut call as an object (Anthropic and Gemini buffered), passing the object
    on is no repair: there the honest reason beside it is all that anyone can know.
    """
    reply = _reply(case)
    cut = [call for call in case.truth.tool_calls if call.whole is False]
    if reply is None or not cut:
        return None
    return [
        _repaired(case, call, got)
        for replies in (reply, *((case.plain.final,) if case.plain.final else ()))
        for call in cut
        for got in _handed_out(call, case.truth.tool_calls, replies.tool_calls)
        if not isinstance(got.arguments, str) or is_json_object(got.arguments)
    ]


def _repaired(case: Case, cut: WireCall, got: ToolCall) -> Finding:
    """What is found of a cut call that came as an object.

    Where the cut text stands in it whole, under a name that no parameter of the tool has, nothing is made up: the
    caller can tell, and a tool that looks at its arguments refuses them.
    """
    arguments = got.arguments if isinstance(got.arguments, Mapping) else json.loads(got.arguments)
    tool = next((tool for tool in case.scenario.ask.tools if tool.name == got.name), None)
    known = tool.parameters.get("properties", {}) if tool is not None else {}
    wrapped = any(value == cut.arguments and name not in known for name, value in arguments.items())
    finding = found(
        "tool.cut-not-repaired",
        Verdict.LOUD if wrapped else Verdict.MISLEADING,
        f"a tool call that was cut is handed out {'in a wrapper' if wrapped else 'as a valid one'}",
        f"{cut.name} with the cut text {cut.arguments!r}, or not at all",
        f"{got.name} with {got.arguments!r}",
    )
    return replace(finding, severity=Severity.SHOULD) if wrapped else finding


def _handed_out(cut: WireCall, truth: tuple[WireCall, ...], got: tuple[ToolCall, ...]) -> list[ToolCall]:
    """What an adapter made of one cut call: told by its id, or else by its name and by being none of the whole ones."""
    by_id = [call for call in got if cut.id is not None and call.id == cut.id]
    if by_id:
        return by_id
    known = {call.id for call in truth if call.id is not None}
    whole = [call for call in truth if call.whole]
    return [
        call
        for call in got
        if call.name == cut.name and call.id not in known and not any(_same_call(other, call) for other in whole)
    ]


def usage(case: Case) -> list[Finding] | None:
    """Output tokens equal the wire's."""
    reply = _reply(case)
    if reply is None or case.truth.usage is None or case.truth.usage.output_tokens is None:
        return None
    told = reply.usage.output_tokens if reply.usage else None
    # Where the wire counts thinking apart, an adapter may add it up or leave it apart.
    if told in {
        case.truth.usage.output_tokens,
        case.truth.usage.output_tokens + (case.truth.usage.thinking_tokens or 0),
    }:
        return []
    return [
        found(
            "usage.reported",
            Verdict.LOUD,
            "output tokens are not reported" if told is None else "output tokens differ from the wire's",
            str(case.truth.usage.output_tokens),
            str(told),
        )
    ]

"""A scenario explained: what the wire does, what a right adapter reports, on what evidence. No verdict on anybody."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.corpus import manifest, snapshot
from conformance.report.text import wire_excerpt
from conformance.scenarios import Scenario
from conformance.vocabulary import Mode
from conformance.wire import Reading


def explain(told: Scenario) -> str:
    """The whole explanation as text.

    Raises:
        BrokenSnapshot: its snapshot cannot be read.
        BrokenCassette: the manifest cannot be read.
    """
    return "\n".join(_lines(told))


def _lines(told: Scenario) -> Iterator[str]:
    yield told.id
    yield f"  the wire: {told.claim}"
    yield f"  right:    {told.right}"
    yield f"  standing  {told.standing}"
    yield from _asked(told)
    if told.accepts:
        yield f"  accepted  also {', '.join(sorted(told.accepts))}: {told.accepts_why}"
    if told.may_refuse:
        yield "  accepted  also an error before anything is sent"
    if told.may_raise:
        yield "  accepted  also an error"
    if told.tolerates:
        yield f"  tolerates {told.tolerates}"
    if told.fault:
        yield f"  fault     {told.fault.kind}, applied on delivery"
    for premise in told.premise:
        yield f"  premise   {premise.says}"
    for item in told.evidence:
        yield f"  evidence  {item.kind}: {item.source}"
    for mode in told.modes:
        origin = manifest()[f"{told.id}:{mode}"]
        yield ""
        yield f"  {mode}: {origin.provenance}, {origin.source}"
        yield from (f"    {line}" for line in _reading(snapshot(told.id)[mode]))
        yield from wire_excerpt(told, mode)


def _asked(told: Scenario) -> Iterator[str]:
    ask = told.ask
    yield f"  asked     {ask.prompt!r} of {told.model}"
    if ask.stop is not None:
        yield f"            stop {ask.stop!r}{' at construction' if ask.at_construction else ''}"
    if ask.max_tokens is not None:
        yield f"            at most {ask.max_tokens} tokens"
    if ask.tools:
        forced = f", {ask.tool_choice} forced" if ask.tool_choice else ""
        yield f"            tools {', '.join(tool.name for tool in ask.tools)}{forced}"


def _reading(reading: Reading) -> Iterator[str]:
    if reading.error is not None:
        yield f"an error: {reading.error.type}: {reading.error.message}"
        return
    which = f", stop_sequence {reading.stop_sequence!r}" if reading.stop_sequence is not None else ""
    yield f"{reading.stop} (raw reason {reading.raw_reason!r}{which})"
    if reading.cut:
        yield "the stream ends without saying why"
    for name in ("text", "thinking", "refusal"):
        if value := getattr(reading, name):
            yield f"{name} {value!r}"
    for call in reading.tool_calls:
        state = {True: "", False: "  CUT", None: "  the wire cannot say whether it is whole"}[call.whole]
        yield f"call {call.name}({call.arguments}){state}"


def provenance_mark(told: Scenario, mode: Mode) -> str:
    """One letter: where the cassette of a mode comes from; a dot where there is no such mode."""
    if mode not in told.modes:
        return "·"
    return manifest()[f"{told.id}:{mode}"].provenance[0]

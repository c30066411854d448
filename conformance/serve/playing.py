"""From words to a Delivery: a scenario's id, a chunking, a pace, a fault, each checked. Nothing is played here."""

from __future__ import annotations

from conformance.corpus import Exchange, cassette
from conformance.errors import BadOption
from conformance.replay import Chunking, Delivery
from conformance.replay.chunking import frames
from conformance.scenarios import scenario as scenario_of
from conformance.vocabulary import Fault, FaultKind, Mode


def delivery_of(
    scenario: str, *, chunking: str | None = None, pace: float | None = None, fault: str | None = None
) -> Delivery:
    """What is played for a scenario.

    Args:
        scenario: its id, such as `anthropic-messages/pause-turn`.
        chunking: how bodies are cut, by the name of a Chunking; frame by frame where None.
        pace: seconds between two pieces of a body.
        fault: `cut`, `body-cut`, `reset` or `stall`, in the middle of the body; `cut:3` after three frames of the
            stream. None for the scenario's own, which most have not.

    Raises:
        ScenarioNotFound: there is no such scenario.
        BadOption: another word, or a pace below zero.
        BrokenCassette: its cassette cannot be read.
    """
    told = scenario_of(scenario)
    exchanges = {mode: cassette(told.id, mode) for mode in told.modes}
    return Delivery(
        told.id,
        exchanges,
        chunking=_chunking(chunking),
        pace=_pace(pace),
        fault=_fault(fault, exchanges) if fault is not None else told.fault,
        framing=told.framing,
        packing=told.packing,
    )


def _chunking(name: str | None) -> Chunking:
    if name is None:
        return Chunking.FRAME
    if name not in list(Chunking):
        raise BadOption(f"no chunking {name!r}", f"one of {', '.join(Chunking)}")
    return Chunking(name)


def _pace(seconds: float | None) -> float | None:
    if seconds is not None and not 0 <= seconds < float("inf"):
        raise BadOption(f"a pace of {seconds!r} is no number of seconds", "0 or more")
    return seconds or None


def _fault(text: str, exchanges: dict[Mode, tuple[Exchange, ...]]) -> Fault:
    name, separator, at = text.partition(":")
    if name not in list(FaultKind):
        raise BadOption(f"no fault {name!r}", f"one of {', '.join(FaultKind)}; after three frames: {FaultKind.CUT}:3")
    if separator and not at.isdecimal():
        raise BadOption(f"fault {text!r}: {at!r} is no number of frames", f"for example {name}:3")
    streamed = exchanges.get(Mode.STREAMED)
    middle = len(frames(streamed[-1].body)) // 2 if streamed else 0
    # Half of the frame after that too: a body that is no stream is one frame, so half of it arrives.
    return Fault(FaultKind(name), int(at) if separator else middle, inside=not separator)

"""The probe of calls side by side: sixteen at once, each with its own prompt and stop string."""

from __future__ import annotations

from conformance.checks.server_rules import server_found
from conformance.probes import Probe
from conformance.servers.asking import PROMPTS, Heard, Question
from conformance.servers.checks import Judged
from conformance.servers.oracle import is_right
from conformance.servers.session import Free, NotTested, Session
from conformance.servers.stopping import taken, text_of
from conformance.vocabulary import Mode, Verdict

_EACH = 4
_PATIENCE = 2.0
"""So many times as long as one call after the other they may take."""
_CALLS = 16


def together(session: Session, probe: Probe, mode: Mode) -> Judged:  # noqa: ARG001 -- as every room
    """Ask the probe of this room.

    Batches change sums, so that a server may write another text under load than alone, and nobody is accused of that.
    What no load excuses: the call's own stop string in its text, and the text of another call.
    """
    taken(session)
    frees = {prompt: session.free(prompt, mode) for prompt in PROMPTS}
    questions = [Question(prompt, mode, [stop]) for prompt, free in frees.items() for stop in _stops(free)]
    if len(questions) < _CALLS // 2:
        raise NotTested("the free runs have too few places to stop at")
    problems, judged = [], 0
    # An engine may take them one after the other.
    alone = max((free.heard.answer.chunks[-1][0] for free in frees.values() if free.heard.answer.chunks), default=0.0)
    limit = max(session.limit, _PATIENCE * len(questions) * alone)
    for question, heard in zip(questions, session.at_once(questions, limit), strict=True):
        others = [free for prompt, free in frees.items() if prompt != question.prompt]
        problem = _mixed(question, heard, frees[question.prompt], others)
        judged += not heard.refused
        if problem == _OWN and question.strings[0] in session.ask(question).reading.text:
            continue  # alone it is no better, which another probe tells
        if problem is not None:
            problems.append((problem, question, heard))
    if problems:
        session.shown = problems[0][2]
    if not judged:
        raise NotTested("the server refuses so many calls at once")
    return {
        "limits.terminates": [
            server_found("limits.terminates", Verdict.BROKEN, "one of many calls did not end", "an end", heard.excerpt)
            for problem, _, heard in problems[:1]
            if problem == _HUNG
        ],
        "calls.independent": [
            server_found(
                "calls.independent",
                Verdict.MISLEADING,
                problem,
                f"stop {question.strings!r}: the text of this call, as it comes alone",
                f"... {heard.reading.text[-80:]!r}; {heard.excerpt}",
            )
            for problem, question, heard in problems[:1]
            if problem != _HUNG
        ],
    }


_HUNG = "hung"
_PIECE = 40
"""Characters that two answers do not share by chance, though both be phrases that models like."""
_OWN = "a call's own stop string is in its text, which it is not when it comes alone"


def _stops(free: Free) -> list[str]:
    text = text_of(free)
    stops = text.singles(text.windows((3, 4)))
    step = max(1, len(stops) // _EACH)
    return stops[::step][:_EACH]


def _mixed(question: Question, heard: Heard, free: Free, others: list[Free]) -> str | None:
    if heard.answer.hung:
        return _HUNG
    if heard.refused:
        return None
    text = heard.reading.text
    if is_right(free.text, question.strings, text):
        return None
    if heard.answer.broken:
        return "a reply breaks off that is whole when it comes alone"
    if question.strings[0] in text:
        return _OWN
    if any(_piece(text, other.text, free.text) for other in others):
        return "a call has text of another call that was made at the same time"
    return None


def _piece(text: str, other: str, own: str) -> bool:
    """Whether a long piece of another call's text stands in this one, and none such in its own free run."""
    size = _PIECE
    pieces = (other[at : at + size] for at in range(0, len(other) - size, size // 2))
    return any(piece in text and piece not in own for piece in pieces)

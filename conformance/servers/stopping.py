"""The probes of stop strings that are cut out of the free run: draws them, shrinks what fails, confirms it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance.checks.server_rules import server_found
from conformance.probes import Probe
from conformance.servers.asking import PROMPTS, Heard, Question
from conformance.servers.checks import ON_THE_BYTES, Judged, Known, Unexplained, basics, refusal, stopped
from conformance.servers.oracle import right
from conformance.servers.session import Free, NotForIt, NotTested, Session
from conformance.servers.stops import KINDS, Stops, Text
from conformance.vocabulary import Api, Mode, Severity, Verdict

_UNEXPLAINED = "with stop strings the server writes another text than without, and no fault of matching explains it"
_SHRINK = 16
"""Requests that may go into making a failing list smaller."""


class _Wrong(Exception):
    """Tells Hypothesis that a list fails."""


def known_of(free: Free) -> Known:
    """What a free run tells the checks."""
    return Known(free.text, free.heard.reading.stop, free.heard.deltas)


def text_of(free: Free) -> Text:
    """The free run as a text to cut stop strings from."""
    return Text(free.text, free.api, hidden=free.heard.reading.thinking, capped=free.capped)


def wrong(judged: Judged) -> bool:
    """Whether anything was found that must be confirmed."""
    return any(findings for check, findings in judged.items() if check not in ON_THE_BYTES)


def taken(session: Session) -> None:
    """See to it that the server takes stop strings in this API at all; only Responses leaves it open.

    Raises:
        NotForIt: it does not.
        NotTested: it could not be asked.
    """
    if session.takes_stop is None:
        free = session.free()
        character = next(iter(text_of(free).singles(text_of(free).windows((1,)))), None)
        if character is None:
            raise NotTested("the text has no character to stop at")
        heard = session.ask(Question(PROMPTS[0], Mode.BUFFERED, [character]))
        session.takes_stop = not heard.refused and heard.reading.text != free.text
    if not session.takes_stop:
        raise NotForIt("the server takes no stop strings in this API, as its vendor documents none")


def stopping(session: Session, probe: Probe, mode: Mode) -> Judged:
    """Ask a probe of this room."""
    if probe.kind == "common":
        return _common(session, mode)
    if probe.kind == "extension":
        return _extension(session, mode)
    taken(session)
    free = session.free(mode=mode)
    strategy = KINDS[probe.kind](text_of(free))
    if strategy is None:
        raise NotForIt("the free run has no place for such a stop string")
    return _drawn(session, mode, free, strategy)


def _drawn(session: Session, mode: Mode, free: Free, strategy: st.SearchStrategy[Stops]) -> Judged:
    search = _Search(session, mode, free)

    @settings(
        max_examples=search.left,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(strategy)
    def drawn(stops: Stops) -> None:  # short: Hypothesis reads its source each time
        search.attempt(stops)

    try:
        drawn()
    except _Wrong:
        return search.smallest()
    if not search.seen:
        raise NotTested(search.problem)
    return search.seen


class _Search:
    """One probe's lists: asks each once, keeps the smallest that fails.

    Attributes:
        left: requests that it may still make.
        seen: the checks that applied, with what an answer showed by itself.
        problem: why the last list that could not be judged was not.
    """

    def __init__(self, session: Session, mode: Mode, free: Free) -> None:
        self.left = 1 + session.budget.share()
        self.seen: Judged = {}
        self.problem = "no stop string could be asked for"
        self._session, self._mode, self._free = session, mode, free
        self._known = known_of(free)
        self._failing: tuple[Question, Judged] | None = None

    def attempt(self, stops: Stops) -> None:
        """Ask one list.

        Raises:
            _Wrong: the answer is wrong.
        """
        question = Question(PROMPTS[0], self._mode, stops)
        if not self._session.known(question):
            if self.left <= 0:
                return  # what was asked before is known for nothing; for more there is no budget
            self.left -= 1
        try:
            judged = self._judge(self._session.ask(question))
        except Unexplained:
            self.problem = _UNEXPLAINED
            return
        except NotTested as signal:  # to Hypothesis an exception would be a failing list
            self.problem, self.left = str(signal), 0
            return
        for check, findings in judged.items():
            self.seen[check] = self.seen.get(check) or (findings if check in ON_THE_BYTES else [])
        if wrong(judged):
            if self._failing is None:
                self.left = min(_SHRINK, self._session.budget.spare)
            self._failing = question, judged
            raise _Wrong

    def smallest(self) -> Judged:
        """What is wrong with the smallest list that fails, asked once more.

        Raises:
            NotTested: it does not come again.
        """
        assert self._failing is not None  # noqa: S101 -- `attempt` has raised
        question, judged = self._failing
        self._session.confirm(lambda heard: again(self._judge, heard), question, self._free)
        alone = _alone(self._session, question, self._free, self._judge)
        return self.seen | (alone or _sliced(question.strings, self._free.text, judged))

    def _judge(self, heard: Heard) -> Judged:
        return stopped(self._session.target.api, heard, self._known, heard.question.strings)


def _sliced(stops: Stops, text: str, judged: Judged) -> Judged:
    """A list of which only the last string occurs, and does not count though it does alone, was sliced."""
    ignored = judged.get("stop.honoured") or []
    if not ignored or len(stops) == 1 or any(stop in text for stop in stops[:-1]):
        return judged
    what = f"the last of {len(stops)} stop strings does not count"
    told = [server_found("stop.whole-list", one.verdict, what, one.expected, one.observed) for one in ignored]
    return judged | {"stop.honoured": [], "stop.whole-list": told}


def _alone(session: Session, question: Question, free: Free, judge: Callable[[Heard], Judged]) -> Judged | None:
    """What is wrong with the first string of a list alone, where it is the string and not the list that fails."""
    truth = right(free.text, question.strings)
    if not truth.fires or len(set(question.strings)) == 1:
        return None
    shown = session.shown
    for stop in sorted(truth.named[truth.begin]):
        try:
            judged = judge(session.ask(replace(question, stop=[stop])))
        except Unexplained:
            continue
        if judged.get("stop.honoured"):
            session.shown = session.ask(replace(question, stop=[stop]))
            return judged
    session.shown = shown
    return None


def again(judge: Callable[[Heard], Judged], heard: Heard) -> bool:
    """Whether an answer is wrong that came when the question was asked once more."""
    try:
        return wrong(judge(heard))
    except Unexplained:
        return False


def _common(session: Session, mode: Mode) -> Judged:
    """No server need repeat itself for this: whatever it writes, a stop string is not in it."""
    if session.target.api is Api.OPENAI_RESPONSES and session.takes_stop is not True:
        taken(session)
    free = session.ask(Question(PROMPTS[0], mode))
    letters = Counter(letter for letter in free.reading.text if letter.isalnum())
    if not letters:
        raise NotTested("the free run has no letter")
    ((stop, _),) = letters.most_common(1)
    heard = session.ask(Question(PROMPTS[0], mode, [stop]))
    out = basics(session.target.api, heard)
    if not heard.replied:
        return out | (refusal(session.target.api, heard) if heard.refused else {})
    text = heard.reading.text
    out |= {"stop.honoured": [], "stop.trimmed": []}
    if stop in text:
        check = "stop.trimmed" if text.find(stop) == len(text) - 1 else "stop.honoured"
        problem = (
            "the matched string is kept in the text" if check == "stop.trimmed" else "a stop string is in the text"
        )
        out[check] = [server_found(check, Verdict.MISLEADING, problem, f"no {stop!r}", f"{text[:80]!r}")]
    return out


def _extension(session: Session, mode: Mode) -> Judged:
    """Responses has no stop parameter: refused and honoured are both honest, ignored in silence is told."""
    free = session.free(mode=mode)
    text = text_of(free)
    single = next(iter(text.singles(text.windows((3, 1)))), None)
    if single is None:
        raise NotTested("the text has no place to stop at")
    heard = session.ask(Question(PROMPTS[0], mode, [single]))
    out = basics(session.target.api, heard)
    if not heard.replied:
        return out | (refusal(session.target.api, heard) if heard.refused else {})
    out["stop.honoured"] = []
    if heard.reading.text == free.text:
        out["stop.honoured"] = [
            server_found(
                "stop.honoured",
                Verdict.LOUD,
                "a list of stop strings that the API does not have is ignored in silence",
                "an error, or the list honoured",
                f"stop {[single]!r}: the whole text of the free run",
                severity=Severity.SHOULD,
            )
        ]
    return out

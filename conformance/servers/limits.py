"""The probes of limits and of odd shapes: too many stop strings, none, empty ones, and the cap on tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.checks.server_rules import server_found
from conformance.probes import Probe
from conformance.servers.asking import PROMPTS, Heard, Question
from conformance.servers.checks import Judged, Unexplained, basics, reason_found, refusal, stopped
from conformance.servers.oracle import is_right
from conformance.servers.session import Free, NotForIt, NotTested, Session
from conformance.servers.stopping import again, known_of, taken, text_of, wrong
from conformance.servers.stops import MOST, fillers
from conformance.vocabulary import Api, Mode, Stop, Verdict

SMALL, LARGE = 16, 96
"""Caps in tokens: the small one ends every text."""


def limits(session: Session, probe: Probe, mode: Mode) -> Judged:
    """Ask a probe of this room."""
    if probe.kind != "cap":
        taken(session)
    return _KINDS[probe.kind](session, mode)


def _single(free: Free) -> str:
    text = text_of(free)
    stops = text.singles(text.windows((3, 4)))
    if not stops:
        raise NotTested("the free run has no place to stop at")
    return stops[len(stops) // 2]


def _asked(session: Session, mode: Mode, free: Free, stop: object, stops: list[str]) -> Judged:
    """Ask with a value of the stop key, and judge the text by these strings."""
    return _judged(session, Question(PROMPTS[0], mode, stop), free, stops)


def _judged(session: Session, question: Question, free: Free, stops: list[str]) -> Judged:
    """The answer to a question, judged by these strings; a finding is confirmed."""
    known, api = known_of(free), session.target.api
    try:
        judged = stopped(api, session.ask(question), known, stops)
    except Unexplained:
        raise NotTested("the server writes another text than without stop strings") from None
    if wrong(judged):
        session.confirm(lambda heard: again(lambda one: stopped(api, one, known, stops), heard), question, free)
    return judged


def _beyond_limit(session: Session, mode: Mode) -> Judged:
    free, api = session.free(mode=mode), session.target.api
    single = _single(free)
    alone = session.ask(Question(PROMPTS[0], mode, [single]))
    if alone.refused or not is_right(free.text, [single], alone.reading.text):
        raise NotForIt("that stop string alone is not honoured: another probe tells it")
    stops = [*fillers(text_of(free), MOST[api]), single]
    question = Question(PROMPTS[0], mode, stops)
    heard = session.ask(question)
    if not heard.replied or is_right(free.text, stops, heard.reading.text):
        return stopped(api, heard, known_of(free), stops) | {"stop.whole-list": []}
    session.confirm(lambda one: not one.refused and one.reading.text == heard.reading.text, question, free)
    sliced = heard.reading.text == free.text
    return basics(api, heard) | {
        "stop.whole-list": [
            server_found(
                "stop.whole-list",
                Verdict.MISLEADING,
                f"a list of {len(stops)} stop strings is {'sliced: the last one' if sliced else 'not honoured: it'} "
                "does not count",
                f"the API's error, or stop {single!r} honoured",
                f"the text goes on: ... {heard.reading.text[-60:]!r}",
            )
        ]
    }


def _bare_string(session: Session, mode: Mode) -> Judged:
    free = session.free(mode=mode)
    single = _single(free)
    return _asked(session, mode, free, single, [single])


def _nothing(value: object) -> Callable[[Session, Mode], Judged]:
    def ask(session: Session, mode: Mode) -> Judged:
        return _asked(session, mode, session.free(mode=mode), value, [])

    return ask


def _blank(session: Session, mode: Mode) -> Judged:
    free = session.free(mode=mode)
    blank = next((mark for mark in ("\n", " ") if mark in free.text.strip()), None)
    if blank is None:
        raise NotForIt("the free run has no white space")
    return _asked(session, mode, free, [blank], [blank])


def _at_cap(session: Session, mode: Mode) -> Judged:
    free = session.free(mode=mode, cap=LARGE // 2)
    if not free.capped:
        raise NotForIt("the text ends before a small cap")
    ends = [free.text[-k:] for k in range(1, 12)]
    single = next((stop for stop in ends if free.text.find(stop) == len(free.text) - len(stop) and stop.strip()), None)
    if single is None or not text_of(free).usable(single):
        raise NotForIt("the end of the capped text occurs before")
    question = Question(PROMPTS[0], mode, [single], cap=LARGE // 2)
    return _judged(session, question, free, [single])


def _past_cap(session: Session, mode: Mode) -> Judged:
    """The cap of the free run cuts the string in two; a longer run tells what would come."""
    long = session.free(mode=mode)
    short = session.free(mode=mode, cap=LARGE // 2)
    if not short.capped or not long.text.startswith(short.text) or len(long.text) < len(short.text) + 3:
        raise NotForIt("a shorter run is not the beginning of a longer one")
    at = len(short.text)
    singles = [long.text[at - k : at + 3] for k in (2, 3, 5)]
    single = next((stop for stop in singles if stop not in short.text and text_of(long).usable(stop)), None)
    if single is None or long.text.find(single) < at - 5:
        raise NotForIt("the string at the border occurs before")
    return _judged(session, Question(PROMPTS[0], mode, [single], cap=LARGE // 2), short, [single])


def _cap(session: Session, mode: Mode) -> Judged:
    """A small cap, under each name that the API documents: the text is shorter, and truncated."""
    free = session.free(mode=mode)
    names = ("max_tokens", "max_completion_tokens") if session.target.api is Api.OPENAI_CHAT else (None,)
    out: Judged = {}
    for name in names:
        heard = session.ask(Question(PROMPTS[0], mode, cap=SMALL, cap_name=name))
        judged = basics(session.target.api, heard)
        if heard.refused:
            judged |= refusal(session.target.api, heard)
        elif heard.replied:
            judged |= _held(heard, free, name)
        for check, findings in judged.items():
            out.setdefault(check, []).extend(findings)
    return out


def _held(heard: Heard, free: Free, name: str | None) -> Judged:
    told = heard.reading.usage
    counted = told.output_tokens if told else None
    text, most = heard.reading.text, len(free.text)
    over = isinstance(counted, int) and counted > SMALL + 1  # some servers count the end of the text as a token
    if free.capped and text.startswith(free.text) and (len(text) > most or most > SMALL * 8):
        over = True  # as much as under a cap that is six times as large, or more
    if over:
        shown = f"{counted} tokens, {len(text)} characters"
        what = f"the cap `{name}`" if name else "the cap"
        found = server_found(
            "cap.honoured", Verdict.MISLEADING, f"{what} is ignored in silence", f"at most {SMALL} tokens", shown
        )
        return {"cap.honoured": [found]}
    out: Judged = {"cap.honoured": []}
    if free.text.startswith(text) and len(text) < most and not heard.reading.thinking:
        out["reason.class"] = reason_found(heard, {Stop.TRUNCATED}, "the cap ended the text")
    return out


_KINDS: Mapping[str, Callable[[Session, Mode], Judged]] = {
    "stop-beyond-limit": _beyond_limit,
    "stop-bare-string": _bare_string,
    "stop-null": _nothing(None),
    "stop-empty-list": _nothing([]),
    "stop-empty-string": _nothing([""]),
    "stop-blank": _blank,
    "stop-at-cap": _at_cap,
    "stop-past-cap": _past_cap,
    "cap": _cap,
}

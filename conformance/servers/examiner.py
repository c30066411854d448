"""Puts the probes to a server one by one, and makes Results of what was found. No pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from conformance.checks.finding import Finding
from conformance.checks.telling import right as fields
from conformance.known_failures import Known
from conformance.probes import Probe, probes
from conformance.servers.asking import PROMPTS, Heard, Question
from conformance.servers.budget import Budget
from conformance.servers.checks import Judged
from conformance.servers.limits import limits
from conformance.servers.refusing import refusing
from conformance.servers.session import NotTested, Session
from conformance.servers.shapes import shapes
from conformance.servers.stopping import stopping
from conformance.servers.stops import KINDS
from conformance.servers.target import Target
from conformance.servers.together import together
from conformance.verdict import Result, weigh
from conformance.vocabulary import Api, Mode, Stop
from conformance.wire.codec import HTTP_ERROR

_ROOMS: Mapping[str, Callable[[Session, Probe, Mode], Judged]] = {
    "shapes": shapes,
    "stopping": stopping,
    "limits": limits,
    "refusing": refusing,
    "together": together,
}

Cell = tuple[Probe, Mode]


def cells(apis: Iterable[Api]) -> list[Cell]:
    """Every cell of these APIs, in the order in which they are asked."""
    wanted = frozenset(apis)
    return [(probe, mode) for probe in probes().values() if probe.api in wanted for mode in probe.modes]


class Examiner:
    """Judges servers cell by cell.

    Args:
        targets: one for each API.
        known: known failures.
        limit: seconds for one exchange.
        budget: requests in all.
    """

    def __init__(self, targets: Iterable[Target], known: Iterable[Known], limit: float, budget: int) -> None:
        self.budget = Budget(budget)
        self._sessions = {target.api: Session(target, self.budget, limit) for target in targets}
        self._known = tuple(known)
        self._wiring: dict[Api, str | None] = {}
        self._told: set[str] = set()

    def plan(self, chosen: Iterable[Cell]) -> None:
        """Say which cells are to come, so that the budget lasts for all of them."""
        self.budget.plan((probe.cost, probe.kind in KINDS) for probe, _ in chosen)

    def wiring(self, api: Api) -> str | None:
        """Why nothing can be asked of the server in this API, or None. Tried once, by a plain question."""
        if api not in self._wiring:
            self._wiring[api] = _problem(self._sessions[api])
        return self._wiring[api]

    def first_time(self, problem: str) -> bool:
        """Whether nobody has been told this problem yet; asking tells."""
        first = problem not in self._told
        self._told.add(problem)
        return first

    def result(self, probe: Probe, mode: Mode) -> Result:
        """The result of a cell.

        Raises:
            NotForIt: there is nothing to ask of this server.
        """
        session, before = self._sessions[probe.api], self.budget.spent
        self.budget.begin(probe.cost, draws=probe.kind in KINDS)
        if (problem := self.wiring(probe.api)) is not None:
            return Result.untested(probe.id, mode, problem)
        try:
            judged = _ROOMS[probe.room](session, probe, mode)
        except NotTested as signal:
            return Result.untested(probe.id, mode, str(signal))
        result = weigh(probe.id, mode, judged, self._known, loud=_refused(judged))
        shown = session.shown
        sent = (shown.curl,) if shown is not None and result.findings else ()
        seen = fields(shown.reading) if shown is not None and result.findings else {}
        return replace(result, requests=self.budget.spent - before, sent=sent, seen=seen)


def _refused(judged: Mapping[str, list[Finding]]) -> bool:
    """Whether the answer was an honest refusal where a reply is as right: the caller can tell."""
    return "error.envelope" in judged and "error.surfaces" not in judged


def _problem(session: Session) -> str | None:
    """What a plain question shows of a server that cannot be judged at all."""
    target = session.target
    heard = session.ask(Question(PROMPTS[0], Mode.BUFFERED))
    answer = heard.answer
    path, _ = session.request(heard.question)
    where = f"{urlsplit(target.url).scheme}://{urlsplit(target.url).netloc}{path}"
    if answer.unreachable:
        return f"nothing listens at {target.url} ({answer.broken})\n  mend: start the server, or check the address"
    if answer.hung:
        told = f"{where} does not answer: {answer.broken} ({session.limit:g} s)"
        return f"{told}\n  mend: --conformance-time-limit SECONDS, or a smaller model"
    if answer.broken:
        return f"{where}: {answer.broken}\n  mend: see the server's own log; {heard.curl}"
    status = answer.status or 0
    if status >= HTTP_ERROR:
        session.settle()  # a seed or the name of the cap may be what it refuses
        heard = session.ask(heard.question)
        if heard.reading.error is None:
            return None
        return (
            f"{where} answers a plain question with an error: {heard.excerpt}\n"
            f"  mend: is it {target.api}, is the model called {target.model!r}, does it want a key? {heard.curl}"
        )
    if heard.reading.error is not None or _foreign(heard):
        other = _speaks(answer.body, target.api)
        hint = f"it looks like {other}" if other else f"it is no reply of {target.api}"
        return f"{where} does not speak {target.api}: {hint}: {heard.excerpt}\n  mend: name its API: --server API@URL"
    return None


def _foreign(heard: Heard) -> bool:
    reading = heard.reading
    return reading.stop is Stop.UNKNOWN and reading.raw_reason is None and not reading.text


_MARKS: Mapping[Api, bytes] = {
    Api.OPENAI_CHAT: b'"choices"',
    Api.OPENAI_RESPONSES: b'"output"',
    Api.ANTHROPIC_MESSAGES: b'"stop_reason"',
    Api.GEMINI: b'"candidates"',
}


def _speaks(body: bytes, asked: Api) -> Api | None:
    """The other API that a body seems to be of."""
    return next((api for api, mark in _MARKS.items() if api is not asked and mark in body), None)

"""One API of one server in one run: asks each question once, finds settings at which the server repeats itself."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from conformance.servers.asking import PROMPTS, Heard, Question, Settings, read, request_of
from conformance.servers.budget import Budget, Spent
from conformance.servers.client import Answer, send
from conformance.servers.target import Target
from conformance.vocabulary import Api, Mode, Stop
from conformance.wire.codec import HTTP_ERROR

_ENOUGH = 60
"""Characters of a text from which stop strings of every kind can be cut."""

_DISTINCT = 12
"""Different characters of such a text: a model that goes round in circles has fewer."""


class NotTested(Exception):
    """A probe could not put its question; the sentence says why. No fault of the server is told by it."""


class NotForIt(Exception):
    """A probe has nothing to ask of this server; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Free:
    """The text that the server writes without stop strings.

    Attributes:
        heard: the run itself.
        api: in which API it came.
    """

    heard: Heard
    api: Api

    @property
    def text(self) -> str:
        """What it wrote."""
        return self.heard.reading.text

    @property
    def capped(self) -> bool:
        """Whether the cap ended it."""
        return self.heard.reading.stop is Stop.TRUNCATED


class Session:
    """Asks one API of one server.

    Args:
        target: whom to ask.
        budget: shared by all sessions of a run.
        limit: seconds for one exchange.
    """

    def __init__(self, target: Target, budget: Budget, limit: float) -> None:
        self.target = target
        self.budget = budget
        self.limit = limit
        seeded = target.api in (Api.OPENAI_CHAT, Api.GEMINI)  # the others have no such parameter
        self.settings = Settings(seed=7 if seeded else None)
        self.problem: str | None = None
        """Why the server does not repeat itself, once that has been tried."""
        self.takes_stop: bool | None = None if target.api is Api.OPENAI_RESPONSES else True
        """Whether the API's server takes stop strings at all; the vendor of Responses documents none."""
        self.shown: Heard | None = None
        """What the message of the cell shows: a wrong answer, or else the last one."""
        self._heard: dict[str, Heard] = {}
        self._tried = False

    def ask(self, question: Question, *, again: bool = False) -> Heard:
        """The answer to a question; the one that it has given already, unless it is to be asked `again`.

        Raises:
            NotTested: no request is left.
        """
        if not again and question.key in self._heard:
            return self._heard[question.key]
        heard = self._ask(question)
        self._heard.setdefault(question.key, heard)
        return heard

    def known(self, question: Question) -> bool:
        """Whether it has been asked before, so that the answer costs nothing."""
        return question.key in self._heard

    def at_once(self, questions: list[Question], limit: float) -> list[Heard]:
        """The answers to questions that are asked at the same time, each within `limit` seconds.

        Raises:
            NotTested: not enough requests are left.
        """
        with ThreadPoolExecutor(len(questions)) as pool:
            return list(pool.map(lambda question: self._ask(question, limit), questions))

    def raw(self, path: str, body: dict[str, object] | bytes, *, key: str | None = None) -> tuple[Answer, str]:
        """Send a request that is no question; the answer, and the command line.

        Raises:
            NotTested: no request is left.
        """
        self._take()
        answer = send(self.target, path, body, limit=self.limit, key=key)
        return answer, self.target.curl(path, body, key=key)

    def request(self, question: Question) -> tuple[str, dict[str, object]]:
        """Path and body of a question."""
        return request_of(self.target, question, self.settings)

    def free(self, prompt: str = PROMPTS[0], mode: Mode = Mode.BUFFERED, cap: int | None = None) -> Free:
        """The text without stop strings, from a server that repeats itself.

        Raises:
            NotTested: it does not, or it writes too little to cut stop strings from.
        """
        self.settle()
        if self.problem is not None:
            raise NotTested(self.problem)
        question = Question(prompt, mode)
        free = Free(self.ask(question if cap is None else replace(question, cap=cap)), self.target.api)
        if free.heard.reading.error is not None:
            raise NotTested(f"no free run: {free.heard.excerpt}")
        return free

    def settle(self) -> None:
        """Find settings at which the server takes our questions and repeats itself; the reason where there are none."""
        if self._tried:
            return
        self._tried = True
        thin: list[Settings] = []
        silent = True
        self._taken()
        for settings in self._ladder():
            self.settings = settings
            self._heard.clear()
            first = self.ask(Question(PROMPTS[0], Mode.BUFFERED))
            if first.reading.error is not None or not first.reading.text:
                continue
            silent = False
            second = self.ask(first.question, again=True)
            if second.reading.text != first.reading.text or second.reading.stop is not first.reading.stop:
                continue
            if _rich(first.reading.text):
                return
            thin.append(settings)
        if thin:
            self.settings = thin[0]
            self._heard.clear()
            if len(self.ask(Question(PROMPTS[0], Mode.BUFFERED)).reading.text) >= _ENOUGH // 3:
                return
        self.problem = (
            "the server writes too little text to cut stop strings from"
            if thin or silent
            else "the server does not repeat itself at a fixed seed and temperature: nothing can be told by difference"
        )

    def confirm(self, wrong: Callable[[Heard], bool], question: Question, free: Free) -> None:
        """Ask again what looks like a finding, and the free run too.

        Raises:
            NotTested: the same does not come again.
        """
        wrong_one = self.ask(question)
        if not wrong(self.ask(question, again=True)):
            raise NotTested("a wrong answer did not come again when it was asked once more")
        if self.ask(free.heard.question, again=True).reading.text != free.text:
            raise NotTested("the free run has changed meanwhile: the server does not repeat itself")
        self.shown = wrong_one

    def _taken(self) -> None:
        """Leave out what the server refuses: a seed, the old name of the cap, a temperature."""
        question = Question(PROMPTS[0], Mode.BUFFERED)
        plain = self.ask(question)
        if (plain.answer.status or 0) < HTTP_ERROR:
            return
        full = self.settings
        for settings in (
            replace(full, cap_name="max_completion_tokens"),
            replace(full, seed=None),
            replace(full, seed=None, temperature=None),
            Settings(None, None, "max_completion_tokens"),
        ):
            self.settings = settings
            self._heard.clear()
            if (self.ask(question).answer.status or 0) < HTTP_ERROR:
                return
        self.settings = full

    def _ladder(self) -> list[Settings]:
        base = self.settings
        if base.temperature is None:
            return [base]
        # A model of random weights goes round in circles at temperature 0; a seed keeps it to one text at 1.
        more = [replace(base, temperature=1.0)] if base.seed is not None else []
        return [base, *more, *([replace(base, seed=None)] if base.seed is not None else [])]

    def _ask(self, question: Question, limit: float | None = None) -> Heard:
        path, body = self.request(question)
        self._take()
        answer = send(self.target, path, body, limit=limit or self.limit)
        heard = self.shown = read(self.target, question, answer, self.target.curl(path, body))
        return heard

    def _take(self) -> None:
        try:
            self.budget.take()
        except Spent:
            raise NotTested(f"the budget of {self.budget.limit} requests is spent: --max-requests N") from None


def _rich(text: str) -> bool:
    return len(text) >= _ENOUGH and len(set(text)) >= _DISTINCT and text.find(text[-20:]) >= len(text) // 2

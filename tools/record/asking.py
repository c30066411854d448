"""What is sent for a scenario, and the patience with which: retries, waits, refused keys. Writes nothing."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

from conformance.scenarios import Scenario
from conformance.vocabulary import Api, Mode
from conformance.wire.request import request_for
from tools.author.build import HOSTS, call_of
from tools.record.budget import Budget
from tools.record.client import Answer, post
from tools.record.errors import KeyRefused, NoAnswer
from tools.record.provocations import Provocation
from tools.secrets import own_key
from tools.secrets.forms import masked

ATTEMPTS = 5
"""How often one request is sent while the provider answers 429 or 5xx, or the answer stops short."""

_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_LONGEST_ASKED = 300.0
"""Seconds: a provider that asks to wait longer than this is not waited for."""

_sleep = time.sleep
"""Of its own name, so that a test need not wait."""

_RETRIED = frozenset({408, 409, 429})
_REFUSED = frozenset({401, 403})
_SERVER_ERROR = 500
_SHOWN = 300
_CHARACTERS_A_TOKEN = 2
"""Fewer than any text of ours has: an estimate must not be too low."""

# Of the form that keys have, so that it gets as far as a real one would.
_WRONG_KEY = "no-key-at-all-0000000000000000"


@dataclass(frozen=True, slots=True)
class Question:
    """One request, ready to be sent.

    Attributes:
        url: where it goes; in a cassette `uri` stands for it, the vendor's own.
        body: its JSON.
        expected: the HTTP status that the scenario wants to see.
        most_tokens: that it may cost at most.
    """

    api: Api
    mode: Mode
    url: str
    uri: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    expected: int
    most_tokens: int
    wrong_key: bool


def question(scenario: Scenario, mode: Mode, how: Provocation, *, base_url: str, key: str) -> Question:
    """The scenario's own request, with what its provocation puts in the place of something.

    Args:
        scenario: what is asked for.
        mode: buffered or streamed.
        how: its row of the table.
        base_url: where to ask, without a slash at the end.
        key: of the provider.
    """
    call = replace(call_of(scenario, base_url), api_key=_WRONG_KEY if how.wrong_key else key)
    call = replace(call, prompt=how.prompt or call.prompt, model=how.model or call.model)
    request = request_for(call, stream=mode is Mode.STREAMED)
    path = request.path.removesuffix(f"?{scenario.without_query}")
    expected = scenario.wire.status
    size = math.ceil(len(json.dumps(request.body, ensure_ascii=False)) / _CHARACTERS_A_TOKEN)
    return Question(
        api=scenario.api,
        mode=mode,
        url=base_url + path,
        uri=HOSTS[scenario.api] + path,
        headers=request.headers,
        body=request.body,
        expected=expected,
        # Nothing is generated where the request is refused.
        most_tokens=size + (_cap(request.body) if expected < _REFUSALS else 0),
        wrong_key=how.wrong_key,
    )


_REFUSALS = 400
_NO_CAP = 4096
_CAPS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def _cap(body: Mapping[str, Any]) -> int:
    """The most tokens that the request lets the model write, thinking included."""
    caps = [body[name] for name in _CAPS if name in body]
    caps += [config["maxOutputTokens"] for config in [body.get("generationConfig", {})] if "maxOutputTokens" in config]
    return max(caps, default=_NO_CAP)


@dataclass(slots=True)
class Asker:
    """Sends questions.

    Attributes:
        say: told of every wait.
        budget: asked before each request, and told what one without a usable answer may have cost.
        attempts: how often one request is sent at most.
    """

    say: Callable[[str], None]
    budget: Budget
    attempts: int = ATTEMPTS

    def ask(self, question: Question) -> Answer:
        """The answer with the status that the scenario wants to see.

        Raises:
            KeyRefused: the provider does not know the key.
            OverBudget: another request might cost more than is left.
            NoAnswer: there was none, or another one, as often as it was asked for.
        """
        for attempt in range(1, self.attempts + 1):
            self.budget.allow(question.most_tokens)
            try:
                return self._once(question)
            except NoAnswer as error:
                if error.billed:
                    self.budget.spend(question.most_tokens)
                if not error.again or attempt == self.attempts:
                    raise
                wait = self._wait(attempt, error)
                self.say(f"{question.api} {question.mode}: {error.problem}; again in {wait:.1f} s")
                _sleep(wait)
        raise AssertionError  # pragma: no cover -- the loop returns or raises

    def _wait(self, attempt: int, error: NoAnswer) -> float:
        if error.after is not None:
            return error.after
        wait = min(_FIRST_WAIT * (1 << (attempt - 1)), _LONGEST_WAIT)
        return wait * random.uniform(0.5, 1.0)  # noqa: S311 -- spreads retries, guards nothing

    def _once(self, question: Question) -> Answer:
        answer = post(question.url, question.headers, question.body)
        if answer.status == question.expected or answer.status < _REFUSALS <= question.expected:
            return answer  # a request that is no longer refused: the premise will say so
        said = f"HTTP {answer.status}: {_message(answer, question)}"
        if answer.status in _REFUSED and not question.wrong_key:
            variable = own_key.VARIABLES[question.api]
            raise KeyRefused(
                f"{question.url.split('/')[2]} refuses the key in {variable}: {said}",
                f"set {variable} to a key that may use {question.body.get('model', question.api)}",
            )
        again = answer.status in _RETRIED or answer.status >= _SERVER_ERROR
        after = _asked_wait(answer) if again else None
        if after is not None and after > _LONGEST_ASKED:
            raise NoAnswer(said, f"the provider asks to wait {after:.0f} s; come back then")
        raise NoAnswer(said, "" if again else "the request is not one that it takes", again=again, after=after)


def _asked_wait(answer: Answer) -> float | None:
    """The seconds that the provider asks to wait: `retry-after-ms`, or `retry-after` as seconds or a date."""
    try:
        if milliseconds := answer.header("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        if not (after := answer.header("retry-after")):
            return None
        if after.replace(".", "", 1).isdigit():
            return float(after)
        return max(0.0, parsedate_to_datetime(after).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _message(answer: Answer, question: Question) -> str:
    """What an error body says, fit to be shown: no key, nobody's account, not long."""
    text = answer.body.decode(errors="replace")
    try:
        document = json.loads(text)
        document = document[0] if isinstance(document, list) else document
        text = str(document["error"]["message"])
    except (ValueError, LookupError, TypeError):
        pass
    keys = (
        value for name, value in question.headers.items() if name in ("authorization", "x-api-key", "x-goog-api-key")
    )
    if any(own_key.coding_of(key.removeprefix("Bearer "), text) for key in keys):
        return "(its text holds the key and is not shown)"
    shown = masked(" ".join(text.split()))
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."

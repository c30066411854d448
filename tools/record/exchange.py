"""From one answer to what may be kept of it: scrubbed, read, searched for the key. Asks nobody, writes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.corpus import Exchange, reading_of
from conformance.errors import BadWire
from conformance.scenarios import Scenario
from conformance.scenarios.view import View
from conformance.vocabulary import Mode
from conformance.wire import Reading
from tools.record.asking import Question
from tools.record.client import Answer
from tools.record.errors import SecretLeft
from tools.record.scrub import Scrubbed, scrub, survivors
from tools.secrets import own_key
from tools.secrets.forms import find


@dataclass(frozen=True, slots=True)
class Taken:
    """One mode's exchange, fit to be written."""

    mode: Mode
    exchange: Exchange
    answer: Answer
    reading: Reading
    scrubbed: Scrubbed

    @property
    def tokens(self) -> int | None:
        """What it has cost, where the answer says so."""
        usage = self.reading.usage
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        return usage.input_tokens + usage.output_tokens


def take(scenario: Scenario, question: Question, answer: Answer, keys: Iterable[str]) -> Taken:
    """What may be kept of an answer.

    Raises:
        SecretLeft: a key is in it, or something is left that looks like a secret.
        BadWire: it is not of the API.
    """
    keys = tuple(keys)
    cell = f"{scenario.id}:{question.mode}"
    _no_key(cell, keys, _everything(question, answer))
    scrubbed = scrub(answer, cell, streamed=question.mode is Mode.STREAMED)
    exchange = Exchange("POST", question.uri, question.body, answer.status, scrubbed.headers, scrubbed.body)
    try:
        reading = reading_of(scenario.api, question.mode, exchange)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadWire(f"{cell}: the answer is not of the API: {error!r}", "look at it by hand") from error
    taken = Taken(question.mode, exchange, answer, reading, scrubbed)
    check(cell, keys, [taken], {cell: "\n".join(_texts(reading))})
    return taken


def check(cell: str, keys: Iterable[str], takes: Iterable[Taken], texts: dict[str, str]) -> None:
    """Make sure that nothing about to be written holds a key, a secret or a value that was taken out.

    Raises:
        SecretLeft: something does. The message does not show it.
    """
    keys = tuple(keys)
    for name, text in texts.items():
        _no_key(cell, keys, [(name, text)])
        for coding, seen in own_key.readings(text):
            if hit := next(find(seen), None):
                raise SecretLeft(
                    f"{cell}: {name} would hold what looks like a secret: {hit.form.name}, {coding}",
                    "nothing of it is written; ask again, or mend tools/record/scrub.py",
                )
            for taken in takes:
                if left := survivors(taken.scrubbed, seen):
                    raise SecretLeft(
                        f"{cell}: {len(left)} ids that were taken out of the answer are still in {name}",
                        "nothing of it is written; mend tools/record/scrub.py",
                    )


def lost(scenario: Scenario, taken: Taken) -> str | None:
    """Why the bytes do not show the scenario's behaviour; None where they do, and can fail to."""
    view = View(scenario.api, taken.mode, taken.exchange.status, taken.exchange.body)
    try:
        for premise in scenario.premise:
            if not premise.holds(view):
                return f"not so: {premise.says}"
            if premise.holds(premise.spoil(view)):
                return f"no alteration could show that it is so: {premise.says}"
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return f"the answer is not of the API: {error!r}"
    if taken.mode is Mode.STREAMED and taken.exchange.status < 300 and taken.reading.cut:
        return "the stream ends without saying why"
    return None


def disagreement(takes: Iterable[Taken]) -> str | None:
    """In what two modes of a scenario differ that must be the same; None where they agree."""
    first, *others = (taken.reading for taken in takes)
    for other in others:
        for name in ("stop", "raw_reason", "stop_sequence"):
            if getattr(first, name) != getattr(other, name):
                return f"the modes disagree on {name}: {getattr(first, name)} and {getattr(other, name)}"
        one, two = ([call.name for call in reading.tool_calls] for reading in (first, other))
        if one != two:
            return f"the modes disagree on the tools called: {one} and {two}"
    return None


def _everything(question: Question, answer: Answer) -> Iterator[tuple[str, str]]:
    yield "the address", question.url
    yield "the request", json.dumps(question.body, ensure_ascii=False)
    for name, value in answer.headers:
        yield f"the header {name}", f"{name}: {value}"
    yield "the body", answer.body.decode("utf-8", "replace")


def _no_key(cell: str, keys: tuple[str, ...], texts: Iterable[tuple[str, str]]) -> None:
    for name, text in texts:
        for key in keys:
            if coding := own_key.coding_of(key, text):
                raise SecretLeft(
                    f"{cell}: {name} holds the key, {coding}",
                    "nothing of it is written; the provider, or something on the way, sends the key back",
                )


def _texts(reading: Reading) -> Iterator[str]:
    """What a reader joins from many pieces: a secret may be spread over them."""
    yield reading.text
    yield reading.thinking
    yield reading.refusal
    for call in reading.tool_calls:
        yield call.arguments
    if reading.error is not None:
        yield str(reading.error.message)

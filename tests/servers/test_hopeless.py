"""What is said of servers that cannot be judged: one clear line each, no hang, and never a pass."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest

from conformance.errors import BadOption
from conformance.servers.examiner import Examiner, cells
from conformance.servers.stops import KINDS
from conformance.servers.target import Target, parse
from conformance.verdict import Result
from conformance.vocabulary import Api
from tests.servers import hopeless
from tests.servers.engine import MODEL, Engine, running
from tests.servers.faulty.matching import KeepsMatch
from tests.servers.judged import judged

CHAT = Api.OPENAI_CHAT


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (hopeless.Hangs, "does not answer: no answer within the time limit (0.5 s)"),
        (hopeless.Trickles, "does not answer: the reply did not end within the time limit (0.5 s)"),
        (hopeless.ClosesAtOnce, "the connection ended before an answer"),
        (hopeless.ClosesEarly, "where the content-length promised 5000"),
        (hopeless.SpeaksGemini, "does not speak openai-chat: it looks like gemini"),
        (hopeless.SpeaksHtml, "answers a plain question with an error: HTTP 404"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_nothing_can_be_asked(kind: Callable[[], Engine], says: str) -> None:
    """The first question tells; every cell is untested for that reason, with no further request."""
    engine = kind()
    hangs = isinstance(engine, hopeless.Hangs | hopeless.Trickles)
    start = time.monotonic()
    results, spared = judged(engine, [CHAT], limit=0.5 if hangs else 10.0)
    if isinstance(engine, hopeless.Hangs | hopeless.Trickles):
        engine.gone.set()
    assert not spared
    assert {result.verdict for result in results.values()} == {None}
    problems = {result.problem for result in results.values()}
    assert len(problems) == 1
    assert says in str(problems), problems
    assert "mend:" in str(problems)
    assert time.monotonic() - start < 10


def test_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    examiner = Examiner([Target(CHAT, f"http://127.0.0.1:{port}/v1", MODEL)], (), 1.0, 10)
    assert "nothing listens at" in str(examiner.wiring(CHAT))


def test_answers_at_random() -> None:
    """What is told by difference is not tested, and never passes; the rest is asked all the same."""
    results, _ = judged(hopeless.AnswersAtRandom(), [CHAT])
    by_difference = [result for cell, result in results.items() if "server-stop-mid-word" in cell]
    assert all("does not repeat itself" in str(result.problem) for result in by_difference)
    assert not any(result.passed for result in by_difference)
    assert results["openai-chat/server-answers:streamed"].passed
    assert results["openai-chat/server-stop-common:buffered"].passed
    assert results["openai-chat/server-error-types:buffered"].passed


def test_ignores_stops_at_random() -> None:
    """A stop string that nearly every text has convicts a server that never repeats itself."""

    class Both(hopeless.AnswersAtRandom):
        def stops(self, api: Api, config: dict[str, object]) -> list[str]:
            return []

    results, _ = judged(Both(), [CHAT], chosen=lambda probe: probe.kind == "common")
    assert {finding.check for result in results.values() for finding in result.open} == {"stop.honoured"}


def test_streams_nothing() -> None:
    """A server that is right in whole replies only is judged: its streams are broken."""
    results, _ = judged(hopeless.StreamsNothing(), [CHAT], chosen=lambda probe: probe.kind == "answers")
    assert results["openai-chat/server-answers:buffered"].passed
    broken: Result = results["openai-chat/server-answers:streamed"]
    assert "shape.grammar" in {finding.check for finding in broken.open}


def test_slow_with_long_prompts() -> None:
    """An engine that takes long to read twenty thousand words is not accused of it."""

    class Slow(Engine):
        def prompt(self, text: str) -> str:
            time.sleep(1.5 if len(text.split()) > 1000 else 0)
            return text

    results, spared = judged(Slow(), [CHAT], limit=1.0, chosen=lambda probe: probe.kind == "context")
    assert not results
    assert "longer than the time limit" in spared["openai-chat/server-error-context:buffered"]


def test_budget_is_kept() -> None:
    """No request too many is made; what is left over is not tested and says why."""
    with running(Engine()) as url:
        examiner = Examiner([Target(CHAT, url, MODEL)], (), 5.0, 30)
        todo = cells([CHAT])[:30]
        examiner.plan(todo)
        results = [examiner.result(*cell) for cell in todo]
    assert examiner.budget.spent == 30
    last = results[-1]
    assert "the budget of 30 requests is spent" in str(last.problem)
    assert not last.passed


def test_budget_that_ends_inside_a_search() -> None:
    """A finding whose confirmation has no request left is not tested; nothing breaks."""
    for budget in range(4, 16):
        results, _ = judged(KeepsMatch(), [CHAT], budget=budget, chosen=lambda probe: probe.kind in KINDS)
        assert not all(result.passed for result in results.values())
        assert "the budget of" in str([result.problem for result in results.values()])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("http://127.0.0.1:1/v1", "names no API"),
        ("openai@http://127.0.0.1:1/v1", "names no API"),
        ("openai-chat@127.0.0.1:8080", "is no base URL"),
        ("openai-chat@http://127.0.0.1:port/v1", "is no base URL"),
        ("openai-chat@http://me:secret@127.0.0.1/v1", "holds a user or a password"),
    ],
)
def test_bad_address(text: str, says: str) -> None:
    with pytest.raises(BadOption) as caught:
        parse(text, MODEL)
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "usual", "path"),
    [
        ("http://h/v1", "/v1/chat/completions", "/v1/chat/completions"),
        ("http://h", "/v1/messages", "/v1/messages"),
        ("http://h/openai/", "/v1/chat/completions", "/openai/v1/chat/completions"),
        ("http://h/api/v3", "/v1/chat/completions", "/api/v3/chat/completions"),
        ("http://h/v1beta", "/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"),
    ],
)
def test_paths(url: str, usual: str, path: str) -> None:
    assert parse(f"openai-chat@{url}", MODEL).path(usual) == path


def test_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "very-secret")
    target = parse("anthropic-messages@http://127.0.0.1:1", MODEL, "MY_KEY")
    assert target.headers()["x-api-key"] == "very-secret"
    line = target.curl("/v1/messages", {"a": "it's"})
    assert "very-secret" not in line
    assert '-H "x-api-key: $MY_KEY"' in line
    assert "very-secret" not in repr(target)

"""`--adapter gateway:...`: a gateway that hands through is faithful, a faulty one fails the checks named for it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from relay import relay

from conformance import Gap
from conformance.adapters import load
from conformance.adapters.gateway import Gateway, Place, build, parse
from conformance.checks import RULES
from conformance.corpus import cassette
from conformance.errors import AdapterNotFound, HarnessError
from conformance.replay import Delivery, ReplayServer
from conformance.replay.behind import is_for
from conformance.scenarios import scenario
from conformance.suite.bench import Bench
from conformance.verdict import Result
from conformance.vocabulary import Api, Mode, Severity, Verdict

PLAIN = ("natural-end", "length-cap", "tool-call")


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


def judged(url: str, port: int, api: Api, *slugs: str, **place: Any) -> Iterator[Result]:
    given = {"lacks": frozenset({Gap.RAW_REASON}), **place}
    with Bench(Gateway(Place(api, url, upstream=port, **given)), limit=10) as bench:
        for slug in slugs:
            told = scenario(f"{api}/{slug}")
            for mode in told.modes:
                yield bench.judge(told, mode)[0]


@pytest.mark.parametrize("api", list(Api))
def test_a_gateway_that_hands_through_is_faithful(api: Api, port: int) -> None:
    with relay(port) as url:
        results = list(judged(url, port, api, *PLAIN))
    assert {result.cell: (result.verdict, result.problem) for result in results} == {
        result.cell: (Verdict.FAITHFUL, None) for result in results
    }
    assert all(result.outcomes["stream.chunking"] == "pass" for result in results if result.mode is Mode.STREAMED)


def musts(results: list[Result]) -> set[str]:
    return {found.check for result in results for found in result.open if RULES[found.check].severity is Severity.MUST}


def test_a_gateway_that_drops_stop_strings_fails_for_that_alone(port: int) -> None:
    def drop(body: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in body.items() if key != "stop_sequences"}

    with relay(port, change=drop) as url:
        assert musts(list(judged(url, port, Api.ANTHROPIC_MESSAGES, "stop-fired"))) == {"request.stop-whole"}


def test_a_gateway_that_calls_every_ending_complete_misleads(port: int) -> None:
    with relay(port, replaces=(b'"pause_turn"', b'"end_turn"')) as url:
        results = list(judged(url, port, Api.ANTHROPIC_MESSAGES, "pause-turn"))
    assert musts(results) == {"reason.class"}
    assert {result.verdict for result in results} == {Verdict.MISLEADING}


def test_an_error_of_the_provider_reaches_the_client_as_an_error(port: int) -> None:
    with relay(port) as url:
        results = list(judged(url, port, Api.OPENAI_CHAT, "error-http-429", "cut-before-terminal"))
    assert musts(results) == set()
    assert "raised" in results[0].seen


# The model that it is asked for


def test_the_model_may_carry_the_api_and_the_upstream_gets_what_the_gateway_makes_of_it(port: int) -> None:
    asked: list[str] = []

    def strip(body: dict[str, Any]) -> dict[str, Any]:
        asked.append(body["model"])
        return body | {"model": body["model"].partition("/")[2]}

    with relay(port, change=strip) as url:
        (first, *_) = judged(url, port, Api.OPENAI_CHAT, "natural-end", model="{api}/{model}")
    assert asked[0] == "openai-chat/gpt-4.1-mini"
    assert json.loads(first.sent[0].partition("\n")[2])["model"] == "gpt-4.1-mini"


# Which request is meant


def test_a_late_request_of_another_play_is_told_apart() -> None:
    turns = cassette("openai-chat/natural-end", Mode.BUFFERED)
    delivery = Delivery("openai-chat/natural-end", {Mode.BUFFERED: turns})
    said = turns[0].request["messages"][0]["content"]
    assert is_for(delivery, json.dumps({"input": [{"parts": [{"text": said}]}]}).encode())
    assert not is_for(delivery, b'{"messages": [{"role": "user", "content": "something else"}]}')
    assert is_for(delivery, b"no JSON, so that it cannot be told")


def test_a_taken_port_is_the_harness_problem_and_says_so(port: int) -> None:
    with ReplayServer(port), pytest.raises(HarnessError, match="cannot listen"):
        Bench(Gateway(Place(Api.GEMINI, "http://127.0.0.1:1", upstream=port))).__enter__()


# What stands behind `gateway:`


def test_words_behind_the_prefix() -> None:
    assert parse("gemini@http://127.0.0.1:4000") == Place(
        Api.GEMINI, "http://127.0.0.1:4000", lacks=frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON})
    )
    said = "openai-chat@http://h/base?model={api}/{model}&upstream=9&apis=gemini,openai-chat&lacks=usage&name=mine"
    assert parse(said) == Place(
        Api.OPENAI_CHAT,
        "http://h/base",
        "{api}/{model}",
        9,
        frozenset({Api.GEMINI, Api.OPENAI_CHAT}),
        frozenset({Gap.USAGE}),
        "mine",
    )


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("openai@http://127.0.0.1:4000", "'openai' is no API"),
        ("openai-chat", "gateway:API@URL"),
        ("openai-chat@127.0.0.1:4000", "no http address"),
        ("openai-chat@http://h?modl=x", "no setting 'modl'"),
        ("openai-chat@http://h?upstream=high", "'high' is no port"),
        ("openai-chat@http://h?apis=openai", "no member 'openai'"),
        ("openai-chat@http://h?lacks=all", "no member 'all'"),
    ],
)
def test_bad_words_are_one_clear_error(spec: str, says: str) -> None:
    with pytest.raises(AdapterNotFound) as caught:
        build(spec)
    assert says in str(caught.value)


def test_nobody_there_is_said_before_anything_runs(port: int) -> None:
    with pytest.raises(AdapterNotFound, match="nobody listens"):
        load(f"gateway:openai-chat@http://127.0.0.1:{port}")

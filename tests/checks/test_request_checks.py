"""The rules named request.*, on requests made by hand: every spelling that is right, and those that are not."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.checks import requests
from conformance.vocabulary import Api, Severity, Stop, Verdict
from tests.hand_made import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    Request,
    asked,
    case,
    raised,
    said,
    seen,
    truth,
    verdicts,
)

L, M = Verdict.LOUD, Verdict.MISLEADING
TWO = ("END", "\n\nHuman:")
FIVE = ("a", "b", "c", "d", "e")


def gemini(value: Any, config: str = "generationConfig", field: str = "stopSequences") -> dict[str, Any]:
    return {config: {field: value}}


@pytest.mark.parametrize(
    ("api", "stop", "body", "found"),
    [
        pytest.param(CHAT, TWO, {"stop": list(TWO)}, [], id="chat"),
        pytest.param(CHAT, "END", {"stop": "END"}, [], id="chat-bare-string"),
        pytest.param(CHAT, "END", {"stop": ["END"]}, [], id="chat-string-as-list"),
        pytest.param(CHAT, ("END",), {"stop": "END"}, [], id="chat-list-of-one-as-string"),
        pytest.param(ANTHROPIC, TWO, {"stop_sequences": list(TWO)}, [], id="anthropic"),
        pytest.param(ANTHROPIC, "END", {"stop_sequences": ["END"]}, [], id="anthropic-string-as-list"),
        pytest.param(ANTHROPIC, "END", {"stop_sequences": "END"}, [M], id="anthropic-bare-string"),
        pytest.param(ANTHROPIC, TWO, {"stop": list(TWO)}, [M], id="anthropic-under-openai's-name"),
        pytest.param(GEMINI, TWO, gemini(list(TWO)), [], id="gemini"),
        pytest.param(GEMINI, TWO, gemini(list(TWO), "generation_config", "stop_sequences"), [], id="gemini-snake"),
        pytest.param(GEMINI, TWO, gemini(list(TWO), field="stop_sequences"), [], id="gemini-half-snake"),
        pytest.param(GEMINI, TWO, {"stopSequences": list(TWO)}, [M], id="gemini-outside-its-config"),
        pytest.param(GEMINI, "END", gemini("END"), [M], id="gemini-bare-string"),
        pytest.param(GEMINI, TWO, {"generationConfig": None}, [M], id="gemini-config-is-null"),
        pytest.param(RESPONSES, TWO, {"stop": list(TWO)}, [], id="responses-refuses-it-loudly"),
        pytest.param(RESPONSES, TWO, {}, [M], id="responses-dropped"),
        pytest.param(CHAT, TWO, {}, [M], id="dropped"),
        pytest.param(CHAT, TWO, {"stop": None}, [M], id="null"),
        pytest.param(CHAT, TWO, {"stop": []}, [M], id="empty-list"),
        pytest.param(CHAT, TWO, {"stop": TWO[::-1]}, [M], id="reversed"),
        pytest.param(CHAT, TWO, {"stop": ["END", "Human:"]}, [M], id="trimmed"),
        pytest.param(CHAT, TWO, {"stop": [*TWO, "</s>"]}, [M], id="one-of-its-own-added"),
        pytest.param(CHAT, ("END", "END"), {"stop": ["END"]}, [M], id="duplicate-taken-out"),
        pytest.param(CHAT, FIVE, {"stop": list(FIVE[:4])}, [M], id="sliced"),
        pytest.param(CHAT, "\n", {"stop": "\n"}, [], id="blank-string"),
        pytest.param(CHAT, None, {}, None, id="none-asked"),
        pytest.param(CHAT, (), {}, None, id="empty-list-asked"),
        pytest.param(CHAT, TWO, None, [M], id="body-is-no-json"),
    ],
)
def test_stop_whole(api: Api, stop: Any, body: dict[str, Any] | None, found: list[Verdict] | None) -> None:
    one = case(asked(api, stop), truth(), seen(said(), sent=(Request(body),)))
    assert verdicts(requests.stop_whole, one) == found


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"stop": list(FIVE[:4])}, "the list of 5 stop strings is sliced to 4"),
        ({}, "the stop strings are dropped in silence"),
        ({"stop": list(FIVE[::-1])}, "the stop strings are not sent as asked"),
    ],
)
def test_stop_whole_says_what_happened(body: dict[str, Any], problem: str) -> None:
    (finding,) = requests.stop_whole(case(asked(CHAT, FIVE), truth(), seen(said(), sent=(Request(body),)))) or ()
    assert finding.problem == problem
    assert finding.severity is Severity.MUST


@pytest.mark.parametrize(
    ("body", "warnings", "found"),
    [
        pytest.param({}, ("Stop sequences are not supported and were ignored",), [L], id="dropped-with-a-warning"),
        pytest.param({}, ("temperature is deprecated",), [M], id="a-warning-of-something-else"),
        pytest.param({"stop": ["END"]}, ("stop was shortened",), [M], id="sliced-with-a-warning"),
    ],
)
def test_warnings(body: dict[str, Any], warnings: tuple[str, ...], found: list[Verdict]) -> None:
    """A warning makes it loud only where nothing of the kind is sent."""
    one = case(asked(CHAT, TWO), truth(), seen(said(), sent=(Request(body),), warnings=warnings))
    assert verdicts(requests.stop_whole, one) == found


def test_a_warning_is_no_broken_must() -> None:
    """The rule asks that it arrives, or that the adapter raises or warns: who warns has kept it."""
    one = case(asked(RESPONSES, TWO), truth(), seen(said(), sent=(Request({}),), warnings=("no stop parameter",)))
    assert [finding.severity for finding in requests.stop_whole(one) or ()] in ([], [Severity.SHOULD])


@pytest.mark.parametrize(
    "first", [Request(None, "/v1/models"), Request({"messages": []}, "/v1/messages/count_tokens")], ids=["GET", "count"]
)
def test_a_request_before_the_call_is_not_judged(first: Request) -> None:
    """An adapter that lists models or counts tokens first is told so by request.count, and by nothing else."""
    sent = (first, Request({"stop_sequences": list(TWO)}, "/v1/messages"))
    assert verdicts(requests.stop_whole, case(asked(ANTHROPIC, TWO), truth(), seen(said(), sent=sent))) == []


def test_refusing_to_send_is_right() -> None:
    refused = seen(raised=raised("sdk.Unsupported"), sent=())
    assert verdicts(requests.stop_whole, case(asked(CHAT, FIVE), truth(), refused)) == []


def test_a_stub_that_sends_nothing_is_not_judged() -> None:
    one = case(asked(CHAT, TWO), truth(), seen(said(), sent=()))
    assert requests.stop_whole(one) is None
    assert requests.stop_absent(one) is None
    assert requests.count(one) is None


@pytest.mark.parametrize(
    ("api", "stop", "body", "found"),
    [
        pytest.param(CHAT, None, {}, [], id="absent"),
        pytest.param(CHAT, None, {"stop": None}, [M], id="null"),
        pytest.param(CHAT, None, {"stop": []}, [M], id="empty-list"),
        pytest.param(ANTHROPIC, None, {"stop_sequences": None}, [M], id="anthropic-null"),
        pytest.param(ANTHROPIC, None, {"stop": None}, [], id="a-key-that-is-not-this-api's"),
        pytest.param(GEMINI, None, gemini(None), [M], id="gemini-null"),
        pytest.param(GEMINI, None, gemini([], "generation_config", "stop_sequences"), [M], id="gemini-snake"),
        pytest.param(RESPONSES, None, {"stop": None}, [M], id="responses"),
        pytest.param(CHAT, (), {"stop": []}, [], id="empty-list-asked"),
        pytest.param(CHAT, (), {}, [], id="empty-list-left-out"),
        pytest.param(CHAT, (), {"stop": [""]}, [M], id="empty-list-made-up"),
        pytest.param(CHAT, "END", {"stop": "END"}, None, id="one-asked"),
    ],
)
def test_stop_absent(api: Api, stop: Any, body: dict[str, Any], found: list[Verdict] | None) -> None:
    one = case(asked(api, stop), truth(), seen(said(), sent=(Request(body),)))
    assert verdicts(requests.stop_absent, one) == found


@pytest.mark.parametrize(("number", "found"), [(0, None), (1, []), (2, [L]), (3, [L])])
def test_count(number: int, found: list[Verdict] | None) -> None:
    one = case(asked(), truth(), seen(said(), sent=(Request({}),) * number))
    assert verdicts(requests.count, one) == found


KEY = {"x-api-key": "k"}


@pytest.mark.parametrize(
    ("sent", "elsewhere", "found"),
    [
        pytest.param(Request({}, headers=KEY), None, None, id="nothing-redirects"),
        pytest.param(Request({}, headers=KEY), (), [], id="not-followed"),
        pytest.param(Request({}, headers=KEY), (Request({}),), [], id="followed-without-the-key"),
        pytest.param(Request({}, headers=KEY), (Request({}, headers=KEY),), [M], id="followed-with-the-key"),
        pytest.param(Request({}, headers=KEY), (Request({}), Request({}, headers=KEY)), [M], id="at-the-second-try"),
        pytest.param(Request({}, query="key=k"), (Request({}, query="a=b&key=k"),), [M], id="in-the-query"),
        pytest.param(Request({}, query="key=k"), (Request({}, headers={"x-goog-api-key": "k"}),), [M], id="moved"),
        pytest.param(Request({}, headers=KEY), (Request({}, headers={"x-api-key": "other"}),), [], id="another-key"),
    ],
)
def test_key_kept(sent: Request, elsewhere: tuple[Request, ...] | None, found: list[Verdict] | None) -> None:
    one = case(asked(), truth(Stop.FAILED), seen(raised=raised("sdk.E"), sent=(sent,), elsewhere=elsewhere))
    assert verdicts(requests.key_kept, one) == found


def test_hangs_are_not_judged() -> None:
    one = case(asked(CHAT, TWO), truth(), seen(hung=True))
    assert requests.stop_whole(one) is None
    assert requests.count(one) is None

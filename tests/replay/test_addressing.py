"""Which requests a provider would route alike, API by API."""

from __future__ import annotations

import pytest

from conformance.replay.addressing import origin_of, read_request, same_address
from conformance.vocabulary import Api, Mode

GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
ANTHROPIC = "https://api.anthropic.com/v1/messages"
CHAT = "https://api.openai.com/v1/chat/completions"
RESPONSES = "https://api.openai.com/v1/responses"

ADDRESSES = [
    (Api.ANTHROPIC_MESSAGES, ANTHROPIC, "/v1/messages", True),
    (Api.ANTHROPIC_MESSAGES, ANTHROPIC, "/v1/v1/messages", False),
    (Api.ANTHROPIC_MESSAGES, ANTHROPIC, "//v1/messages", False),
    (Api.ANTHROPIC_MESSAGES, ANTHROPIC, "/v1/messages/count_tokens", False),
    (Api.OPENAI_CHAT, CHAT, "/v1/chat/completions", True),
    (Api.OPENAI_CHAT, CHAT, "/chat/completions", False),
    (Api.OPENAI_CHAT, CHAT, "/v1/responses", False),
    (Api.OPENAI_RESPONSES, RESPONSES, "/v1/responses", True),
    (Api.GEMINI, GEMINI, "/v1beta/models/gemini-2.5-flash:generateContent", True),
    (Api.GEMINI, GEMINI, "/v1/models/other:generateContent", True),
    (Api.GEMINI, GEMINI, "/v1alpha/models/other%3AgenerateContent", True),
    (Api.GEMINI, GEMINI, "/v1beta1/models/other:streamGenerateContent", True),
    (Api.GEMINI, GEMINI, "/v1beta/models/other:countTokens", False),
    (Api.GEMINI, GEMINI, "/v1beta/v1beta/models/other:generateContent", False),
    (Api.GEMINI, GEMINI, "/v2/models/other:generateContent", False),
]


@pytest.mark.parametrize(("api", "uri", "path", "same"), ADDRESSES)
def test_an_address_is_the_cassettes_or_is_not(api: Api, uri: str, path: str, same: bool) -> None:
    sent = read_request(api, "POST", path, "beta=true", headers=[], body=b"{}")
    assert same_address(api, sent, "POST", uri) is same


def test_the_method_belongs_to_the_address() -> None:
    sent = read_request(Api.ANTHROPIC_MESSAGES, "GET", "/v1/messages", "", headers=[], body=b"")
    assert not same_address(Api.ANTHROPIC_MESSAGES, sent, "POST", ANTHROPIC)


@pytest.mark.parametrize(
    ("api", "path", "body", "mode"),
    [
        (Api.ANTHROPIC_MESSAGES, "/v1/messages", b'{"stream": true}', Mode.STREAMED),
        (Api.ANTHROPIC_MESSAGES, "/v1/messages", b'{"stream": false}', Mode.BUFFERED),
        (Api.OPENAI_CHAT, "/v1/chat/completions", b'{"stream": true}', Mode.STREAMED),
        (Api.GEMINI, "/v1beta/models/m:streamGenerateContent", b"{}", Mode.STREAMED),
        (Api.GEMINI, "/v1beta/models/m:generateContent", b"{}", Mode.BUFFERED),
    ],
)
def test_the_mode_is_read_as_the_api_says_it(api: Api, path: str, body: bytes, mode: Mode) -> None:
    assert read_request(api, "POST", path, "", headers=[("X-Case", "1")], body=body).mode is mode


def test_a_port_that_the_scheme_implies_is_no_part_of_the_origin() -> None:
    assert origin_of("https://api.openai.com:443/v1") == origin_of("https://api.openai.com/v2")
    assert origin_of("http://127.0.0.1:8000/v1") == "http://127.0.0.1:8000"

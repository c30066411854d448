"""The API and the host of an exchange are told from the address, and from the body where the address is redacted."""

from __future__ import annotations

from typing import Any

import pytest
from making import chunk, completion, recorded, sse

from tools.published.classify import classify, mode_of


@pytest.mark.parametrize(
    ("host", "path", "kind"),
    [
        ("api.openai.com", "/v1/chat/completions", "openai-chat"),
        ("api.openai.com", "/v1/responses", "openai-responses"),
        ("api.anthropic.com", "/v1/messages", "anthropic-messages"),
        ("generativelanguage.googleapis.com", "/v1beta/models/m:generateContent", "gemini"),
        ("generativelanguage.googleapis.com", "/v1beta/models/m:streamGenerateContent", "gemini"),
        ("aiplatform.googleapis.com", "/v1/models/m:generateContent", "gemini@vertex"),
        ("us-central1-aiplatform.googleapis.com", "/v1/models/m:generateContent", "gemini@vertex"),
        ("generativelanguage.googleapis.com", "/v1beta/openai/chat/completions", "openai-chat@google-compatible"),
        ("api.anthropic.com", "/v1/chat/completions", "openai-chat@anthropic"),
        ("mine.openai.azure.com", "/openai/deployments/d/chat/completions", "openai-chat@azure"),
        ("mine.cognitiveservices.azure.com", "/openai/responses", "openai-responses@azure"),
        ("api.mistral.ai", "/v1/chat/completions", "openai-chat@mistral"),
        ("api.groq.com", "/openai/v1/chat/completions", "openai-chat@groq"),
        ("openrouter.ai", "/api/v1/chat/completions", "openai-chat@openrouter"),
        ("localhost", "/v1/chat/completions", "openai-chat@local"),
        ("localhost", "/router/v2/anthropic/v1/messages", "anthropic-messages@router"),
        ("llm.example", "/v1/chat/completions", "openai-chat@llm.example"),
        ("api.cohere.com", "/v2/chat", "cohere-chat-v2@cohere"),
        ("bedrock-runtime.eu-west-1.amazonaws.com", "/model/m/converse-stream", "bedrock-converse@bedrock"),
        ("bedrock-runtime.eu-west-1.amazonaws.com", "/model/m/invoke", "bedrock-invoke@bedrock"),
        ("api.openai.com", "/v1/responses/input_tokens", "token-count@openai"),
        ("api.anthropic.com", "/v1/messages/count_tokens", "token-count@anthropic"),
        ("generativelanguage.googleapis.com", "/v1beta/models/m:countTokens", "token-count@google"),
        ("api.openai.com", "/v1/embeddings", "None"),
        ("api.openai.com", "/v1/threads/t/messages", "None"),
    ],
)
def test_by_address(host: str, path: str, kind: str) -> None:
    assert str(classify(recorded({}, host=host, path=path))) == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (completion(), "openai-chat"),
        (sse(chunk({"role": "assistant"})), "openai-chat"),
        ({"object": "response"}, "openai-responses"),
        (b'event: response.created\ndata: {"type": "response.created"}\n\n', "openai-responses"),
        ({"type": "message"}, "anthropic-messages"),
        (sse({"type": "message_start"}), "anthropic-messages"),
        ({"candidates": []}, "gemini"),
        ({"promptFeedback": {}}, "gemini"),
        ({"object": "list", "data": []}, "None"),
        (b"\x89PNG", "None"),
        (b"data: not json\n\n", "None"),
        (b"[1]", "None"),
    ],
)
def test_by_body_where_the_address_is_redacted(body: Any, kind: str) -> None:
    assert str(classify(recorded(body, host="", path="", streamed=b"data:" in recorded(body).body))) == kind


@pytest.mark.parametrize(
    ("request_body", "kind"),
    [
        ({"contents": []}, "gemini"),
        ({"messages": []}, "openai-chat"),
        ({"input": "x", "model": "m"}, "openai-responses"),
        ({"input": "x"}, "None"),
        (None, "None"),
    ],
)
def test_an_error_without_address_is_told_by_its_request(request_body: Any, kind: str) -> None:
    body = {"error": {"message": "no"}}
    assert str(classify(recorded(body, host="", path="", status=400, request=request_body))) == kind


def test_an_error_in_anthropics_envelope_needs_no_request() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error"}}
    assert str(classify(recorded(body, host="", path="", status=529))) == "anthropic-messages"


def test_only_posts_are_calls_of_a_model() -> None:
    assert classify(recorded({}, method="GET")) is None


def test_the_api_is_named_only_for_the_vendors_own_host() -> None:
    own, other = classify(recorded({})), classify(recorded({}, host="openrouter.ai"))
    assert own is not None
    assert other is not None
    assert (own.api, other.api) == ("openai-chat", None)


def test_the_mode_is_the_bodys() -> None:
    assert mode_of(recorded(sse({}))) == "streamed"
    assert mode_of(recorded({})) == "buffered"

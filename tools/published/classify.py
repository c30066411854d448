"""Tells which API an exchange speaks and whose host answered, from host, path and body. Judges nothing else.

Some packages redact addresses: there the body decides. Hosts other than the vendor's own are kept
apart, for what a compatible server does is no evidence for the vendor.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from conformance.vocabulary import Api, Mode
from tools.published.cassettes import Recorded

_OWN_HOST = {
    Api.OPENAI_CHAT: "openai",
    Api.OPENAI_RESPONSES: "openai",
    Api.ANTHROPIC_MESSAGES: "anthropic",
    Api.GEMINI: "google",
}

# End of the path -> protocol. The first match counts, so the narrower come first.
_PATHS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), protocol)
    for pattern, protocol in (
        (r"/(input_tokens|count_tokens)$|:countTokens$", "token-count"),
        (r"/chat/completions$", Api.OPENAI_CHAT),
        (r"/responses$", Api.OPENAI_RESPONSES),
        (r"(?<!threads)/v1/messages$", Api.ANTHROPIC_MESSAGES),
        (r":(stream)?[gG]enerateContent$", Api.GEMINI),
        (r"/converse(-stream)?$", "bedrock-converse"),
        (r"/invoke(-with-response-stream)?$", "bedrock-invoke"),
        (r"/v2/chat$", "cohere-chat-v2"),
        (r"/v1/chat$", "cohere-chat-v1"),
        (r"/v1/completions$", "openai-completions"),
        (r"/v1/complete$", "anthropic-complete"),
        (r"/api/(chat|generate)$", "ollama"),
    )
)

# End of the host -> whose it is. What is not listed is named by the host itself.
_HOSTS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "aiplatform.googleapis.com": "vertex",
    "openai.azure.com": "azure",
    "cognitiveservices.azure.com": "azure",
    "amazonaws.com": "bedrock",
    "api.mistral.ai": "mistral",
    "api.groq.com": "groq",
    "api.cohere.com": "cohere",
    "openrouter.ai": "openrouter",
    "api.deepseek.com": "deepseek",
    "api.x.ai": "xai",
    "api.together.xyz": "together",
    "router.huggingface.co": "huggingface",
    "azuredatabricks.net": "databricks",
    "api.cloudflare.com": "cloudflare",
    "localhost": "local",
    "127.0.0.1": "local",
}

_FIRST_DATA = re.compile(rb"^data:[ ]?(\{.*\})[ ]*\r?$", re.MULTILINE)
_OBJECTS = {
    "chat.completion": Api.OPENAI_CHAT,
    "chat.completion.chunk": Api.OPENAI_CHAT,
    "response": Api.OPENAI_RESPONSES,
}


class Kind(NamedTuple):
    """The protocol of an exchange and who answered. `protocol` is an Api's value, or the name of another protocol."""

    protocol: str
    vendor: str

    @property
    def api(self) -> Api | None:
        """The Api, where the vendor's own host answered and a codec exists."""
        if self.protocol in _OWN_HOST and _OWN_HOST[Api(self.protocol)] == self.vendor:
            return Api(self.protocol)
        return None

    def __str__(self) -> str:
        """`openai-chat` from the vendor itself, `openai-chat@azure` from another."""
        return self.protocol if self.api else f"{self.protocol}@{self.vendor}"


def classify(exchange: Recorded) -> Kind | None:
    """What an exchange speaks; None where it is no call of a model."""
    if exchange.method != "POST":
        return None
    if not exchange.path:
        protocol = _by_body(exchange)
        # A redacted address says nothing; the ids in the body, which `believe` checks, say whose it was.
        return Kind(protocol, _OWN_HOST[protocol]) if protocol else None
    for pattern, protocol_name in _PATHS:
        if pattern.search(exchange.path):
            return Kind(protocol_name, _vendor(exchange.host, exchange.path))
    return None


def mode_of(exchange: Recorded) -> Mode:
    """How the reply came."""
    return Mode.STREAMED if exchange.streamed else Mode.BUFFERED


def _vendor(host: str, path: str) -> str:
    if "/router/" in path:
        return "router"
    if path.startswith("/v1beta/openai/"):
        return "google-compatible"
    for end, vendor in _HOSTS.items():
        if host == end or host.endswith("." + end) or (host.endswith("-" + end) and vendor == "vertex"):
            return vendor
    return host


def first_object(exchange: Recorded) -> dict[str, Any]:
    """The first JSON object of the body, whole or streamed; empty where there is none."""
    text: bytes = exchange.body
    if exchange.streamed:
        found = _FIRST_DATA.search(text)
        if not found:
            return {}
        text = found[1]
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _by_body(exchange: Recorded) -> Api | None:
    value = first_object(exchange)
    kind = value.get("type")
    if isinstance(named := value.get("object"), str) and named in _OBJECTS:
        return _OBJECTS[named]
    if isinstance(kind, str) and kind.startswith("response."):
        return Api.OPENAI_RESPONSES
    if kind in ("message", "message_start") or (kind == "error" and "error" in value):
        return Api.ANTHROPIC_MESSAGES
    if "candidates" in value or "promptFeedback" in value:
        return Api.GEMINI
    return _by_request(exchange) if exchange.status >= 400 else None


def _by_request(exchange: Recorded) -> Api | None:
    """An error body is nobody's in particular: the keys of the request are."""
    request = exchange.request or {}
    if "contents" in request:
        return Api.GEMINI
    if "messages" in request:
        return Api.OPENAI_CHAT
    if "input" in request and "model" in request:
        return Api.OPENAI_RESPONSES
    return None

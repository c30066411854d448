"""The binding for langchain-google-genai: `ChatGoogleGenerativeAI` on the Gemini API. No Vertex, no legacy class.

LangChain hands the provider's own reason on in `response_metadata`. Stop strings go with the call;
`configured` gives them to the model's constructor, the library's second entry point. Everything that the Call does
not ask for stays at the library's default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_google_genai import ChatGoogleGenerativeAI

from conformance.adapters import installed
from conformance.adapters.langchain_messages import asked, parts_of, reply_of
from conformance.contract import Call, Part, Reply
from conformance.vocabulary import PASSTHROUGH, Api, Gap
from conformance.wire.gemini import PROMPT_FEEDBACK


class LangChainGoogleGenAI:
    """Hands out LangChain's messages."""

    name = "langchain-google-genai"
    apis = frozenset({Api.GEMINI})
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("langchain-google-genai")

    def __init__(self, stop: list[str] | None = None) -> None:
        self._stop = stop

    def configured(self, stop: list[str]) -> LangChainGoogleGenAI:
        """The same with these stop strings in the constructor of the model."""
        return LangChainGoogleGenAI(stop)

    def complete(self, call: Call) -> Reply:
        model, options = self._asked(call)
        return reply_of(model.invoke(call.prompt, **options), _reason)

    def stream(self, call: Call) -> Iterator[Part]:
        model, options = self._asked(call)
        yield from parts_of(model.stream(call.prompt, **options), _reason)

    def _asked(self, call: Call) -> tuple[Any, dict[str, Any]]:
        settings: dict[str, Any] = {} if self._stop is None else {"stop": self._stop}
        if call.max_tokens is not None:
            settings["max_output_tokens"] = call.max_tokens
        model = ChatGoogleGenerativeAI(
            model=call.model, base_url=call.base_url, google_api_key=call.api_key, timeout=call.timeout, **settings
        )
        return asked(model, call)


def build() -> LangChainGoogleGenAI:
    """The factory behind `--adapter langchain-google-genai`."""
    return LangChainGoogleGenAI()


def _reason(metadata: dict[str, Any]) -> str | None:
    """The candidate's reason; for a blocked prompt, which has no candidate, the place and reason of the block."""
    blocked = (metadata.get("prompt_feedback") or {}).get("block_reason")
    reason = metadata.get("finish_reason")
    if reason is None and blocked is not None:
        return f"{PROMPT_FEEDBACK}{getattr(blocked, 'value', blocked)}"
    return None if reason is None else str(reason)

"""The binding for langchain-openai: `ChatOpenAI` on Chat Completions and on Responses. No other class of the package.

LangChain hands the provider's own reason on in `response_metadata`. Stop strings go with the call;
`configured` gives them to the model's constructor, the library's second entry point. Everything that the Call does
not ask for stays at the library's default, but for usage in streams, which it turns off for any address but OpenAI's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from conformance.adapters import installed
from conformance.adapters.langchain_messages import asked, parts_of, reply_of
from conformance.contract import Call, Part, Reply
from conformance.vocabulary import PASSTHROUGH, Api, Gap


class LangChainOpenAI:
    """Hands out LangChain's messages."""

    name = "langchain-openai"
    apis = frozenset({Api.OPENAI_CHAT, Api.OPENAI_RESPONSES})
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("langchain-openai")

    def __init__(self, stop: list[str] | None = None) -> None:
        self._stop = stop
        # The address is the model's, so a model is made for each call; what costs time is the client underneath.
        self._clients = {"http_client": DefaultHttpxClient(), "http_async_client": DefaultAsyncHttpxClient()}

    def configured(self, stop: list[str]) -> LangChainOpenAI:
        """The same with these stop strings in the constructor of the model."""
        return LangChainOpenAI(stop)

    def complete(self, call: Call) -> Reply:
        model, options = self._asked(call)
        return reply_of(model.invoke(call.prompt, **options), _reason)

    def stream(self, call: Call) -> Iterator[Part]:
        model, options = self._asked(call)
        yield from parts_of(model.stream(call.prompt, **options), _reason)

    def _asked(self, call: Call) -> tuple[Any, dict[str, Any]]:
        settings: dict[str, Any] = {} if self._stop is None else {"stop": self._stop}
        if call.max_tokens is not None:
            settings["max_tokens"] = call.max_tokens
        model = ChatOpenAI(
            model=call.model,
            base_url=f"{call.base_url}/v1",
            api_key=call.api_key,
            timeout=call.timeout,
            use_responses_api=call.api is Api.OPENAI_RESPONSES,
            stream_usage=True,
            **self._clients,
            **settings,
        )
        return asked(model, call)


def build() -> LangChainOpenAI:
    """The factory behind `--adapter langchain-openai`."""
    return LangChainOpenAI()


def _reason(metadata: dict[str, Any]) -> str | None:
    """Chat's reason, or the status of Responses with its detail."""
    if metadata.get("status") is None:
        reason = metadata.get("finish_reason")
        return None if reason is None else str(reason)
    detail = (metadata.get("incomplete_details") or {}).get("reason")
    return f"{metadata['status']}/{detail}" if detail else str(metadata["status"])

"""The binding for langchain-anthropic: `ChatAnthropic`. No experimental class, no middleware.

LangChain hands the provider's own reason on in `response_metadata`. Stop strings go with the call;
`configured` gives them to the model's constructor, the library's second entry point. Everything that the Call does
not ask for stays at the library's default, its cap on output tokens included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_anthropic import ChatAnthropic

from conformance.adapters import installed
from conformance.adapters.langchain_messages import asked, parts_of, reply_of
from conformance.contract import Call, Part, Reply
from conformance.vocabulary import PASSTHROUGH, Api, Gap


class LangChainAnthropic:
    """Hands out LangChain's messages."""

    name = "langchain-anthropic"
    apis = frozenset({Api.ANTHROPIC_MESSAGES})
    vocabulary = PASSTHROUGH
    lacks: frozenset[Gap] = frozenset()
    version = installed("langchain-anthropic")

    def __init__(self, stop: list[str] | None = None) -> None:
        self._stop = stop

    def configured(self, stop: list[str]) -> LangChainAnthropic:
        """The same with these stop strings in the constructor of the model."""
        return LangChainAnthropic(stop)

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
        # The address is the model's, and no client can be handed in: one model a call.
        model = ChatAnthropic(
            model=call.model, base_url=call.base_url, api_key=call.api_key, timeout=call.timeout, **settings
        )
        return asked(model, call)


def build() -> LangChainAnthropic:
    """The factory behind `--adapter langchain-anthropic`."""
    return LangChainAnthropic()


def _reason(metadata: dict[str, Any]) -> str | None:
    reason = metadata.get("stop_reason")
    return None if reason is None else str(reason)

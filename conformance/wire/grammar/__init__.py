"""The stream grammar of each API, for streams that somebody writes in its shape. Nothing is decoded: see the codecs.

A codec reads whatever it can, since upstreams are what they are. Who answers in an API's shape has a
choice, and clients of that API lean on the order of its events. Two degrees: a violation `breaks` where a
client that follows the vendor's documentation loses content, misreads the ending or raises (each rule
names the official SDK or the document); else it only departs from what the vendor always sends, and
clients have been seen to mind.

Not judged: whether a usage-only chunk was asked for (the request is the adapter's), and what unknown
events mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from conformance.vocabulary import Api
from conformance.wire.grammar.anthropic_messages import AnthropicGrammar
from conformance.wire.grammar.base import Grammar, Violation
from conformance.wire.grammar.gemini import GeminiGrammar
from conformance.wire.grammar.openai_chat import ChatGrammar
from conformance.wire.grammar.openai_responses import ResponsesGrammar

__all__ = ["Violation", "violations"]

_GRAMMARS: Mapping[Api, Callable[[], Grammar]] = {
    Api.OPENAI_CHAT: ChatGrammar,
    Api.OPENAI_RESPONSES: ResponsesGrammar,
    Api.ANTHROPIC_MESSAGES: AnthropicGrammar,
    Api.GEMINI: GeminiGrammar,
}


def violations(
    api: Api, events: Iterable[Mapping[str, Any] | str], *, ended: bool = True, sentinel: bool = False
) -> list[Violation]:
    """What is wrong with a stream, each thing once, in the order in which it shows.

    Args:
        api: whose grammar.
        events: the JSON of each event in order; the text of one that is none (`"[DONE]"`).
        ended: the stream is over, so that what it lacks can be told; False where it broke off.
        sentinel: judge the absence of `[DONE]`, which only streams on a wire have.
    """
    grammar = _GRAMMARS[api]()
    for event in events:
        grammar.take(event)
    grammar.close(ended=ended, sentinel=sentinel)
    return grammar.found

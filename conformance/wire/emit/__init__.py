"""Writes a reply in an API's shape while it arrives: Parts in, events of that API out. Reading: the codecs.

A codec encodes a reply that is known whole; here nothing is known in advance. Content goes out as it comes
and only the reason is held back, to an event of its own: that keeps the first token's latency, and it is what
the vendors send.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.vocabulary import Api
from conformance.wire.emit.anthropic_messages import AnthropicEmitter
from conformance.wire.emit.base import Emitter, Ending, NoPlace
from conformance.wire.emit.gemini import GeminiEmitter
from conformance.wire.emit.openai_chat import ChatEmitter
from conformance.wire.emit.openai_responses import ResponsesEmitter

__all__ = ["Emitter", "Ending", "NoPlace", "emitter_for"]

_EMITTERS: Mapping[Api, Callable[[str], Emitter]] = {
    Api.OPENAI_CHAT: ChatEmitter,
    Api.OPENAI_RESPONSES: ResponsesEmitter,
    Api.ANTHROPIC_MESSAGES: AnthropicEmitter,
    Api.GEMINI: GeminiEmitter,
}


def emitter_for(api: Api, model: str) -> Emitter:
    """A writer for one reply of this API."""
    return _EMITTERS[api](model)

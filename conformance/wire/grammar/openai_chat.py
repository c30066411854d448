"""Stream grammar of OpenAI Chat Completions. Counts are over 448 streams of api.openai.com (457 choices).

What compatible hosts do otherwise is no excuse for who writes the stream anew, but it shows what clients
survive: those rules only depart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.wire.grammar.base import Grammar, Json, as_list, as_object
from conformance.wire.openai_common import read_error


@dataclass(slots=True)
class _Choice:
    """What one choice has sent so far."""

    role: bool = False
    reason: str | None = None
    calls: set[Any] = field(default_factory=set)


class ChatGrammar(Grammar):
    """Chunks of choices, each choice ending in a chunk with its finish_reason; usage; `[DONE]`."""

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[Any, _Choice] = {}

    def event(self, event: Json) -> None:
        if self.done:
            # openai==3.57.0 _streaming.py stops reading at the sentinel; 448/448 have it last.
            self.breaks("an event comes after [DONE]")
        if read_error(event):
            self.failed = True
            return
        choices = [as_object(choice) for choice in as_list(event.get("choices"))]
        if not choices and event.get("usage") and not self._finished():
            # 302 of 303: the usage-only chunk is the last before [DONE]. Azure's first chunk without choices has none.
            self.departs("the usage-only chunk comes before the finish_reason")
        for choice in choices:
            self._choice(choice)

    def sentinel(self) -> None:
        if self.done:
            self.breaks("[DONE] comes twice")

    def lacks(self) -> None:
        # 457/457; clients wait for it or report an unfinished reply (screenpipe/screenpipe#3616).
        if not self._choices:
            self.breaks("the stream ends without any choice")
        elif not self._finished():
            self.breaks("the stream ends without a finish_reason")

    def no_sentinel(self) -> None:
        # 448/448, yet Perplexity and others send none, and clients end at the end of the body.
        self.departs("the stream ends without [DONE]")

    def _finished(self) -> bool:
        return bool(self._choices) and all(choice.reason is not None for choice in self._choices.values())

    def _choice(self, choice: Json) -> None:
        delta, reason = as_object(choice.get("delta")), choice.get("finish_reason")
        state = self._choices.setdefault(choice.get("index") or 0, _Choice())
        said = _says(delta)
        state.role = state.role or delta.get("role") == "assistant"
        if said and not state.role:
            self.departs(
                "content comes before the role"
            )  # 448/448 have it on the first chunk; of nothing it says nothing
        if state.reason is not None and said:
            # 457/457: nothing of the choice after it. Clients that stop at the reason lose the rest
            # (BerriAI/litellm#2195).
            self.breaks("content comes after the finish_reason")
        elif state.reason is not None and reason is None:
            self.departs("a chunk of a choice comes after its finish_reason")  # OpenRouter, 15 old streams of 158
        for call in as_list(delta.get("tool_calls")):
            self._call(as_object(call), state)
        if reason is None:
            return
        if state.reason is None:
            state.reason = str(reason)
            if said:
                # 457/457 have an empty delta; Mistral and xAI do not, and strict clients drop the tail
                # (linagora/openrag#462).
                self.departs("the chunk with the finish_reason carries content")
        elif state.reason != reason:
            self.breaks(f"a second finish_reason differs from the first ({state.reason!r}, then {reason!r})")
        else:
            self.departs("the finish_reason comes twice")  # OpenRouter, 126 of 158

    def _call(self, call: Json, state: _Choice) -> None:
        index = call.get("index")
        if index is None:
            self.departs("a tool call has no index")  # Mistral in 15 streams, Gemini's compatible endpoint
            return
        if index in state.calls:
            return
        state.calls.add(index)
        named = as_object(call.get("function") or call.get("custom")).get("name")
        if not call.get("id") or not named:
            # Vercel's AI SDK raises InvalidResponseDataError on either; nobody can run a call without a name.
            self.breaks("the first piece of a tool call lacks its id or its name")


_SAID = ("content", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call")


def _says(delta: Json) -> bool:
    """Whether a delta holds anything. DeepSeek's last one has `content: ""`, which is nothing."""
    return any(delta.get(key) for key in _SAID)

"""Stream grammar of Gemini generateContent. Counts are over 241 streams. SDK dumps (snake_case) are read too."""

from __future__ import annotations

from enum import Enum
from typing import Any

from conformance.wire.grammar.base import Grammar, Json, as_list, as_object

_DATA = {
    "text": "text",
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "fileData": "file_data",
    "executableCode": "executable_code",
    "codeExecutionResult": "code_execution_result",
}
"""Fields of a part that are one union in the API's definition, and their names in the SDK's dumps."""


class GeminiGrammar(Grammar):
    """Responses with what is new, the last with the reason; no sentinel."""

    def __init__(self) -> None:
        super().__init__()
        self._reasons: dict[Any, str] = {}

    def event(self, event: Json) -> None:
        if event.get("error"):
            self.failed = True
            return
        candidates = [as_object(candidate) for candidate in as_list(event.get("candidates"))]
        for candidate in candidates:
            self._candidate(candidate)
        blocked = _get(as_object(_get(event, "promptFeedback", "prompt_feedback")), "blockReason", "block_reason")
        if blocked is not None and not candidates:
            self._reason(0, str(blocked))

    def sentinel(self) -> None:
        # None in 241; google-genai==3.6.1 _api_client.py parses every frame as JSON and raises.
        self.breaks("[DONE] is no part of this API")

    def no_sentinel(self) -> None:
        """Nothing: as it should be."""

    def lacks(self) -> None:
        if not self._reasons:
            self.breaks("the stream ends without a finishReason")  # 241/241 have one

    def _candidate(self, candidate: Json) -> None:
        index = candidate.get("index") or 0
        content = as_object(candidate.get("content"))
        parts = as_list(content.get("parts"))
        if parts and content.get("role") != "model":
            self.departs("the content has no role `model`")
        said = [self._part(part) for part in parts]
        if any(said) and index in self._reasons:
            # 7 of 241 do it, all with code execution of one model, and readers that stop there lose the answer.
            self.breaks("content comes after the finishReason")
        reason = _get(candidate, "finishReason", "finish_reason")
        if reason is not None:
            self._reason(index, str(reason))

    def _reason(self, index: Any, reason: str) -> None:
        first = self._reasons.setdefault(index, reason)
        if first != reason:  # the same again is survived: old models sent STOP on every chunk
            self.breaks(f"a second finishReason differs from the first ({first!r}, then {reason!r})")

    def _part(self, part: Any) -> bool:
        """Whether the part holds anything."""
        if not isinstance(part, dict):
            self.breaks("a part is not an object")
            return False
        held = {name: value for name, snake in _DATA.items() if (value := _get(part, name, snake)) is not None}
        if len(held) > 1:
            self.departs(f"one part holds {' and '.join(held)}")
        if not isinstance(held.get("text", ""), str):
            self.breaks("the text of a part is not a string")
        if "functionCall" in held:
            self._call(held["functionCall"])
        return any(held.values())

    def _call(self, call: Any) -> None:
        # google-genai==3.6.1 types.py FunctionCall: validated, so that other types raise.
        if not as_object(call).get("name"):
            self.breaks("a functionCall has no name")
        if not isinstance(as_object(call).get("args", {}) or {}, dict):
            self.breaks("the args of a functionCall are not an object")


def _get(source: Json, name: str, snake: str) -> Any:
    value = source.get(name)
    if value is None:
        value = source.get(snake)
    return value.value if isinstance(value, Enum) else value

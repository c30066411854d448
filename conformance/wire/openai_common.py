"""What OpenAI's two APIs share: the error envelope, and JSON read without trusting it. No reply is read here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.contract import ErrorPart
from conformance.wire.codec import Json
from conformance.wire.sse import compact

CREATED = 1_790_000_000
"""When every encoded reply was made: a constant, so that the same draft gives the same bytes."""


def read_error(payload: Any, status: int | None = None) -> ErrorPart | None:
    """The error that a payload holds, or None.

    Forms, by host: `{"error": {message, type, param, code}}` (OpenAI, Azure, Groq, DeepSeek; OpenRouter
    with an integer code), `{"error": "text", "code": "text"}` (xAI; Venice without the code),
    `{"object": "error", "message": ...}` and `{"detail": ...}` (Mistral).
    """
    envelope = as_object(payload)
    match envelope.get("error"):
        case Mapping() as inner if inner:
            return _error(inner.get("message"), inner, status)
        case str(text) if text:
            return _error(text, envelope, status)
    if envelope.get("object") == "error":
        return _error(envelope.get("message"), envelope, status)
    if envelope.get("detail"):
        return _error(envelope["detail"], envelope, status)
    return None


def as_object(value: Any) -> Json:
    """The value where it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_objects(value: Any) -> list[Json]:
    """The JSON objects in the value where it is an array, else none."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def as_text(value: Any) -> str:
    """The value where it is a string, "" for null, JSON for what should have been a string and is not."""
    if value is None:
        return ""
    return value if isinstance(value, str) else compact(value)


def _error(message: Any, kind: Json, status: int | None) -> ErrorPart:
    name = kind.get("type") or kind.get("code")
    return ErrorPart(as_text(message), None if name is None else str(name), status)

"""What a caller can reach of an exception: its text, its attributes, those of its causes. No rule is here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.error import HTTPError

_NAMES = ("message", "body", "status_code", "status", "code", "http_status", "details", "response_json")
"""Attributes that libraries compute, so that the instance's own dictionary does not have them."""

_OF_A_RESPONSE = ("status_code", "status", "text", "reason", "content")
_DEPTH, _LONG = 6, 20_000


def reachable(error: BaseException) -> str:
    """Everything that can be read off an exception, joined; for looking whether something is in it."""
    return "\n".join(piece for each in _chain(error) for piece in _told(each))[:_LONG]


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it was raised from, as a traceback shows them."""
    seen: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in seen and len(seen) < _DEPTH:
        seen.append(at)
        yield at
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)


def _told(error: BaseException) -> Iterator[str]:
    yield _text(error)
    yield " ".join(map(_text, error.args))
    if isinstance(error, HTTPError):
        with suppress(Exception):
            yield _text(error.read())  # urllib's error is the response, and its body is for the caller to read
    values = {name: _get(error, name) for name in _NAMES} | getattr(error, "__dict__", {})
    for name, value in values.items():
        if value is None or isinstance(value, BaseException):
            continue
        yield f"{name}={_text(value)}"
        if not isinstance(value, str | bytes | int | float | list | dict | tuple):
            yield from (f"{name}.{each}={_text(_get(value, each))}" for each in _OF_A_RESPONSE)


def _get(value: Any, name: str) -> Any:
    """An attribute, or None: a property of somebody else's may raise whatever it likes."""
    with suppress(Exception):
        return getattr(value, name, None)
    return None


def _text(value: Any) -> str:
    with suppress(Exception):
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return ""

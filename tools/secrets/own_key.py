"""Which variables hold the keys, and whether a text holds a given key, in whatever coding. Knows no other secret."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from urllib.parse import unquote

from conformance.vocabulary import Api

VARIABLES: Mapping[Api, str] = {
    Api.OPENAI_CHAT: "OPENAI_API_KEY",
    Api.OPENAI_RESPONSES: "OPENAI_API_KEY",
    Api.ANTHROPIC_MESSAGES: "ANTHROPIC_API_KEY",
    Api.GEMINI: "GEMINI_API_KEY",
}
"""The environment variable that holds the key of each API: the names that the vendors' SDKs read."""

SHORTEST = 12
"""Characters below which a value is no key: it would be found everywhere."""

_WINDOW = 16
"""So many characters of a key in a row tell of it; the longest public prefix of a vendor's keys has 13."""

_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\/")


def coding_of(key: str, text: str) -> str | None:
    """How a text holds a key or a long piece of it; None where it does not.

    Returns:
        words for a message: `as it is`, `percent-encoded`, `base64` ...; never a piece of the key.
    """
    whole, pieces = _needles(key)
    for name, seen in readings(text):
        if any(piece in seen for piece in pieces):
            return name
    lower = text.lower()
    for name, needle in whole:
        if needle in (lower if name == "hexadecimal" else text):
            return name
    return None


def readings(text: str) -> Iterator[tuple[str, str]]:
    """A text as it is, and what it says under each coding that keeps most characters."""
    yield "as it is", text
    if "\\" in text:
        unescaped = _ESCAPE.sub(_unescaped, text)
        if unescaped != text:
            yield "JSON-escaped", unescaped
    if "%" in text:
        once = unquote(text, errors="replace")
        yield "percent-encoded", once
        yield "percent-encoded twice", unquote(once, errors="replace")
    if "&#" in text:
        yield "HTML-escaped", html.unescape(text)


def _unescaped(match: re.Match[str]) -> str:
    return "/" if match[0] == "\\/" else str(json.loads(f'"{match[0]}"'))


@cache
def _needles(key: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """What to look for: the codings of the whole key by name, and its pieces."""
    data = key.encode()
    whole = [("hexadecimal", data.hex())]
    for offset in range(3):
        # Of base64 only the characters count that no neighbour of the key has a part in.
        coded = base64.b64encode(b"\0" * offset + data).decode()
        first, last = (0, 2, 3)[offset], (offset + len(data)) * 8 // 6
        inner = coded[first:last]
        whole += [("base64", inner), ("base64", inner.replace("+", "-").replace("/", "_"))]
    pieces = tuple(key[at : at + _WINDOW] for at in range(max(1, len(key) - _WINDOW + 1)))
    return tuple(whole), pieces

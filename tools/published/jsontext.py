"""JSON text cut into tokens with their places, so that a value can be exchanged and every other byte kept.

The text may end anywhere: a tool call that was cut is read as far as it goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

Path = tuple[str | int, ...]

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*(?:"|\\?$))|(?P<number>-?\d[\d.eE+\-]*)|(?P<literal>[A-Za-z]+)|(?P<punct>[{}\[\]:,])',
    re.DOTALL,
)
# One character of a string literal as it is written: an escaped pair of surrogates is one.
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]*$|\\.|\\$|.",
    re.DOTALL,
)
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Form(StrEnum):
    """What a token is."""

    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"
    PUNCT = "punctuation"


class Token(NamedTuple):
    """One token: where it stands in the text and at which path of the value. White space lies between tokens."""

    form: Form
    start: int
    end: int
    path: Path


@dataclass(slots=True)
class _Container:
    is_object: bool
    key: str = ""
    index: int = 0
    wants_key: bool = field(default=True)

    @property
    def step(self) -> str | int:
        return self.key if self.is_object else self.index


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a JSON text in order. A key's path is that of the value behind it."""
    stack: list[_Container] = []
    for match in _TOKEN.finditer(text):
        path = tuple(container.step for container in stack)
        start, end = match.span()
        if match["punct"]:
            _punctuate(match[0], stack)
            yield Token(Form.PUNCT, start, end, path)
        elif match["string"] and stack and stack[-1].is_object and stack[-1].wants_key:
            stack[-1].key = "".join(char for _, char in units(match[0]))
            yield Token(Form.KEY, start, end, (*path[:-1], stack[-1].key))
        else:
            yield Token(Form(str(match.lastgroup)), start, end, path)


def _punctuate(char: str, stack: list[_Container]) -> None:
    if char in "{[":
        stack.append(_Container(char == "{"))
    elif char in "}]":
        if stack:
            stack.pop()
    elif stack:
        if char == ",":
            stack[-1].index += 1
        stack[-1].wants_key = char == ","


def units(literal: str) -> list[tuple[str, str]]:
    """The characters of a string literal, each as it is written and as it reads; a cut escape reads as nothing."""
    inner = literal[1:]
    if _closed(literal):
        inner = inner[:-1]
    return [(unit, _read(unit)) for unit in _UNIT.findall(inner)]


def written(literal: str, text: str) -> str:
    """The literal with other characters, each escaped as the one was in whose place it comes.

    `text` has as many characters as `units` reads.
    """
    fresh = iter(text)
    out: list[str] = []
    for unit, char in units(literal):
        new = next(fresh) if char else ""
        out.append(unit if new == char else _write(unit, new))
    return '"' + "".join(out) + ('"' if _closed(literal) else "")


def _closed(literal: str) -> bool:
    return len(literal) > 1 and literal.endswith('"') and (len(literal) - len(literal[:-1].rstrip("\\"))) % 2 == 1


def _read(unit: str) -> str:
    if unit.startswith("\\u"):
        digits = [part for part in unit.split("\\u") if part]
        if any(len(part) < 4 for part in digits) or not digits:
            return ""
        numbers = [int(part, 16) for part in digits]
        if len(numbers) == 2:
            return chr(0x10000 + ((numbers[0] - 0xD800) << 10) + (numbers[1] - 0xDC00))
        return chr(numbers[0])
    if unit.startswith("\\"):
        return _ESCAPES.get(unit[1:], "")
    return unit


def _write(unit: str, char: str) -> str:
    if not unit.startswith("\\u"):
        return char
    code = ord(char)
    numbers = [code] if code < 0x10000 else [0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF)]
    return "".join(f"\\u{number:04x}" for number in numbers)

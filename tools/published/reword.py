"""Other words for a text, and the shape that both have in common. Where the text stands is not known here.

The new text depends on the old one's shape, on the seed and on the words to avoid, and on nothing else:
letters cannot be read back, and the pieces of a stream, joined, come out as the whole text elsewhere does.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby

from tools.published import words as ours

_SCRIPTS = {
    "LATIN": ours.LATIN,
    "GREEK": ours.GREEK,
    "CYRILLIC": ours.CYRILLIC,
    "HIRAGANA": ours.HIRAGANA,
    "KATAKANA": ours.KATAKANA,
    "HANGUL": ours.HANGUL,
}
_BY_LENGTH = {2: ours.GREEK, 3: ours.HAN, 4: ours.HAN_RARE}
_CAPITALS = {2: ours.GREEK, 3: ours.LATIN_RARE, 4: ours.DESERET}
_PICTURES = {3: ours.SYMBOLS, 4: ours.EMOJI}
_LONG_WORD = re.compile(r"[^\W\d_]{5,}")


def reword(text: str, seed: str, avoid: frozenset[str] = frozenset()) -> str:
    """As many characters and bytes, white space and punctuation where they were, every word another.

    Args:
        text: the recorded text, whole.
        seed: which of our words come first.
        avoid: words not to be used, lower case: those of the recording.
    """
    out: list[str] = []
    words = 0
    for is_word, run in groupby(text, str.isalpha):
        old = "".join(run)
        if is_word:
            out += map(_letter, old, _word(len(old), words, seed, avoid))
            words += 1
        else:
            out += [_other(char, place, seed) for place, char in enumerate(old, len(out))]
    return "".join(out)


def redigit(number: str, seed: str) -> str:
    """A number literal with other digits; none is zero, so that it stays a number of the same form."""
    return "".join(_digit(place, seed) if char in "0123456789" else char for place, char in enumerate(number))


def shape(text: str) -> str:
    """What is kept: a letter as `x` or `X`, a digit as `9`, other characters as themselves or by kind and bytes."""
    return "".join(shapes(text))


def shapes(text: str) -> list[str]:
    """The shape character by character."""
    return [_shape_of(char) for char in text]


def long_words(text: str) -> frozenset[str]:
    """The words of five letters and more, lower case: what would tell where a text comes from."""
    return frozenset(match[0].lower() for match in _LONG_WORD.finditer(text))


def _shape_of(char: str) -> str:
    if char.isascii():
        return ("X" if char.isupper() else "x") if char.isalpha() else "9" if char.isdigit() else char
    size = len(char.encode("utf-8", "surrogatepass"))
    if char.isalpha():
        return f"<{'X' if char.isupper() else 'x'}{size}>"
    return f"<picture {size}>" if _is_picture(char, size) else char


def _is_picture(char: str, size: int) -> bool:
    return size in _PICTURES and unicodedata.category(char) == "So"


def _word(length: int, number: int, seed: str, avoid: frozenset[str]) -> str:
    """Our word of this length in this place of the text."""
    if length > ours.LONGEST:
        half = length // 2
        return _word(half, number, seed, avoid) + _word(length - half, number + 1, seed, avoid)
    known = ours.WORDS[length]
    first = _number(seed, str(length)) + number
    turned = (known[(first + step) % len(known)] for step in range(len(known)))
    return next((word for word in turned if word not in avoid), known[first % len(known)])


def _letter(old: str, new: str) -> str:
    """Our letter in the case of the old one and, where that is not ASCII, of its script and bytes."""
    if not old.isascii():
        size = len(old.encode("utf-8", "surrogatepass"))
        script = _SCRIPTS.get(unicodedata.name(old, "").split(" ")[0], "")
        others = _CAPITALS if old.isupper() else _BY_LENGTH
        fitting = script if script and len(script[0].encode()) == size else others[size]
        new = fitting[ord(new) % len(fitting)]
    return new.upper() if old.isupper() else new


def _other(old: str, place: int, seed: str) -> str:
    """A digit or a picture instead of a character that is no letter; anything else as it is."""
    if old in "0123456789":
        return _digit(place, seed)
    size = len(old.encode("utf-8", "surrogatepass"))
    if _is_picture(old, size):
        return _PICTURES[size][_number(seed, str(place)) % len(_PICTURES[size])]
    return old


def _digit(place: int, seed: str) -> str:
    return "123456789"[_number(seed, f"digit {place}") % 9]


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("|".join(parts).encode()).digest()[:6], "big")


def each_long_word(texts: Iterator[str]) -> frozenset[str]:
    """The long words of many texts."""
    return frozenset().union(*(long_words(text) for text in texts))

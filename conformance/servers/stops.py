"""How stop strings are cut out of a known text: one strategy a kind, the simplest first. Asks nobody.

Hypothesis draws from these and shrinks to the simplest that fails: the shortest string, then the earliest place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from hypothesis import strategies as st

from conformance.vocabulary import Api

MOST: Mapping[Api, int] = {
    Api.OPENAI_CHAT: 4,  # openai/openai-openapi@f85dbe2 StopConfiguration
    Api.GEMINI: 5,  # google-ai-generativelanguage==0.12.1 GenerationConfig
    # No vendor's limit; engines that serve these APIs have been seen to take four (vllm-project/vllm#51997).
    Api.ANTHROPIC_MESSAGES: 4,
    Api.OPENAI_RESPONSES: 4,
}
"""Stop strings that every server of the API takes."""

MANY = 16
"""... and so many for the probe of many, where the vendor names no limit."""

_TAIL = "zq#"
_OTHER = "¤"

Stops = list[str]
Strategy = st.SearchStrategy[Stops]


class Text:
    """A text, with the places that the kinds look for.

    Args:
        text: what the server writes without stop strings.
        hidden: other text of the same run (thinking) in which a stop string might match as well.
        capped: the cap ended it: its end is left alone, where two reasons would be honest.
        api: whose limits on lists count.
    """

    def __init__(self, text: str, api: Api, *, hidden: str = "", capped: bool = False) -> None:
        self.text = text
        self.most = MOST[api]
        self.many = MANY if api is Api.ANTHROPIC_MESSAGES else MOST[api]
        self._hidden = hidden
        self._end = len(text) * 3 // 4 if capped else len(text)

    def singles(self, windows: Iterable[tuple[int, int]]) -> list[str]:
        """The strings of these windows (begin, length) that first occur there, the simplest first."""
        found: dict[str, int] = {}
        for begin, length in windows:
            stop = self.text[begin : begin + length]
            if begin > 0 and begin + length <= self._end and self.usable(stop) and self.text.find(stop) == begin:
                found.setdefault(stop, begin)
        return sorted(found, key=lambda stop: (len(stop), found[stop]))

    def usable(self, stop: str) -> bool:
        """Whether a string may be asked for: not blank, whole characters, and not in what is hidden."""
        return bool(stop.strip()) and "\ufffd" not in stop and stop not in self._hidden

    def absent(self, stops: Iterable[str]) -> list[str]:
        """Those that do not occur, each once."""
        return [stop for stop in dict.fromkeys(stops) if stop not in self.text and self.usable(stop)]

    def windows(self, lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Every window of these lengths."""
        for length in lengths:
            yield from ((begin, length) for begin in range(1, len(self.text) - length))


def _one(stops: Iterable[str]) -> Strategy | None:
    told = [[stop] for stop in stops]
    return st.sampled_from(told) if told else None


def _across_tokens(text: Text) -> Strategy | None:
    # With what is left of a word on either side, no vocabulary has a token of its own for it.
    spaces = [at for at, mark in enumerate(text.text) if mark.isspace()]
    return _one(text.singles((at - k, 2 * k + 1) for k in (2, 1, 3, 5) for at in spaces if at > k))


def _mid_word(text: Text) -> Strategy | None:
    return _one(
        text.singles(
            (at, length) for at, length in text.windows((2, 3, 4)) if text.text[at - 1 : at + length + 1].isalpha()
        )
    )


def _tail_prefix(text: Text) -> Strategy | None:
    return _one(text.absent(text.text[-k:] + _TAIL for k in (1, 2, 3, 5, 8, 13)))


def _near_miss(text: Text) -> Strategy | None:
    stops = text.absent(text.text[at : at + k] + _OTHER for at, k in text.windows((2, 3, 1, 6)))
    return st.lists(st.sampled_from(stops), min_size=1, max_size=text.most, unique=True) if stops else None


def _of_many(text: Text) -> Strategy | None:
    stops = sorted(text.singles(text.windows((3, 4, 2))), key=text.text.find)
    apart = [*stops[:1], *(two for one, two in pairwise(stops) if text.text.find(two) > text.text.find(one))]
    # The later ones first: who takes the first of the list takes the wrong one.
    lists = [
        [apart[at + gap * step] for step in range(count - 1, -1, -1)]
        for count, gap in ((2, 8), (text.most, 6))
        for at in range(0, len(apart) - gap * (count - 1), 3)
    ]
    return st.sampled_from(lists).flatmap(st.permutations) if lists else None


def _same_place(text: Text) -> Strategy | None:
    pairs = [
        [text.text[at : at + k], text.text[at : at + k + more]]
        for stop in text.singles(text.windows((3, 2, 5)))
        for at, k in [(text.text.find(stop), len(stop))]
        for more in (1, 4)
    ]
    pairs = [pair for pair in pairs if all(text.usable(stop) for stop in pair)]
    return st.sampled_from(pairs).flatmap(st.permutations) if pairs else None


def _overlapping(text: Text) -> Strategy | None:
    pairs = []
    for outer in text.singles(text.windows((6, 8))):
        inner = outer[2:-2]
        if text.usable(inner) and text.text.find(inner) == text.text.find(outer) + 2:
            pairs.append([outer, inner])
    return st.sampled_from(pairs).flatmap(st.permutations) if pairs else None


def _multi_byte(text: Text) -> Strategy | None:
    return _one(text.singles((at, k) for at, k in text.windows((1, 2, 3)) if not text.text[at : at + k].isascii()))


def _after_space(text: Text) -> Strategy | None:
    return _one(
        text.singles(
            (at, k) for at, k in text.windows((2, 3, 4)) if text.text[at - 1].isspace() and not text.text[at].isspace()
        )
    )


def _newline(text: Text) -> Strategy | None:
    return _one(text.singles((at, k) for at, k in text.windows((2, 3, 4)) if "\n" in text.text[at : at + k]))


def _one_character(text: Text) -> Strategy | None:
    return _one(text.singles(text.windows((1,))))


def _case(text: Text) -> Strategy | None:
    windows = (text.text[at : at + k] for at, k in text.windows((3, 5)))
    return _one(text.absent(stop.swapcase() for stop in windows if len(stop.swapcase()) == len(stop)))


def _literal(text: Text) -> Strategy | None:
    windows = (text.text[at : at + k] for at, k in text.windows((3, 5)))
    dotted = text.absent(f"{stop[0]}.{stop[2:]}" for stop in windows if stop.isalnum())
    return _one([*dotted, *text.absent([".*"])])


def _at_once(text: Text) -> Strategy | None:
    return _one(stop for stop in (text.text[:k] for k in (1, 2, 3, 8)) if text.usable(stop) and stop[0].strip())


def _duplicates(text: Text) -> Strategy | None:
    singles = text.singles(text.windows((3, 4)))
    return st.sampled_from([[stop] * count for stop in singles for count in (2, 3)]) if singles else None


def _many(text: Text) -> Strategy | None:
    singles = text.singles(text.windows((3, 4)))
    return st.sampled_from([[*fillers(text, text.many - 1), stop] for stop in singles]) if singles else None


def fillers(text: Text, count: int) -> list[str]:
    """Stop strings that do not occur."""
    return text.absent(f"<|never-{number}|>" for number in range(1, count + 1))


KINDS: Mapping[str, Callable[[Text], Strategy | None]] = {
    "stop-across-tokens": _across_tokens,
    "stop-mid-word": _mid_word,
    "stop-tail-prefix": _tail_prefix,
    "stop-near-miss": _near_miss,
    "stop-of-many": _of_many,
    "stop-same-place": _same_place,
    "stop-overlapping": _overlapping,
    "stop-multi-byte": _multi_byte,
    "stop-after-space": _after_space,
    "stop-newline": _newline,
    "stop-one-character": _one_character,
    "stop-case": _case,
    "stop-literal": _literal,
    "stop-at-once": _at_once,
    "stop-duplicates": _duplicates,
    "stop-many": _many,
}
"""The strategy of each kind; None where the text has no place for it."""

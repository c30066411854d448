"""The right answer by difference, as pure functions: where a stop list cuts a known text, and what a wrong text shows.

The text is what the server writes without stop strings. With a list of them the right text is its beginning up to the
first occurrence of any. Where one string lies inside another, the one that is complete first may end the text too: no
vendor says which of the two counts, so both are honest. A text that is explained by no fault of stop matching is not
judged: then the server has generated something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_NEAR = 2
"""A text ends `at` a place where it ends within so many characters: white space before it may be gone too."""


@dataclass(frozen=True, slots=True)
class Right:
    """What a right server answers.

    Attributes:
        cuts: lengths of the honest texts, the shortest first.
        fires: whether a stop string occurs at all.
        named: the strings that may honestly be named, by cut.
    """

    cuts: tuple[int, ...]
    fires: bool
    named: dict[int, frozenset[str]]

    @property
    def begin(self) -> int:
        """Where the first occurrence begins; the length of the text where there is none."""
        return self.cuts[0]


class Fault(NamedTuple):
    """What a wrong text shows: the rule, and a sentence."""

    check: str
    problem: str


def right(text: str, stops: Sequence[str]) -> Right:
    """Where a list of stop strings cuts a text. Empty strings cut nowhere."""
    places = [(text.find(stop), stop) for stop in stops if stop and stop in text]
    if not places:
        return Right((len(text),), fires=False, named={})
    begin = min(at for at, _ in places)
    first_end = min(at + len(stop) for at, stop in places)
    cuts = sorted({begin, *(at for at, stop in places if at + len(stop) == first_end)})
    named = {cut: frozenset(stop for at, stop in places if at == cut) for cut in cuts}
    return Right(tuple(cuts), True, named)


def is_right(text: str, stops: Sequence[str], seen: str) -> bool:
    """Whether a text is one of the honest ones. White space alone before the match may be left out."""
    honest = [text[:cut] for cut in right(text, stops).cuts]
    return seen in honest or (not seen and any(not one.strip() for one in honest))


def explain(text: str, stops: Sequence[str], seen: str, *, ended: bool = True) -> Fault | None:
    """What is wrong with a text that is not right; None where no fault of stop matching explains it.

    Args:
        text: the text without stop strings.
        stops: what was asked for.
        seen: what came.
        ended: whether the reason says that a stop string, or the text's own end, was met.
    """
    known = right(text, stops)
    stops = [stop for stop in stops if stop]
    if not text.startswith(seen):
        return _other(text, stops, seen, known)
    if known.begin < len(seen) < known.cuts[-1]:
        return Fault("text.exact", "the text ends at neither of the places where a stop string may end it")
    if len(seen) < known.begin:
        return _short(text, stops, seen, known)
    if seen == text and not ended:
        return Fault("stop.honoured", "a stop string occurs and the text goes on to the cap")
    return _long(text, stops, seen, known)


def _short(text: str, stops: Sequence[str], seen: str, known: Right) -> Fault | None:
    lost = text[len(seen) : known.begin]
    rest = text[len(seen) :]
    folded = next((stop for stop in stops if rest.lower().startswith(stop.lower())), None)
    if folded is not None:
        return Fault("stop.not-invented", f"the text ends where {folded!r} stands in other letters of the case")
    near = next((stop for stop in stops if len(stop) > 1 and rest.startswith(stop[:-1])), None)
    if near is not None and len(lost) >= len(near):
        return Fault("stop.not-invented", f"the text ends where all but the last character of {near!r} stands")
    if any(_as_pattern(stop, rest) for stop in stops):
        return Fault("stop.not-invented", "the text ends where a stop string matches only as a pattern")
    if not seen.strip() and any(stop[0].isspace() for stop in stops):
        return None  # white space that the server strips from the beginning may have held the match
    if not lost.strip():
        return Fault("text.exact", f"white space before the {'match' if known.fires else 'end'} is lost")
    if not seen:
        return Fault("text.exact", "no text comes")
    return Fault("text.exact", f"{_characters(len(lost))} {'before the match' if known.fires else 'at the end'} lost")


def _as_pattern(stop: str, rest: str) -> bool:
    """Whether the string would match there if `.` and `*` stood for anything; told by length only for `.`."""
    here = rest[: len(stop)]
    return len(here) == len(stop) and here != stop and all(a in (b, ".", "*") for a, b in zip(stop, here, strict=True))


def _long(text: str, stops: Sequence[str], seen: str, known: Right) -> Fault:
    more, end = text[known.begin : len(seen)], len(seen)
    here = [stop for stop in stops if text.startswith(stop, known.begin)]
    if more in here:
        return Fault("stop.trimmed", "the matched string is kept in the text")
    if any(text.startswith(stop, end) for stop in stops if stop not in here):
        return Fault("stop.earliest", "another stop string that comes later ends the text")
    if any(stop.startswith(more) for stop in here):
        return Fault("stop.trimmed", f"the beginning of the matched string ({_characters(len(more))}) is in the text")
    if any(text.startswith(stop, end) for stop in here):
        return Fault("stop.honoured", "the first occurrence is passed over; a later one ends the text")
    return Fault("stop.honoured", "a stop string occurs and the text goes on")


def _other(text: str, stops: Sequence[str], seen: str, known: Right) -> Fault | None:
    honest = text[: known.begin]
    most = max((len(stop) for stop in stops), default=0)
    edits = _edits(honest, seen, most)
    if edits is not None:
        lost, twice = edits
        told = [f"{_characters(count)} {what}" for count, what in ((lost, "lost"), (twice, "sent twice")) if count]
        return Fault("text.exact", f"{' and '.join(told)} inside the text")
    if seen.startswith(honest):
        extra = seen[len(honest) :]
        here = [stop for stop in stops if text.startswith(stop, known.begin)]
        if any(text[known.begin + len(stop) :].startswith(extra) for stop in here):
            return Fault("stop.honoured", "the matched string is taken out and the text goes on behind it")
    if seen.split() == honest.split():
        return Fault("text.exact", "white space is changed")
    return None


def _characters(count: int) -> str:
    return f"{count} character{'' if count == 1 else 's'}"


def _edits(honest: str, seen: str, most: int) -> tuple[int, int] | None:
    """How many characters are lost and how many come twice, where no more than `most` at a time explain the text."""
    at, place, lost, twice = 0, 0, 0, 0
    while at < len(honest) or place < len(seen):
        if at < len(honest) and place < len(seen) and honest[at] == seen[place]:
            at, place = at + 1, place + 1
            continue
        again = next((k for k in range(1, most + 1) if seen[place : place + k] == honest[at - k : at] != ""), 0)
        gone = next((k for k in range(1, most + 1) if _goes_on(honest[at + k :], seen[place:])), 0)
        if again and at >= again:
            place, twice = place + again, twice + again
        elif gone and at + gone <= len(honest):
            at, lost = at + gone, lost + gone
        else:
            return None
    return lost, twice


def _goes_on(honest: str, seen: str) -> bool:
    """Whether the next characters are the same; at the very end both are over."""
    return honest[:4] == seen[:4]

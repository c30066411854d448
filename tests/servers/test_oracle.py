"""The oracle alone: where a list cuts a text, and what a wrong text shows. Property: the right matcher is right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.servers.oracle import explain, is_right, right
from tests.servers.matcher import Matcher

TEXT = "In the café, says the cook, at the end of the line."


@pytest.mark.parametrize(
    ("stops", "cuts"),
    [
        (["cook"], (22,)),
        (["zebra"], (len(TEXT),)),
        ([], (len(TEXT),)),
        ([""], (len(TEXT),)),
        (["end", "cook"], (22,)),
        (["says the cook", "the c"], (3,)),
        (["says the cook", "ys t"], (13, 15)),
        (["cook", "cook,"], (22,)),
    ],
)
def test_cuts(stops: list[str], cuts: tuple[int, ...]) -> None:
    assert right(TEXT, stops).cuts == cuts


def test_either_of_two_at_one_place_may_be_named() -> None:
    assert right(TEXT, ["cook", "cook,"]).named == {22: frozenset({"cook", "cook,"})}


@pytest.mark.parametrize(
    ("stops", "seen", "check"),
    [
        (["cook"], TEXT[:26], "stop.trimmed"),
        (["cook"], TEXT[:24], "stop.trimmed"),
        (["cook"], TEXT, "stop.honoured"),
        (["the"], TEXT[:18], "stop.honoured"),
        (["end", "cook"], TEXT[:35], "stop.earliest"),
        (["cook"], TEXT[:21], "text.exact"),
        (["cook"], TEXT[:20], "text.exact"),
        (["COOK"], TEXT[:22], "stop.not-invented"),
        (["coox"], TEXT[:22], "stop.not-invented"),
        (["c..k"], TEXT[:22], "stop.not-invented"),
        (["line.!"], TEXT[:-5], "text.exact"),
        (["cook"], TEXT[:12] + TEXT[13:22], "text.exact"),
        (["cook"], TEXT[:14] + TEXT[12:22], "text.exact"),
        (["cook"], TEXT[:22] + TEXT[26:], "stop.honoured"),
        (["says the cook", "ys t"], TEXT[:14], "text.exact"),
    ],
)
def test_wrong_texts_are_explained(stops: list[str], seen: str, check: str) -> None:
    fault = explain(TEXT, stops, seen)
    assert fault is not None
    assert fault.check == check


def test_another_text_is_not_explained() -> None:
    """The server has generated something else: nobody is accused."""
    assert explain(TEXT, ["cook"], "In a bar, nobody says a word.") is None


_LETTERS = st.text(st.sampled_from("ab c"), max_size=30)
_STOPS = st.lists(st.text(st.sampled_from("ab c"), min_size=1, max_size=4), max_size=4)


@given(_LETTERS, _STOPS, st.integers(1, 5))
def test_right_matcher_is_right(text: str, stops: list[str], size: int) -> None:
    """However a text is cut into tokens, what the right matcher shows is an honest answer."""
    matcher, shown = Matcher(stops), []
    for at in range(0, len(text), size):
        shown.append(matcher.feed(text[at : at + size]))
        if matcher.fired is not None:
            break
    if matcher.fired is None:
        shown.append(matcher.flush())
    seen = "".join(shown)
    assert is_right(text, stops, seen)
    known = right(text, stops)
    assert (matcher.fired is not None) is known.fires
    if matcher.fired is not None:
        assert matcher.fired in known.named[len(seen)]

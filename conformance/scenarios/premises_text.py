"""Premises on visible text that hold whatever the words are: a derived cassette has others than the draft.

Which words they are, where that matters: `premises`.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformance.scenarios.premises import Premise
from conformance.scenarios.view import TEXT, View


@dataclass(frozen=True, slots=True)
class HasText(Premise):
    """There is visible text."""

    @property
    def says(self) -> str:
        return "there is visible text"

    def holds(self, view: View) -> bool:
        return bool(view.text.strip())

    def spoil(self, view: View) -> View:
        return view.change(lambda _: "", TEXT[view.api, view.mode])


@dataclass(frozen=True, slots=True)
class EndsInSpace(Premise):
    """The visible text ends in white space: nothing was trimmed but what matched."""

    @property
    def says(self) -> str:
        return "the text ends in white space"

    def holds(self, view: View) -> bool:
        return view.text.strip() != view.text.lstrip()

    def spoil(self, view: View) -> View:
        return view.change(lambda _: "spoiled", TEXT[view.api, view.mode])

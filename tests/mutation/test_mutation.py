"""The codecs on mechanically changed cassettes, each of the corpus in turn. No cassette is named here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.corpus import cassette, reading_of
from conformance.scenarios import Scenario, catalogue
from conformance.scenarios.view import View
from conformance.vocabulary import Api, Mode, Stop
from conformance.wire import Reading
from tests.mutation import changes

pytestmark = pytest.mark.slow  # thousands of changes: `make test-all` and CI run them

IGNORED: tuple[changes.Change, ...] = (
    changes.new_field,
    changes.new_event,
    changes.ping,
    changes.comment,
    changes.key_order,
    changes.white_space,
    changes.number_form,
)


def view_of(scenario: Scenario, mode: Mode) -> View:
    last = cassette(scenario.id, mode)[-1]
    return View(scenario.api, mode, last.status, last.body)


def read(scenario: Scenario, view: View) -> Reading:
    last = cassette(scenario.id, view.mode)[-1]
    return reading_of(scenario.api, view.mode, replace(last, body=view.body))


def _changeable(scenario: Scenario, mode: Mode) -> bool:
    """Whether the cassette holds documents that can be written again: not a page, nor JSON outside of any frame."""
    if isinstance(scenario.wire.body, str):
        return False
    view = view_of(scenario, mode)
    return read(scenario, view.with_events(view.events)) == read(scenario, view)


CELLS = [
    pytest.param(scenario, mode, id=f"{scenario.id}:{mode}")
    for scenario in catalogue().values()
    for mode in scenario.modes
    if _changeable(scenario, mode)
]


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_ignored(scenario: Scenario, mode: Mode) -> None:
    """A change that means nothing leaves the Reading as it was."""
    view = view_of(scenario, mode)
    truth = read(scenario, view)
    for change in IGNORED:
        wrong = [label for label, changed in change(view) if read(scenario, changed) != truth]
        assert wrong == [], change.__name__


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_unknown_reason_is_reported(scenario: Scenario, mode: Mode) -> None:
    """A reason that no table knows is UNKNOWN, kept verbatim, and changes nothing else of a reply."""
    view = view_of(scenario, mode)
    truth = read(scenario, view)
    if truth.error is not None or truth.raw_reason is None or not view.reasons:
        return
    reading = read(scenario, changes.reasons(view, changes.NEW))
    # A prompt that is blocked is blocked for whatever reason.
    blocked = scenario.api is Api.GEMINI and view.values("promptFeedback.blockReason")
    assert reading.stop is (Stop.BLOCKED if blocked else Stop.UNKNOWN)
    assert changes.NEW in (reading.raw_reason or "")
    assert (reading.text, reading.thinking, reading.usage) == (truth.text, truth.thinking, truth.usage)


@pytest.mark.parametrize(
    "change", [lambda view: changes.reasons(view, None), changes.without_reason], ids=["null", "gone"]
)
@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_missing_reason_is_reported(scenario: Scenario, mode: Mode, change: object) -> None:
    """Without a reason no reply is complete, nor anything else that a caller acts on."""
    view = view_of(scenario, mode)
    truth = read(scenario, view)
    if truth.error is not None or truth.raw_reason is None or not view.reasons:
        return
    if scenario.api is Api.OPENAI_RESPONSES and mode is Mode.STREAMED:
        return  # the type of the terminal event says it once more
    reading = read(scenario, change(view))  # type: ignore[operator]
    assert reading.stop is Stop.UNKNOWN
    assert reading.raw_reason is None
    assert reading.text == truth.text


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_unknown_block_is_no_text(scenario: Scenario, mode: Mode) -> None:
    """A block of a kind that nobody knows is not read as text, and the ending stays."""
    view = view_of(scenario, mode)
    truth = read(scenario, view)
    if truth.error is not None or not truth.text:
        return
    reading = read(scenario, changes.unknown_blocks(view))
    assert reading.text == ""
    assert (reading.raw_reason, reading.usage, reading.error) == (truth.raw_reason, truth.usage, None)


def test_every_change_is_made_somewhere() -> None:
    """No change is idle: each alters the bytes of some cell of every API that it is for."""
    for change in IGNORED:
        apis = {
            scenario.api
            for scenario in catalogue().values()
            if scenario.slug == "natural-end"
            for mode in scenario.modes
            for _, changed in change(view_of(scenario, mode))
            if changed.body != view_of(scenario, mode).body
        }
        assert apis == ({Api.ANTHROPIC_MESSAGES, Api.OPENAI_RESPONSES} if change is changes.ping else set(Api))

"""From findings to the verdict of a cell: the worst harm, declared gaps, known failures strict both ways."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.checks import RULES
from conformance.known_failures import Known
from conformance.scenarios import Scenario
from conformance.verdict import Result, judge
from conformance.vocabulary import Gap, Mode, Severity, Standing, Stop, Verdict, Vocabulary
from conformance.wire import Reading
from tests.hand_made import ANTHROPIC, Request, asked, case, raised, said, seen, truth

CELL = "anthropic-messages/hand-made:buffered"
FIRED: dict[str, Any] = {"raw_reason": "stop_sequence", "stop_sequence": "</a>"}


def judged(told: dict[str, Any], *known: Known, lacks: frozenset[Gap] = frozenset(), **more: Any) -> Result:
    """A stop sequence fired; the caller was told this of it."""
    reply = said(**{**FIRED, **told})
    return judge(case(asked(ANTHROPIC), truth(**FIRED), seen(reply), lacks=lacks, **more), known)


def listed(check: str, expect: str = "", cells: str = "anthropic-messages/*") -> Known:
    return Known((cells,), check, "for a reason", expect=expect)


def test_faithful() -> None:
    result = judged({})
    assert (result.verdict, result.passed, result.findings, result.stale) == (Verdict.FAITHFUL, True, (), ())
    assert result.cell == CELL
    assert set(result.outcomes) == set(RULES)
    assert result.outcomes["text.exact"] == "pass"
    assert result.outcomes["tool.calls"] == "not applicable"


@pytest.mark.parametrize(
    ("told", "verdict", "passed"),
    [
        ({"stop_sequence": None}, Verdict.LOUD, True),
        ({"text": "No."}, Verdict.MISLEADING, False),
        ({"text": "No.", "stop_sequence": None}, Verdict.MISLEADING, False),
    ],
)
def test_the_worst_harm_is_the_verdict(told: dict[str, Any], verdict: Verdict, passed: bool) -> None:
    """A SHOULD alone does not fail the cell."""
    result = judged(told)
    assert (result.verdict, result.passed) == (verdict, passed)


def test_order_of_harm_of_verdicts() -> None:
    assert sorted(Verdict, key=lambda verdict: verdict.harm) == [
        Verdict.FAITHFUL,
        Verdict.DECLARED,
        Verdict.LOUD,
        Verdict.BROKEN,
        Verdict.MISLEADING,
    ]


def test_loud_without_a_finding() -> None:
    """A vocabulary without a word for the truth breaks no rule, and is not faithful either."""
    words = Vocabulary({"stop": Stop.COMPLETE, "other": Stop.UNKNOWN})
    result = judge(case(asked(), truth(Stop.BLOCKED), seen(said("other")), vocabulary=words))
    assert (result.verdict, result.passed, result.findings) == (Verdict.LOUD, True, ())


@pytest.mark.parametrize(
    ("scenario", "wire", "observed"),
    [
        pytest.param(asked(), truth(ended=False, closed=False), seen(raised=raised("sdk.Cut")), id="cut"),
        pytest.param(asked(may_refuse=True, stop=("a",)), truth(), seen(raised=raised("x.Y"), sent=()), id="refused"),
    ],
)
def test_a_right_exception_is_faithful(scenario: Scenario, wire: Reading, observed: Any) -> None:
    assert judge(case(scenario, wire, observed)).verdict is Verdict.FAITHFUL


@pytest.mark.parametrize("stop", [Stop.TRUNCATED, Stop.CONTINUE, Stop.BLOCKED, Stop.UNKNOWN])
def test_a_crash_on_an_ending_that_has_a_word_is_not_faithful(stop: Stop) -> None:
    """An IndexError on a blocked prompt: information is lost, and the vocabulary has a member for the truth."""
    result = judge(case(asked(), truth(stop), seen(raised=raised("builtins.IndexError"))))
    assert result.verdict is not Verdict.FAITHFUL


# Gaps.


def test_gap_covers_its_rule() -> None:
    result = judged({"stop_sequence": None}, lacks=frozenset({Gap.STOP_SEQUENCE}))
    assert (result.verdict, result.passed) == (Verdict.DECLARED, True)
    assert result.outcomes["stop.which"] == "declared"
    assert result.open == ()


def test_gap_covers_no_other_rule() -> None:
    result = judged({"raw_reason": None, "stop_sequence": None}, lacks=frozenset({Gap.STOP_SEQUENCE}))
    assert [finding.check for finding in result.open] == ["reason.raw-kept"]
    assert result.verdict is Verdict.LOUD


def test_gap_never_hides_what_misleads() -> None:
    result = judged({"stop_sequence": "END"}, lacks=frozenset({Gap.STOP_SEQUENCE}))
    assert [finding.check for finding in result.open] == ["stop.not-invented"]
    assert (result.verdict, result.passed) == (Verdict.MISLEADING, False)


@pytest.mark.parametrize(
    ("gap", "stale"),
    [
        (Gap.STOP_SEQUENCE, True),
        (Gap.RAW_REASON, True),
        (Gap.USAGE, False),  # the wire has none, so nothing shows either way
    ],
)
def test_gap_that_does_not_show_is_a_failure(gap: Gap, stale: bool) -> None:
    result = judged({}, lacks=frozenset({gap}))
    assert result.passed is not stale
    assert len(result.stale) == stale
    assert all(str(gap) in text for text in result.stale)


# Known failures.


def test_known_failure_is_declared() -> None:
    result = judged({"text": "No."}, listed("text.exact"))
    assert (result.verdict, result.passed) == (Verdict.DECLARED, True)
    assert [finding.declared for finding in result.findings] == ["for a reason"]


def test_known_failure_hides_no_other() -> None:
    result = judged({"text": "No.", "stop_sequence": "END"}, listed("text.exact"))
    assert [finding.check for finding in result.open] == ["stop.not-invented"]
    assert (result.verdict, result.passed) == (Verdict.MISLEADING, False)


def test_known_failure_that_does_not_show_is_a_failure() -> None:
    result = judged({}, listed("text.exact"))
    assert not result.passed
    assert result.verdict is Verdict.FAITHFUL
    assert "did not fail: take the entry out (for a reason)" in result.stale[0]


def test_known_failure_of_another_cell_is_of_no_concern() -> None:
    result = judged({}, listed("text.exact", cells="openai-chat/*"), listed("text.exact", cells="*/hand-made:streamed"))
    assert result.passed


@pytest.mark.parametrize(("expect", "passed"), [("", True), ("the last", True), ("'Ye'", True), ("re-appended", False)])
def test_expect(expect: str, passed: bool) -> None:
    """A failure for another reason than the listed one is a failure, and the entry is stale."""
    result = judged({"text": "Ye"}, listed("text.exact", expect))
    assert result.passed is passed
    assert len(result.open) == (not passed)
    assert len(result.stale) == (not passed)
    assert all("but failed otherwise: the last 2 characters lost" in text for text in result.stale)


def test_two_entries_for_one_check() -> None:
    """Each is matched to its own finding; the one that shows nothing is stale."""
    result = judged({"text": "Ye"}, listed("text.exact", "re-appended"), listed("text.exact", "the last"))
    assert result.open == ()
    assert len(result.stale) == 1


def test_one_entry_covers_every_finding_of_its_check() -> None:
    replies = [seen(said(**{**FIRED, "text": text}), way) for text, way in (("Yes.", "whole"), ("N", "a"), ("M", "b"))]
    result = judge(
        case(asked(ANTHROPIC), truth(**FIRED), *replies, mode=Mode.STREAMED), [listed("stream.chunking", "text")]
    )
    assert len(result.findings) == 2
    assert result.passed


def test_permitted_wire_never_fails_a_run() -> None:
    scenario = asked(standing=Standing.PERMITTED)
    for observed in (seen(said("tool_call", "No.", stop_sequence="x")), seen(raised=raised("x.Y")), seen(hung=True)):
        result = judge(case(scenario, truth(), observed))
        assert result.open
        assert {finding.severity for finding in result.open} == {Severity.SHOULD}
        assert (result.verdict, result.passed) == (Verdict.LOUD, True)


# Results as data.


def test_untested_is_never_passed() -> None:
    result = Result.untested("openai-chat/x", Mode.BUFFERED, "no cassette")
    assert (result.verdict, result.passed) == (None, False)


@pytest.mark.parametrize(
    "result",
    [
        judged({"text": "No."}),
        judged({"text": "No."}, listed("text.exact"), listed("stop.which")),
        Result.untested("openai-chat/x", Mode.STREAMED, "no cassette"),
    ],
)
def test_result_survives_json(result: Result) -> None:
    assert Result.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_result_counts_requests_and_chunkings() -> None:
    sent = (Request({}), Request({}))
    result = judge(case(asked(), truth(), seen(said(), sent=sent), seen(said(), "per-byte")))
    assert (result.requests, result.chunkings) == (2, ("whole", "per-byte"))

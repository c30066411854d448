"""The rules named reason.*, on cases made by hand: the order of harm, classification, when a reason may come again."""

from __future__ import annotations

from itertools import product

import pytest

from conformance.checks import content, ending
from conformance.contract import End, ErrorPart, Part, Reply, TextDelta, ToolCall, ToolCallDelta
from conformance.vocabulary import PASSTHROUGH, Api, Mode, Stop, Verdict, Vocabulary
from conformance.wire import WireCall
from tests.hand_made import ANTHROPIC, CHAT, GEMINI, OWN, RESPONSES, asked, case, raised, said, seen, truth, verdicts

F, L, M = Verdict.FAITHFUL, Verdict.LOUD, Verdict.MISLEADING
B = Verdict.BROKEN
CALL = ToolCall("get_weather", "{}")

# Rows: the truth; columns: what is told; both in the order of Stop:
# complete, truncated, tool_call, continue, blocked, failed, unknown.
HARM = {
    Stop.COMPLETE: (F, M, M, M, M, M, L),
    Stop.TRUNCATED: (M, F, M, M, L, L, L),
    Stop.TOOL_CALL: (M, L, F, M, L, L, L),
    Stop.CONTINUE: (M, L, M, F, L, L, L),
    Stop.BLOCKED: (M, L, M, M, F, L, L),
    Stop.FAILED: (M, L, M, M, L, F, L),
    Stop.UNKNOWN: (M, L, M, M, L, L, F),
}
PAIRS = [
    pytest.param(true, told, HARM[true][n], id=f"{true}-told-{told}")
    for true, (n, told) in product(Stop, enumerate(Stop))
]


@pytest.mark.parametrize(("true", "told", "harm"), PAIRS)
def test_order_of_harm(true: Stop, told: Stop, harm: Verdict) -> None:
    assert ending.harm(true, told) is harm


@pytest.mark.parametrize(("true", "told", "harm"), PAIRS)
def test_each_pair_is_found_once(true: Stop, told: Stop, harm: Verdict) -> None:
    """Misleading is reason.class's finding, loud is reason.exact's; never both."""
    one = case(asked(), truth(true), seen(said(told.value)))
    assert verdicts(ending.reason_class, one) == [M] * (harm is M)
    assert verdicts(ending.reason_exact, one) == [L] * (harm is L)


@pytest.mark.parametrize("told", Stop)
def test_accepted_classes_are_faithful(told: Stop) -> None:
    assert ending.harm(Stop.TRUNCATED, told, frozenset({told})) is F


@pytest.mark.parametrize(
    ("true", "reply", "told"),
    [
        pytest.param(Stop.TOOL_CALL, said(tool_calls=(CALL,)), Stop.TOOL_CALL, id="complete-with-the-calls"),
        pytest.param(Stop.TOOL_CALL, said(), Stop.COMPLETE, id="complete-without-the-calls"),
        pytest.param(Stop.BLOCKED, said(refusal="No."), Stop.BLOCKED, id="complete-with-the-refusal"),
        pytest.param(Stop.BLOCKED, said(text="No."), Stop.COMPLETE, id="complete-with-the-refusal-as-text"),
        pytest.param(Stop.BLOCKED, said(tool_calls=(CALL,)), Stop.COMPLETE, id="calls-do-not-excuse-a-block"),
        pytest.param(Stop.TOOL_CALL, said(refusal="No."), Stop.COMPLETE, id="a-refusal-does-not-excuse-a-call"),
        pytest.param(Stop.TRUNCATED, said(tool_calls=(CALL,)), Stop.COMPLETE, id="calls-do-not-excuse-a-cut"),
        pytest.param(Stop.COMPLETE, said(tool_calls=(CALL,)), Stop.COMPLETE, id="calls-do-not-accuse"),
        pytest.param(Stop.COMPLETE, said(refusal="No."), Stop.COMPLETE, id="a-refusal-does-not-accuse"),
        pytest.param(Stop.TRUNCATED, said("truncated", tool_calls=(CALL,)), Stop.TRUNCATED, id="honest-beside-calls"),
        pytest.param(Stop.TOOL_CALL, said("unknown", tool_calls=(CALL,)), Stop.UNKNOWN, id="only-complete-is-excused"),
        pytest.param(Stop.COMPLETE, said(None), Stop.UNKNOWN, id="no-reason"),
        pytest.param(Stop.COMPLETE, said("finished"), Stop.UNKNOWN, id="a-value-outside-the-vocabulary"),
    ],
)
def test_classification_in_the_adapters_favour_only(true: Stop, reply: Reply, told: Stop) -> None:
    assert case(asked(), truth(true), seen(reply)).ending(reply) is told


@pytest.mark.parametrize(
    ("api", "vocabulary", "reply", "told"),
    [
        pytest.param(ANTHROPIC, PASSTHROUGH, said("max_tokens"), Stop.TRUNCATED, id="passthrough"),
        pytest.param(ANTHROPIC, PASSTHROUGH, said("length"), Stop.UNKNOWN, id="passthrough-of-another-api's-value"),
        pytest.param(ANTHROPIC, Vocabulary.of(CHAT), said("length"), Stop.TRUNCATED, id="another-api's-values"),
        pytest.param(ANTHROPIC, Vocabulary.of(CHAT), said("max_tokens"), Stop.UNKNOWN, id="not-its-own-upstream's"),
        pytest.param(CHAT, PASSTHROUGH, said("max_tokens", shape=ANTHROPIC), Stop.TRUNCATED, id="the-shape-wins"),
        pytest.param(CHAT, OWN, said("length", shape=CHAT), Stop.UNKNOWN, id="members-win-over-the-shape"),
    ],
)
def test_whose_values_they_are(api: Api, vocabulary: Vocabulary, reply: Reply, told: Stop) -> None:
    assert case(asked(api), truth(), seen(reply), vocabulary=vocabulary).says(reply) is told


@pytest.mark.parametrize(
    ("true", "found"),
    [(stop, [B] if stop in (Stop.COMPLETE, Stop.TOOL_CALL) else []) for stop in Stop],
)
def test_exception_in_place_of_a_reply(true: Stop, found: list[Verdict]) -> None:
    """Broken where a good reply was to be had, and nowhere else."""
    one = case(asked(), truth(true), seen(raised=raised("x.Failed")))
    assert verdicts(ending.reason_class, one) == found


def test_no_ending_is_judged_where_another_rule_does() -> None:
    """Errors, cuts, hangs, and a refusal to send."""
    sdk = raised("sdk.Unsupported")
    for one in (
        case(asked(), truth(ended=False, closed=False), seen(said("unknown"))),
        case(asked(), truth(), seen(said(), hung=True)),
        case(asked(may_refuse=True), truth(), seen(raised=sdk, sent=())),
    ):
        for check in (ending.reason_class, ending.reason_exact, ending.agrees_with_content, ending.raw_kept):
            assert check(one) is None
    # A refusal where the scenario does not allow one is an exception like any other.
    assert verdicts(ending.reason_class, case(asked(), truth(), seen(raised=sdk, sent=()))) == [B]


def test_loud_is_no_failure_where_there_is_no_word_for_it() -> None:
    words = Vocabulary({"stop": Stop.COMPLETE, "other": Stop.UNKNOWN})
    one = case(asked(), truth(Stop.BLOCKED), seen(said("other")), vocabulary=words)
    assert verdicts(ending.reason_exact, one) == []


@pytest.mark.parametrize(
    ("true", "vocabulary", "reply", "found"),
    [
        pytest.param(Stop.TOOL_CALL, OWN, said(tool_calls=(CALL,)), [L], id="word-not-used"),
        pytest.param(Stop.BLOCKED, OWN, said(refusal="No."), [L], id="word-for-refusals-not-used"),
        pytest.param(Stop.TOOL_CALL, OWN, said("tool_call", tool_calls=(CALL,)), [], id="word-used"),
        pytest.param(
            Stop.TOOL_CALL, Vocabulary({"stop": Stop.COMPLETE}), said("stop", tool_calls=(CALL,)), [], id="no-word"
        ),
        pytest.param(Stop.TOOL_CALL, PASSTHROUGH, said("stop", tool_calls=(CALL,)), [], id="the-wire-says-so"),
        pytest.param(
            Stop.TOOL_CALL, Vocabulary.of(ANTHROPIC), said("end_turn", tool_calls=(CALL,)), [L], id="translated"
        ),
        pytest.param(Stop.COMPLETE, OWN, said(tool_calls=(CALL,)), None, id="another-ending"),
    ],
)
def test_agrees_with_content(true: Stop, vocabulary: Vocabulary, reply: Reply, found: list[Verdict] | None) -> None:
    one = case(asked(), truth(true), seen(reply), vocabulary=vocabulary)
    assert verdicts(ending.agrees_with_content, one) == found


@pytest.mark.parametrize(
    ("api", "raw", "reply", "found"),
    [
        pytest.param(CHAT, "stop", said(raw_reason="stop"), [], id="in-its-field"),
        pytest.param(CHAT, "stop", said("stop"), [], id="is-the-public-value"),
        pytest.param(CHAT, "stop", said(), [L], id="lost"),
        pytest.param(GEMINI, "STOP", said(raw_reason="stop"), [L], id="another-case"),
        pytest.param(
            RESPONSES, "incomplete/max_output_tokens", said(raw_reason="max_output_tokens"), [], id="without-status"
        ),
        pytest.param(RESPONSES, "incomplete/max_output_tokens", said(raw_reason="incomplete"), [L], id="status-alone"),
        pytest.param(CHAT, None, said(), None, id="the-wire-sent-none"),
    ],
)
def test_raw_kept(api: Api, raw: str | None, reply: Reply, found: list[Verdict] | None) -> None:
    assert verdicts(ending.raw_kept, case(asked(api), truth(raw_reason=raw), seen(reply))) == found


TEXT, END, USAGE = TextDelta("Yes."), End("stop"), End()


@pytest.mark.parametrize(
    ("parts", "own", "shown"),
    [
        pytest.param((TEXT, END), [], [], id="once"),
        pytest.param((TEXT, END, USAGE), [], [], id="usage-after-it"),
        pytest.param((TEXT, END, TextDelta("")), [], [], id="empty-text-after-it"),
        pytest.param((TEXT, END, END), [M], [], id="as-often-as-the-wire"),
        pytest.param((TEXT, END, END, END), [M], [M], id="more-often-than-the-wire"),
        pytest.param((END, TEXT), [M], [], id="text-after-it-as-on-the-wire"),
        pytest.param((END, ToolCallDelta(0)), [M], [], id="call-after-it-as-on-the-wire"),
        pytest.param((TEXT,), None, None, id="no-reason-is-another-rule's"),
        pytest.param((), None, None, id="no-parts"),
    ],
)
def test_once(parts: tuple[Part, ...], own: list[Verdict] | None, shown: list[Verdict] | None) -> None:
    """What the wire does twice or early may show through only where the values are the wire's own."""
    wire = truth(reason_frames=2, content_after_reason=True)
    observed = seen(Reply.from_parts(parts), parts=parts)
    for vocabulary, found in (
        (Vocabulary({"stop": Stop.COMPLETE}), own),
        (Vocabulary.of(ANTHROPIC), own),
        (PASSTHROUGH, shown),
        (Vocabulary.of(CHAT), shown),
    ):
        one = case(asked(), wire, observed, mode=Mode.STREAMED, vocabulary=vocabulary)
        assert verdicts(ending.once, one) == found, vocabulary


@pytest.mark.parametrize(("parts", "found"), [((TEXT, END, END), [M]), ((END, TEXT), [M]), ((TEXT, END), [])])
def test_once_without_an_excuse(parts: tuple[Part, ...], found: list[Verdict]) -> None:
    """A wire that says it once and last excuses nobody."""
    observed = seen(Reply.from_parts(parts), parts=parts)
    one = case(asked(), truth(reason_frames=1), observed, mode=Mode.STREAMED, vocabulary=PASSTHROUGH)
    assert verdicts(ending.once, one) == found


def test_cut_call_with_an_honest_reason_is_not_accused() -> None:
    """A stop sequence beside a cut call stays what it says; the call is another rule's."""
    wire = truth(Stop.TRUNCATED, raw_reason="stop_sequence", tool_calls=(WireCall("get_weather", '{"c', False),))
    reply = said("stop_sequence", tool_calls=(ToolCall("get_weather", '{"c'),))
    scenario = asked(ANTHROPIC, accepts=frozenset({Stop.COMPLETE}), accepts_why="so")
    one = case(scenario, wire, seen(reply), vocabulary=PASSTHROUGH)
    assert verdicts(ending.reason_class, one) == []


ITEM = said(text="Ye", error=ErrorPart("1 validation error", "validation"))


@pytest.mark.parametrize(
    ("true", "found"), [(Stop.COMPLETE, [B]), (Stop.TOOL_CALL, [B]), (Stop.TRUNCATED, []), (Stop.BLOCKED, [])]
)
def test_an_error_item_is_an_ending_like_an_exception(true: Stop, found: list[Verdict]) -> None:
    """Broken in the place of a good reply; in the place of another it is told, and reason.exact says what is lost."""
    one = case(asked(), truth(true), seen(ITEM))
    assert verdicts(ending.reason_class, one) == found
    assert verdicts(ending.reason_exact, one) == ([] if found else [L])
    assert content.text_exact(one) is None
    assert ending.reason_class(case(asked(may_raise=True), truth(true), seen(ITEM))) == []

"""The rules named stream.*, and what a wire that only a standard permits may cost, on cases made by hand."""

from __future__ import annotations

import pytest

from conformance.checks import RULES, Case, Observation, OpenWire, run_checks, streams
from conformance.contract import DONE, Chunk, End, ErrorPart, TextDelta, Tool, ToolCall, Usage
from conformance.scenarios import Ask, Scenario, Wire
from conformance.vocabulary import Mode, Severity, Standing, Stop, Verdict
from conformance.wire import WireCall
from tests.hand_made import ANTHROPIC, CHAT, Request, asked, case, raised, said, seen, truth, verdicts

L, M, B = Verdict.LOUD, Verdict.MISLEADING, Verdict.BROKEN
CALLS = (ToolCall("f", "{}", "call_1"),)
TOOL = Tool("f", "Does it.", {"type": "object"})


@pytest.mark.parametrize(
    ("observed", "found"),
    [
        pytest.param(seen(said()), [], id="undisturbed"),
        pytest.param(seen(said("unknown")), [], id="loud-is-another-rule's"),
        pytest.param(seen(said(text="Yes")), [M], id="text-lost"),
        pytest.param(seen(said("truncated")), [M], id="misled"),
        pytest.param(seen(said(tool_calls=CALLS)), [M], id="a-call-from-nowhere"),
        pytest.param(seen(raised=raised("builtins.IndexError")), [B], id="crashed"),
        pytest.param(seen(said(), raised=raised("builtins.IndexError")), [B], id="crashed-after-the-text"),
        pytest.param(seen(hung=True), None, id="hangs"),
    ],
)
def test_tolerant(observed: Observation, found: list[Verdict] | None) -> None:
    assert verdicts(streams.tolerant, case(asked(tolerates="a ping"), truth(), observed)) == found
    assert streams.tolerant(case(asked(), truth(), observed)) is None


@pytest.mark.parametrize(
    ("other", "found"),
    [
        pytest.param(seen(said(usage=Usage(1, 2)), "per-byte"), [], id="the-same"),
        pytest.param(seen(said(), "per-byte"), [M], id="usage-lost"),
        pytest.param(seen(said(text="Yes", usage=Usage(1, 2)), "per-byte"), [M], id="text-lost"),
        pytest.param(seen(raised=raised("x.Y"), chunking="per-byte"), [B], id="crashed"),
        pytest.param(seen(hung=True, chunking="per-byte"), [], id="a-hang-is-another-rule's"),
    ],
)
def test_chunking(other: Observation, found: list[Verdict]) -> None:
    one = case(asked(), truth(), seen(said(usage=Usage(1, 2))), other, mode=Mode.STREAMED)
    assert verdicts(streams.chunking, one) == found
    assert [finding.chunking for finding in streams.chunking(one) or ()] == ["per-byte"] * len(found)


def test_chunking_needs_two() -> None:
    assert streams.chunking(case(asked(), truth(), seen(said()))) is None
    assert streams.chunking(case(asked(), truth(), seen(hung=True), seen(said(), "per-byte"))) is None


def test_the_same_exception_under_every_chunking_is_no_difference() -> None:
    one, two = seen(raised=raised("x.Y", "at byte 1")), seen(raised=raised("x.Y", "at byte 9"), chunking="per-line")
    assert streams.chunking(case(asked(), truth(Stop.FAILED), one, two)) == []


@pytest.mark.parametrize(("wire_id", "found"), [(None, []), ("call_1", [M])])
def test_ids_that_the_wire_does_not_name_may_be_new_each_time(wire_id: str | None, found: list[Verdict]) -> None:
    reading = truth(Stop.TOOL_CALL, tool_calls=(WireCall("f", "{}", True, wire_id),))
    again = seen(said(tool_calls=(ToolCall("f", "{}", "call_2"),)), "per-byte")
    assert verdicts(streams.chunking, case(asked(), reading, seen(said(tool_calls=CALLS)), again)) == found


@pytest.mark.parametrize(
    ("held", "found"),
    [
        (seen(said(), while_open=OpenWire("It is", 5, True)), []),
        (seen(said(), while_open=OpenWire("It is", 4, True)), [L]),
        (seen(said(), while_open=OpenWire("It is </ans", 6, True)), []),
        (seen(said(), while_open=OpenWire("It is </ans", 5, True)), [L]),
        (seen(said(), while_open=OpenWire("", 0, True)), []),
        (seen(said(), while_open=OpenWire("", 0, False)), [L]),
        (seen(said(), while_open=None), None),
        (seen(hung=True, while_open=OpenWire("It is", 0, False)), None),
        (None, None),
    ],
)
def test_incremental(held: Observation | None, found: list[Verdict] | None) -> None:
    assert verdicts(streams.incremental, case(asked(stop=("</answer>",)), truth(), seen(said()), held=held)) == found


@pytest.mark.parametrize(
    ("text", "stop", "count"),
    [
        ("It ends", None, 0),
        ("It ends", "ends", 0),
        ("It end", "ends", 3),
        ("It end", ("ends", "d of all"), 3),
        ("It end", ("d of all", "nd up"), 2),
        ("aa", "aaa", 2),
    ],
)
def test_pending_is_the_longest_beginning_of_a_stop(text: str, stop: str | tuple[str, ...] | None, count: int) -> None:
    assert streams.pending(text, stop) == count


def everything_wrong(standing: Standing) -> tuple[Case, ...]:
    """Cases that between them fail every check."""
    whole = truth(raw_reason="stop", stop_sequence="x", usage=Usage(1, 1), tool_calls=(WireCall("f", "{}", True),))
    scenario = asked(ANTHROPIC, ("a",), standing=standing, tolerates="a ping")
    plain = asked(ANTHROPIC, standing=standing)
    parts = (End("truncated"), TextDelta("No."))
    reply = said("truncated", "No.")
    twice = (Request({}), Request({}))
    null = (Request({"stop_sequences": None}),)
    keyed = (Request({}, headers={"x-api-key": "k"}),)
    chat = [{"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]}, DONE, DONE]
    chunks = tuple(Chunk(CHAT, payload) for payload in chat)
    error = truth(Stop.FAILED, error=ErrorPart("Overloaded", "overloaded_error", 529))
    cut = truth(Stop.UNKNOWN, ended=False, closed=False)
    asks_all = Scenario(
        CHAT,
        "hand-made",
        "It ends.",
        "so",
        Ask("Well?", max_tokens=5, tools=(TOOL,)),
        Wire(),
        (),
        (),
        standing=standing,
    )
    call = truth(Stop.TOOL_CALL, tool_calls=(WireCall("f", "{}", True),))
    cut_call = truth(Stop.TRUNCATED, tool_calls=(WireCall("f", "{", False),))
    return (
        case(
            scenario,
            whole,
            seen(reply, parts=parts, sent=twice),
            seen(hung=True, chunking="per-line"),
            seen(said("truncated"), "per-byte"),
            mode=Mode.STREAMED,
            other=(seen(said()), whole),
            held=seen(reply, while_open=OpenWire("It", 0, False)),
        ),
        case(plain, truth(), seen(said("unknown", stop_sequence="b"), sent=null)),
        case(plain, error, seen(said())),
        case(plain, error, seen(raised=raised("builtins.KeyError"))),
        case(plain, cut, seen(said())),
        case(plain, truth(), seen(said(), sent=keyed, elsewhere=keyed)),
        case(plain, truth(raw_reason="end_turn"), seen(said(), chunks=chunks), mode=Mode.STREAMED),
        case(plain, call, seen(said(tool_calls=CALLS))),
        case(asks_all, call, seen(said(tool_calls=()))),
        case(plain, cut_call, seen(said("truncated", tool_calls=CALLS))),
    )


@pytest.mark.parametrize("standing", Standing)
def test_standing(standing: Standing) -> None:
    """A wire that only a standard permits can fail no more than a SHOULD, and misleads nobody.

    What the adapter itself sends is not excused with it.
    """
    found = [f for one in everything_wrong(standing) for findings in run_checks(one).values() for f in findings or ()]
    assert {finding.check for finding in found} == set(RULES)
    if standing is Standing.PERMITTED:
        excused = [
            finding
            for finding in found
            if not finding.check.startswith("request.") or finding.check == "request.key-kept"
        ]
        assert {finding.severity for finding in excused} == {Severity.SHOULD}
        assert {finding.verdict for finding in excused} == {L}
    else:
        assert all(finding.severity is RULES[finding.check].severity for finding in found)


def test_a_leaked_key_on_a_wire_that_nobody_sends_is_a_should() -> None:
    """No vendor redirects to another host, so no maintainer is failed for what he would do there."""
    keyed = (Request({}, headers={"x-api-key": "k"}),)
    one = case(asked(standing=Standing.PERMITTED), truth(), seen(said(), sent=keyed, elsewhere=keyed))
    (finding,) = run_checks(one)["request.key-kept"] or ()
    assert finding.severity is Severity.SHOULD


def test_what_does_not_apply_stays_so() -> None:
    permitted = run_checks(case(asked(standing=Standing.PERMITTED), truth(), seen(said())))
    assert permitted == run_checks(case(asked(), truth(), seen(said())))
    assert None in permitted.values()
    assert [] in permitted.values()

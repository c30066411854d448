"""The rules on text, matched strings, tool calls and usage, on cases made by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.checks import content
from conformance.contract import ErrorPart, Reply, Tool, ToolCall, Usage
from conformance.vocabulary import Mode, Severity, Stop, Verdict
from conformance.wire import WireCall
from tests.hand_made import ANTHROPIC, asked, case, raised, said, seen, truth, verdicts

L, M = Verdict.LOUD, Verdict.MISLEADING
TOOL = Tool("f", "Does it.", {"type": "object", "properties": {"city": {"type": "string"}}})
CUT = '{"city": "Lis'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Roll back. ", None),
        ("Roll back.", "white space at the end is lost"),
        ("Roll back. </a>", "the matched stop string is re-appended"),
        ("Roll", "the last 7 characters lost"),
        ("", "the last 11 characters lost"),
        ("Roll back.  ", "1 characters added that the wire does not have"),
        ("roll back. ", "the text is not what the wire says"),
    ],
)
def test_text_exact(text: str, problem: str | None) -> None:
    one = case(asked(), truth(text="Roll back. ", stop_sequence="</a>"), seen(said(text=text)))
    found = content.text_exact(one) or []
    assert [(finding.problem, finding.verdict) for finding in found] == ([(problem, M)] if problem else [])


def test_content_is_not_judged_where_there_is_none() -> None:
    """An error of the provider, an exception and a hang leave no reply to judge."""
    whole = truth(stop_sequence="x", usage=Usage(1, 1), tool_calls=(WireCall("f", "{}", True),))
    error = truth(Stop.FAILED, error=ErrorPart("no"), stop_sequence="x", tool_calls=(WireCall("f", CUT, False),))
    for one in (
        case(asked(), error, seen(said(text="half"))),
        case(asked(), whole, seen(raised=raised("x.Y"))),
        case(asked(), whole, seen(said(), hung=True)),
    ):
        for check in (
            content.text_exact,
            content.which,
            content.not_invented,
            content.calls,
            content.cut_not_repaired,
            content.usage,
        ):
            assert check(one) is None, check


BUFFERED = said(stop_sequence="x", tool_calls=(ToolCall("f", '{"a": 1}'),))


@pytest.mark.parametrize(
    ("streamed", "fields"),
    [
        pytest.param(BUFFERED, [], id="the-same"),
        pytest.param(said(stop_sequence="x", tool_calls=(ToolCall("f", {"a": 1}),)), [], id="arguments-as-object"),
        pytest.param(said(text="Yes", stop_sequence="x", tool_calls=BUFFERED.tool_calls), ["the text"], id="text"),
        pytest.param(said("unknown", stop_sequence="x", tool_calls=BUFFERED.tool_calls), ["the class"], id="class"),
        pytest.param(said(tool_calls=BUFFERED.tool_calls), ["the matched string"], id="matched-string"),
        pytest.param(said(stop_sequence="x"), ["the tool calls"], id="tool-calls"),
        pytest.param(
            said("length", "", tool_calls=()), ["the text", "the class", "the matched string", "the tool calls"]
        ),
    ],
)
def test_stream_agrees(streamed: Reply, fields: list[str]) -> None:
    wire = truth(tool_calls=(WireCall("f", '{"a": 1}', True),))
    other = (seen(BUFFERED), wire)
    one = case(asked(), wire, seen(streamed), mode=Mode.STREAMED, other=other)
    found = content.stream_agrees(one)
    assert [finding.problem for finding in found or ()] == [
        f"{f} of the stream and of the buffered reply differ" for f in fields
    ]
    one = case(asked(), wire, seen(streamed, final=BUFFERED), mode=Mode.STREAMED)
    assert len(content.stream_agrees(one) or ()) == len(fields)


def test_stream_agrees_needs_something_to_compare() -> None:
    wire = truth()
    assert content.stream_agrees(case(asked(), wire, seen(said()), mode=Mode.STREAMED)) is None
    assert content.stream_agrees(case(asked(), wire, seen(said()), other=(seen(said("x")), wire))) is None
    for other in ((seen(raised=raised("x.Y")), wire), (seen(said("length")), truth(Stop.TRUNCATED))):
        assert content.stream_agrees(case(asked(), wire, seen(said()), mode=Mode.STREAMED, other=other)) is None


def test_cut_calls_may_differ_between_the_modes() -> None:
    """Buffered, Anthropic sends an object where its stream shows that the call was cut."""
    wire = truth(Stop.TRUNCATED, tool_calls=(WireCall("f", CUT, False),))
    one = case(
        asked(ANTHROPIC),
        wire,
        seen(said("truncated", tool_calls=(ToolCall("f", CUT),))),
        mode=Mode.STREAMED,
        other=(seen(said("truncated", tool_calls=(ToolCall("f", {}),))), wire),
    )
    assert content.stream_agrees(one) == []


@pytest.mark.parametrize(
    ("wire", "told", "which", "invented"),
    [
        ("</a>", "</a>", [], []),
        ("</a>", None, [L], []),
        ("</a>", "END", [], [M]),
        (None, None, None, []),
        (None, "END", None, [M]),
    ],
)
def test_matched_string(
    wire: str | None, told: str | None, which: list[Verdict] | None, invented: list[Verdict]
) -> None:
    """A wrong one is found once: it was invented, not lost."""
    one = case(asked(), truth(stop_sequence=wire), seen(said(stop_sequence=told)))
    assert verdicts(content.which, one) == which
    assert verdicts(content.not_invented, one) == invented


@pytest.mark.parametrize(
    ("wire", "got", "found"),
    [
        pytest.param(("f", '{"a": 1}', "c1"), ("f", '{"a":1}', "c1"), [], id="other-white-space"),
        pytest.param(("f", '{"a": 1}', "c1"), ("f", {"a": 1}, "c1"), [], id="parsed"),
        pytest.param(("f", '{"a": 1}', None), ("f", {"a": 1}, "own"), [], id="an-id-where-the-wire-has-none"),
        pytest.param(("f", "", None), ("f", "", None), [], id="empty-as-sent"),
        pytest.param(("f", "", None), ("f", "{}", None), [], id="empty-text-as-object-text"),
        pytest.param(("f", "", None), ("f", {}, None), [], id="empty-text-as-object"),
        pytest.param(("f", "{}", None), ("f", "", None), [M], id="object-as-empty-text"),
        pytest.param(("f", '{"a": 1}', "c1"), ("f", '{"a": "1"}', "c1"), [M], id="another-type"),
        pytest.param(("f", '{"a": 1}', "c1"), ("f", '"{\\"a\\": 1}"', "c1"), [M], id="encoded-twice"),
        pytest.param(("f", '{"a": 1}', "c1"), ("f", '{"a": 1}', "c2"), [M], id="another-id"),
        pytest.param(("f", '{"a": 1}', "c1"), ("f", '{"a": 1}', None), [M], id="id-lost"),
        pytest.param(("f", '{"a": 1}', "c1"), ("g", '{"a": 1}', "c1"), [M], id="another-name"),
        pytest.param(("f", '{"a": 1}', "c1"), ("f", '{"a": 1', "c1"), [M], id="cut-by-the-adapter"),
    ],
)
def test_calls(wire: Any, got: Any, found: list[Verdict]) -> None:
    reading = truth(Stop.TOOL_CALL, tool_calls=(WireCall(wire[0], wire[1], True, wire[2]),))
    assert verdicts(content.calls, case(asked(), reading, seen(said(tool_calls=(ToolCall(*got),))))) == found


@pytest.mark.parametrize(
    ("of_wire", "told", "found"), [(2, 1, [M]), (1, 2, [M]), (0, 1, [M]), (1, 0, [M]), (0, 0, None)]
)
def test_number_of_calls(of_wire: int, told: int, found: list[Verdict] | None) -> None:
    reading = truth(Stop.TOOL_CALL, tool_calls=(WireCall("f", "{}", True),) * of_wire)
    one = case(asked(), reading, seen(said(tool_calls=(ToolCall("f", "{}"),) * told)))
    assert verdicts(content.calls, one) == found


@pytest.mark.parametrize(
    ("whole", "got", "found"),
    [
        pytest.param(False, (ToolCall("f", CUT),), [], id="cut-text-as-it-came"),
        pytest.param(False, (), [], id="not-handed-out"),
        pytest.param(False, (ToolCall("f", ""),), [], id="without-arguments"),
        pytest.param(False, (ToolCall("f", '{"city": "Lis"}'),), [M], id="closed"),
        pytest.param(False, (ToolCall("f", {"city": "Lis"}),), [M], id="closed-object"),
        pytest.param(False, (ToolCall("f", {}),), [M], id="empty-object"),
        pytest.param(False, (ToolCall("f", "{}"),), [M], id="empty-object-text"),
        pytest.param(False, (ToolCall("f", {"partial": CUT}),), [L], id="in-a-wrapper"),
        pytest.param(False, (ToolCall("f", json.dumps({"partial": CUT})),), [L], id="in-a-wrapper-as-text"),
        pytest.param(False, (ToolCall("f", {"partial": CUT[:-1]}),), [M], id="in-a-wrapper-and-not-whole"),
        pytest.param(False, (ToolCall("f", {"city": CUT}),), [M], id="as-a-parameter-of-the-tool"),
        pytest.param(None, (ToolCall("f", {}),), None, id="the-wire-itself-sends-an-object"),
        pytest.param(True, (ToolCall("f", "{}"),), None, id="whole"),
    ],
)
def test_cut_not_repaired(whole: bool | None, got: tuple[ToolCall, ...], found: list[Verdict] | None) -> None:
    reading = truth(Stop.TRUNCATED, tool_calls=(WireCall("f", CUT, whole),))
    one = case(asked(tools=(TOOL,)), reading, seen(said("truncated", tool_calls=got)))
    assert verdicts(content.cut_not_repaired, one) == found
    assert all((each.severity is Severity.MUST) is (each.verdict is M) for each in content.cut_not_repaired(one) or ())
    if whole is not True:
        assert content.calls(case(asked(), reading, seen(said(tool_calls=got)))) is None


def test_a_whole_call_is_not_taken_for_the_cut_one_before_it() -> None:
    """Of two interleaved calls the first was cut; it is not handed out, as is right, and the whole one is."""
    wire = (WireCall("f", CUT, False, "c1"), WireCall("g", "{}", True, "c2"))
    one = case(
        asked(),
        truth(Stop.TRUNCATED, tool_calls=wire),
        seen(said("truncated", tool_calls=(ToolCall("g", "{}", "c2"),))),
    )
    assert verdicts(content.cut_not_repaired, one) == []


def test_whole_call_beside_a_cut_one_is_judged() -> None:
    wire = (WireCall("f", '{"a": 1}', True, "c1"), WireCall("g", CUT, False, "c2"))
    got = (ToolCall("f", '{"a": 2}', "c1"), ToolCall("g", CUT, "c2"))
    one = case(asked(), truth(Stop.TRUNCATED, tool_calls=wire), seen(said("truncated", tool_calls=got)))
    assert verdicts(content.calls, one) == [M]


def test_cut_not_repaired_looks_at_the_accumulated_object() -> None:
    reading = truth(Stop.TRUNCATED, tool_calls=(WireCall("f", CUT, False),))
    final = said("truncated", tool_calls=(ToolCall("f", {}),))
    observed = seen(said("truncated", tool_calls=(ToolCall("f", CUT),)), final=final)
    assert verdicts(content.cut_not_repaired, case(asked(), reading, observed, mode=Mode.STREAMED)) == [M]


@pytest.mark.parametrize(
    ("wire", "told", "found"),
    [
        (Usage(1, 7), Usage(1, 7), []),
        (Usage(1, 7), Usage(None, 7), []),
        (Usage(1, 7), Usage(1, 8), [L]),
        (Usage(1, 7), Usage(1, None), [L]),
        (Usage(1, 7), None, [L]),
        (Usage(1, 0), Usage(1, 0), []),
        (Usage(1, None), None, None),
        (None, None, None),
    ],
)
def test_usage(wire: Usage | None, told: Usage | None, found: list[Verdict] | None) -> None:
    assert verdicts(content.usage, case(asked(), truth(usage=wire), seen(said(usage=told)))) == found

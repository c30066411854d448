"""Tests of translation: the table of honest outcomes, the worked example, the checks that judge a shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from conformance import Chunk, End, Part, Reply, TextDelta, ToolCall, ToolCallDelta, Vocabulary
from conformance.adapters import load
from conformance.adapters.translator import CannotSay, NoRoom, NoWord, Translator
from conformance.checks.ending import harm
from conformance.contract import Call
from conformance.scenarios import catalogue
from conformance.suite.bench import Bench, NotApplicable
from conformance.verdict import Result
from conformance.vocabulary import Api, Gap, Mode, Stop, Transport, Verdict
from conformance.wire import codec_for
from conformance.wire.translate import LOUD, NEAREST, REFUSAL, Sign, honest, word_for

CHAT, RESPONSES, ANTHROPIC, GEMINI = Api.OPENAI_CHAT, Api.OPENAI_RESPONSES, Api.ANTHROPIC_MESSAGES, Api.GEMINI

TRIPLES = [(source, raw, target) for source in Api for raw in codec_for(source).STOPS for target in Api]
NEW = {CHAT: "paused", RESPONSES: "incomplete/paused", ANTHROPIC: "paused", GEMINI: "PAUSED"}
ACROSS = [(source, target) for source in Api for target in Api if source is not target]


def outcome(source: Api, raw: str, target: Api, **beside: Any) -> str:
    """What the worked example makes of a reason: a word of the target, or LOUD."""
    ending = Reply(raw_reason=raw, **beside)
    word = word_for(source, ending, codec_for(source).classify(raw, ending), target)
    return LOUD if word is None else word


def read_as(target: Api, word: str, truth: Stop) -> Stop:
    """What a client of the target makes of an outcome, with the content that stands beside it."""
    if word == LOUD:
        return truth  # an error claims nothing
    stop = codec_for(target).stop_of(word)
    return Stop.TOOL_CALL if truth is Stop.TOOL_CALL and stop is Stop.COMPLETE else stop


def triples(*rows: tuple[Api, str, Api]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("source", "raw", "target"), rows, ids=[f"{source}-{raw}-{target}" for source, raw, target in rows]
    )


@triples(*TRIPLES)
def test_no_honest_outcome_misleads(source: Api, raw: str, target: Api) -> None:
    called = codec_for(source).stop_of(raw) is Stop.TOOL_CALL
    truth = codec_for(source).stop_of(raw)
    outcomes = honest(source, raw, target, called=called)
    assert outcomes
    for word in outcomes - set(Sign):
        assert harm(truth, read_as(target, word, truth)) is not Verdict.MISLEADING
    if truth in (Stop.COMPLETE, Stop.TOOL_CALL):
        assert LOUD not in outcomes, "a good reply has to arrive"


@triples(*TRIPLES)
def test_every_word_of_the_target_with_the_same_class_is_honest_but_for_what_it_claims_besides(
    source: Api, raw: str, target: Api
) -> None:
    truth = codec_for(source).stop_of(raw)
    if source is target or truth is Stop.UNKNOWN:
        return
    same = {word for word, row in codec_for(target).STOPS.items() if row.stop is truth}
    assert same - honest(source, raw, target) <= {"stop_sequence", "function_call"}


@triples(*TRIPLES)
def test_the_worked_example_is_honest(source: Api, raw: str, target: Api) -> None:
    calls = (ToolCall("look_up", "{}", "1"),) if codec_for(source).stop_of(raw) is Stop.TOOL_CALL else ()
    assert outcome(source, raw, target, tool_calls=calls) in {
        *honest(source, raw, target, called=bool(calls)),
        *({"tool_calls"} if raw == "function_call" else ()),  # the modern place of the same call
    }


def test_each_target_has_a_line_for_each_class_and_only_words_of_its_own() -> None:
    for target in Api:
        assert set(NEAREST[target]) == set(Stop)
        assert {word for word in NEAREST[target].values() if word} <= set(codec_for(target).STOPS)


@pytest.mark.parametrize(("source", "target"), ACROSS)
def test_a_value_that_nobody_knows_is_passed_on_raw_or_raised(source: Api, target: Api) -> None:
    raw = NEW[source]
    word = outcome(source, raw, target)
    assert word in honest(source, raw, target)
    assert LOUD in honest(source, raw, target)
    assert raw in word
    assert codec_for(target).stop_of(word) is Stop.UNKNOWN


@pytest.mark.parametrize(
    ("source", "raw", "target"),
    [(CHAT, "end_turn", ANTHROPIC), (ANTHROPIC, "stop", CHAT), (CHAT, "STOP", GEMINI), (CHAT, "completed", RESPONSES)],
)
def test_a_value_that_the_source_does_not_have_never_becomes_a_word_of_the_target(
    source: Api, raw: str, target: Api
) -> None:
    """A host of Chat (xAI) has sent `end_turn` over Chat: nobody can say that it means what Anthropic means by it."""
    word = outcome(source, raw, target)
    assert word == (NEAREST[target][Stop.UNKNOWN] or LOUD)
    assert raw not in {word, *honest(source, raw, target)}


@pytest.mark.parametrize("target", [CHAT, RESPONSES])
@pytest.mark.parametrize("raw", ["pause_turn", "compaction"])
def test_a_paused_turn_never_becomes_an_answer(raw: str, target: Api) -> None:
    outcomes = honest(ANTHROPIC, raw, target)
    assert not outcomes & {"stop", "completed", "tool_calls", "content_filter", "incomplete/content_filter"}
    assert outcome(ANTHROPIC, raw, target) is LOUD


def test_what_can_be_invoked_again_stays_so_where_the_target_knows_the_like() -> None:
    assert outcome(ANTHROPIC, "pause_turn", GEMINI) == "CONTINUATION"
    assert outcome(GEMINI, "CONTINUATION", ANTHROPIC) == "pause_turn"


def test_a_refusal_becomes_a_filter_or_a_refusal() -> None:
    assert honest(ANTHROPIC, "refusal", CHAT) == {"content_filter", LOUD}
    assert honest(ANTHROPIC, "refusal", RESPONSES) == {"incomplete/content_filter", LOUD}
    assert honest(CHAT, "stop", ANTHROPIC, refused=True) == {"refusal", LOUD}
    assert honest(RESPONSES, "completed", CHAT, refused=True) == {"content_filter", REFUSAL, LOUD}
    assert outcome(CHAT, "stop", ANTHROPIC, refusal="No.") == "refusal"
    assert outcome(CHAT, "stop", CHAT, refusal="No.") == "stop"


def test_a_full_context_window_becomes_length() -> None:
    assert outcome(ANTHROPIC, "model_context_window_exceeded", CHAT) == "length"
    assert honest(ANTHROPIC, "model_context_window_exceeded", CHAT) == {"length", LOUD}


def test_a_failed_generation_is_neither_an_answer_nor_a_filter() -> None:
    for target in (CHAT, ANTHROPIC):
        outcomes = honest(GEMINI, "MALFORMED_FUNCTION_CALL", target)
        assert not outcomes & {"stop", "end_turn", "content_filter", "refusal", "tool_calls", "tool_use"}
    assert outcome(GEMINI, "MALFORMED_FUNCTION_CALL", CHAT) is LOUD
    assert outcome(GEMINI, "MALFORMED_FUNCTION_CALL", RESPONSES) == "failed"


def test_a_stop_sequence_collapses_and_is_never_invented() -> None:
    assert honest(ANTHROPIC, "stop_sequence", CHAT) == {"stop"}
    assert honest(ANTHROPIC, "stop_sequence", GEMINI) == {"STOP"}
    for source in (CHAT, RESPONSES, GEMINI):
        for raw in codec_for(source).STOPS:
            assert "stop_sequence" not in honest(source, raw, ANTHROPIC)
            assert outcome(source, raw, ANTHROPIC) != "stop_sequence"


def test_a_tool_call_is_told_by_the_word_or_by_the_calls() -> None:
    call = (ToolCall("look_up", "{}", "1"),)
    assert outcome(GEMINI, "STOP", CHAT, tool_calls=call) == "tool_calls"
    assert outcome(GEMINI, "STOP", ANTHROPIC, tool_calls=call) == "tool_use"
    assert outcome(CHAT, "stop", ANTHROPIC, tool_calls=call) == "tool_use", "a forced tool choice"
    assert outcome(ANTHROPIC, "tool_use", GEMINI, tool_calls=call) == "STOP"
    assert outcome(ANTHROPIC, "tool_use", RESPONSES, tool_calls=call) == "completed"


def test_in_its_own_api_a_value_stays_unless_it_says_less_there() -> None:
    assert outcome(ANTHROPIC, "stop_sequence", ANTHROPIC) == "stop_sequence"
    assert outcome(GEMINI, "RECITATION", GEMINI) == "RECITATION"
    blocked = Reply(raw_reason="OTHER")  # of a prompt; of a candidate it means nothing in particular
    assert word_for(GEMINI, blocked, Stop.BLOCKED, GEMINI) == "SAFETY"
    assert word_for(GEMINI, Reply(raw_reason="1"), Stop.COMPLETE, GEMINI) == "STOP"
    assert outcome(CHAT, "function_call", CHAT, tool_calls=(ToolCall("f", "{}"),)) == "tool_calls"


def test_no_reason_at_all_is_raised_or_called_unknown() -> None:
    assert {target: word_for(CHAT, Reply(), Stop.UNKNOWN, target) for target in Api} == {
        CHAT: None,
        RESPONSES: "incomplete",
        ANTHROPIC: None,
        GEMINI: "FINISH_REASON_UNSPECIFIED",
    }


# The worked example, over the bench.


@pytest.fixture(scope="module")
def benches() -> Iterator[Callable[[Any], Bench]]:
    """A bench for an adapter, kept for the file."""
    made: dict[int, tuple[Any, Bench]] = {}

    def bench(adapter: Any) -> Bench:
        if id(adapter) not in made:
            made[id(adapter)] = (adapter, Bench(adapter).__enter__())
        return made[id(adapter)][1]

    yield bench
    for _, each in made.values():
        each.__exit__()


TRANSLATORS = {target: Translator(target) for target in Api}
HONEST = {Verdict.FAITHFUL, Verdict.LOUD, Verdict.DECLARED}
SOME = ("tool-calls-parallel", "tool-json-cut", "refusal", "pause-turn", "reason-new", "thinking-then-text")


def judged(bench: Bench, scenario_id: str, mode: Mode) -> Result:
    result, _ = bench.judge(catalogue()[scenario_id], mode)
    assert result.problem is None
    return result


@pytest.mark.parametrize("target", Api)
def test_the_worked_example_is_faithful_loud_or_declared(target: Api) -> None:
    """In the cells where translating is hard, in process, where each is played once."""
    with Bench(TRANSLATORS[target], transport=Transport.VCR) as bench:
        for scenario in catalogue().values():
            if scenario.slug in SOME:
                for mode in scenario.modes:
                    _assert_honest(judged(bench, scenario.id, mode))


@pytest.mark.slow
@pytest.mark.parametrize("target", Api)
def test_the_worked_example_is_faithful_loud_or_declared_in_every_cell(
    target: Api, benches: Callable[[Any], Bench]
) -> None:
    bench = benches(TRANSLATORS[target])
    for scenario in catalogue().values():
        for mode in scenario.modes:
            with suppress(NotApplicable):  # Gemini without alt=sse, which the reference does not ask for
                _assert_honest(judged(bench, scenario.id, mode))


def _assert_honest(result: Result) -> None:
    assert result.verdict in HONEST, (result.cell, result.findings)
    assert result.passed, (result.cell, result.open, result.stale)
    assert result.outcomes["shape.grammar"] in {"pass", "not applicable"}, result.cell
    assert result.outcomes["shape.idiom"] in {"pass", "not applicable"}, result.cell


@pytest.mark.parametrize("target", Api)
def test_the_shape_of_another_api_is_judged_and_that_of_the_upstream_is_not(
    target: Api, benches: Callable[[Any], Bench]
) -> None:
    for source in Api:
        result = judged(benches(TRANSLATORS[target]), f"{source}/natural-end", Mode.STREAMED)
        assert result.outcomes["shape.grammar"] == ("not applicable" if source is target else "pass")
        assert result.outcomes["stream.incremental"] == "pass"


@pytest.mark.parametrize("name", [f"translator-{target}" for target in Api])
def test_the_worked_examples_are_shipped(name: str) -> None:
    adapter = load(name)
    assert (adapter.name, adapter.apis) == (name, frozenset(Api))
    assert adapter.vocabulary == Vocabulary.of(Api(name.removeprefix("translator-")))


def test_where_there_is_no_word_the_content_comes_first_and_the_error_says_what_the_provider_said(
    benches: Callable[[Any], Bench],
) -> None:
    for mode in (Mode.BUFFERED, Mode.STREAMED):
        case = benches(TRANSLATORS[CHAT]).case(catalogue()["anthropic-messages/pause-turn"], mode)
        assert case.plain.raised is not None
        assert case.plain.raised.kind == f"{NoWord.__module__}.NoWord"
        assert "pause_turn" in case.plain.raised.message
        if mode is Mode.STREAMED:
            assert case.plain.reply is not None
            assert case.plain.reply.text == case.truth.text != ""
            assert case.plain.reply.reason is None
    error = NoWord(CHAT, Stop.CONTINUE, Reply(text="so far", raw_reason="pause_turn"))
    assert isinstance(error, CannotSay)
    assert (error.stop, error.raw_reason, error.reply.text) == (Stop.CONTINUE, "pause_turn", "so far")


class _Upstream:
    """A source with a custom tool, whose arguments are no JSON."""

    call = ToolCall("shell", "ls", "1", free_text=True)
    reply = Reply(reason="tool_call", raw_reason="tool_calls", tool_calls=(call,))

    def complete(self, _: Call) -> Reply:
        return self.reply

    def stream(self, _: Call) -> Iterator[Part]:
        yield ToolCallDelta(0, "1", "shell", "ls", free_text=True)
        yield End("tool_call", "tool_calls", final=self.reply)


def test_content_that_the_target_has_no_room_for_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    call = Call(CHAT, "http://127.0.0.1:9", "no-key", "a-model", "List the files.")
    for target in (ANTHROPIC, GEMINI):
        translator = Translator(target)
        monkeypatch.setattr(translator, "_upstream", _Upstream())
        with pytest.raises(NoRoom, match="free text"):
            translator.complete(call)
        with pytest.raises(NoRoom, match="free text"):
            list(translator.stream(call))


def test_the_matched_string_is_kept_by_anthropic_alone(benches: Callable[[Any], Bench]) -> None:
    scenario = catalogue()["anthropic-messages/stop-fired"]
    for target in Api:
        for mode in scenario.modes:
            seen = benches(TRANSLATORS[target]).case(scenario, mode).plain.whole
            assert seen is not None
            assert seen.stop_sequence == ("</answer>" if target is ANTHROPIC else None)
            assert (Gap.STOP_SEQUENCE in TRANSLATORS[target].lacks) is (target is not ANTHROPIC)


# The checks, on translators that get the shape wrong.


class Spoiled(Translator):
    """A translator whose stream is edited before it is handed out."""

    def __init__(self, target: Api, edit: Callable[[list[Part]], list[Part]]) -> None:
        super().__init__(target)
        self._edit = edit

    def stream(self, call: Call) -> Iterator[Part]:
        return iter(self._edit(list(super().stream(call))))


def _finish_first(parts: list[Part]) -> list[Part]:
    chunks = [part for part in parts if isinstance(part, Chunk)]
    return [*chunks[:2], chunks[-3], *chunks[2:-3], *chunks[-2:]]


def _finish_with_content(parts: list[Part]) -> list[Part]:
    chunks = [part for part in parts if isinstance(part, Chunk)]
    *head, last, finish, usage, done = chunks
    assert not isinstance(last.payload, str)
    assert not isinstance(finish.payload, str)
    delta = last.payload["choices"][0]["delta"]
    choice = {**finish.payload["choices"][0], "delta": delta}
    return [*head, replace(finish, payload={**finish.payload, "choices": [choice]}), usage, done]


def test_a_reason_before_the_end_of_content_breaks_the_grammar(benches: Callable[[Any], Bench]) -> None:
    result = judged(benches(Spoiled(CHAT, _finish_first)), "anthropic-messages/natural-end", Mode.STREAMED)
    (finding,) = [finding for finding in result.findings if finding.check == "shape.grammar"]
    assert finding.problem == "content comes after the finish_reason"
    assert finding.observed.startswith("event 4 of ")
    assert not result.passed


def test_a_stream_without_a_reason_lacks_it(benches: Callable[[Any], Bench]) -> None:
    def without(parts: list[Part]) -> list[Part]:
        return parts[:2]

    result = judged(benches(Spoiled(CHAT, without)), "anthropic-messages/natural-end", Mode.STREAMED)
    (finding,) = [finding for finding in result.findings if finding.check == "shape.grammar"]
    assert (finding.problem, finding.observed) == ("the stream ends without a finish_reason", "2 events")


def test_a_reason_beside_content_departs_from_the_idiom_only(benches: Callable[[Any], Bench]) -> None:
    result = judged(benches(Spoiled(CHAT, _finish_with_content)), "gemini/natural-end", Mode.STREAMED)
    assert result.outcomes["shape.idiom"] == "fail"
    assert result.outcomes["shape.grammar"] == "pass"
    assert (result.passed, result.verdict) == (True, Verdict.LOUD)
    same = judged(benches(Spoiled(CHAT, _finish_with_content)), "openai-chat/natural-end", Mode.STREAMED)
    assert same.outcomes["shape.idiom"] == "not applicable"


def test_a_stream_that_breaks_off_is_not_blamed_for_what_it_lacks(benches: Callable[[Any], Bench]) -> None:
    for slug in ("cut-before-terminal", "error-in-stream"):
        result = judged(benches(TRANSLATORS[CHAT]), f"anthropic-messages/{slug}", Mode.STREAMED)
        assert result.outcomes["shape.grammar"] == "pass"


def test_parts_alone_have_no_shape_to_judge(benches: Callable[[Any], Bench]) -> None:
    def parts_only(_: list[Part]) -> list[Part]:
        return [TextDelta("x"), End("stop")]

    result = judged(benches(Spoiled(CHAT, parts_only)), "gemini/natural-end", Mode.STREAMED)
    assert result.outcomes["shape.grammar"] == "not applicable"


# A declared gap that shows for some upstreams only.


class KeepsRaw(Translator):
    """Declares that the provider's value has no place, and hands it out."""

    def __init__(self) -> None:
        super().__init__(ANTHROPIC)

    def complete(self, call: Call) -> Reply:
        return replace(super().complete(call), raw_reason="stop")


def test_a_gap_is_not_stale_where_the_public_reason_happens_to_be_the_providers(
    benches: Callable[[Any], Bench],
) -> None:
    declared = TRANSLATORS[ANTHROPIC]
    assert Gap.RAW_REASON in declared.lacks
    assert judged(benches(declared), "anthropic-messages/natural-end", Mode.BUFFERED).stale == ()
    assert judged(benches(declared), "gemini/reason-new", Mode.BUFFERED).stale == ()
    assert judged(benches(declared), "gemini/natural-end", Mode.BUFFERED).outcomes["reason.raw-kept"] == "declared"


def test_a_gap_is_stale_where_the_value_has_a_place_of_its_own(benches: Callable[[Any], Bench]) -> None:
    result = judged(benches(KeepsRaw()), "openai-chat/natural-end", Mode.BUFFERED)
    assert len(result.stale) == 1
    assert not result.passed


# Chunks as the contract has them.


def test_chunks_amount_to_the_reply_that_they_spell() -> None:
    choice = {"index": 0, "delta": {"role": "assistant", "content": "one "}, "finish_reason": None}
    finish = {"index": 0, "delta": {}, "finish_reason": "stop"}
    parts: list[Part] = [
        Chunk(CHAT, {"choices": [choice]}),
        Chunk(CHAT, '{"choices": [{"index": 0, "delta": {"content": "two"}}]}'),
        Chunk(CHAT, {"choices": [finish]}),
        Chunk(CHAT, "[DONE]"),
        End(raw_reason="end_turn"),
    ]
    reply = Reply.from_parts(parts)
    assert (reply.text, reply.reason, reply.raw_reason, reply.shape) == ("one two", "stop", "end_turn", CHAT)


def test_a_frame_that_is_no_json_is_an_error_of_the_reply() -> None:
    reply = Reply.from_parts([Chunk(CHAT, "<html>")])
    assert reply.error is not None
    assert reply.error.type == "not_json"

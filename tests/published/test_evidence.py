"""Evidence finds what a codec loses or does not know, and the committed lists are held both ways."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from making import chunk, completion, exchange, sse

from conformance.vocabulary import Api
from conformance.wire import codec_for
from tools.published import evidence, figures, known
from tools.published.errors import BadPins
from tools.published.evidence import Evidence, Problem
from tools.published.recordings import Exchange, Recordings

RESPONSE = {
    "id": "resp_" + "0" * 50,
    "object": "response",
    "status": "completed",
    "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
        {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]},
    ],
    "usage": {"input_tokens": 1, "output_tokens": 2},
}
MESSAGE = {
    "id": "msg_01" + "A" * 22,
    "type": "message",
    "content": [
        {"type": "thinking", "thinking": "Hm"},
        {"type": "text", "text": "Hello"},
        {"type": "tool_use", "id": "t", "name": "look", "input": {"at": 1}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 2},
}
CANDIDATES = {
    "candidates": [
        {
            "content": {
                "parts": [
                    {"text": "Hm", "thought": True},
                    {"text": "Hello"},
                    {"functionCall": {"name": "look", "args": {"at": 1}}},
                ]
            },
            "finishReason": "STOP",
            "finishMessage": "Model generated function call(s).",
        }
    ],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2},
}
CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "look", "arguments": '{"at":1}'}}


def message_events() -> bytes:
    """An Anthropic stream with every block that a codec reads, and a padded last frame."""
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"type": "thinking", "thinking": ""}, [{"type": "thinking_delta", "thinking": "Hm"}]),
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": "Hel"}, {"type": "text_delta", "text": "lo"}]),
        (
            {"type": "tool_use", "id": "t", "name": "look", "input": {}},
            [{"type": "input_json_delta", "partial_json": '{"at":1}'}],
        ),
    ]
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": MESSAGE["id"], "stop_reason": None}}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 2}})
    events.append({"type": "message_stop"})
    frames = b"".join(f"event: {event['type']}\n".encode() + sse(event) for event in events)
    return frames.replace(b'"message_stop"}', b'"message_stop"   }')


def response_events() -> bytes:
    """A Responses stream."""
    events = [
        {"type": "response.created", "response": {"id": RESPONSE["id"], "status": "in_progress"}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hello"},
        {"type": "response.output_item.done", "output_index": 1, "item": RESPONSE["output"][1]},
        {"type": "response.output_item.done", "output_index": 2, "item": RESPONSE["output"][2]},
        {"type": "response.completed", "response": RESPONSE},
    ]
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(events)]
    return b"".join(f"event: {event['type']}\n".encode() + sse(event) for event in numbered)


CHAT_STREAM = sse(
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Hello"}),
    chunk({"tool_calls": [CALL]}),
    chunk({}, "tool_calls"),
    {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
    done=True,
)

WHOLE = [
    exchange(Api.OPENAI_CHAT, completion(reason="tool_calls", tool_calls=[CALL])),
    exchange(Api.OPENAI_CHAT, CHAT_STREAM, file="chat.yaml"),
    exchange(Api.OPENAI_RESPONSES, RESPONSE, file="response.yaml"),
    exchange(Api.OPENAI_RESPONSES, response_events(), file="responses.yaml", streamed=True),
    exchange(Api.ANTHROPIC_MESSAGES, MESSAGE, file="message.yaml"),
    exchange(Api.ANTHROPIC_MESSAGES, message_events(), file="messages.yaml", streamed=True),
    exchange(Api.GEMINI, CANDIDATES, file="gemini.yaml"),
    exchange(Api.GEMINI, sse(CANDIDATES, line_end="\r\n"), file="geminis.yaml"),
]


def run(*exchanges: Exchange) -> tuple[Evidence, dict[str, Any]]:
    found = Recordings(exchanges=list(exchanges), seen=len(exchanges))
    result = evidence.gather(found)
    return result, evidence.figures(found, result)


def problems(*exchanges: Exchange) -> set[tuple[str, str]]:
    return {(problem.rule, problem.detail) for problem in run(*exchanges)[0].problems}


def test_whole_exchanges_of_every_api_and_mode_have_no_problem() -> None:
    result, counts = run(*WHOLE)
    assert dict(result.problems) == {}
    assert counts["endings"] == {
        "anthropic-messages": {
            "buffered": {"tool_use -> tool_call": 1},
            "streamed": {"tool_use -> tool_call": 1},
        },
        "gemini": {"buffered": {"STOP -> tool_call": 1}, "streamed": {"STOP -> tool_call": 1}},
        "openai-chat": {
            "buffered": {"tool_calls -> tool_call": 1},
            "streamed": {"tool_calls -> tool_call": 1},
        },
        "openai-responses": {
            "buffered": {"completed -> tool_call": 1},
            "streamed": {"completed -> tool_call": 1},
        },
    }


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        (
            "openai-chat",
            {
                "[DONE] last",
                "first chunk has the role",
                "finish chunks: 1",
                "finish chunk: delta empty",
                "finish on the last chunk with choices",
                "after finish: one chunk with usage and without choices",
                "line ends: LF",
                "event names: none",
            },
        ),
        (
            "openai-responses",
            {
                "no [DONE]",
                "first event: response.created",
                "last event: response.completed",
                "sequence_number: contiguous from 0",
                "text deltas equal the last event's text",
                "event names: equal to type in every frame",
            },
        ),
        (
            "anthropic-messages",
            {
                "message_delta: 1",
                "message_stop: no key but type",
                "message_start: stop_reason null",
                "blocks one after another",
                "padding before the closing brace",
                "message_delta: key delta.stop_sequence",
            },
        ),
        (
            "gemini",
            {
                "line ends: CRLF",
                "finishReason chunks: 1",
                "finishReason on the last chunk only",
                "usageMetadata on every chunk",
            },
        ),
    ],
)
def test_grammar_facts_are_counted(kind: str, facts: set[str]) -> None:
    counted = run(*WHOLE)[1]["facts"][kind]
    assert {fact: counted.get(fact) for fact in facts} == dict.fromkeys(facts, 1)


def test_facts_about_requests_and_content() -> None:
    forced = {"tool_choice": {"type": "function", "function": {"name": "look"}}, "stop": ["ell"]}
    counted = run(
        exchange(Api.OPENAI_CHAT, completion(tool_calls=[CALL]), request=forced),
        exchange(Api.OPENAI_CHAT, completion(refusal="No"), file="b.yaml", request={"tool_choice": "auto"}),
    )[1]["facts"]["openai-chat"]
    assert counted == {
        "bodies": 2,
        "forced tool_choice and tool calls: reason stop": 1,
        "refusal text: reason stop": 1,
        "stop strings asked": 1,
        "stop strings asked: one stands in the text": 1,
    }


def test_facts_that_break_the_grammar_are_counted_too() -> None:
    counted = run(
        exchange(
            Api.OPENAI_CHAT,
            sse(chunk({"content": "x"}, "stop"), chunk({"content": "y"}, "stop"), {"choices": [], "error": {}}),
        )
    )[1]["facts"]["openai-chat"]
    assert counted["finish chunks: 2"] == counted["finish chunk: delta not empty"] == 1
    assert counted["no [DONE]"] == counted["after finish: others"] == 1


@pytest.mark.parametrize(
    ("api", "body", "expected"),
    [
        (Api.OPENAI_CHAT, completion(reason="eos"), ("reason-unknown", "eos")),
        (Api.OPENAI_CHAT, {**completion(), "choices": []}, ("no-reason", "buffered")),
        (Api.OPENAI_CHAT, {"error": {"message": "no", "type": "overloaded"}}, ("error-under-200", "overloaded")),
        (Api.OPENAI_CHAT, sse(chunk({"content": "x"})), ("no-reason", "streamed")),
        (Api.OPENAI_CHAT, sse(chunk({"content": "x"}, "stop")), ("not-closed", "stop")),
        (Api.OPENAI_CHAT, sse(*(chunk({}, "stop"),) * 2, done=True), ("reason-twice", "stop")),
        (
            Api.OPENAI_CHAT,
            sse(chunk({}, "stop"), chunk({"content": "x"}), done=True),
            ("content-after-reason", "stop"),
        ),
        (
            Api.OPENAI_CHAT,
            completion(reason="length", tool_calls=[{**CALL, "function": {"name": "look", "arguments": '{"a'}}]),
            ("call-not-whole", "length -> truncated"),
        ),
        (Api.OPENAI_RESPONSES, {**RESPONSE, "output": [{"type": "brand_new"}]}, ("type-unknown", "item:brand_new")),
        (Api.ANTHROPIC_MESSAGES, {**MESSAGE, "content": [{"type": "new"}]}, ("type-unknown", "block:new")),
        (Api.ANTHROPIC_MESSAGES, sse({"type": "new"}), ("type-unknown", "new")),
        (Api.GEMINI, {"candidates": [{"content": {"parts": [{"new": {}}]}}]}, ("type-unknown", "part:new")),
    ],
)
def test_what_no_right_reader_may_pass_over(api: Api, body: Any, expected: tuple[str, str]) -> None:
    assert expected in problems(exchange(api, body))


def test_an_item_that_waits_for_the_caller_is_no_complete_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {**RESPONSE, "output": [{"type": "mcp_approval_request", "id": "mcpr_1"}]}
    assert problems(exchange(Api.OPENAI_RESPONSES, body)) == set()
    monkeypatch.setitem(known.TYPES[Api.OPENAI_RESPONSES], "item:asks", known.CALLER)
    asking = exchange(Api.OPENAI_RESPONSES, {**RESPONSE, "output": [{"type": "asks"}]})
    assert ("caller-must-act", "item:asks") in problems(asking)


def test_an_error_that_the_codec_cannot_read_is_a_problem_and_one_that_it_can_is_an_ending() -> None:
    good = exchange(Api.OPENAI_CHAT, {"error": {"message": "no"}}, status=429)
    assert run(good)[1]["endings"] == {"openai-chat": {"buffered": {"HTTP 429": 1}}}
    assert problems(good) == set()
    streamed = exchange(Api.GEMINI, b'data: {"error": {"code": 400, "message": "no"}}\r\n\r\n', status=400)
    assert problems(streamed) == set()
    assert problems(exchange(Api.OPENAI_CHAT, b"<html>", status=502)) == {("error-not-read", "HTTP 502")}


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("text", "Hell", "text-differs"),
        ("thinking", "", "thinking-differs"),
        ("refusal", "No", "refusal-differs"),
        ("tool_calls", (), "calls-differ"),
        ("raw_reason", "stop", "reason-differs"),
        ("usage", None, "tokens-differ"),
    ],
)
def test_a_codec_that_loses_something_is_found(
    field: str, value: Any, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = evidence.read(WHOLE[4], Api.ANTHROPIC_MESSAGES)
    monkeypatch.setattr(evidence, "read", lambda *_: replace(right, **{field: value}))
    assert rule in {name for name, _ in problems(WHOLE[4])}


def test_a_codec_that_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*_: Any) -> Any:
        raise KeyError("choices")

    monkeypatch.setattr(codec_for(Api.OPENAI_CHAT), "whole", raises)
    assert problems(WHOLE[0]) == {("crash", "KeyError")}


def test_what_has_no_codec_or_shows_no_vendor_is_counted_apart() -> None:
    converse = exchange(Api.OPENAI_CHAT, {}, host="bedrock-runtime.eu.amazonaws.com", path="/model/m/converse")
    bare = replace(WHOLE[0], verified=False)
    read = run(converse, bare)[1]["read"]
    assert read["without a codec"] == {"bedrock-converse@bedrock": 1}
    assert read["without a vendor's header or id"] == {"openai-chat": 1}


ROW = """[[divergence]]
rule = "reason-unknown"
kind = "openai-chat"
detail = "eos"
count = {count}
why = "{why}"
"""


def listed(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "divergences.toml"
    path.write_text(text)
    return path


def test_a_divergence_is_held_to_its_count_both_ways(tmp_path: Path) -> None:
    result, _ = run(exchange(Api.OPENAI_CHAT, completion(reason="eos")))
    assert set(result.problems) == {Problem("reason-unknown", "openai-chat", "eos")}
    assert figures.unexplained(result, listed(tmp_path, ROW.format(count=1, why="known"))) == []
    for text, wanted in (("", 0), (ROW.format(count=2, why="known"), 2)):
        head, place = figures.unexplained(result, listed(tmp_path, text))
        assert head == f"reason-unknown: openai-chat, eos: 1 times, {wanted} are explained"
        assert place.strip() == "tiny==1.0:a.yaml#0"
    (line,) = figures.unexplained(Evidence(), listed(tmp_path, ROW.format(count=1, why="known")))
    assert line == "reason-unknown: openai-chat, eos: 1 are explained, none shows"


@pytest.mark.parametrize(
    "text",
    ["[[divergence]]\nrule = 'x'\n", "not toml", ROW.format(count=1, why=""), ROW.format(count=1, why="a") * 2],
)
def test_a_divergence_without_its_reason_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadPins, match=r"divergences\.toml"):
        figures.unexplained(Evidence(), listed(tmp_path, text))


def test_counts_that_differ_are_shown_as_a_diff(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    counts = run(*WHOLE)[1]
    path.write_text(evidence.as_text(counts))
    assert figures.difference(counts, path) == []
    more = run(*WHOLE, exchange(Api.OPENAI_CHAT, completion("Bye"), file="more.yaml"))[1]
    lines = figures.difference(more, path)
    assert '+    "stop -> complete": 1,' in lines
    with pytest.raises(BadPins, match="evidence --update"):
        figures.difference(counts, tmp_path / "missing.json")


def test_the_table_has_a_line_for_each_ending_and_each_fact() -> None:
    lines = figures.table(run(*WHOLE)[1])
    assert any(line.split() == ["gemini", "streamed", "STOP", "->", "tool_call", "1"] for line in lines)
    assert "gemini:     1  line ends: CRLF" in lines

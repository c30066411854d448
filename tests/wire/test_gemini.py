"""What the Gemini codec reads and writes. Framing and what all codecs share are tested beside their own files."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

import pytest

from conformance.contract import ErrorPart, Reply, Usage, parts_from_wire
from conformance.errors import BadWire
from conformance.vocabulary import Api, Stop
from conformance.wire.draft import Block, Draft, Raw, Refusal, Text, Thinking, ToolUse
from conformance.wire.gemini import BLOCK_REASONS, CODEC, STOPS
from conformance.wire.json_array import JsonArrayReader
from conformance.wire.reading import Reading, WireCall
from conformance.wire.sse import encode

CALL = {"functionCall": {"name": "look", "args": {"at": "☂"}}}
ERROR = {"error": {"code": 503, "message": "try later", "status": "UNAVAILABLE", "details": []}}
UNAVAILABLE = ErrorPart("try later", "UNAVAILABLE", 503)


class SdkReason(Enum):
    """As the SDK keeps a reason in Python; its str() is not the value."""

    STOP = "STOP"


def response(*parts: dict[str, Any], **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "index": 0, **candidate}]}


def read(payload: Any) -> Reading:
    return CODEC.read(200, json.dumps(payload).encode())


def read_stream(body: bytes, size: int | None = None) -> Reading:
    reader = CODEC.stream()
    for start in range(0, len(body), size or len(body)):
        reader.feed(body[start : start + (size or len(body))])
    reader.close()
    return reader.reading


def sse(*payloads: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(payload).encode() + b"\r\n\r\n" for payload in payloads)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("STOP", Stop.COMPLETE),
        ("MAX_TOKENS", Stop.TRUNCATED),
        ("TOO_MANY_TOOL_CALLS", Stop.TRUNCATED),
        ("CONTINUATION", Stop.CONTINUE),
        ("SAFETY", Stop.BLOCKED),
        ("LANGUAGE", Stop.BLOCKED),
        ("MALFORMED_FUNCTION_CALL", Stop.FAILED),
        ("UNEXPECTED_TOOL_CALL", Stop.FAILED),
        ("OTHER", Stop.UNKNOWN),
        ("FINISH_REASON_UNSPECIFIED", Stop.UNKNOWN),
        ("A_NEW_ONE", Stop.UNKNOWN),
        ("stop", Stop.UNKNOWN),
        ("", Stop.UNKNOWN),
        (None, Stop.UNKNOWN),
        ("1", Stop.COMPLETE),
        ("2", Stop.TRUNCATED),
        ("3", Stop.UNKNOWN),
        ("JAILBREAK", Stop.BLOCKED),
        ("promptFeedback/OTHER", Stop.BLOCKED),
        ("promptFeedback/A_NEW_ONE", Stop.BLOCKED),
    ],
)
def test_reason(reason: str | None, stop: Stop) -> None:
    """Each value has its class; what no table knows is unknown, save a block reason."""
    assert CODEC.stop_of(reason) is stop


def test_tables_agree() -> None:
    """A bare value that is both a finish and a block reason is blocked, or else (OTHER) not known to be."""
    shared = {value: STOPS[value].stop for value in STOPS.keys() & BLOCK_REASONS.keys()}
    assert shared.pop("OTHER") is Stop.UNKNOWN
    assert set(shared.values()) == {Stop.BLOCKED}


@pytest.mark.parametrize(
    ("payload", "stop", "raw"),
    [
        (response({"text": "hi"}, finishReason="STOP"), Stop.COMPLETE, "STOP"),
        (response({"text": "hi"}, finishReason=1), Stop.COMPLETE, "1"),
        (response({"text": "hi"}, finishReason=2), Stop.TRUNCATED, "2"),
        (response({"text": "hi"}, finishReason=0), Stop.UNKNOWN, "0"),
        (response({"text": "hi"}), Stop.UNKNOWN, None),
        (response(CALL, finishReason="STOP", finishMessage="Model made a call."), Stop.TOOL_CALL, "STOP"),
        (response(CALL, finishReason="UNEXPECTED_TOOL_CALL"), Stop.FAILED, "UNEXPECTED_TOOL_CALL"),
        ({"candidates": [{"finishReason": "MODEL_ARMOR"}]}, Stop.BLOCKED, "MODEL_ARMOR"),
        ({"candidates": [{"content": {}, "finishReason": "SAFETY"}]}, Stop.BLOCKED, "SAFETY"),
        ({"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]}, Stop.TRUNCATED, "MAX_TOKENS"),
        ({"promptFeedback": {"blockReason": "OTHER"}}, Stop.BLOCKED, "OTHER"),
        ({"promptFeedback": {"blockReason": "A_NEW_ONE"}, "candidates": []}, Stop.BLOCKED, "A_NEW_ONE"),
        ({"promptFeedback": {"blockReason": 0}, **response(finishReason="STOP")}, Stop.COMPLETE, "STOP"),
        ({"promptFeedback": {"safetyRatings": []}}, Stop.UNKNOWN, None),
        ({}, Stop.UNKNOWN, None),
    ],
)
def test_ending(payload: dict[str, Any], stop: Stop, raw: str | None) -> None:
    """A body and a stream of it give the same class and the provider's value verbatim."""
    for reading in (read(payload), read_stream(sse(payload))):
        assert (reading.stop, reading.raw_reason) == (stop, raw)


@pytest.mark.parametrize(
    ("part", "seen"),
    [
        ({"text": "a"}, Reply(text="a")),
        ({"text": "a", "thought": True}, Reply(thinking="a")),
        ({"text": "", "thoughtSignature": "cw=="}, Reply()),
        ({"executableCode": {"language": "PYTHON", "code": "1"}}, Reply()),
        ({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, Reply()),
        ({"inlineData": {"mimeType": "image/png", "data": ""}}, Reply()),
        ({"noSuchKind": {"text": "a"}}, Reply()),
    ],
)
def test_part(part: dict[str, Any], seen: Reply) -> None:
    """Only text is text, thoughts are kept apart, kinds that nobody knows change nothing."""
    reading = read(response(part, finishReason="STOP"))
    assert (reading.text, reading.thinking, reading.tool_calls) == (seen.text, seen.thinking, ())


def test_calls_are_counted_across_chunks() -> None:
    """Each functionCall is a call of its own, though they come in several chunks and STOP after them."""
    body = sse(
        response(CALL, {"functionCall": {"id": "c2", "name": "rest"}}), response(CALL), response(finishReason="STOP")
    )
    look = WireCall("look", '{"at": "☂"}', whole=True)
    reading = read_stream(body)
    assert reading.tool_calls == (look, WireCall("rest", "{}", whole=True, id="c2"), look)
    assert reading.stop is Stop.TOOL_CALL


def test_cut_call_is_not_called_whole() -> None:
    """An object under a token limit may have been shortened, so nothing is said about it."""
    assert read(response(CALL, finishReason="MAX_TOKENS")).tool_calls[0].whole is None


def test_first_candidate_only() -> None:
    """Other candidates are not mixed in; an absent index is 0."""
    other = {"index": 1, "content": {"parts": [{"text": "no"}]}, "finishReason": "MAX_TOKENS"}
    first = {"content": {"parts": [{"text": "yes"}]}, "finishReason": "STOP"}
    reading = read({"candidates": [other, first]})
    assert (reading.text, reading.stop) == ("yes", Stop.COMPLETE)
    assert read_stream(sse({"candidates": [other]})).cut


def test_reading_goes_on_after_the_reason() -> None:
    """With code execution STOP comes twice and the answer after the first."""
    usage = {"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 9}}
    body = sse(
        response({"text": "a"}),
        response(finishReason="STOP"),
        response({"text": "b"}),
        response(finishReason="STOP"),
        usage,
    )
    reading = read_stream(body)
    assert (reading.text, reading.stop, reading.reason_frames) == ("ab", Stop.COMPLETE, 2)
    assert reading.content_after_reason
    assert reading.usage == Usage(3, 4, 9)


@pytest.mark.parametrize("tail", [b"", b"data: [DONE]\r\n\r\n", b'data: {"candidates"', b'{"error": {'])
def test_cut_stream(tail: bytes) -> None:
    """A stream without a reason is cut; a sentinel, which the API does not have, does not end it."""
    reading = read_stream(sse(response({"text": "a"})) + tail)
    assert (reading.cut, reading.stop, reading.text) == (True, Stop.UNKNOWN, "a")


@pytest.mark.parametrize(
    "payload",
    [
        {
            "candidates": [
                {
                    "content": {
                        "parts": [
                            {"text": "a", "thought": None, "function_call": None, "thought_signature": b"x"},
                            {"text": None, "function_call": {"id": None, "name": "look", "args": {"at": "☂"}}},
                        ],
                        "role": "model",
                    },
                    "finish_reason": reason,
                    "index": None,
                }
            ],
            "prompt_feedback": None,
            "usage_metadata": {"prompt_token_count": 3, "candidates_token_count": 4},
        }
        for reason in ("STOP", SdkReason.STOP)
    ],
)
def test_sdk_dump(payload: dict[str, Any]) -> None:
    """The SDK's dumps are read like the wire: snake_case, nulls for what is absent, enum members."""
    for reply in (Reply.from_wire(Api.GEMINI, payload), Reply.from_parts(parts_from_wire(Api.GEMINI, [payload]))):
        assert (reply.text, reply.reason, reply.raw_reason, reply.usage) == ("a", "STOP", "STOP", Usage(3, 4))
        assert [call.name for call in reply.tool_calls] == ["look"]


def test_sdk_dump_of_a_blocked_prompt() -> None:
    """A block reason is found under the SDK's name, beside candidates that are null."""
    reply = Reply.from_wire(Api.GEMINI, {"candidates": None, "prompt_feedback": {"block_reason": "SAFETY"}})
    assert (CODEC.classify(reply.reason, reply), reply.raw_reason) == (Stop.BLOCKED, "SAFETY")


@pytest.mark.parametrize(
    ("payload", "status", "error"),
    [
        (ERROR, None, UNAVAILABLE),
        (ERROR, 500, ErrorPart("try later", "UNAVAILABLE", 500)),
        ([ERROR], None, UNAVAILABLE),
        ({"error": "words"}, 502, ErrorPart("words", None, 502)),
        ({"error": None}, None, None),
        ([], None, None),
        ("words", None, None),
        (response(finishReason="STOP"), None, None),
    ],
)
def test_error(payload: Any, status: int | None, error: ErrorPart | None) -> None:
    """The envelope is read alone and in an array of one; the exchange's status counts before its own."""
    assert CODEC.error(payload, status) == error


def test_error_in_a_reply_of_200() -> None:
    """An envelope is an error whatever the HTTP status."""
    assert (read(ERROR).stop, read([ERROR]).error) == (Stop.FAILED, UNAVAILABLE)


@pytest.mark.parametrize("size", [1, 2, 7, None])
@pytest.mark.parametrize(
    "body",
    [
        sse(response({"text": "a"}), ERROR),
        sse(response({"text": "a"})) + json.dumps(ERROR, indent=2).encode(),
        sse(response({"text": "a"})) + json.dumps([ERROR], indent=2).encode() + b"\r\n",
        json.dumps([response({"text": "a"}), ERROR]).encode(),
    ],
)
def test_error_after_text(body: bytes, size: int | None) -> None:
    """An error inside a stream is one whether framed, bare, or an element of the array."""
    reading = read_stream(body, size)
    assert (reading.text, reading.error, reading.stop) == ("a", UNAVAILABLE, Stop.FAILED)


@pytest.mark.parametrize("size", [1, 2, 7, None])
@pytest.mark.parametrize("start", [b"", b"\r\n", b"\xef\xbb\xbf"])
def test_array_reads_as_events_do(start: bytes, size: int | None) -> None:
    """A stream that is a JSON array gives the same Reading as the events, however it is cut."""
    payloads = [response({"text": 'a "]}☂\\'}), response(CALL), response(finishReason="STOP")]
    body = start + json.dumps(payloads, indent=2, ensure_ascii=False).encode()
    assert read_stream(body, size) == read_stream(start + sse(*payloads), size)


def test_cut_array_gives_what_is_whole() -> None:
    """Elements are read as they are completed, and a cut one never."""
    body = json.dumps([response({"text": "a"}), response({"text": "b"}, finishReason="STOP")]).encode()
    reading = read_stream(body[:-3])
    assert (reading.text, reading.cut) == ("a", True)


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        (b"[]", []),
        (b'[{"a": 1}\n,\r\n{"b": [2, {}]}\n]\n', [b'{"a": 1}', b'{"b": [2, {}]}']),
        (rb'[{"a": "\\"}, {"b": "\"]}"}]', [rb'{"a": "\\"}', rb'{"b": "\"]}"}']),
        (b'[1, "}", [{}], null]', [b"[{}]"]),
        (b'[{"a": 1}, {"b"', [b'{"a": 1}']),
    ],
)
def test_array_elements(body: bytes, elements: list[bytes]) -> None:
    """Brackets inside strings do not count, escapes may straddle chunks."""
    for size in (1, 3, len(body)):
        reader = JsonArrayReader()
        cut = [body[start : start + size] for start in range(0, len(body), size)]
        assert [element for chunk in cut for element in reader.feed(chunk)] == elements


def test_not_an_object() -> None:
    """What is no JSON object is no reply."""
    assert read("words").error == ErrorPart(
        "gemini: expected a JSON object, got str: 'words'", type="not_a_reply", status=200
    )
    with pytest.raises(BadWire):
        CODEC.events().take([])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "streams"),
    [
        ("/v1beta/models/m:streamGenerateContent", True),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", True),
        ("/v1beta/models/m:generateContent", False),
    ],
)
def test_the_path_asks_for_the_stream(path: str, streams: bool) -> None:
    """The method's name in the path decides, nothing in the body."""
    assert CODEC.asks_stream(path, {}) is streams


@pytest.mark.parametrize(
    ("blocks", "reason", "stop"),
    [
        ((Text(("one ", "two")),), "STOP", Stop.COMPLETE),
        ((Thinking(("hm",)), Text(("one",))), 1, Stop.COMPLETE),
        ((Text(("one",)), ToolUse("look", ('{"at":', ' "☂"}')), ToolUse("rest", ())), "STOP", Stop.TOOL_CALL),
        ((ToolUse("look", ("{}",)), Text(("one",)), ToolUse("look", ("{}",))), "STOP", Stop.TOOL_CALL),
        ((Refusal(("no",)),), "STOP", Stop.COMPLETE),
        ((Raw({"executableCode": {"code": "1"}}), Text(("one",))), "MAX_TOKENS", Stop.TRUNCATED),
        ((), "STOP", Stop.COMPLETE),
        ((), "SAFETY", Stop.BLOCKED),
        ((), "MODEL_ARMOR", Stop.BLOCKED),
        ((), "promptFeedback/OTHER", Stop.BLOCKED),
    ],
)
def test_both_deliveries_of_a_draft_agree(blocks: tuple[Block, ...], reason: str | int | None, stop: Stop) -> None:
    """A draft encoded whole and streamed decodes to the same Reply."""
    draft = Draft("gemini/x", "gemini-x", blocks, reason)
    buffered = read(CODEC.encode_whole(draft))
    streamed = read_stream(encode(CODEC.encode_events(draft), line_end=CODEC.LINE_END))
    assert buffered.stop is streamed.stop is stop
    for name in ("text", "thinking", "tool_calls", "raw_reason", "usage"):
        assert getattr(buffered, name) == getattr(streamed, name)


@pytest.mark.parametrize(
    ("reason", "content"),
    [("STOP", {"role": "model"}), ("MAX_TOKENS", {"role": "model"}), ("SAFETY", {}), ("MODEL_ARMOR", None)],
)
def test_content_without_parts(reason: str, content: dict[str, str] | None) -> None:
    """An empty content takes the form that was recorded with its reason."""
    candidate = CODEC.encode_whole(Draft("gemini/x", "gemini-x", (), reason))["candidates"][0]
    assert candidate.get("content") == content


def test_chunks_of_a_draft() -> None:
    """A piece of text is a chunk, the calls come with the reason, and usage is on every chunk."""
    blocks = (Text(("one ", "two")), ToolUse("look", ("{}",)), ToolUse("cut", ('{"at',)))
    draft = Draft("gemini/x", "gemini-x", blocks, "STOP", extra={"finishMessage": "Model made a call."})
    chunks = [event.data for event in CODEC.encode_events(draft)]
    assert [chunk["usageMetadata"]["candidatesTokenCount"] for chunk in chunks] == [6, 12, 19]
    assert [chunk["candidates"][0].get("finishReason") for chunk in chunks] == [None, None, "STOP"]
    assert chunks[-1]["candidates"][0]["finishMessage"] == "Model made a call."
    assert chunks[-1]["candidates"][0]["content"]["parts"] == [
        {"functionCall": {"name": "look", "args": {}}},
        {"functionCall": {"name": "cut", "args": {}}},
    ]

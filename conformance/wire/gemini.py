"""Gemini generateContent: the tables of finish and block reasons, decode and encode. No other API, no scenario, no I/O.

Stream grammar: GenerateContentResponse+, each a whole response with what is new; no event names, no
last frame, usageMetadata on every one. The reason mostly comes on the last, but with code execution
STOP came twice, the first before the answer (7 of 241 public recordings): reading goes on after it.
Gemini API and Vertex AI are read alike, and so are the google-genai SDK's dumps (snake_case, enums).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from conformance.contract import End, ErrorPart, Part, TextDelta, ThinkingDelta, ToolCallDelta, Usage
from conformance.vocabulary import Api, Stop
from conformance.wire.codec import Codec, Events, Json, Row, StreamReader, expect_object
from conformance.wire.draft import Draft, Raw, Thinking, ToolUse, mint
from conformance.wire.json_array import SseOrJsonReader
from conformance.wire.sse import Event

_GENAI = "google-genai==3.6.1 types.py FinishReason"
_VERTEX = "google-api-python-client==2.202.0 aiplatform.v1 rev 20261106"
_BOTH = f"{_GENAI}; {_VERTEX}"
_BLOCKED = "google-genai==3.6.1 types.py BlockedReason"

STOPS: dict[str, Row] = {
    "FINISH_REASON_UNSPECIFIED": Row(Stop.UNKNOWN, _BOTH),
    "STOP": Row(Stop.COMPLETE, _BOTH),
    "MAX_TOKENS": Row(Stop.TRUNCATED, _BOTH),
    "TOO_MANY_TOOL_CALLS": Row(Stop.TRUNCATED, _BOTH),  # the server's own tool loop was stopped before the answer
    "CONTINUATION": Row(Stop.CONTINUE, _BOTH),
    "SAFETY": Row(Stop.BLOCKED, _BOTH),
    "RECITATION": Row(Stop.BLOCKED, _BOTH),
    "BLOCKLIST": Row(Stop.BLOCKED, _BOTH),
    "PROHIBITED_CONTENT": Row(Stop.BLOCKED, _BOTH),
    "SPII": Row(Stop.BLOCKED, _BOTH),
    "MODEL_ARMOR": Row(Stop.BLOCKED, _BOTH),
    "LANGUAGE": Row(Stop.BLOCKED, _GENAI),  # the content was flagged: a filter, and a retry meets it again
    "ESCALATION": Row(Stop.BLOCKED, _GENAI),
    "PUP_LIMITED_DISABLED": Row(Stop.BLOCKED, _GENAI),  # an account limited by policy: a retry is of no use
    "IMAGE_SAFETY": Row(Stop.BLOCKED, _BOTH),
    "IMAGE_PROHIBITED_CONTENT": Row(Stop.BLOCKED, _BOTH),
    "IMAGE_RECITATION": Row(Stop.BLOCKED, _BOTH),
    "IMAGE_OTHER": Row(Stop.FAILED, _BOTH),
    "NO_IMAGE": Row(Stop.FAILED, _BOTH),
    "MALFORMED_FUNCTION_CALL": Row(Stop.FAILED, _BOTH),
    "UNEXPECTED_TOOL_CALL": Row(Stop.FAILED, _BOTH),
    "MALFORMED_RESPONSE": Row(Stop.FAILED, _BOTH),
    "MISSING_THOUGHT_SIGNATURE": Row(Stop.FAILED, _GENAI),
    "OTHER": Row(Stop.UNKNOWN, _BOTH),  # documented as a reason that is not specified
}

BLOCK_REASONS: dict[str, Row] = {
    "BLOCK_REASON_UNSPECIFIED": Row(Stop.BLOCKED, "google-ai-generativelanguage==0.12.1 BlockReason"),
    "BLOCKED_REASON_UNSPECIFIED": Row(Stop.BLOCKED, _BLOCKED),
    "SAFETY": Row(Stop.BLOCKED, _BLOCKED),
    "OTHER": Row(Stop.BLOCKED, _BLOCKED),
    "BLOCKLIST": Row(Stop.BLOCKED, _BLOCKED),
    "PROHIBITED_CONTENT": Row(Stop.BLOCKED, _BLOCKED),
    "IMAGE_SAFETY": Row(Stop.BLOCKED, _BLOCKED),
    "MODEL_ARMOR": Row(Stop.BLOCKED, _BLOCKED),
    "JAILBREAK": Row(Stop.BLOCKED, _BLOCKED),
}

NUMBERS: dict[str, Row] = {
    # Sent by Vertex for `$alt=json;enum-encoding=int`; recorded are 1 twelve times and 2 once. No other
    # number is read: Gemini API and Vertex number their members differently from 6 on (6 is LANGUAGE or BLOCKLIST).
    "1": STOPS["STOP"],
    "2": STOPS["MAX_TOKENS"],
}

PROMPT_FEEDBACK = "promptFeedback/"
"""Put before a block reason, since OTHER means one thing of a prompt and another of a candidate."""

_SNAKE = {
    "blockReason": "block_reason",
    "candidatesTokenCount": "candidates_token_count",
    "finishReason": "finish_reason",
    "functionCall": "function_call",
    "promptFeedback": "prompt_feedback",
    "promptTokenCount": "prompt_token_count",
    "thoughtsTokenCount": "thoughts_token_count",
    "usageMetadata": "usage_metadata",
}

_EMPTY_CONTENT: dict[str, dict[str, Any] | None] = {
    # The `content` of a candidate without parts, as recorded; None: no such key. Others come as SAFETY's, `{}`.
    "STOP": {"role": "model"},
    "MAX_TOKENS": {"role": "model"},
    "1": {"role": "model"},
    "2": {"role": "model"},
    "MODEL_ARMOR": None,
}


class _Events(Events):
    """Each event is a response of its own; only the count of calls and the end are carried on."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def take(self, payload: Json) -> list[Part]:
        if error := CODEC.error(payload):
            self.ended = self.closed = True
            return [error]
        chunk = expect_object(payload, Api.GEMINI)
        candidate = _candidate(chunk)
        parts = _content(candidate, self._calls)
        self._calls += sum(isinstance(part, ToolCallDelta) for part in parts)
        end = _end(chunk, candidate)
        late_usage = self.ended and not chunk.get("candidates") and end.usage
        if end.reason is not None or late_usage:
            self.ended = self.closed = True
            parts.append(end)
        return parts

    def sentinel(self) -> None:
        """Nothing: the API has none, so one that a proxy adds closes nothing."""


class _Stream(StreamReader):
    """Without `alt=sse` the stream is a JSON array; an error may come as a bare object in either form."""

    def __init__(self, codec: Codec) -> None:
        super().__init__(codec)
        self._frames = SseOrJsonReader()


class Gemini(Codec):
    """POST /v1beta/models/M:generateContent and :streamGenerateContent, on Vertex too."""

    api: ClassVar[Api] = Api.GEMINI
    ENDPOINTS: ClassVar[tuple[str, ...]] = (":generateContent", ":streamGenerateContent")
    STOPS: ClassVar[Mapping[str, Row]] = STOPS
    # Proto JSON takes a field in both spellings, so both are the API's own place.
    STOP_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = tuple(
        (config, field)
        for config in ("generationConfig", "generation_config")
        for field in ("stopSequences", "stop_sequences")
    )
    MAX_TOKENS_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = tuple(
        (config, field)
        for config in ("generationConfig", "generation_config")
        for field in ("maxOutputTokens", "max_output_tokens")
    )
    CALLS_ARE_OBJECTS: ClassVar[bool] = True
    STREAM_CALLS_ARE_OBJECTS: ClassVar[bool] = True
    LINE_END: ClassVar[str] = "\r\n"  # 203 of 203 public recordings

    def whole(self, payload: Json) -> list[Part]:
        if error := self.error(payload):
            return [error]
        response = expect_object(payload, self.api)
        candidate = _candidate(response)
        return [*_content(candidate, 0), _end(response, candidate)]

    def events(self) -> Events:
        return _Events()

    def error(self, payload: Any, status: int | None = None) -> ErrorPart | None:
        if isinstance(payload, list) and payload:
            payload = payload[0]  # streams without alt=sse send their errors in an array of one
        if not isinstance(payload, Mapping) or not payload.get("error"):
            return None
        inner = payload["error"]
        if not isinstance(inner, Mapping):
            return ErrorPart(str(inner), None, status)
        code = inner.get("code")
        return ErrorPart(
            str(inner.get("message", "")),
            inner.get("status"),
            code if status is None and isinstance(code, int) else status,
        )

    def asks_stream(self, path: str, body: Json) -> bool:
        return path.partition("?")[0].endswith(":streamGenerateContent")

    def stream(self) -> StreamReader:
        return _Stream(self)

    def stop_of(self, reason: str | None) -> Stop:
        """The class by the tables alone.

        Any block reason, known or not, says that the prompt was blocked: that is what the field is
        for. A bare value is a finish reason first, for that is how users meet it.
        """
        if reason is None:
            return Stop.UNKNOWN
        if reason.startswith(PROMPT_FEEDBACK):
            return Stop.BLOCKED
        row = STOPS.get(reason) or BLOCK_REASONS.get(reason) or NUMBERS.get(reason)
        return row.stop if row else Stop.UNKNOWN

    def encode_whole(self, draft: Draft) -> dict[str, Any]:
        """The JSON of a buffered reply.

        A draft whose reason starts with `promptFeedback/` is a blocked prompt: no candidates, and
        `extra` goes into promptFeedback.
        """
        if _is_blocked_prompt(draft):
            return _blocked_prompt(draft)
        parts = [part for group in _groups(draft, joined=True) for part in group]
        return {"candidates": [_last_candidate(draft, parts)], **_envelope(draft, draft.usage.output_tokens)}

    def encode_events(self, draft: Draft) -> list[Event]:
        if _is_blocked_prompt(draft):
            return [Event(None, _blocked_prompt(draft))]
        *groups, last = _groups(draft, joined=False) or [[]]
        candidates = [{"content": {"parts": parts, "role": "model"}, "index": 0} for parts in groups]
        candidates.append(_last_candidate(draft, last))
        total = draft.usage.output_tokens
        return [
            Event(
                None,
                {
                    "candidates": [candidate],
                    # Counts grow from chunk to chunk; the last one's is the reply's.
                    **_envelope(draft, None if total is None else total * number // len(candidates)),
                },
            )
            for number, candidate in enumerate(candidates, start=1)
        ]


def _get(source: Json, name: str) -> Any:
    """A field by its wire name, or by the SDK's; the bare value of an SDK enum."""
    value = source.get(name)
    if value is None:
        value = source.get(_SNAKE[name])
    return value.value if isinstance(value, Enum) else value


def _object(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def _objects(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _candidate(response: Json) -> Json:
    """The first candidate, which the wire may leave unnumbered; {} where this response has none of it."""
    for candidate in _objects(response.get("candidates")):
        if not candidate.get("index"):
            return candidate
    return {}


def _content(candidate: Json, calls: int) -> list[Part]:
    """What the parts add; `calls` is the number of the next tool call.

    Code, its results, inline data and kinds that nobody knows are not part of the text.
    """
    parts: list[Part] = []
    for part in _objects(_object(candidate.get("content")).get("parts")):
        call = _get(part, "functionCall")
        if isinstance(call, Mapping):
            arguments = json.dumps(call.get("args") or {}, ensure_ascii=False)
            parts.append(ToolCallDelta(calls, call.get("id"), call.get("name"), arguments))
            calls += 1
        elif isinstance(text := part.get("text"), str) and text:
            parts.append(ThinkingDelta(text) if part.get("thought") else TextDelta(text))
    return parts


def _end(response: Json, candidate: Json) -> End:
    usage = _usage(_get(response, "usageMetadata"))
    reason = _get(candidate, "finishReason")
    if reason is not None:
        return End(str(reason), str(reason), usage=usage, shape=Api.GEMINI)
    blocked = _get(_object(_get(response, "promptFeedback")), "blockReason")
    if blocked is not None and not response.get("candidates"):
        return End(f"{PROMPT_FEEDBACK}{blocked}", str(blocked), usage=usage, shape=Api.GEMINI)
    return End(usage=usage, shape=Api.GEMINI)


def _usage(raw: Any) -> Usage | None:
    """The wire's own numbers: candidatesTokenCount leaves out the thoughts, which are counted beside it."""
    if not isinstance(raw, Mapping):
        return None
    counts = (_get(raw, name) for name in ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"))
    return Usage(*counts)


def _groups(draft: Draft, *, joined: bool) -> list[list[dict[str, Any]]]:
    """The parts of a reply, those of one chunk together: a piece of text each, calls in a row as one.

    A refusal has no place of its own and is text. Arguments are objects: those of a cut call are {}.
    """
    groups: list[list[dict[str, Any]]] = []
    after_call = False
    for block in draft.blocks:
        match block:
            case ToolUse(name=name):
                part = {"functionCall": {"name": name, "args": _arguments(block)}}
                if after_call:
                    groups[-1].append(part)
                else:
                    groups.append([part])
            case Raw():
                groups.append([dict(block.whole)])
            case _:
                mark = {"thought": True} if isinstance(block, Thinking) else {}
                groups += [[{"text": piece, **mark}] for piece in ((block.whole,) if joined else block.pieces)]
        after_call = isinstance(block, ToolUse)
    return groups


def _arguments(block: ToolUse) -> Any:
    try:
        return json.loads(block.whole or "{}")
    except ValueError:
        return {}


def _last_candidate(draft: Draft, parts: list[dict[str, Any]]) -> dict[str, Any]:
    content = {"parts": parts, "role": "model"} if parts else _EMPTY_CONTENT.get(str(draft.reason), {})
    return {
        **({} if content is None else {"content": content}),
        **({} if draft.reason is None else {"finishReason": draft.reason}),
        "index": 0,
        **draft.extra,
    }


def _is_blocked_prompt(draft: Draft) -> bool:
    return isinstance(draft.reason, str) and draft.reason.startswith(PROMPT_FEEDBACK)


def _blocked_prompt(draft: Draft) -> dict[str, Any]:
    reason = str(draft.reason).removeprefix(PROMPT_FEEDBACK)
    return {"promptFeedback": {"blockReason": reason, **draft.extra}, **_envelope(draft, None)}


def _envelope(draft: Draft, output_tokens: int | None) -> dict[str, Any]:
    """What stands beside the candidates; `output_tokens` None for a reply that generated nothing."""
    prompt = draft.usage.input_tokens or 0
    return {
        "usageMetadata": {
            "promptTokenCount": prompt,
            **({} if output_tokens is None else {"candidatesTokenCount": output_tokens}),
            "totalTokenCount": prompt + (output_tokens or 0),
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
        },
        "modelVersion": draft.model,
        "responseId": mint("", draft.seed, 23),
    }


CODEC = Gemini()

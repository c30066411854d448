"""OpenAI Responses: the table of statuses, and decode. Writing is in `openai_responses_encode`; no other API, no I/O.

The API has no reason of one word: a status says how a response ended, and for `incomplete` a detail says
why. Joined by a slash the two are the raw reason here (`incomplete/max_output_tokens`). Tool calls and
refusals come under `completed` and are told from the content.

Stream grammar: response.created, response.queued?, response.in_progress, (output_item.added, deltas,
output_item.done)*, then one of response.completed, response.incomplete, response.failed, or an `error`;
no `[DONE]` (openai/openai-openapi@f85dbe2; 235 of 235 public recordings). Reason and usage live only in
the `response` of the terminal event; `keepalive` and unknown events come anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from conformance.contract import End, ErrorPart, Part, RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta, Usage
from conformance.vocabulary import Api, Stop
from conformance.wire.codec import Codec, Events, Json, Row, expect_object
from conformance.wire.draft import Draft
from conformance.wire.openai_common import as_object, as_objects, as_text, read_error
from conformance.wire.openai_responses_encode import encode_events, encode_whole
from conformance.wire.sse import Event, compact

_STATUS = "openai==3.57.0 types/responses/response_status.py"
_DETAILS = "openai==3.57.0 types/responses/response.py IncompleteDetails"

STOPS: dict[str, Row] = {
    "completed": Row(Stop.COMPLETE, _STATUS),
    "incomplete/max_output_tokens": Row(Stop.TRUNCATED, _DETAILS),
    "incomplete/content_filter": Row(Stop.BLOCKED, _DETAILS),
    # Its meaning is written nowhere; the name is that of a cap, as in max_output_tokens.
    "incomplete/max_messages": Row(Stop.TRUNCATED, _DETAILS),
    # Halted at a safe boundary because the client steered; a successor follows. No cap, and not an answer.
    "incomplete/steered": Row(Stop.UNKNOWN, _DETAILS),
    # Without the detail it may have been a cap or a filter.
    "incomplete": Row(Stop.UNKNOWN, _STATUS),
    "failed": Row(Stop.FAILED, _STATUS),
    "cancelled": Row(Stop.UNKNOWN, _STATUS),
    "queued": Row(Stop.UNKNOWN, _STATUS),
    "in_progress": Row(Stop.UNKNOWN, _STATUS),
}

_TextPart = type[TextDelta] | type[RefusalDelta] | type[ThinkingDelta]

_PARTS: dict[str, tuple[str, _TextPart]] = {
    "output_text": ("text", TextDelta),
    "refusal": ("refusal", RefusalDelta),
    "summary_text": ("text", ThinkingDelta),
    "reasoning_text": ("text", ThinkingDelta),
}
"""Type of a content part -> the key that holds its text, and what that text is."""

_DELTAS = {
    "response.output_text.delta": "output_text",
    "response.refusal.delta": "refusal",
    "response.reasoning_summary_text.delta": "summary_text",
    "response.reasoning_text.delta": "reasoning_text",
}
"""Event -> type of the content part that it continues."""

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
"""Type of an item that is the caller's to run -> the key that holds its arguments."""

_ACTS = ("apply_patch_call", "computer_call", "local_shell_call", "mcp_approval_request")
"""Types of items that wait for the caller as a function call does, though no tool of his own is named.

openai==3.57.0 types/responses/response_output_item.py; recorded for apply_patch and mcp_approval_request.
"""

_CALL_DELTAS = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
_CALL_DONE = {"response.function_call_arguments.done": "arguments", "response.custom_tool_call_input.done": "input"}
_TERMINAL = ("response.completed", "response.incomplete", "response.failed")


def reason_of(response: Json) -> str | None:
    """Status and detail as one raw reason; None where there is no status."""
    status = response.get("status")
    if status is None:
        return None
    detail = as_object(response.get("incomplete_details")).get("reason") if status == "incomplete" else None
    return str(status) if detail is None else f"{status}/{detail}"


class _Events(Events):
    """Deltas are the reply. What repeats them (`*.done`, the final object) only fills what they did not bring."""

    def __init__(self) -> None:
        super().__init__()
        self._sent: set[tuple[Any, str]] = set()
        self._calls: dict[Any, int] = {}
        self._named: set[Any] = set()
        self._errored = False

    def take(self, payload: Json) -> list[Part]:
        event = expect_object(payload, Api.OPENAI_RESPONSES)
        kind = event.get("type")
        item = as_object(event.get("item"))
        # Some hosts give one item a new id in each event: the index comes first.
        names = (event.get("output_index"), event.get("item_id"), item.get("id"))
        key = next((name for name in names if name is not None), None)
        if kind in _DELTAS:
            return self._said(key, _DELTAS[kind], as_text(event.get("delta")))
        if kind in _CALL_DELTAS:
            return self._arguments(key, as_text(event.get("delta")))
        if kind in _CALL_DONE:
            # Sent for a cut call too, with the cut JSON: to be read only where no delta came before.
            return self._fill(key, as_text(event.get(_CALL_DONE[kind])))
        if kind == "response.output_item.added" and item.get("type") in _CALLS:
            return self._name(key, item)
        if kind == "response.output_item.done":
            return self._item(key, item)
        if kind in _TERMINAL:
            return self._end(kind, as_object(event.get("response")))
        if kind == "error" or (kind is None and "error" in event):
            self.ended = True
            return self._error(CODEC.error(event))
        return []  # created, queued, in_progress, keepalive, other *.done, and events that nobody knows

    def sentinel(self) -> None:
        # Some hosts add [DONE]. It is no part of this API and does not stand in for the terminal event.
        pass

    def _said(self, key: Any, kind: str, text: str) -> list[Part]:
        self._sent.add((key, kind))
        return [_PARTS[kind][1](text)]

    def _position(self, key: Any) -> int:
        return self._calls.setdefault(key, len(self._calls))

    def _name(self, key: Any, item: Json) -> list[Part]:
        if key in self._named:
            return []
        self._named.add(key)
        return [_opened(self._position(key), item)]

    def _arguments(self, key: Any, text: str) -> list[Part]:
        self._sent.add((key, "arguments"))
        return [ToolCallDelta(self._position(key), arguments=text)]

    def _fill(self, key: Any, text: str) -> list[Part]:
        return self._arguments(key, text) if text and (key, "arguments") not in self._sent else []

    def _item(self, key: Any, item: Json) -> list[Part]:
        if field := _CALLS.get(str(item.get("type"))):
            return self._name(key, item) + self._fill(key, as_text(item.get(field)))
        if _waits(item):
            return [_act(self._position(key), item)]
        fresh = [(kind, text) for kind, text in _texts(item) if (key, kind) not in self._sent]
        return [part for kind, text in fresh for part in self._said(key, kind, text)]

    def _end(self, kind: str, response: Json) -> list[Part]:
        self.ended = self.closed = True
        parts: list[Part] = []
        if not self._sent and not self._calls:
            # Nothing was streamed, so the final object is all there is. The other way round, its
            # `output` may be empty although items were streamed (the chatgpt.com backend).
            for place, item in enumerate(as_objects(response.get("output"))):
                parts += self._item(place, item)
        if kind == "response.failed" or _failed(response):
            parts += self._error(_error_of(response))
        status = response.get("status") or kind.removeprefix("response.")
        parts.append(_end(reason_of({**response, "status": status}), response))
        return parts

    def _error(self, error: ErrorPart | None) -> list[Part]:
        # An `error` event may be followed by response.failed: one failure, told twice.
        if error is None or self._errored:
            return []
        self._errored = True
        return [error]


class OpenAIResponses(Codec):
    """POST /v1/responses."""

    api: ClassVar[Api] = Api.OPENAI_RESPONSES
    ENDPOINTS: ClassVar[tuple[str, ...]] = ("/responses",)
    STOPS: ClassVar[Mapping[str, Row]] = STOPS
    STOP_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = ()
    MAX_TOKENS_PATHS: ClassVar[tuple[tuple[str, ...], ...]] = (("max_output_tokens",),)
    CALLS_ARE_OBJECTS: ClassVar[bool] = False

    def whole(self, payload: Json) -> list[Part]:
        response = expect_object(payload, self.api)
        if response.get("object") != "response" and "output" not in response and (error := self.error(response)):
            return [error]
        parts: list[Part] = []
        calls = 0
        for item in as_objects(response.get("output")):
            if field := _CALLS.get(str(item.get("type"))):
                parts += [_opened(calls, item), ToolCallDelta(calls, arguments=as_text(item.get(field)))]
                calls += 1
            elif _waits(item):
                parts.append(_act(calls, item))
                calls += 1
            parts += [_PARTS[kind][1](text) for kind, text in _texts(item)]
        if _failed(response):
            parts.append(_error_of(response))
        parts.append(_end(reason_of(response), response))
        return parts

    def events(self) -> Events:
        return _Events()

    def error(self, payload: Any, status: int | None = None) -> ErrorPart | None:
        event = as_object(payload)
        if event.get("type") == "error" and not isinstance(event.get("error"), Mapping):
            # The flat form of the specification; the nested one, seen live, is the envelope below.
            code = event.get("code")
            return ErrorPart(as_text(event.get("message")), None if code is None else str(code), status)
        return read_error(payload, status)

    def asks_stream(self, path: str, body: Json) -> bool:
        return body.get("stream") is True

    def encode_whole(self, draft: Draft) -> dict[str, Any]:
        return encode_whole(draft)

    def encode_events(self, draft: Draft) -> list[Event]:
        return encode_events(draft)


def _opened(place: int, item: Json) -> ToolCallDelta:
    free_text = item.get("type") == "custom_tool_call"
    return ToolCallDelta(place, item.get("call_id"), item.get("name"), free_text=free_text)


def _waits(item: Json) -> bool:
    """Whether the caller has to act on an item before the model goes on."""
    kind = item.get("type")
    if kind == "shell_call":  # the vendor's own container runs it otherwise
        return as_object(item.get("environment")).get("type") == "local"
    return kind in _ACTS or (kind == "tool_search_call" and item.get("execution") == "client")


def _act(place: int, item: Json) -> ToolCallDelta:
    """An item to act on as a tool call: named by its type, with the item itself as its arguments."""
    return ToolCallDelta(place, item.get("call_id") or item.get("id"), str(item.get("type")), compact(item))


def _texts(item: Json) -> Iterator[tuple[str, str]]:
    """Type and text of each content part of a message or reasoning item; nothing for any other item."""
    if item.get("type") not in ("message", "reasoning"):
        return
    for part in (*as_objects(item.get("summary")), *as_objects(item.get("content"))):
        kind = str(part.get("type"))
        if kind in _PARTS:
            yield kind, as_text(part.get(_PARTS[kind][0]))


def _failed(response: Json) -> bool:
    return response.get("status") == "failed" or bool(response.get("error"))


def _error_of(response: Json) -> ErrorPart:
    return read_error(response) or ErrorPart("the response failed and holds no error")


def _end(reason: str | None, response: Json) -> End:
    usage = as_object(response.get("usage"))
    counts = Usage(usage.get("input_tokens"), usage.get("output_tokens"))
    return End(reason, reason, None, None if counts == Usage() else counts, shape=Api.OPENAI_RESPONSES)


CODEC = OpenAIResponses()

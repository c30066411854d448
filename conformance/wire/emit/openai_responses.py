"""Writes OpenAI Responses: items in turn, and the whole response once more at the end. Reading: the codec.

What the API's types ask for and nobody told (temperature, tool choice, details of the counts) is its default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

from conformance.contract import RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta
from conformance.wire.emit.base import Content, Emitter, Ending, NoPlace, Payload, usage_of
from conformance.wire.openai_responses_encode import encode_events, encode_whole

NATIVE = "native_finish_reason"
"""The source's own value in the response's `metadata`, which is free for such things."""

_TERMINAL = ("completed", "incomplete", "failed")
_CUSTOM = "custom_tool_call"


class ResponsesEmitter(Emitter):
    """Numbers the events, keeps the items for the final object."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._number = -1
        self._output: list[dict[str, Any]] = []
        self._item: dict[str, Any] | None = None
        self._said = ""

    def start(self) -> Iterator[Payload]:
        created, started, *_ = encode_events(replace(self.draft, reason="completed"))
        for event in (created, started):
            yield self._event(event.name or "", response={**event.data["response"], "created_at": self.created})

    def write(self, part: Content) -> Iterator[Payload]:
        match part:
            case TextDelta(text):
                yield from self._message("output_text", _TEXT)
                yield self._inside("response.output_text.delta", content_index=0, delta=text, logprobs=[])
            case RefusalDelta(text):
                yield from self._message("refusal", {"type": "refusal", "refusal": ""})
                yield self._inside("response.refusal.delta", content_index=0, delta=text)
            case ThinkingDelta(text):
                yield from self._reasoning()
                yield self._inside("response.reasoning_summary_text.delta", summary_index=0, delta=text)
            case ToolCallDelta(arguments=arguments):
                if part.name is not None:
                    yield from self._call(part)
                text = str(arguments)
                if text and self._item is not None:
                    yield self._inside(_call_event(self._item, "delta"), delta=text)
        self._said += text

    def finish(self, ending: Ending) -> Iterator[Payload]:
        status = ending.word.partition("/")[0]
        if status not in _TERMINAL:
            raise NoPlace(f"no stream of this API ends with the status {status!r}")
        yield from self._leave("incomplete" if status == "incomplete" else "completed")
        yield self._event(f"response.{status}", response=self._response(ending))

    def whole(self, ending: Ending) -> dict[str, Any]:
        """The final object of the same reply streamed."""
        reply = ending.reply
        parts: list[Content] = [
            kind(text)
            for kind, text in ((ThinkingDelta, reply.thinking), (TextDelta, reply.text), (RefusalDelta, reply.refusal))
            if text
        ]
        parts += [
            ToolCallDelta(place, call.id, call.name, call.arguments, call.free_text)
            for place, call in enumerate(reply.tool_calls)
        ]
        for part in parts:
            list(self.take(part))
        list(self.flush(cut=ending.cut))
        list(self._leave("incomplete" if ending.word.startswith("incomplete") else "completed"))
        return self._response(ending)

    def _response(self, ending: Ending) -> dict[str, Any]:
        reply = ending.reply
        draft = replace(self.draft, reason="completed", usage=usage_of(reply))
        extra: dict[str, Any] = {
            "created_at": self.created,
            "output": self._output,
            "usage": encode_whole(draft)["usage"] if reply.usage is not None else None,
            "metadata": {} if reply.raw_reason is None else {NATIVE: reply.raw_reason},
        }
        if ending.word == "failed":
            message = f"the provider reports {reply.raw_reason}"
            extra["error"] = {"code": "server_error", "message": message}
        return encode_whole(replace(draft, reason=ending.word, extra=extra))

    def _event(self, kind: str, **data: Any) -> dict[str, Any]:
        self._number += 1
        return {"type": kind, "sequence_number": self._number, **data}

    def _inside(self, kind: str, **data: Any) -> dict[str, Any]:
        item = self._item or {}
        return self._event(kind, item_id=item.get("id"), output_index=len(self._output), **data)

    def _enter(self, item: dict[str, Any]) -> Iterator[Payload]:
        yield from self._leave("completed")
        self._item, self._said = item, ""
        yield self._event("response.output_item.added", output_index=len(self._output), item=dict(item))

    def _message(self, kind: str, part: dict[str, Any]) -> Iterator[Payload]:
        if self._is("message") and self._item is not None and self._item["content"][0]["type"] == kind:
            return
        item = {"id": _id("msg_"), "type": "message", "status": "in_progress", "content": [], "role": "assistant"}
        yield from self._enter(item)
        self._item = {**item, "content": [dict(part)]}
        yield self._inside("response.content_part.added", content_index=0, part=dict(part))

    def _reasoning(self) -> Iterator[Payload]:
        if self._is("reasoning"):
            return
        yield from self._enter({"id": _id("rs_"), "type": "reasoning", "summary": []})
        part = {"type": "summary_text", "text": ""}
        yield self._inside("response.reasoning_summary_part.added", summary_index=0, part=part)

    def _call(self, part: ToolCallDelta) -> Iterator[Payload]:
        kind, field, prefix = (_CUSTOM, "input", "ctc_") if part.free_text else ("function_call", "arguments", "fc_")
        item = {"id": _id(prefix), "type": kind, "status": "in_progress", field: ""}
        yield from self._enter({**item, "call_id": part.id, "name": part.name})

    def _is(self, kind: str) -> bool:
        return self._item is not None and self._item["type"] == kind

    def _leave(self, status: str) -> Iterator[Payload]:
        """Close the item that is open: what it held once more, piece by piece from the inside out."""
        if self._item is None:
            return
        item, text = self._item, self._said
        match item["type"]:
            case "message":
                (part,) = item["content"]
                kind, field = ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
                done = {**part, field: text}
                extra: dict[str, Any] = {"logprobs": []} if field == "text" else {}
                yield self._inside(f"response.{kind}.done", content_index=0, **{field: text}, **extra)
                yield self._inside("response.content_part.done", content_index=0, part=done)
                item = {**item, "status": status, "content": [done]}
            case "reasoning":
                done = {"type": "summary_text", "text": text}
                yield self._inside("response.reasoning_summary_text.done", summary_index=0, text=text)
                yield self._inside("response.reasoning_summary_part.done", summary_index=0, part=done)
                item = {**item, "summary": [done]}
            case kind:
                field = "input" if kind == _CUSTOM else "arguments"
                yield self._inside(_call_event(item, "done"), **{field: text})  # of a cut call too, as the vendor does
                item = {**item, "status": status, field: text}
        yield self._event("response.output_item.done", output_index=len(self._output), item=item)
        self._output.append(item)
        self._item = None


_TEXT: dict[str, Any] = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}


def _call_event(item: dict[str, Any], what: str) -> str:
    kind = "custom_tool_call_input" if item["type"] == _CUSTOM else "function_call_arguments"
    return f"response.{kind}.{what}"


def _id(prefix: str) -> str:
    return f"{prefix}{uuid4().hex}"

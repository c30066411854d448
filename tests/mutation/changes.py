"""One change at a time to what a cassette sends, made from the bytes alone. What each leads to: the tests beside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from conformance.scenarios.view import GONE, REASON, View
from conformance.vocabulary import Api, Mode
from conformance.wire.sse import Event, SseReader

NEW = "conformance_new"
_USER_DATA = frozenset({"args", "input", "arguments", "json_schema", "parameters", "metadata"})
"""Keys below which the fields are nobody's but the caller's."""

Change = Callable[[View], Iterator[tuple[str, View]]]


# What a right reader ignores.


def new_field(view: View) -> Iterator[tuple[str, View]]:
    """A field that nobody knows, in each object in turn, with values of several kinds."""
    for number, event in enumerate(view.events):
        for place, path in enumerate(_objects(event.data)):
            value = ({"text": "x", "stop_reason": "x"}, "x", None, [1], 7)[place % 5]
            data = _set(event.data, path, lambda old, value=value: {**old, NEW: value})
            yield f"document {number}, {'.'.join(map(str, path)) or 'top'}", _with(view, number, data)


def new_event(view: View) -> Iterator[tuple[str, View]]:
    """A document that nobody knows, at each place of a stream."""
    event = Event(NEW, {"type": NEW, "payload": {"text": "x"}})
    if view.api in (Api.OPENAI_CHAT, Api.GEMINI):
        event = Event(None, {"object": NEW, "payload": {"text": "x"}})
    yield from _inserted(view, event)


def ping(view: View) -> Iterator[tuple[str, View]]:
    """What each API sends to keep a connection open, at each place of a stream."""
    events = {
        Api.ANTHROPIC_MESSAGES: Event("ping", {"type": "ping"}),
        Api.OPENAI_RESPONSES: Event("keepalive", {"type": "keepalive", "sequence_number": 3}),
    }
    if view.api in events:
        yield from _inserted(view, events[view.api])


def comment(view: View) -> Iterator[tuple[str, View]]:
    """A comment before each frame, with and without a blank line after it."""
    if is_stream(view):
        reader = SseReader()
        frames = [frame.raw for frame in reader.feed(view.body)]
        frames += [tail.raw for tail in [reader.close()] if tail is not None]
        end = b"\r\n" if b"\r\n" in view.body else b"\r" if b"\n" not in view.body else b"\n"
        for number in range(len(frames) + 1):
            for text in (b": still here" + end, b": still here" + end + end, b":" + end + end):
                body = b"".join([*frames[:number], text, *frames[number:]])
                yield f"before frame {number}, {text!r}", replace(view, body=body)


def key_order(view: View) -> Iterator[tuple[str, View]]:
    """Keys in reverse order, and sorted."""
    yield "reversed", _each(view, lambda data: _ordered(data, lambda keys: list(reversed(keys))))
    yield "sorted", _each(view, lambda data: _ordered(data, sorted))


def white_space(view: View) -> Iterator[tuple[str, View]]:
    """Spaces where JSON allows them, and letters escaped."""
    yield "after separators", _text(view, lambda data: json.dumps(data, ensure_ascii=False))
    yield "before the last brace", _text(view, lambda data: _padded(json.dumps(data, ensure_ascii=False)))
    yield "letters escaped", _text(view, json.dumps)


def number_form(view: View) -> Iterator[tuple[str, View]]:
    """Counts written with a fraction of zero: JSON knows one kind of number."""
    yield "counts", _each(view, lambda data: _counts(data, inside=False))


# What it must report.


def reasons(view: View, value: Any) -> View:
    """Every reason replaced by this value; None: null."""
    return view.change(lambda old: old if old is None else value, *REASON[view.api, view.mode])


def without_reason(view: View) -> View:
    """No reason at all."""
    return view.change(lambda old: old if old is None else GONE, *REASON[view.api, view.mode])


def unknown_blocks(view: View) -> View:
    """Every visible text is of a kind that nobody knows."""
    return _each(view, lambda data: _unknown(view.api, data))


def is_stream(view: View) -> bool:
    """Whether the body is an event stream."""
    return view.mode is Mode.STREAMED and view.body.lstrip()[:1] not in (b"{", b"[")


def _inserted(view: View, event: Event) -> Iterator[tuple[str, View]]:
    if is_stream(view):
        events = view.events
        for place in range(len(events) + 1):
            yield f"before document {place}", view.with_events([*events[:place], event, *events[place:]])


def _objects(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            if key not in _USER_DATA:
                yield from _objects(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _objects(inner, (*path, place))


def _set(value: Any, path: tuple[Any, ...], edit: Callable[[Any], Any]) -> Any:
    if not path:
        return edit(value)
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[path[0]] = _set(value[path[0]], path[1:], edit)
    return copy


def _with(view: View, number: int, data: Any) -> View:
    events = view.events
    events[number] = Event(events[number].name, data)
    return view.with_events(events)


def _each(view: View, edit: Callable[[Any], Any]) -> View:
    return view.with_events([Event(name, data if isinstance(data, str) else edit(data)) for name, data in view.events])


def _text(view: View, write: Callable[[Any], str]) -> View:
    """The same documents written otherwise."""
    if not is_stream(view):
        return replace(view, body=write(json.loads(view.body)).encode())
    return _each(view, write)


def _padded(text: str) -> str:
    return text[:-1] + " " * 9 + text[-1] if text.endswith("}") else text


def _ordered(value: Any, order: Callable[[list[str]], list[str]]) -> Any:
    if isinstance(value, dict):
        # Arguments are handed on as text where the wire sends an object: their order is the caller's own.
        return {key: value[key] if key in _USER_DATA else _ordered(value[key], order) for key in order(list(value))}
    return [_ordered(item, order) for item in value] if isinstance(value, list) else value


def _counts(value: Any, *, inside: bool) -> Any:
    """Whole numbers below a `usage` as floats."""
    if isinstance(value, dict):
        return {key: _counts(item, inside=inside or key in ("usage", "usageMetadata")) for key, item in value.items()}
    return float(value) if inside and type(value) is int else value


_UNKNOWN_TYPES = frozenset({"text", "text_delta", "output_text", "message"})


def _unknown(api: Api, data: Any) -> Any:
    match api:
        case Api.OPENAI_CHAT:
            return _renamed(data, "content")
        case Api.GEMINI:
            return _renamed(data, "text")
        case Api.ANTHROPIC_MESSAGES:
            copy = dict(data)
            for key in ("content_block", "delta"):
                if isinstance(copy.get(key), dict) and copy[key].get("type") in _UNKNOWN_TYPES:
                    copy[key] = {**copy[key], "type": NEW}
            if isinstance(copy.get("content"), list):
                blocks = copy["content"]
                copy["content"] = [{**b, "type": NEW} if b.get("type") == "text" else b for b in blocks]
            return copy
        case Api.OPENAI_RESPONSES:
            return _retyped(data)


def _renamed(value: Any, key: str) -> Any:
    """Keys of this name that hold text, under another name."""
    if isinstance(value, dict):
        return {
            NEW if name == key and isinstance(item, str) else name: _renamed(item, key) for name, item in value.items()
        }
    return [_renamed(item, key) for item in value] if isinstance(value, list) else value


def _retyped(value: Any) -> Any:
    if isinstance(value, dict):
        copy = {key: _retyped(item) for key, item in value.items()}
        kind = copy.get("type")
        if kind == "output_text":
            copy["type"] = NEW
        elif isinstance(kind, str) and kind.startswith("response.output_text"):
            copy["type"] = kind.replace("output_text", NEW)
        return copy
    return [_retyped(item) for item in value] if isinstance(value, list) else value

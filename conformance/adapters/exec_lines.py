"""The lines that the suite and a binding in another language exchange, read strictly. Nothing of processes is here.

`exec.schema.json` beside this module describes every line; this module says in words what is wrong with one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from conformance.contract import (
    Call,
    Chunk,
    End,
    ErrorPart,
    Part,
    RefusalDelta,
    Reply,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from conformance.errors import AdapterBroken, BadWire
from conformance.vocabulary import PASSTHROUGH, Api, Gap, Stop, Vocabulary

VERSION = 1
_TEXT = (str,)
_MAYBE_TEXT = (str, type(None))
_REPLY_TEXTS = ("text", "thinking", "refusal")
_ENDING = ("reason", "raw_reason", "stop_sequence")


def ask(number: int, mode: str, call: Call) -> str:
    """The line that asks; what the Call leaves open is left out."""
    asked = {key: value for key, value in asdict(call).items() if value not in (None, ())}
    return json.dumps({"id": number, "mode": mode, "call": asked})


def hello(number: int) -> str:
    """The first line: who are you?"""
    return json.dumps({"id": number, "hello": VERSION})


def message(line: str) -> dict[str, Any]:
    """A line as an object with an id.

    Raises:
        AdapterBroken: it is none.
    """
    try:
        data = json.loads(line)
    except ValueError:
        raise _broken(line, "is not JSON: standard output is for the protocol only, say the rest on stderr") from None
    if not isinstance(data, dict) or not isinstance(data.get("id"), int):
        raise _broken(line, "is no object with the `id` of the line that it answers")
    return data


def identity(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a binding says about itself: name, version, apis, vocabulary, lacks.

    Raises:
        AdapterBroken: something is missing or unknown.
    """
    told = data.get("hello")
    if not isinstance(told, dict):
        raise _broken(data, "does not answer `hello` with an object")
    _only(told, {"name", "version", "apis", "vocabulary", "lacks"}, data)
    if not isinstance(told.get("name"), str) or not told.get("apis"):
        raise _broken(data, "lacks `name` or `apis`")
    return {
        "name": told["name"],
        "version": told.get("version"),
        "apis": frozenset(_member(Api, api, data) for api in told["apis"]),
        "vocabulary": _vocabulary(told.get("vocabulary", "passthrough"), data),
        "lacks": frozenset(_member(Gap, gap, data) for gap in told.get("lacks", ())),
    }


def _vocabulary(told: Any, line: Any) -> Vocabulary:
    if told == "passthrough":
        return PASSTHROUGH
    if isinstance(told, str):
        return Vocabulary.of(_member(Api, told, line))
    if not isinstance(told, dict):
        raise _broken(line, "has a `vocabulary` that is neither passthrough, nor an API, nor an object")
    return Vocabulary({value: _member(Stop, stop, line) for value, stop in told.items()})


def reply_of(data: Mapping[str, Any]) -> Reply:
    """The whole reply of a line: in the suite's own form (`reply`), or in an API's shape (`wire`).

    Raises:
        AdapterBroken: it is neither.
    """
    if "wire" in data:
        wire = _object(data["wire"], data)
        _only(wire, {"api", "payload"}, data)
        try:
            return Reply.from_wire(_member(Api, wire.get("api"), data), _object(wire.get("payload"), data))
        except BadWire as error:
            raise _broken(data, f"is no reply of {wire['api']}: {error.problem}") from error
    return _reply(_object(data.get("reply"), data), data)


def _reply(told: Mapping[str, Any], line: Any) -> Reply:
    _only(told, {*_REPLY_TEXTS, *_ENDING, "tool_calls", "usage"}, line)
    return Reply(
        **{name: _value(told, name, _TEXT, "", line) for name in _REPLY_TEXTS},
        **{name: _value(told, name, _MAYBE_TEXT, None, line) for name in _ENDING},
        tool_calls=tuple(_tool_call(_object(item, line), line) for item in told.get("tool_calls", ())),
        usage=_usage(told.get("usage"), line),
    )


def _tool_call(told: Mapping[str, Any], line: Any) -> ToolCall:
    _only(told, {"id", "name", "arguments"}, line)
    return ToolCall(
        name=_value(told, "name", _TEXT, "", line),
        arguments=_value(told, "arguments", (str, dict), "", line),
        id=_value(told, "id", _MAYBE_TEXT, None, line),
    )


def _usage(told: Any, line: Any) -> Usage | None:
    if told is None:
        return None
    told = _object(told, line)
    _only(told, {"input_tokens", "output_tokens"}, line)
    whole = (int, type(None))
    return Usage(
        _value(told, "input_tokens", whole, None, line),
        _value(told, "output_tokens", whole, None, line),
    )


def part_of(data: Mapping[str, Any]) -> Part:
    """The part that a line carries.

    Raises:
        AdapterBroken: it is no part, or has keys that its type does not have.
    """
    told = dict(_object(data.get("part"), data))
    kind = told.pop("type", None)
    if kind not in _PARTS:
        raise _broken(data, f"has a part of type {kind!r}; types are {', '.join(_PARTS)}")
    keys, make = _PARTS[kind]
    _only(told, keys, data)
    return make(told, data)


def _end(told: Mapping[str, Any], line: Any) -> Part:
    final = told.get("final")
    return End(
        **{name: _value(told, name, _MAYBE_TEXT, None, line) for name in _ENDING},
        usage=_usage(told.get("usage"), line),
        final=_final(_object(final, line), line) if final is not None else None,
    )


def _final(told: Mapping[str, Any], line: Any) -> Reply:
    return reply_of(told) if "wire" in told else _reply(told, line)


def _tool_delta(told: Mapping[str, Any], line: Any) -> Part:
    return ToolCallDelta(
        _value(told, "index", (int,), 0, line),
        _value(told, "id", _MAYBE_TEXT, None, line),
        _value(told, "name", _MAYBE_TEXT, None, line),
        _value(told, "arguments", (str, dict), "", line),
    )


def _error(told: Mapping[str, Any], line: Any) -> Part:
    return ErrorPart(
        _value(told, "message", _TEXT, "", line),
        _value(told, "kind", _MAYBE_TEXT, None, line),
        _value(told, "status", (int, type(None)), None, line),
    )


_PARTS: Mapping[str, tuple[set[str], Callable[[Mapping[str, Any], Any], Part]]] = {
    "text": ({"text"}, lambda told, line: TextDelta(_value(told, "text", _TEXT, "", line))),
    "thinking": ({"text"}, lambda told, line: ThinkingDelta(_value(told, "text", _TEXT, "", line))),
    "refusal": ({"text"}, lambda told, line: RefusalDelta(_value(told, "text", _TEXT, "", line))),
    "tool_call": ({"index", "id", "name", "arguments"}, _tool_delta),
    "end": ({*_ENDING, "usage", "final"}, _end),
    "error": ({"message", "kind", "status"}, _error),
    "chunk": (
        {"api", "payload"},
        lambda told, line: Chunk(_member(Api, told.get("api"), line), _value(told, "payload", (dict, str), "", line)),
    ),
}


def _value(told: Mapping[str, Any], name: str, kinds: tuple[type, ...], default: Any, line: Any) -> Any:
    value = told.get(name, default)
    if not isinstance(value, kinds) or isinstance(value, bool):
        wanted = " or ".join("null" if kind is type(None) else kind.__name__ for kind in kinds)
        raise _broken(line, f"has a `{name}` that is no {wanted}")
    return value


def _object(value: Any, line: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _broken(line, "lacks the object that it should carry (reply, wire or part)")
    return value


def _only(told: Mapping[str, Any], keys: set[str], line: Any) -> None:
    if unknown := sorted(set(told) - keys):
        raise _broken(line, f"has an unknown key {unknown[0]!r}; keys there are {', '.join(sorted(keys))}")


def _member(kind: Any, value: Any, line: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise _broken(line, f"says {value!r}, which is none of {', '.join(kind)}") from None


def _broken(line: Any, problem: str) -> AdapterBroken:
    text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
    return AdapterBroken(
        f"a line of the binding {problem}: {text.strip()[:300]}",
        "conformance/adapters/exec.schema.json describes every line",
    )

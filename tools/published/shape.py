"""The shape of a body: its JSON paths with types and enumerated values, and the order of a stream's events. No files.

An object with a `type` of its own is named by it (`output[]<message>.content[]<output_text>.text`), so
that one kind of block never lends its keys to another. Below keys whose contents belong to the user
(tool arguments, JSON schemas, metadata) nothing is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.vocabulary import Api
from tools.published.naive import Event

# Keys below which the user's own names and texts lie.
OPAQUE = frozenset(
    {
        "args",
        "arguments",
        "input",
        "input_schema",
        "json_schema",
        "logit_bias",
        "metadata",
        "operation",
        "output_schema",
        "outputs",
        "parameters",
        "parsed",
        "properties",
        "response",
        "responseSchema",
        "responseJsonSchema",
        "schema",
        "tools",
    }
)

# Keys whose strings are enumerations of the vendor.
_ENUMERATIONS = frozenset(
    {
        "blockReason",
        "category",
        "detail",
        "effort",
        "event",
        "execution",
        "finishReason",
        "finish_reason",
        "inference_geo",
        "language",
        "modality",
        "native_finish_reason",
        "object",
        "outcome",
        "phase",
        "probability",
        "reason",
        "role",
        "service_tier",
        "severity",
        "status",
        "stop_reason",
        "tool_choice",
        "truncation",
        "type",
        "verbosity",
    }
)
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,60}")
_NAMES = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}
_LONGEST_GROUP = 12


class Leaf(NamedTuple):
    """One place in a body: its path, the JSON type there, and the value where it is an enumeration's."""

    path: str
    type: str
    value: str | None = None


def leaves(value: Any) -> Iterator[Leaf]:
    """Every place in a JSON value, containers included."""
    yield from _walk(value, "$", "")


def _walk(value: Any, path: str, key: str) -> Iterator[Leaf]:
    if isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str) and _TYPE.fullmatch(kind):
            path = f"{path}<{kind}>"
        yield Leaf(path, "object")
        for name, inner in value.items():
            if name in OPAQUE and isinstance(inner, Mapping | list) and not _is_event_envelope(value, name):
                yield Leaf(f"{path}.{name}", "opaque")
            else:
                yield from _walk(inner, f"{path}.{name}", name)
    elif isinstance(value, list):
        yield Leaf(path, "array")
        for inner in value:
            yield from _walk(inner, f"{path}[]", key)
    else:
        enumerated = key in _ENUMERATIONS and isinstance(value, str) and _TYPE.fullmatch(value)
        yield Leaf(path, _NAMES[type(value)], value if enumerated else None)


def _is_event_envelope(value: Mapping[str, Any], name: str) -> bool:
    """`response` holds a user's data in a Gemini function response, and the reply itself in a Responses event."""
    return name == "response" and str(value.get("type", "")).startswith("response.")


def order(api: Api, events: Sequence[Event]) -> str:
    """A stream's events in order on one line, runs and repeated groups folded; without pings, which may be anywhere."""
    labels = [label for event in events if (label := _label(api, event)) not in ("ping", "keepalive")]
    return " ".join(_folded(labels))


def _label(api: Api, event: Event) -> str:
    data = event.data
    if not isinstance(data, Mapping):
        return str(data) if data == "[DONE]" else "not-json"
    match api:
        case Api.ANTHROPIC_MESSAGES:
            inner = data.get("content_block") or data.get("delta") or {}
            return f"{data.get('type')}:{inner['type']}" if "type" in inner else str(data.get("type"))
        case Api.OPENAI_RESPONSES:
            inner = data.get("item") or data.get("part") or {}
            kind = str(data.get("type")).removeprefix("response.")
            return f"{kind}:{inner['type']}" if "type" in inner else kind
        case Api.OPENAI_CHAT:
            return _chunk_label(data)
        case Api.GEMINI:
            return _response_label(data)


def _chunk_label(chunk: Mapping[str, Any]) -> str:
    labels: list[str] = []
    for choice in chunk.get("choices") or ():
        delta = choice.get("delta") or {}
        labels += [key for key, value in delta.items() if value not in (None, "", [])]
        if choice.get("finish_reason") is not None:
            labels.append("finish_reason")
    if not chunk.get("choices"):
        labels.append("no-choices")
    labels += [key for key in ("usage", "error") if chunk.get(key)]
    return "+".join(labels) or "empty"


def _response_label(response: Mapping[str, Any]) -> str:
    labels: list[str] = []
    for candidate in response.get("candidates") or ():
        for part in (candidate.get("content") or {}).get("parts") or ():
            keys = [key for key in part if key not in ("thought", "thoughtSignature")]
            labels += ["thought" if part.get("thought") else key for key in keys or ["thoughtSignature"]]
        if "finishReason" in candidate:
            labels.append("finishReason")
    labels += [key for key in ("promptFeedback", "error") if key in response]
    return "+".join(dict.fromkeys(labels)) or "empty"


def _folded(labels: Sequence[str]) -> list[str]:
    """`a b b c b b c` as `a (b+ c)+`: runs first, then ever longer groups that follow themselves."""
    items = list(labels)
    for size in range(1, _LONGEST_GROUP + 1):
        items = _fold(items, size)
    return items


def _fold(items: list[str], size: int) -> list[str]:
    out: list[str] = []
    place = 0
    while place < len(items):
        group = items[place : place + size]
        after = place + size
        while len(group) == size and items[after : after + size] == group:
            after += size
        if after > place + size:
            one = " ".join(group)
            out.append(f"{one}+" if size == 1 and not one.endswith("+") else f"({one})+" if size > 1 else one)
            place = after
        else:
            out.append(items[place])
            place += 1
    return out

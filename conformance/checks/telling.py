"""What came back as named texts for the eye: an observation, and a Reading in the same words. No rule is here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.checks.case import Observation, SentRequest
from conformance.contract import Usage
from conformance.wire import Reading

_LONG = 4000


def seen(observed: Observation) -> dict[str, str]:
    """What the caller saw of one delivery; what was not there is left out."""
    found: dict[str, str] = {}
    reply = observed.reply
    if reply is not None:
        found |= _fields(reply, reason=reply.reason)
    if observed.raised is not None:
        found["raised"] = f"{observed.raised.kind}: {observed.raised.message}"
    if observed.hung:
        found["hung"] = "the call did not end within the time limit"
    if observed.warnings:
        found["warnings"] = "\n".join(observed.warnings)
    return {name: _short(text) for name, text in found.items()}


def right(reading: Reading) -> dict[str, str]:
    """What a right reader can know of the same delivery."""
    found = _fields(reading, reason=f"{reading.stop}")
    if reading.cut:
        found["cut"] = "the stream ends without saying why"
    return {name: _short(text) for name, text in found.items()}


def requests(sent: Iterable[SentRequest]) -> list[str]:
    """Each request: where it went, and its body."""
    return [_short(f"{request.path}\n{_json(request.json)}") for request in sent]


def _fields(value: Any, *, reason: str | None) -> dict[str, str]:
    """The fields that a Reply and a Reading have in common."""
    found: dict[str, str] = {"text": value.text} if value.text else {}
    found |= {name: getattr(value, name) for name in ("thinking", "refusal") if getattr(value, name)}
    if reason is not None:
        found["reason"] = reason
    found |= {
        name: getattr(value, name) for name in ("raw_reason", "stop_sequence") if getattr(value, name) is not None
    }
    if value.tool_calls:
        found["tool_calls"] = "\n".join(map(_call, value.tool_calls))
    if value.usage is not None:
        found["usage"] = _usage(value.usage)
    if value.error is not None:
        found["error"] = f"{value.error.type or 'error'}: {value.error.message}"
    return {name: str(text) for name, text in found.items()}


def _call(call: Any) -> str:
    arguments = call.arguments if isinstance(call.arguments, str) else _json(call.arguments)
    cut = "  CUT" if getattr(call, "whole", True) is False else ""
    return f"{call.name}({arguments}){cut}"


def _usage(usage: Usage) -> str:
    told = {"input": usage.input_tokens, "output": usage.output_tokens, "thinking": usage.thinking_tokens}
    return ", ".join(f"{number} {name}" for name, number in told.items() if number is not None)


def _json(value: Mapping[str, Any] | None) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) if value is not None else "(no JSON)"


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 100]} ... {len(text) - _LONG + 100} characters more"

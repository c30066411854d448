"""From a scenario to the exchange of each mode, in memory. Writes no file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance.contract import Call
from conformance.corpus import Exchange
from conformance.scenarios import Scenario, Wire
from conformance.vocabulary import Api, Mode
from conformance.wire import codec_for
from conformance.wire.draft import HEX, mint
from conformance.wire.request import request_for
from conformance.wire.sse import compact, encode

HOSTS: Mapping[Api, str] = {
    Api.OPENAI_CHAT: "https://api.openai.com",
    Api.OPENAI_RESPONSES: "https://api.openai.com",
    Api.ANTHROPIC_MESSAGES: "https://api.anthropic.com",
    Api.GEMINI: "https://generativelanguage.googleapis.com",
}

_TYPES: Mapping[tuple[Api, Mode], str] = {
    (Api.OPENAI_CHAT, Mode.BUFFERED): "application/json",
    (Api.OPENAI_CHAT, Mode.STREAMED): "text/event-stream; charset=utf-8",
    (Api.OPENAI_RESPONSES, Mode.BUFFERED): "application/json",
    (Api.OPENAI_RESPONSES, Mode.STREAMED): "text/event-stream; charset=utf-8",
    (Api.ANTHROPIC_MESSAGES, Mode.BUFFERED): "application/json",
    (Api.ANTHROPIC_MESSAGES, Mode.STREAMED): "text/event-stream; charset=utf-8",
    (Api.GEMINI, Mode.BUFFERED): "application/json; charset=UTF-8",
    (Api.GEMINI, Mode.STREAMED): "text/event-stream",
}


def call_of(scenario: Scenario, base_url: str) -> Call:
    """The Call with which the suite puts the scenario's request."""
    ask = scenario.ask
    return Call(
        api=scenario.api,
        base_url=base_url,
        api_key="no-key",
        model=scenario.model,
        prompt=ask.prompt,
        stop=list(ask.stop) if isinstance(ask.stop, tuple) else ask.stop,
        max_tokens=ask.max_tokens,
        tools=ask.tools,
        tool_choice=ask.tool_choice,
    )


def exchanges(scenario: Scenario, mode: Mode) -> list[Exchange]:
    """The documented exchanges of one cell, in order."""
    return [_exchange(scenario, mode, wire) for wire in (*scenario.wire.before, scenario.wire)]


def _exchange(scenario: Scenario, mode: Mode, wire: Wire) -> Exchange:
    request = request_for(call_of(scenario, HOSTS[scenario.api]), stream=mode is Mode.STREAMED)
    # A body of its own goes out whole in both modes, unless the stream has events of its own too.
    own = wire.body is not None and wire.events is None
    whole = own or wire.status >= 300 or mode is Mode.BUFFERED
    body = _whole(scenario.api, wire) if whole else _streamed(scenario.api, wire)
    content_type = _TYPES[scenario.api, Mode.BUFFERED if whole else Mode.STREAMED]
    return Exchange(
        method="POST",
        uri=HOSTS[scenario.api] + request.path.removesuffix(f"?{scenario.without_query}"),
        request=request.body,
        status=wire.status,
        headers={"content-type": content_type, **_request_id(scenario), **wire.headers},
        body=body,
    )


def _request_id(scenario: Scenario) -> dict[str, str]:
    match scenario.api:
        case Api.ANTHROPIC_MESSAGES:
            return {"request-id": mint("req_011C", scenario.id, 20)}
        case Api.GEMINI:
            return {}
        case _:
            return {"x-request-id": mint("req_", scenario.id, 32, HEX)}


def _whole(api: Api, wire: Wire) -> bytes:
    body: Any = wire.body
    if wire.draft is not None:
        body = codec_for(api).encode_whole(wire.draft)
    if isinstance(body, str):
        return body.encode()
    if wire.whole is not None:
        body = wire.whole(body)
    # As the vendors do: Anthropic sends compact JSON, the others indent theirs.
    if api is Api.ANTHROPIC_MESSAGES:
        return compact(body).encode()
    return (json.dumps(body, ensure_ascii=False, indent=2) + "\n").encode()


def _streamed(api: Api, wire: Wire) -> bytes:
    codec = codec_for(api)
    events = codec.encode_events(wire.draft) if wire.draft is not None else []
    if wire.events is not None:
        events = wire.events(events)
    body = encode(events, line_end=codec.LINE_END)
    return wire.raw(body) if wire.raw is not None else body

"""A derived body has the recorded one's structure and none of its words; every change of structure shows.

Bodies are made up. The committed cassettes are held against the recordings by `tools.published check`; here each of
them is changed, which needs no recording: its own structure is the recorded one.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from making import chunk, completion, sse

from conformance.contract import Tool
from conformance.corpus import cassette, manifest
from conformance.vocabulary import Api, Mode, Provenance
from tools.published.body import Segment, segments
from tools.published.derivations import Derivation, rows
from tools.published.derive import Ours, derive
from tools.published.errors import Underivable
from tools.published.naive import said
from tools.published.structure import difference, structure, survivors

CHAT, RESPONSES, ANTHROPIC, GEMINI = Api
TOOLS = (Tool("find_beacon", "", {"type": "object", "properties": {"port": {"type": "string"}, "level": {}}}),)


def ours(**more: Any) -> Ours:
    return Ours("api/slug", TOOLS, **more)


def called(arguments: str) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": arguments}
    call = {"index": 0, "id": "call_Abc123Abc123Abc123Abc123", "type": "function", "function": function}
    return {"tool_calls": [call]}


def response(**keys: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": "Hello there, Anna.", "annotations": []}
    item = {"type": "message", "id": "msg_" + "0a" * 24, "role": "assistant", "status": "completed", "content": [part]}
    return {"id": "resp_" + "0b" * 24, "object": "response", "status": "completed", "output": [item], **keys}


def delta(text: str, number: int) -> dict[str, Any]:
    item = "msg_" + "0a" * 24
    return {"type": "response.output_text.delta", "item_id": item, "content_index": 0, "delta": text, "n": number}


def named(*events: dict[str, Any]) -> bytes:
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}   \n\n".encode() for e in events)


MESSAGE = {"type": "message_start", "message": {"id": "msg_01" + "x" * 22, "type": "message", "content": []}}
PIECES = ["Dear Ann", "a, the answer", " is 42.\n"]
BODIES: dict[str, tuple[Api, bytes]] = {
    "chat whole": (CHAT, json.dumps(completion("Hello there, Anna."), indent=2).encode()),
    "chat stream": (
        CHAT,
        sse(chunk({"role": "assistant", "content": ""}), *(chunk({"content": p}) for p in PIECES), chunk({}, "stop")),
    ),
    "chat call": (CHAT, sse(*(chunk(called(piece)) for piece in ('{"ci', 'ty": "Lis', 'bon", "depth": tr', "ue}")))),
    "chat call cut": (
        CHAT,
        sse(*(chunk(called(piece)) for piece in ('{"city"', ': "Lisbon, by')), chunk({}, "length")),
    ),
    "responses": (
        RESPONSES,
        named(
            {"type": "response.created", "response": response(output=[])},
            *(delta(piece, number) for number, piece in enumerate(("Hello th", "ere, Anna."))),
            {"type": "response.output_text.done", "text": "Hello there, Anna."},
            {"type": "response.completed", "response": response()},
        ),
    ),
    "anthropic": (
        ANTHROPIC,
        named(
            MESSAGE,
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}} for p in PIECES),
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}},
        ),
    ),
    "anthropic call": (
        ANTHROPIC,
        json.dumps(
            {
                "type": "message",
                "id": "msg_01" + "x" * 22,
                "content": [{"type": "tool_use", "name": "get_weather", "input": {"city": "Lisbon", "depth": [1, 22]}}],
                "stop_reason": "tool_use",
            }
        ).encode(),
    ),
    "gemini": (
        GEMINI,
        sse(
            *({"candidates": [{"content": {"parts": [{"text": p}], "role": "model"}, "index": 0}]} for p in PIECES),
            {"candidates": [{"finishReason": "STOP"}], "responseId": "MoFfapbBLoak1MkPp8qRsAw"},
            line_end="\r\n",
        ),
    ),
}
MADE_UP = [pytest.param(api, body, id=name) for name, (api, body) in BODIES.items()]


def is_stream(body: bytes) -> bool:
    return not body.startswith(b"{")


@pytest.mark.parametrize(("api", "body"), MADE_UP)
def test_structure_stays_and_nothing_else_does(api: Api, body: bytes) -> None:
    streamed = is_stream(body)
    new = derive(api, body, streamed=streamed, ours=ours())
    assert len(new) == len(body)
    assert difference(structure(api, body, streamed=streamed), structure(api, new, streamed=streamed)) is None
    assert survivors(api, body, new, streamed=streamed) == []
    assert b"Anna" not in new
    assert b"Lisbon" not in new
    assert b"get_weather" not in new


@pytest.mark.parametrize(("api", "body"), MADE_UP)
def test_the_same_exchange_gives_the_same_bytes(api: Api, body: bytes) -> None:
    one, two = (derive(api, body, streamed=is_stream(body), ours=ours()) for _ in range(2))
    assert one == two


def test_deltas_and_the_whole_text_are_reworded_alike() -> None:
    api, body = BODIES["responses"]
    new = derive(api, body, streamed=True, ours=ours())
    payloads = [json.loads(part.text) for part in segments(new, streamed=True) if part.document is not None]
    joined = "".join(payload["delta"] for payload in payloads if "delta" in payload)
    assert joined == payloads[-2]["text"] == said(api, new, streamed=True).text
    assert payloads[-1]["response"]["id"] == payloads[0]["response"]["id"]


def test_a_call_names_our_tool_and_our_arguments_and_stays_whole() -> None:
    body = json.dumps(completion(content=None, **called('{"city": "Lisbon", "depth": 20}'))).encode()  # type: ignore[arg-type]
    new = json.loads(derive(CHAT, body, streamed=False, ours=ours()))
    function = new["choices"][0]["message"]["tool_calls"][0]["function"]
    assert function["name"] == "find_beacon"
    assert list(json.loads(function["arguments"])) == ["port", "level"]


def test_arguments_that_were_cut_stay_cut_where_they_were() -> None:
    api, body = BODIES["chat call cut"]
    (call,) = said(api, derive(api, body, streamed=True, ours=ours()), streamed=True).calls
    assert call[1].startswith('{"port": "')
    assert len(call[1]) == len('{"city": "Lisbon, by')
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(call[1])


def test_the_matched_string_is_the_scenarios_own_whatever_its_length() -> None:
    body = json.dumps({"type": "message", "stop_reason": "stop_sequence", "stop_sequence": "4242"}).encode()
    new = derive(ANTHROPIC, body, streamed=False, ours=ours(matched="</answer>"))
    assert json.loads(new)["stop_sequence"] == "</answer>"
    one, two = (structure(ANTHROPIC, each, streamed=False, matched_may_differ=True) for each in (body, new))
    assert difference(one, two) is None
    assert difference(structure(ANTHROPIC, body, streamed=False), structure(ANTHROPIC, new, streamed=False))
    with pytest.raises(Underivable, match="names a matched stop string"):
        derive(ANTHROPIC, body, streamed=False, ours=ours())


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (completion(name_of_the_cat="Anna"), r"\$\.choices\[0\]\.message\.name_of_the_cat"),
        ({"object": "He said: stop!"}, r"\$\.object"),
        (completion(**called("{}") | {"content": None}), "no tool whose name has 11"),
    ],
)
def test_what_nobody_decided_about_is_an_error(body: dict[str, Any], problem: str) -> None:
    with pytest.raises(Underivable, match=problem):
        derive(CHAT, json.dumps(body).encode(), streamed=False, ours=Ours("api/slug"))


def test_a_survivor_is_told_without_its_value() -> None:
    body = json.dumps(completion("Hello there, Anna.")).encode()
    told = survivors(CHAT, body, body, streamed=False)
    assert told == ["2 recorded words of five letters or more", "a recorded id at $.id"]


# Every committed cassette


def key_renamed(parts: list[Segment]) -> str:
    place = next(index for index, part in enumerate(parts) if part.document)
    key = next(iter(parts[place].document))
    return joined(parts, {place: parts[place].text.replace(f'"{key}"', f'"{key}x"', 1)})


def event_left_out(parts: list[Segment]) -> str:
    place = max(index for index, part in enumerate(parts) if part.document is not None)
    return joined(parts, {place: "{}" if len(parts) == 1 else ""})


def order_of_keys_changed(parts: list[Segment]) -> str:
    place = next(index for index, part in enumerate(parts) if part.document is not None)
    return joined(parts, {place: json.dumps(turned(parts[place].document), separators=(",", ":"))})


def turned(value: Any) -> Any:
    """The first member of the outermost object that has several goes to its end."""
    (name, first), *rest = value.items()
    return dict([*rest, (name, first)]) if rest else {name: turned(first)}


def order_of_events_changed(parts: list[Segment]) -> str:
    first, *_, last = [index for index, part in enumerate(parts) if part.document is not None] * 2
    if first == last:
        return event_left_out(parts)
    return joined(parts, {first: parts[last].text, last: parts[first].text})


def longer_by_a_letter(parts: list[Segment]) -> str:
    place = next(index for index, part in enumerate(parts) if part.document is not None and '": "' in spaced(part))
    return joined(parts, {place: spaced(parts[place]).replace('": "', '": "x', 1)})


def line_ends_changed(parts: list[Segment]) -> str:
    text = joined(parts, {})
    return text.replace("\r\n", "\n") if "\r\n" in text else text.replace("\n", "\r\n") if "\n" in text else text + "\n"


def spaced(part: Segment) -> str:
    return part.text.replace('":"', '": "')


def joined(parts: list[Segment], instead: dict[int, str]) -> str:
    return "".join(instead.get(index, part.text) for index, part in enumerate(parts))


CHANGES = [
    key_renamed,
    event_left_out,
    order_of_keys_changed,
    order_of_events_changed,
    longer_by_a_letter,
    line_ends_changed,
]


@pytest.mark.parametrize("row", [pytest.param(row, id=row.cell) for row in rows()])
def test_a_change_of_a_committed_cassette_shows(row: Derivation) -> None:
    exchange = cassette(row.scenario.id, row.mode)[-1]
    streamed = row.mode is Mode.STREAMED and exchange.status < 400
    recorded = structure(row.scenario.api, exchange.body, streamed=streamed)
    for change in CHANGES:
        changed = change(segments(exchange.body, streamed=streamed)).encode()
        try:
            found = difference(recorded, structure(row.scenario.api, changed, streamed=streamed))
        except Underivable:
            continue  # an unknown key is an error of its own
        assert found, change.__name__


def test_the_manifest_and_the_rows_name_the_same_exchanges() -> None:
    kinds = manifest().items()
    published = {cell: origin.source for cell, origin in kinds if origin.provenance is Provenance.PUBLISHED}
    assert published == {row.cell: row.source for row in rows()}

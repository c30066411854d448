"""The inventory holds shapes and never what was said; the committed files are of that kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from making import chunk, completion, exchange, sse

from conformance.vocabulary import Api, Mode
from tools.published import figures, inventory
from tools.published.errors import BadPins
from tools.published.naive import events_of
from tools.published.pins import pin, pins
from tools.published.recordings import Recordings
from tools.published.shape import OPAQUE, Leaf, leaves, order


def shapes(value: Any) -> set[tuple[str, str, str | None]]:
    return {tuple(leaf) for leaf in leaves(value)}


def test_a_path_names_the_type_of_what_it_goes_through() -> None:
    value = {"output": [{"type": "message", "content": [{"type": "output_text", "text": "x"}]}]}
    assert ("$.output[]<message>.content[]<output_text>.text", "string", None) in shapes(value)


def test_every_json_type_has_its_name() -> None:
    value = {"a": None, "b": True, "c": 1, "d": 1.5, "e": "x", "f": [], "g": {}}
    found = {leaf.path: leaf.type for leaf in leaves(value)}
    assert found == {
        "$": "object",
        "$.a": "null",
        "$.b": "boolean",
        "$.c": "number",
        "$.d": "number",
        "$.e": "string",
        "$.f": "array",
        "$.g": "object",
    }


def test_enumerated_values_are_kept_and_free_ones_are_not() -> None:
    assert Leaf("$.finish_reason", "string", "stop") in set(leaves({"finish_reason": "stop"}))
    assert Leaf("$.finish_reason", "string") in set(leaves({"finish_reason": "He said: stop!"}))
    assert Leaf("$.text", "string") in set(leaves({"text": "stop"}))
    assert Leaf("$.id", "string") in set(leaves({"id": "resp_1"}))


@pytest.mark.parametrize("key", sorted(OPAQUE))
def test_below_the_users_own_keys_nothing_is_looked_at(key: str) -> None:
    assert shapes({key: {"secret_name": "x"}}) == {("$", "object", None), (f"$.{key}", "opaque", None)}
    assert shapes({key: "text"}) == {("$", "object", None), (f"$.{key}", "string", None)}


def test_the_reply_inside_a_responses_event_is_no_users_data() -> None:
    value = {"type": "response.completed", "response": {"status": "completed"}}
    assert ("$<response.completed>.response.status", "string", "completed") in shapes(value)


@pytest.mark.parametrize(
    ("labels", "folded"),
    [
        ("role content content finish", "role content+ finish_reason [DONE]"),
        ("role content finish", "role content finish_reason [DONE]"),
        ("content tool_calls content tool_calls finish", "(content tool_calls)+ finish_reason [DONE]"),
        (
            "content content tool_calls content tool_calls finish",
            "content+ tool_calls content tool_calls finish_reason [DONE]",
        ),
    ],
)
def test_runs_and_repeated_groups_are_folded(labels: str, folded: str) -> None:
    chunks = [chunk({}, "stop") if label == "finish" else chunk({label: "x"}) for label in labels.split()]
    assert order(Api.OPENAI_CHAT, events_of(sse(*chunks, done=True))) == folded


def test_pings_stand_in_no_order() -> None:
    events = [{"type": "message_start"}, {"type": "ping"}, {"type": "message_stop"}]
    assert order(Api.ANTHROPIC_MESSAGES, events_of(sse(*events))) == "message_start message_stop"


def test_orders_of_the_other_apis() -> None:
    item = {"type": "response.output_item.added", "item": {"type": "message"}}
    assert order(Api.OPENAI_RESPONSES, events_of(sse(item, {"type": "keepalive"}))) == "output_item.added:message"
    parts = [{"text": "a"}, {"text": "b", "thought": True}, {"thoughtSignature": "s"}]
    response = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    assert order(Api.GEMINI, events_of(sse(response, {}))) == "text+thought+thoughtSignature+finishReason empty"
    assert order(Api.OPENAI_CHAT, events_of(b"data: x\n\n" + sse({"choices": [], "usage": {"a": 1}}))) == (
        "not-json no-choices+usage"
    )


RECORDED = Recordings(
    exchanges=[
        exchange(Api.OPENAI_CHAT, completion(), headers={"date": "Mon, 02 Jun 2025 23:59:59 GMT", "cf-ray": "x"}),
        exchange(Api.OPENAI_CHAT, completion(), headers={"date": "**REDACTED**"}),
        exchange(Api.OPENAI_CHAT, {"error": {"message": "no"}}, status=429),
        exchange(Api.OPENAI_CHAT, sse(chunk({"content": "x"}, "stop"), done=True)),
    ]
)


def test_the_inventory_counts_each_exchange_once_and_dates_what_is_dated() -> None:
    found = {name: shape.to_json() for name, shape in inventory.gather(RECORDED).items()}
    assert list(found) == ["openai-chat-buffered", "openai-chat-error", "openai-chat-streamed"]
    buffered = found["openai-chat-buffered"]
    assert (buffered["exchanges"], buffered["dated"]) == (2, 1)
    assert buffered["first"] == buffered["last"] == "2025-06-02"
    assert buffered["headers"] == {"cf-ray": 1, "date": 2}
    assert buffered["paths"]["$.choices[].finish_reason"] == {"string": 2, "values": {"stop": 2}}
    assert found["openai-chat-streamed"]["orders"] == {"content+finish_reason [DONE]": 1}


def test_the_inventory_is_written_compared_and_tidied(tmp_path: Path) -> None:
    measured = inventory.gather(RECORDED)
    (tmp_path / "left-over.json").write_text("{}")
    changed = inventory.write(measured, tmp_path)
    assert changed == [
        "left-over.json",
        "openai-chat-buffered.json",
        "openai-chat-error.json",
        "openai-chat-streamed.json",
    ]
    assert inventory.difference(measured, tmp_path) == []
    assert not (tmp_path / "left-over.json").exists()
    assert "$.choices[].message.content" in inventory.paths(Api.OPENAI_CHAT, Mode.BUFFERED, tmp_path)
    (tmp_path / "openai-chat-error.json").unlink()
    assert inventory.difference(measured, tmp_path) == ["openai-chat-error.json"]


COMMITTED = sorted(inventory.FOLDER.glob("*.json"))


def test_there_is_an_inventory_of_every_api_in_both_modes() -> None:
    assert {f"{api}-{mode}" for api in Api for mode in Mode} <= {path.stem for path in COMMITTED}


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_inventory_holds_words_of_the_protocol_only(path: Path) -> None:
    data = json.loads(path.read_text())
    word = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,60}")
    assert all(re.fullmatch(r"[a-z0-9\-]+", name) for name in data["headers"])
    for place, entry in data["paths"].items():
        assert re.fullmatch(r"\$(?:[.<>\[\]@\-]|\w)*", place)
        assert all(word.fullmatch(value) for value in entry.get("values", {}))


def test_the_committed_figures_and_inventories_come_from_the_same_exchanges() -> None:
    endings = json.loads(figures.FIGURES.read_text())["endings"]
    for api in Api:
        for mode in Mode:
            counted = sum(n for ending, n in endings[api][mode].items() if not ending.startswith("HTTP"))
            data = json.loads((inventory.FOLDER / f"{api}-{mode}.json").read_text())
            assert data["exchanges"] == counted, (api, mode)


def test_the_pins_are_whole_and_no_two_are_alike() -> None:
    every = pins(bonus=True)
    assert set(pins()) < set(every)
    assert len({one.sha256 for one in every}) == len(every)
    assert all(re.fullmatch(r"[0-9a-f]{64}", one.sha256) for one in every)
    assert pin("mirascope") == pin("mirascope==2.8.2") == pins()[0]
    assert pin("langchain-openai").filename == "langchain_openai-1.7.4.tar.gz"
    with pytest.raises(BadPins, match="no pin is called 'nothing'"):
        pin("nothing")

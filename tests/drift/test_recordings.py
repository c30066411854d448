"""Drift between recordings: each kind of change is told, and what differs each time is not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.corpus import cassette, root
from conformance.report import Run, write_json
from conformance.verdict import Result
from conformance.vocabulary import Mode, Verdict
from tests.drift.making import Edit, answered, headed, recorded, swapped
from tools.drift.__main__ import main

FIRED = "anthropic-messages/stop-fired:streamed"
CHAT = "openai-chat/natural-end:buffered"
GEMINI = "gemini/natural-end:streamed"


DELTA = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"more "}}'
PING = 'data: {"type":"ping"}'
FINGERPRINT = '"system_fingerprint": null'


def inserted(event: str, data: str) -> Edit:
    """Put an event before the end of the block."""
    return swapped("event: content_block_stop", f"event: {event}\n{data}\n\nevent: content_block_stop")


@pytest.fixture
def drift(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Compare a cell of the corpus with itself edited; exit code and what was printed as JSON."""

    def run(cell: str, *edits: Edit, results: tuple[Path, ...] = ()) -> tuple[int, dict[str, Any]]:
        old, new = recorded(tmp_path / "old", cell), recorded(tmp_path / "new", cell, *edits)
        options = [part for path in results for part in ("--results", str(path))]
        code = main([str(old), str(new), "--json", *options])
        return code, json.loads(capsys.readouterr().out)

    return run


def rows(data: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["kind"], one["where"], one["member"]) for one in data["drift"]]


@pytest.mark.parametrize(
    ("cell", "edit", "told"),
    [
        (CHAT, swapped('"index": 0', '"index": 0, "mood": {"of": "me"}'), [("new", "field", "$.choices[].mood")]),
        (GEMINI, swapped('"role": "model"', '"role": "model", "x": 1'), [("new", "field", "$.candidates[].content.x")]),
        (CHAT, swapped(FINGERPRINT, '"x": 1'), [("new", "field", "$.x"), ("gone", "field", "$.system_fingerprint")]),
        (CHAT, swapped(FINGERPRINT, '"system_fingerprint": 1'), [("changed", "field", "$.system_fingerprint")]),
        (
            CHAT,
            swapped('"finish_reason": "stop"', '"finish_reason": "tired"'),
            [
                ("new", "value of $.choices[].finish_reason", "tired"),
                ("gone", "value of $.choices[].finish_reason", "stop"),
                ("gone", "premise", "(lost)"),
            ],
        ),
        (CHAT, headed(x_new="1"), [("new", "header", "x-new")]),
        (CHAT, headed(content_type="text/plain"), [("changed", "content-type", "text/plain")]),
        (
            FIRED,
            swapped('{"type":"content_block_stop","index":0}', '{"type":"message_delta"}'),
            [
                (
                    "changed",
                    "event order",
                    "message_start content_block_start:text content_block_delta:text_delta message_delta message_stop",
                ),
                ("gone", "field", "$<content_block_stop>"),
            ],
        ),
    ],
)  # fmt: skip
def test_each_change_is_told(drift, cell: str, edit: Edit, told: list[tuple[str, str, str]]) -> None:
    code, data = drift(cell, edit)
    assert (code, rows(data)) == (1, told)
    assert data["scenarios"] == [cell.rpartition(":")[0]]


def body(cell: str) -> str:
    scenario, _, mode = cell.partition(":")
    return cassette(scenario, Mode(mode))[-1].body.decode()


def test_a_status_and_what_comes_of_it(drift) -> None:
    code, data = drift(CHAT, answered(status=429, body=b'{"error": {"message": "slow down", "type": "rate_limit"}}'))
    assert code == 1
    assert ("changed", "HTTP status", "429") in rows(data)
    (snapshot,) = data["snapshots"]
    assert snapshot.startswith("snapshots/openai-chat/natural-end.json, buffered: stop: complete -> failed; ")
    assert "error: none -> rate_limit" in snapshot
    assert len(data["premises_lost"]) == 1


@pytest.mark.parametrize(
    ("cell", "edits"),
    [
        (CHAT, []),
        (CHAT, [headed(content_type="application/json; charset=utf-8")]),
        (FIRED, [swapped("msg_01", "msg_99"), swapped("Roll back", "Carry on")]),
        (FIRED, [swapped('"output_tokens":19', '"output_tokens":1900')]),
        (FIRED, [swapped('{"type":"message_stop"}', '{"type":"message_stop"       }')]),
        (FIRED, [inserted("ping", PING)]),
        (FIRED, [inserted("content_block_delta", DELTA)]),
    ],
)  # fmt: skip
def test_what_differs_each_time_is_left_aside(drift, cell: str, edits: list[Edit]) -> None:
    assert drift(cell, *edits) == (
        0,
        {"drift": [], "scenarios": [], "premises_lost": [], "snapshots": [], "verdicts": []},
    )


def test_obfuscation_may_come_and_go(drift) -> None:
    """The scenario itself is about it, and so its premise is lost; as a field it is not told."""
    cell = "openai-chat/obfuscation:streamed"
    assert '"obfuscation"' in body(cell)
    data = drift(cell, lambda one: replace(one, body=_without_obfuscation(one.body)))[1]
    assert rows(data) == [("gone", "premise", "(lost)")]


def _without_obfuscation(raw: bytes) -> bytes:
    return re.sub(rb',\s*"obfuscation":\s*"[^"]*"', b"", raw)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("frames", "frames", None),
        ("frames", "whole", ("changed", "chunks", "one piece")),
        ("frames", "inside", ("changed", "chunks", "cut inside frames")),
        ("whole", "frames", ("changed", "chunks", "cut between frames")),
        ("inside", "characters", ("changed", "chunks", "cut inside characters")),
        ("inside", "small", ("changed", "chunks", "3 bytes in the median")),
        ("none", "inside", None),
    ],
)
def test_chunks(old: str, new: str, told: tuple[str, str, str] | None, tmp_path: Path, capsys) -> None:
    cell = "anthropic-messages/stop-unicode:streamed"
    raw = body(cell).encode()
    first = next(place for place in range(len(raw)) if raw[place] & 0xC0 == 0x80)
    frames = [place + 2 for place in range(len(raw) - 1) if raw[place : place + 2] == b"\n\n"]
    characters = [place for place in range(len(raw)) if raw[place] & 0xC0 != 0x80]
    ends = {
        "frames": frames,
        "whole": [len(raw)],
        "inside": [*(place for place in characters[1:] if place % 7 == 0), len(raw)],
        "small": [*(place for place in characters[1:] if place % 3 == 0), len(raw)],
        "characters": [first, len(raw)],
        "none": None,
    }
    paths = [recorded(tmp_path / name, cell, chunks=ends[kind]) for name, kind in (("old", old), ("new", new))]
    assert main([*map(str, paths), "--json"]) == (0 if told is None else 1)
    assert rows(json.loads(capsys.readouterr().out)) == ([] if told is None else [told])


def test_folders_and_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, cells in (("old", (CHAT, FIRED)), ("new", (FIRED, GEMINI))):
        for cell in cells:
            recorded(tmp_path / folder, cell)
    recorded(tmp_path / "new", FIRED, swapped('"stop_reason":"stop_sequence"', '"stop_reason":"tired"'))
    assert main([str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    told = capsys.readouterr().out
    assert f"new   {FIRED}" in told
    assert f"gone  {CHAT}" in told
    assert "only OLD has it" in told
    assert "only NEW has it" in told
    assert "premises lost\n  the cassette of anthropic-messages/stop-fired:streamed no longer shows" in told
    assert "snapshots/anthropic-messages/stop-fired.json, streamed: stop: complete -> unknown" in told
    assert main([str(tmp_path / "old"), str(tmp_path / "old")]) == 0
    assert capsys.readouterr().out == "no drift\n"


def results(path: Path, verdict: Verdict, version: str) -> Path:
    run = Run("mine", version, "1", "server", (), [Result(*FIRED.split(":"), verdict, {})])  # type: ignore[arg-type]
    write_json(run, path)
    return path


def test_verdicts_that_rest_on_it(drift, tmp_path: Path) -> None:
    edit = swapped('"stop_reason":"stop_sequence"', '"stop_reason":"tired"')
    old = results(tmp_path / "old.json", Verdict.FAITHFUL, "1")
    new = results(tmp_path / "new.json", Verdict.MISLEADING, "2")
    assert drift(FIRED, edit, results=(old,))[1]["verdicts"] == [
        f"mine 1  {FIRED}  faithful: judged on the old bytes, ask again"
    ]
    assert drift(FIRED, edit, results=(old, new))[1]["verdicts"] == [f"mine 2  {FIRED}  faithful -> misleading"]
    assert drift(FIRED, edit, results=(old, old))[1]["verdicts"] == []
    assert drift(FIRED, results=(old, new))[1]["verdicts"] == []


def test_inventory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording whose structure was published shows nothing new; one edited does."""
    cell = "openai-chat/length-cap:streamed"
    assert main([str(recorded(tmp_path / "same", cell)), "--inventory", "--json"]) == 0
    capsys.readouterr()
    edit = swapped('"finish_reason":"length"', '"finish_reason":"tired","mood":1')
    assert main([str(recorded(tmp_path / "new", cell, edit, headed(x_new="1"))), "--inventory", "--json"]) == 1
    found = rows(json.loads(capsys.readouterr().out))
    assert ("new", "header", "x-new") in found
    assert ("new", "field", "$.choices[].mood") in found
    assert ("new", "value of $.choices[].finish_reason", "tired") in found


def test_every_cassette_of_the_corpus_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """And none drifts from itself."""
    folder = str(root() / "cassettes" / "gemini")
    assert main([folder, folder]) == 0
    assert capsys.readouterr().out == "no drift\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not a vcrpy cassette"),
        ("interactions: 7", "is not a vcrpy cassette"),
        ("interactions: []", "holds no exchange"),
        ("interactions: [{}]", "is not a vcrpy cassette"),
    ],
)
def test_bad_recordings(text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(tmp_path, CHAT)
    path.write_text(text, encoding="utf-8")
    assert main([str(path), str(path)]) == 2
    assert says in capsys.readouterr().err


def test_other_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(tmp_path, CHAT)
    lost = tmp_path / "lost" / "here" / "buffered.yaml"
    lost.parent.mkdir(parents=True)
    lost.write_bytes(path.read_bytes())
    other = recorded(tmp_path, FIRED, chunks=[1])
    other.with_name("streamed.chunks.json").write_text("{}", encoding="utf-8")
    for arguments, says in (
        ([str(path)], "two recordings, OLD and NEW"),
        ([str(path), str(path), "--inventory"], "one recording, and not 2"),
        ([str(path), str(tmp_path / "none")], "no recording at"),
        ([str(path), str(lost)], "does not lie where it says whose it is"),
        ([str(path), str(other)], "does not say where chunks ended"),
        ([str(path), str(recorded(tmp_path, GEMINI))], "are two cells"),
        ([str(path), str(path), "--results", str(tmp_path / "none.json")], "cannot read"),
    ):
        assert main(arguments) == 2, arguments
        assert says in capsys.readouterr().err

"""Every recorded exchange is played to an adapter: a faithful one passes, a lying one is told with the place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from making import chunk, completion, exchange, sse

from conformance.adapters.reference import Reference, build
from conformance.contract import Call, End, Part
from conformance.vocabulary import Api
from tools.published import bulk, bulk_command
from tools.published.__main__ import main
from tools.published.recordings import Exchange, Recordings

STREAM = sse(chunk({"role": "assistant", "content": "Half"}), chunk({"content": " an"}), chunk({}, "length"), done=True)
CHAT = Api.OPENAI_CHAT


def exchanges() -> list[Exchange]:
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}
    return [
        exchange(CHAT, completion(), file="whole.yaml"),
        exchange(CHAT, STREAM, file="stream.yaml"),
        exchange(CHAT, error, file="error.yaml", status=400),
    ]


class Liar(Reference):
    """Says that everything went well."""

    def stream(self, call: Call) -> Iterator[Part]:
        for part in super().stream(call):
            yield replace(part, reason="complete", final=None) if isinstance(part, End) else part


def table(found: bulk.Bulk) -> dict[tuple[str, str], dict[str, int]]:
    return {(row.mode, row.ending): dict(verdicts) for row, verdicts in found.rows.items()}


def test_the_reference_adapter_is_faithful_to_every_exchange() -> None:
    found = bulk.run(build(), exchanges())
    assert table(found) == {
        ("buffered", "stop -> complete"): {"faithful": 1},
        ("streamed", "length -> truncated"): {"faithful": 1},
        ("buffered", "HTTP 400"): {"faithful": 1},
    }
    assert found.faults == {}
    assert (found.played, found.untested) == (3, [])


def test_a_lie_is_told_with_its_place() -> None:
    found = bulk.run(Liar(), exchanges())
    assert table(found)["streamed", "length -> truncated"] == {"misleading": 1}
    where = {fault.rule: places for fault, places in found.faults.items()}
    assert where["reason.class"] == ["tiny==1.0:stream.yaml#0"]


def test_an_api_that_the_adapter_does_not_speak_is_left_out() -> None:
    adapter = Reference()
    adapter.apis = frozenset({Api.GEMINI})
    assert bulk.run(adapter, exchanges()).played == 0


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exchanges in the place of the core."""
    monkeypatch.setattr(bulk_command, "pins", lambda: ())
    monkeypatch.setattr(bulk_command, "fetch", lambda *_: None)
    monkeypatch.setattr(bulk_command.recordings, "load", lambda *_: Recordings(exchanges()))


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    ("adapter", "options", "code", "told"),
    [
        ("reference", [], 0, "3 exchanges judged, 0 untested"),
        ("reference", ["--limit", "1", "--api", "openai-chat"], 0, "1 exchanges judged, 0 untested"),
        ("test_bulk:Liar", ["--places", "1"], 1, "    tiny==1.0:stream.yaml#0"),
    ],
)
def test_the_command_prints_a_table_and_the_findings(
    adapter: str, options: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", adapter, *options]) == code
    assert told in capsys.readouterr().out.splitlines()


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("options", [["no-such-adapter"], ["reference", "--api", "opnai-chat"]])
def test_bad_input_is_one_clear_error(options: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", *options]) == 2
    assert capsys.readouterr().err.startswith("error: ")

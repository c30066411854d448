"""`derive` and `check` on a tiny pin of our own: what is written, what is told, and the exit codes. No network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from making import cassette, completion, interaction, pin_of, put, sdist

from conformance.corpus import Origin
from conformance.errors import ConformanceError
from conformance.vocabulary import Mode, Provenance
from tools.published import derivations, derive_commands, deriving
from tools.published.__main__ import main
from tools.published.derivations import rows
from tools.published.errors import BadPins

REPLY = json.dumps(completion("The museum opens on Tuesday."), indent=2)
HEADERS = {"content-type": "application/json", "x-request-id": "req_0123456789abcdef0123456789abcdef"}
DATA = sdist({"tests/a.yaml": cassette(interaction(REPLY, headers=HEADERS))})
ROW = """
[[cell]]
scenario = "openai-chat/natural-end"
mode = "buffered"
pin = "tiny==1.0"
file = "tests/a.yaml"
index = 0
"""
CELL = "openai-chat/natural-end:buffered"


@pytest.fixture
def corpus(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of our own with one row, whose pin is the tiny one."""
    put(cache, DATA)
    folder = tmp_path / "corpus"
    (folder / "cassettes").mkdir(parents=True)
    (folder / "cassettes" / "provenance.json").write_text("{}", encoding="utf-8")
    table = folder / "derivations.toml"
    table.write_text(ROW, encoding="utf-8")
    monkeypatch.setattr(derivations, "pin", lambda _: pin_of(DATA))
    monkeypatch.setattr(derive_commands, "rows", lambda patterns: rows(patterns, table))
    monkeypatch.setattr(deriving, "root", lambda: folder)
    monkeypatch.setattr(deriving, "cassette_path", lambda id_, mode: folder / "cassettes" / id_ / f"{mode}.yaml")

    def manifest() -> dict[str, Origin]:
        data = json.loads((folder / "cassettes" / "provenance.json").read_text(encoding="utf-8"))
        return {cell: Origin(Provenance(row["provenance"]), row["source"]) for cell, row in data.items()}

    manifest.cache_clear = lambda: None  # type: ignore[attr-defined]  # as the cached one has
    monkeypatch.setattr(deriving, "manifest", manifest)
    return folder


def written(corpus: Path) -> Path:
    return corpus / "cassettes" / "openai-chat" / "natural-end" / f"{Mode.BUFFERED}.yaml"


def test_a_derived_cassette_passes_its_check(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive"]) == 0
    assert "1 cassettes written, 1 of 1 derived" in capsys.readouterr().err
    text = written(corpus).read_text(encoding="utf-8")
    assert "museum" not in text
    assert HEADERS["x-request-id"] not in text
    rows_ = json.loads((corpus / "cassettes" / "provenance.json").read_text(encoding="utf-8"))
    assert rows_ == {CELL: {"provenance": "published", "source": "tiny==1.0 tests/a.yaml#0"}}
    assert main(["check", "openai-chat/*"]) == 0
    assert main(["derive", "--check"]) == 0
    assert main(["derive"]) == 0
    assert "0 cassettes written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"finish_reason": "stop"', '"finish_reason": "length"', 'recorded string "stop", ours string "length"'),
        ('"index": 0', '"indes": 0', "ours has $.choices[0].indes"),
        ('"object": "chat.completion",', "", "$.object: recorded"),
        ('"prompt_tokens": 1', '"prompt_tokens": 2', "$.usage.prompt_tokens: recorded number 1, ours number 2"),
    ],
)
def test_a_changed_cassette_fails_the_check_with_the_place(
    corpus: Path, old: str, new: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["derive"])
    path = written(corpus)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    capsys.readouterr()
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert f"{CELL}: the cassette is not what derive writes" in out
    assert told in out


def test_a_missing_cassette_and_a_missing_row_fail_the_check(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 1
    assert f"{CELL}: no cassette at" in capsys.readouterr().out
    main(["derive"])
    (corpus / "cassettes" / "provenance.json").write_text("{}", encoding="utf-8")
    assert main(["check"]) == 1
    assert "the manifest does not name this exchange as its source" in capsys.readouterr().out


def test_what_cannot_be_derived_is_told_and_the_rest_is_written(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ROW.replace("natural-end", "tool-call").replace('pin = "tiny==1.0"', 'pin = "tiny==1.0"\nhost = "azure"')
    (corpus / "derivations.toml").write_text(ROW, encoding="utf-8")
    assert main(["derive"]) == 0
    (corpus / "derivations.toml").write_text(other, encoding="utf-8")
    assert main(["derive"]) == 2
    assert "speaks openai-chat" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (ROW + ROW, "names a cell twice"),
        (ROW + "colour = 1\n", "unknown keys"),
        (ROW.replace('mode = "buffered"', 'mode = "both"'), "cannot read"),
        (ROW.replace("index = 0", ""), "cannot read"),
        (ROW.replace("natural-end", "usage-chunk"), "has no mode buffered"),
        ("x", "cannot read"),
    ],
)
def test_bad_rows_are_refused(table: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivations, "pin", lambda _: pin_of(DATA))
    path = tmp_path / "derivations.toml"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(BadPins, match=problem):
        rows(path=path)


def test_a_pattern_that_matches_nothing_is_an_error() -> None:
    with pytest.raises(ConformanceError, match="no row of"):
        rows(["gemini/no-such-*"])

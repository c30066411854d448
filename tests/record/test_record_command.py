"""The recorder's command line: what is chosen, refused and printed before anything is asked. No provider is asked."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from stand_in import KEYS, StandIn, Turn
from test_recording import tree

from conformance import corpus
from conformance.corpus import root, snapshot, snapshot_path
from conformance.errors import BrokenCassette
from conformance.scenarios import catalogue, scenario
from conformance.vocabulary import Api, Provenance
from tools.author.build import HOSTS
from tools.record import target
from tools.record.__main__ import MAX_COST, main
from tools.record.budget import Budget
from tools.record.client import Answer, is_loopback, origin
from tools.record.errors import BadTable, OverBudget, WrongFolder
from tools.record.provocations import TABLE, Provocation, provocation, read
from tools.record.target import Target
from tools.record.transaction import FOLDER
from tools.secrets.own_key import VARIABLES

ID = "anthropic-messages/natural-end"


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_a_dry_run_asks_nothing_and_needs_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in set(VARIABLES.values()):
        monkeypatch.delenv(variable, raising=False)
    with StandIn([ID]) as vendor:
        assert main([ID, "gemini/reason-new", "--dry-run", "--corpus", str(tmp_path), *vendor.options]) == 0
        assert vendor.asked == []
    out = capsys.readouterr().out
    assert f"{ID}\n    a plain question; the model ends by itself within the cap\n    up to 2 tries, " in out
    assert "    streamed: POST http://127.0.0.1:" in out
    assert "gemini/reason-new\n    cannot be provoked: its premise is an exact wording" in out
    assert "1 of 2 scenarios would be asked for, at most " in out
    assert tree(tmp_path) == {}


def test_a_dry_run_of_everything_says_of_each_how_or_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")][:-1] == list(catalogue())
    assert all("nobody has said how" not in line for line in lines)


@pytest.mark.parametrize("api", list(Api))
@pytest.mark.parametrize("value", [None, "", "short", "two words, that is no key", "ключ-ключ-ключ"])
def test_a_missing_key_names_its_variable(
    api: Api, value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLES[api])
    if value is not None:
        monkeypatch.setenv(VARIABLES[api], value)
    assert main([f"{api}/natural-end", "--corpus", str(tmp_path)]) == 2
    err = said(capsys)
    assert VARIABLES[api] in err
    assert "mend: " in err
    assert not value or value not in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["openai-chat/no-such"], "no scenario matches 'openai-chat/no-such'"),
        (["gemini/reason-new"], "none of the chosen scenarios can be provoked"),
        ([ID, "--api", "gemini"], "no scenario is of these patterns and of these APIs"),
        ([ID, "--max-cost", "10"], "and --max-cost is 10"),
        ([ID, "--base-url", "anthropic-messages=http://127.0.0.1:1"], "recordings of https://api.anthropic.com only"),
        ([ID, "--base-url", "anthropic-messages=https://example.com"], "--corpus DIR"),
    ],
)
def test_bad_input_is_one_clear_error(arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    err = said(capsys)
    assert err.startswith("error: ")
    assert problem in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--api", "cohere"], "'cohere' is no API; one of openai-chat"),
        (["--max-cost", "much"], "'much' is no number of tokens"),
        (["--base-url", "http://127.0.0.1"], "names no API"),
        (["--base-url", "gemini=ftp://example.com"], "is no base URL"),
        (["--base-url", "gemini=https://me:secret@example.com"], "is no base URL"),
        (["--base-url", "gemini=https://example.com/?key=x"], "is no base URL"),
        (["--base-url", "gemini=https://example.com:port"], "is no base URL"),
    ],
)
def test_bad_options_are_refused(arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert problem in said(capsys)


def test_a_stand_in_never_gets_into_a_corpus_that_others_read(tmp_path: Path) -> None:
    """Not into this one, nor through a link to it, nor into a copy of the repository, nor into a wheel's."""
    link = tmp_path / "link"
    link.symlink_to(root())
    copy = tmp_path / "copy"
    (copy / "conformance" / "scenarios").mkdir(parents=True)
    for folder in (root(), link, copy, tmp_path / "site-packages" / "conformance" / "_corpus"):
        with pytest.raises(WrongFolder, match="--corpus DIR"):
            Target(folder).admit(Api.GEMINI, "http://127.0.0.1:8000")
        Target(folder).admit(Api.GEMINI, HOSTS[Api.GEMINI])
        with pytest.raises(WrongFolder, match="in the vendor's name"):
            Target(folder).admit_answer(Answer(200, (), b"", (), chunked=False, local=True))
    Target(tmp_path).admit(Api.GEMINI, "http://127.0.0.1:8000")


def test_every_live_row_names_the_vendors_own_host() -> None:
    """A row that says `live` was recorded from the vendor, on a day, and its chunks lie beside it."""
    for cell, origin_ in corpus.manifest().items():
        id_, _, mode = cell.partition(":")
        if origin_.provenance is Provenance.LIVE:
            assert f"recorded from {HOSTS[scenario(id_).api].removeprefix('https://')} on 20" in origin_.source
            assert (root() / "cassettes" / id_ / f"{mode}.chunks.json").is_file()


def test_the_snapshot_is_written_as_the_snapshot_tests_write_it() -> None:
    for id_ in catalogue():
        data = {str(mode): reading.to_json() for mode, reading in snapshot(id_).items()}
        text = json.dumps(json.loads(json.dumps(data)), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        assert snapshot_path(id_).read_text(encoding="utf-8") == text


def test_no_recording_is_half_done() -> None:
    """Were the recorder killed between two renames, cassette and snapshot here would not be of one recording."""
    assert not (root() / FOLDER).exists(), "python -m tools.record --recover"


def test_other_rows_of_the_manifest_stay(tmp_path: Path) -> None:
    manifest = tmp_path / "cassettes" / "provenance.json"
    manifest.parent.mkdir()
    row = {"provenance": "documented", "source": "somewhere"}
    manifest.write_text(json.dumps({"gemini/natural-end:buffered": row, f"{ID}:buffered": row}), encoding="utf-8")
    with StandIn([ID]) as vendor:
        assert main([ID, "--corpus", str(tmp_path), *vendor.options]) == 0
    rows = json.loads(manifest.read_text(encoding="utf-8"))
    assert rows["gemini/natural-end:buffered"] == row
    assert [rows[f"{ID}:{mode}"]["provenance"] for mode in ("buffered", "streamed")] == ["live", "live"]


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"source": "x"}}', "{"])
def test_a_broken_manifest_is_told_before_it_is_written_over(text: str, tmp_path: Path) -> None:
    manifest = tmp_path / "cassettes" / "provenance.json"
    manifest.parent.mkdir()
    manifest.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenCassette, match="cannot read the manifest"):
        Target(tmp_path).rows()
    assert manifest.read_text(encoding="utf-8") == text


def test_a_derived_cassette_that_is_recorded_is_no_longer_derived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person has to take its rows out of the table, and is told so."""
    monkeypatch.setattr(Target, "shared", True)
    monkeypatch.setattr(Target, "admit", lambda *_: None)
    monkeypatch.setattr(Target, "admit_answer", lambda *_: None)
    manifest = tmp_path / "cassettes" / "provenance.json"
    manifest.parent.mkdir()
    row = {"provenance": "published", "source": "somewhere"}
    manifest.write_text(json.dumps({f"{ID}:buffered": row}), encoding="utf-8")
    with StandIn([ID]) as vendor:
        assert main([ID, "--corpus", str(tmp_path), *vendor.options]) == 0
    assert f"take its rows out of {target._DERIVATIONS}" in said(capsys)


def test_many_are_recorded_one_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = [ID, "anthropic-messages/stop-fired", "anthropic-messages/reason-new", "anthropic-messages/refusal"]
    with StandIn(ids[:2]) as vendor:
        vendor.script[f"{ID}:buffered"] = [Turn(status=404)]
        assert main([*ids, "--corpus", str(tmp_path), *vendor.options]) == 1
    lines = said(capsys).splitlines()
    places = [line.split("  ")[0] for line in lines]
    assert places[:-1] == [f"[{n}/4] {id_}" for n, id_ in enumerate([id_ for id_ in catalogue() if id_ in ids], 1)]
    assert lines[-1].startswith("1 recorded, 0 not provoked, 1 failed, 2 cannot be provoked; ")


def test_a_full_run_fits_a_raised_budget_and_the_default_stops_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever names no scenario asks for everything: the default says how much that may cost, and stops."""
    assert main(["--corpus", str(tmp_path)]) == 2
    assert f"--max-cost is {MAX_COST}" in said(capsys)


def test_the_budget_holds_while_it_runs() -> None:
    """What was spent on cut answers counts too."""
    budget = Budget(100)
    budget.allow(100)
    budget.spend(60)
    budget.allow(40)
    with pytest.raises(OverBudget, match="60 tokens are spent, 41 more may be needed"):
        budget.allow(41)


def test_the_table_names_every_scenario_once_and_nothing_else() -> None:
    """A scenario is provoked, or there is a reason; no row is idle."""
    hows = {id_: provocation(scenario_) for id_, scenario_ in catalogue().items()}
    assert [id_ for id_, how in hows.items() if how == ""] == []
    used = {how for how in hows.values() if isinstance(how, Provocation)}
    assert used == set(read().provoke)
    for row in read().provoke:
        assert row.how
        assert (row.prompt is None) or len(row.prompt) > 10
    idle = [row.why for row in read().never if row.why not in hows.values()]
    assert idle == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("tries = 2", "tries = 0", "from 1 to 10"),
        ("tries = 2", 'tries = 2\ncolour = "red"', "unknown keys"),
        ("tries = 2", 'tries = 2\nkey = "mine"', "key can only be"),
        ('"*/natural-end"', '"*/no-such"', "no scenario is like */no-such"),
        ("[[never]]", "[[ever]]", "unknown tables"),
        ("why = ", "because = ", "has scenarios and why"),
        ("[[provoke]]", "[[provoke", "cannot read provocations.toml"),
    ],
)
def test_a_bad_table_is_refused(old: str, new: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "provocations.toml"
    path.write_text(TABLE.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(BadTable) as caught:
        read(path)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://127.8.9.1", True),
        ("http://[::1]:80", True),
        ("http://localhost", True),
        ("https://api.anthropic.com", False),
        ("https://localhost.example.com", False),
    ],
)
def test_loopback_is_told_by_the_host(url: str, loopback: bool) -> None:
    assert is_loopback(origin(url)) is loopback


def test_no_test_reads_a_real_key() -> None:
    assert {os.environ[variable] for variable in VARIABLES.values()} == set(KEYS.values())

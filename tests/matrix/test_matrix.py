"""Tests of the matrix: what is chosen, how it is shown, what a broken adapter leaves. No environment is made here."""

from __future__ import annotations

import base64
import json
import re
import socket
import sys
import zlib
from pathlib import Path

import pytest

from conformance.adapters import SHIPPED
from conformance.checks import Finding
from conformance.errors import BadOption
from conformance.known_failures import load
from conformance.verdict import Result
from conformance.vocabulary import Mode, Severity, Verdict
from tools.matrix import running
from tools.matrix.__main__ import main
from tools.matrix.beside import NotStarted, beside
from tools.matrix.page import index, run_of
from tools.matrix.running import Outcome, Settings, run_all
from tools.matrix.subjects import Subject, chosen, every, versions
from tools.matrix.table import changes, comparison, lines

ID = "anthropic-messages/pause-turn"
FINDING = Finding("reason.class", Severity.MUST, Verdict.MISLEADING, "told `complete`", "continue", "stop")


def outcome(name: str, verdict: Verdict | None, *findings: Finding, problem: str | None = None) -> Outcome:
    results = () if problem else (Result(ID, Mode.BUFFERED, verdict, {}, findings),)
    return Outcome(name, "1.0", () if problem else ("anthropic-messages",), results, problem=problem)


def test_every_shipped_adapter_with_a_library_has_pins() -> None:
    assert {name for name, shipped in SHIPPED.items() if shipped.extra} <= set(every())
    for subject in every().values():
        assert all("==" in line for line in subject.requirements), f"{subject.name}: exact pins only"
        assert any(line.startswith("pytest==") for line in subject.requirements)


def test_files_of_known_failures_exist_and_can_be_read() -> None:
    named = [subject.known for subject in every().values() if subject.known is not None]
    assert named
    assert all(load(path) is not None for path in named)


def test_named_adapters_are_chosen_in_order_and_once() -> None:
    assert [subject.name for subject in chosen(["litellm", "any-llm", "litellm"])] == ["litellm", "any-llm"]


def test_versions_name_a_library_or_its_adapter() -> None:
    old, new = versions("any-llm==1.2.0, any-llm-sdk==1.3.0")
    assert (old.name, new.requirements, new.adapter) == ("any-llm-sdk==1.2.0", ("any-llm-sdk==1.3.0",), "any-llm")


@pytest.mark.parametrize(
    "arguments",
    [
        ["lightllm"],
        ["--versions", "litellm"],
        ["--versions", "litellm==1.0"],
        ["--versions", "nothing==1,nothing==2"],
        ["--versions", "litellm==1,litellm==2", "litellm"],
        ["--versions", "litellm-proxy==1,litellm-proxy==2"],
        ["--jobs", "0"],
        ["--out", __file__],
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_close_name_is_suggested() -> None:
    with pytest.raises(BadOption) as caught:
        chosen(["lightllm"])
    assert "litellm" in caught.value.mend


def test_the_table_has_a_line_for_each_api_and_says_what_broke() -> None:
    text = "\n".join(lines([outcome("good", Verdict.LOUD), outcome("bad", None, problem="no such wheel")]))
    assert "BROKEN: no such wheel" in text
    assert text.splitlines()[2].split()[:3] == ["good", "1.0", "anthropic-messages"]


def test_a_broken_adapter_leaves_the_others_unharmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(subject: Subject, *_: object) -> Outcome:
        if subject.name == "bad":
            raise OSError("disk full")
        return outcome(subject.name, Verdict.FAITHFUL)

    monkeypatch.setattr(running, "_run", run)
    subjects = [Subject("bad", "bad"), Subject("good", "good")]
    said: list[str] = []
    bad, good = run_all(subjects, Settings(tmp_path, tmp_path), said.append)
    assert (bad.problem, good.problem) == ("OSError: disk full", None)
    assert any(line.endswith("bad: BROKEN: OSError: disk full") for line in said)


def test_ctrl_c_keeps_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object) -> Outcome:
        (tmp_path / "done").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "_run", run)
    assert main(["litellm", "any-llm", "--jobs", "1", "--out", str(tmp_path)]) == 130
    assert (tmp_path / "done").exists()
    assert not (tmp_path / "index.html").exists()
    assert capsys.readouterr().err.splitlines()[-1].startswith("stopped: ")


def test_what_changed_between_versions_is_named() -> None:
    old, new = outcome("a==1", Verdict.MISLEADING, FINDING), outcome("a==2", Verdict.FAITHFUL)
    (change,) = changes(old, new)
    assert (change.before, change.after, change.new) == ("misleading", "faithful", ())
    text = "\n".join(comparison(old, new))
    assert "1 cells changed, 1 for the better, 0 for the worse" in text
    assert f"{ID}:buffered  misleading -> faithful" in text
    assert "gone  MUST reason.class: told `complete`" in text


def test_nothing_is_compared_with_what_broke() -> None:
    assert "not compared" in comparison(outcome("a==1", None, problem="no wheel"), outcome("a==2", Verdict.LOUD))[0]


def test_the_page_has_a_row_for_what_broke_and_says_what_changed() -> None:
    """How the page looks and that it escapes is tests/report's business."""
    broken = outcome("bad", None, problem="<b>")
    assert run_of(broken).wiring == ["could not be judged: <b>"]
    page = index([outcome("good", Verdict.MISLEADING, FINDING), broken], ["a -> b"])
    (packed,) = re.findall(r'id="data">([^<]+)<', page)
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert [run["problem"] for run in data["runs"]] == [None, "could not be judged: <b>"]
    assert data["notes"] == ["a -> b"]


def test_versions_are_rows_of_their_own() -> None:
    assert run_of(outcome("a==1", Verdict.FAITHFUL)).label == "a==1"
    assert run_of(outcome("a", Verdict.FAITHFUL)).label == "a 1.0"


# What runs beside a subject

LISTEN = (
    "import http.server as h, sys; "
    "h.HTTPServer(('127.0.0.1', int(sys.argv[1])), h.BaseHTTPRequestHandler).serve_forever()"
)


def test_what_runs_beside_is_waited_for_and_ended(tmp_path: Path) -> None:
    subject = Subject("gateway", "gateway", start=f'{{bin}}/python -c "{LISTEN}" {{port}}')
    with beside(subject, Path(sys.executable), tmp_path / "log") as ports:
        socket.create_connection(("127.0.0.1", int(ports["port"])), timeout=5).close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", int(ports["port"])), timeout=5)


def test_what_needs_nothing_beside_it_has_nothing(tmp_path: Path) -> None:
    with beside(Subject("a", "a"), Path(sys.executable), tmp_path / "log") as ports:
        assert ports == {}
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ("{bin}/python -c \"raise SystemExit('no config')\"", "exit code 1: no config"),
        ("/no/such/program", "cannot be run"),
    ],
)
def test_what_does_not_start_says_why(start: str, says: str, tmp_path: Path) -> None:
    with (
        pytest.raises(NotStarted, match=says),
        beside(Subject("gateway", "gateway", start=start), Path(sys.executable), tmp_path / "log"),
    ):
        pytest.fail("it was said to run")


def test_the_gateway_is_asked_where_it_listens_and_calls_where_the_suite_does() -> None:
    (gateway,) = [subject for subject in every().values() if subject.start is not None]
    assert "{port}" in gateway.start
    assert "{port}" in gateway.adapter
    assert "upstream={upstream}" in gateway.adapter
    assert dict(gateway.variables)["UPSTREAM_V1"] == "{upstream_url}/v1"

"""Tests of the matrix: what is chosen, how it is shown, what a broken adapter leaves. No environment is made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters import SHIPPED
from conformance.checks import Finding
from conformance.errors import BadOption
from conformance.verdict import Result
from conformance.vocabulary import Mode, Severity, Verdict
from tools.matrix import running
from tools.matrix.__main__ import main
from tools.matrix.page import index
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


def test_the_page_stands_alone_and_escapes() -> None:
    page = index([outcome("good", Verdict.MISLEADING, FINDING), outcome("bad", None, problem="<b>")], ["a -> b"])
    assert "&lt;b&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    assert 'class="m misleading"' in page
    assert "a -&gt; b" in page

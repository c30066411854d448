"""Requirement sets: their files, and that what came later changes no scored verdict. The tool that writes them too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters.reference import Reference
from conformance.checks import RULES
from conformance.errors import BadSet
from conformance.known_failures import Known
from conformance.options import Options
from conformance.report import Run, lines
from conformance.report.badge import badge
from conformance.report.markdown import markdown
from conformance.report.page_data import page_data
from conformance.scenarios import catalogue, scenario
from conformance.sets import RequirementSet, find, freeze, names, parse, render
from conformance.suite.bench import Bench
from conformance.verdict import Result, judge
from conformance.vocabulary import Mode, Severity, Standing, Verdict
from tests.hand_made import CHAT, asked, case, said, seen, truth
from tests.mutants.reasons import LengthIsComplete
from tools.sets.__main__ import main

CELL = "openai-chat/hand-made:buffered"
TOLD_WHOLE = case(asked(CHAT), truth(text="Yes."), seen(said(text="Yes")))
"""A case in which text.exact, a MUST, fails: the last character is lost."""


def holding(cell: str = CELL, permitted: bool = False, **checks: Severity) -> RequirementSet:
    """A set of one cell; checks by id with `_` for `.`; all of them where none is given."""
    given = {name.replace("_", "."): severity for name, severity in checks.items()}
    rules = given or {check: rule.severity for check, rule in RULES.items()}
    return RequirementSet(
        "2026.01", rules, frozenset({cell}), frozenset({cell.rpartition(":")[0]} if permitted else ())
    )


# Files


def test_every_set_of_the_package_is_read() -> None:
    """Also a set of long ago: a scenario may be added, and never be taken away while a set scores it."""
    assert names()
    for name in names():
        found = find(name)
        assert found.name == name
        assert found.cells
        assert parse(render(found), name) == found


def test_the_newest_set_has_everything() -> None:
    """Whoever adds a scenario or a rule freezes it: in the set of the version to come, never in a released one."""
    newest = names()[-1]
    mend = f"was {newest} released? then `python -m tools.sets freeze` a new name; else `freeze {newest} --again`"
    assert find(newest) == freeze(newest), mend


def test_freezing_reads_back() -> None:
    made = freeze("2026.12")
    assert parse(render(made), "2026.12.toml") == made
    assert len(made.cells) == sum(len(one.modes) for one in catalogue().values())
    assert max(map(len, render(made).splitlines())) <= 120


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda text: text + "\nmore = [", "is not TOML"),
        (lambda text: text.replace("[permitted]", "[allowed]"), "is no requirement set"),
        (lambda text: text.replace('name = "2026.12"', 'name = "soon"'), "is no requirement set"),
        (lambda text: text.replace("openai-chat = [", "openai-chatter = [", 1), "is no requirement set"),
        (lambda text: text.replace('"natural-end"', "7", 1), "is no requirement set"),
        (lambda text: text.replace('"natural-end"', '"natural-end:sideways"', 1), "is no requirement set"),
        (lambda text: text.replace('"natural-end"', '"gone-since"', 1), r"no longer has: .*openai-chat/gone-since"),
        (lambda text: text.replace('"text.exact"', '"text.gone"', 1), "no longer has: text.gone"),
    ],
)
def test_what_is_wrong_with_a_set_is_said(spoil, says: str, tmp_path: Path) -> None:
    text = render(freeze("2026.12"))
    assert spoil(text) != text
    path = tmp_path / "own.toml"
    path.write_text(spoil(text), encoding="utf-8")
    with pytest.raises(BadSet, match=says) as raised:
        find("own.toml", base=tmp_path)
    assert raised.value.mend


@pytest.mark.parametrize("name", ["2019.01", "missing.toml"])
def test_a_set_that_is_not_there(name: str) -> None:
    with pytest.raises(BadSet, match=name):
        find(name)


# What counts


def test_nothing_counts_in_a_cell_that_the_set_does_not_have() -> None:
    result = judge(TOLD_WHOLE, requirements=holding("openai-chat/another:buffered"))
    assert result.unscored
    assert result.passed
    assert result.open == ()
    assert result.verdict is Verdict.MISLEADING  # shown, and counted nowhere
    assert result.outcomes["text.exact"] == "unscored"
    assert Result.from_json(result.to_json()) == result


def test_a_check_that_the_set_does_not_have_changes_no_verdict() -> None:
    everything = judge(TOLD_WHOLE)
    assert (everything.verdict, everything.passed) == (Verdict.MISLEADING, False)
    result = judge(TOLD_WHOLE, requirements=holding(reason_class=Severity.MUST))
    assert (result.verdict, result.passed, result.unscored) == (Verdict.FAITHFUL, True, False)
    assert {finding.check for finding in result.findings} == {finding.check for finding in everything.findings}
    assert all(finding.unscored for finding in result.findings)
    assert judge(TOLD_WHOLE, requirements=holding()) == everything


def test_a_rule_is_no_more_severe_than_it_was() -> None:
    """Neither where the rule was a SHOULD then, nor where only a standard permitted the wire."""
    for requirements in (holding(text_exact=Severity.SHOULD), holding(permitted=True)):
        result = judge(TOLD_WHOLE, requirements=requirements)
        assert [(one.check, one.severity) for one in result.open] == [("text.exact", Severity.SHOULD)]
        assert (result.verdict, result.passed) == (Verdict.LOUD, True)
    # What the adapter sends of itself was no matter of the wire's standing.
    assert holding(permitted=True).severity(CELL, "request.stop-whole") is Severity.MUST


def test_known_failures_stay_strict_where_something_counts() -> None:
    listed = Known((CELL,), "text.exact", "why")
    assert judge(TOLD_WHOLE, [listed], holding()).verdict is Verdict.DECLARED
    idle = Known((CELL,), "usage.reported", "why")
    assert judge(TOLD_WHOLE, [listed, idle], holding()).passed is False
    for requirements in (holding(text_exact=Severity.MUST), holding("openai-chat/another:buffered")):
        result = judge(TOLD_WHOLE, [listed, idle], requirements)
        assert result.passed
        assert result.stale == ()
        assert len(result.unscored_stale) == 1


def test_a_cell_that_cannot_be_tested() -> None:
    assert Result.untested("gemini/x", Mode.BUFFERED, "why", holding()).passed
    assert not Result.untested("openai-chat/hand-made", Mode.BUFFERED, "why", holding()).passed


# A corpus that has grown since


IDS = ("gemini/length-cap", "gemini/natural-end", "openai-chat/length-cap", "openai-chat/natural-end")
SINCE = ("gemini/length-cap", "openai-chat/natural-end")


def results(adapter, requirements: RequirementSet | None) -> dict[str, Result]:
    with Bench(adapter, requirements=requirements) as bench:
        return {f"{id_}:{mode}": bench.judge(scenario(id_), mode)[0] for id_ in IDS for mode in scenario(id_).modes}


@pytest.mark.parametrize("kind", [Reference, LengthIsComplete])
def test_scenarios_added_since_leave_the_scored_verdicts_alone(kind) -> None:
    """The set of a corpus without SINCE, judged on the corpus that has them: the rest is as it was, to the finding."""
    adapter = kind()
    before = freeze("2026.01", [one for one in catalogue().values() if one.id not in SINCE])
    everything, scored = results(adapter, None), results(adapter, before)
    assert everything.keys() == scored.keys()
    for cell, result in scored.items():
        if cell.rpartition(":")[0] in SINCE:
            assert result.unscored
            assert result.passed
            assert result.verdict == everything[cell].verdict
        else:
            assert result == everything[cell]
    if kind is LengthIsComplete:
        assert not everything["gemini/length-cap:buffered"].passed
        assert not scored["openai-chat/length-cap:buffered"].passed
        adapter.close()


def test_what_is_unscored_is_shown() -> None:
    """In the table, the totals, the page and the data; and it is counted nowhere else."""
    end = scenario("openai-chat/natural-end")
    told = judge(replace(TOLD_WHOLE, scenario=end), requirements=holding("openai-chat/another:buffered"))
    run = Run("mine", None, "2026.12", "server", (CHAT,), [told], requirements="2026.01")
    text = "\n".join(lines(run))
    assert "(misleading)" in text
    assert "unscored: not in the set 2026.01, shown only" in text
    assert "0 misleading, 1 unscored (set 2026.01)" in text
    assert "undeclared: 0 MUST, 0 SHOULD" in text
    assert run.to_json()["totals"] == {"unscored": 1}
    summary = markdown([run])
    assert "set 2026.01; 1 cells that it lacks count for nothing" in summary
    assert "Unscored: not in the requirement set (2)" in summary
    assert "no cells" in badge(run)
    assert run.to_json()["set"] == "2026.01"
    (cell,) = page_data([run])["runs"][0]["cells"].values()
    assert cell["v"] == "unscored"
    assert cell["f"]
    assert all(finding["declared"].startswith("unscored") for finding in cell["f"])


def test_header_says_what_counts() -> None:
    told = Options(requirements=holding("openai-chat/natural-end:buffered")).header()[0]
    assert ", set 2026.01 (1 of them scored), transport" in told


def test_standing_is_frozen() -> None:
    permitted = {one.id for one in catalogue().values() if one.standing is Standing.PERMITTED}
    assert permitted
    assert freeze("2026.12").permitted == permitted


# The tool


def test_freeze_list_and_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ("--folder", str(tmp_path))
    old = freeze("2026.01", [one for one in catalogue().values() if one.id != "gemini/natural-end"])
    checks = {check: severity for check, severity in old.checks.items() if check != "shape.idiom"}
    (tmp_path / "2026.01.toml").write_text(
        render(replace(old, checks={**checks, "text.exact": Severity.SHOULD})), encoding="utf-8"
    )
    assert main([*folder, "freeze", "2026.12"]) == 0
    assert parse((tmp_path / "2026.12.toml").read_text(encoding="utf-8"), "it") == freeze("2026.12")
    capsys.readouterr()
    assert main([*folder, "list"]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["2026.01", "2026.12"]
    assert main([*folder, "freeze", "2026.12", "--again"]) == 0
    assert main([*folder, "freeze", "2026.01", "--again"]) == 2
    capsys.readouterr()
    for new in ([], ["2026.12"]):
        assert main([*folder, "diff", "2026.01", *new]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "new cell   gemini/natural-end:buffered",
            "new cell   gemini/natural-end:streamed",
            "new check  shape.idiom (SHOULD)",
            "stricter   text.exact (SHOULD -> MUST)",
        ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["freeze", "december"], "no CalVer name"),
        (["freeze", "2026.13"], "no CalVer name"),
        (["freeze", "2026.11"], "frozen already"),
        (["freeze", "2025.01"], "older than the newest set"),
        (["diff", "2020.01"], "no requirement set"),
        (["--folder", "/dev/null/none", "freeze", "2026.12"], "cannot write"),
    ],
)
def test_bad_input_of_the_tool(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert says in capsys.readouterr().err

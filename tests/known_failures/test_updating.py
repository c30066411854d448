"""`--update-known-failures`: what stays word for word, what goes, what comes; and which runs may not write."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.checks import Finding
from conformance.declared import Declared, bring_up_to_date, find
from conformance.errors import BadOption
from conformance.known_failures import Known, parse, update
from conformance.scenarios import catalogue
from conformance.verdict import Result
from conformance.vocabulary import Api, Mode, Severity, Verdict

FILE = """# Known failures of a library.

# Looked at in May.
[[known]]
cells = "openai-chat/natural-end"
check = "text.exact"
reason = "lost"  # and a comment

[[known]]
cells = ["gemini/natural-end", "gemini/length-cap"]
check = "text.exact"
reason = "upstream bug"
link = "https://example.org/1"
expect = "lost"

[[known]]
cells = "openai-chat/length-cap"
check = "reason.class"
reason = "mended since"
"""
PATH = Path("known.toml")


def finding(check: str, problem: str = "text is lost", **changes: object) -> Finding:
    made = Finding(check, Severity.MUST, Verdict.MISLEADING, problem, "a", "b")
    return Finding(**{**{name: getattr(made, name) for name in made.__slots__}, **changes})  # type: ignore[arg-type]


def cells(*ids: str) -> dict[str, list[Finding]]:
    return {f"{id_}:{mode}": [] for id_ in ids for mode in Mode}


ALL = ("openai-chat/natural-end", "openai-chat/length-cap", "gemini/natural-end", "gemini/length-cap")


def test_what_still_shows_stays_word_for_word() -> None:
    shown = cells(*ALL)
    for cell in ("openai-chat/natural-end:buffered", "openai-chat/natural-end:streamed"):
        shown[cell] = [finding("text.exact")]
    for cell in shown:
        if cell.startswith("gemini"):
            shown[cell] = [finding("text.exact")]
    new = update(FILE, parse(FILE, PATH), shown)
    assert (new.kept, new.narrowed, new.dropped, new.added) == (2, 0, 1, 0)
    assert new.text == FILE[: FILE.rindex("\n[[known]]")]


def test_what_shows_in_fewer_cells_is_narrowed_and_keeps_reason_and_link() -> None:
    shown = cells(*ALL)
    for cell in ("openai-chat/natural-end:streamed", "gemini/length-cap:buffered", "gemini/length-cap:streamed"):
        shown[cell] = [finding("text.exact")]
    new = update(FILE, parse(FILE, PATH), shown)
    assert (new.kept, new.narrowed, new.dropped, new.added) == (0, 2, 1, 0)
    assert parse(new.text, PATH) == (
        Known(("openai-chat/natural-end:streamed",), "text.exact", "lost"),
        Known(("gemini/length-cap",), "text.exact", "upstream bug", "https://example.org/1", "lost"),
    )
    assert new.text.startswith("# Known failures of a library.\n\n[[known]]\n")


def test_what_is_new_is_added_once_a_kind_and_says_that_nobody_has_looked() -> None:
    shown = cells(*ALL)
    odd = 'says "no"\n\tand \x7f \\ é'
    for cell in ("gemini/natural-end:buffered", "gemini/natural-end:streamed", "gemini/length-cap:buffered"):
        shown[cell] = [finding("reason.class", odd), finding("reason.class", odd)]
    new = update("", (), shown)
    (entry,) = parse(new.text, PATH)
    assert (entry.cells, entry.check) == (("gemini/natural-end", "gemini/length-cap:buffered"), "reason.class")
    assert entry.reason == f"not explained yet: {odd}"
    assert entry.explains(finding("reason.class", odd))
    assert not entry.explains(finding("reason.class", "something else"))
    assert update(new.text, (entry,), shown).text == new.text


def test_a_failure_for_another_reason_is_dropped_and_added_anew() -> None:
    shown = cells(*ALL)
    shown["gemini/natural-end:buffered"] = [finding("text.exact", "something else")]
    new = update(FILE, parse(FILE, PATH), shown)
    assert (new.kept, new.dropped, new.added) == (0, 3, 1)


@pytest.mark.parametrize("change", [{"severity": Severity.SHOULD}, {"declared": "declared gap: usage"}], ids=str)
def test_what_does_not_fail_the_run_is_not_listed(change: dict[str, object]) -> None:
    shown = cells(*ALL) | {"gemini/natural-end:buffered": [finding("usage.reported", **change)]}
    assert update("", (), shown).added == 0


def test_what_could_not_be_put_here_stays() -> None:
    """A run in process cannot play faults: what is listed for them is not known to be mended."""
    shown = cells("openai-chat/natural-end", "openai-chat/length-cap", "gemini/natural-end")
    unknown = list(cells("gemini/length-cap"))
    new = update(FILE, parse(FILE, PATH), shown, unknown=unknown)
    (entry,) = parse(new.text, PATH)
    assert entry.cells == ("gemini/length-cap",)


def test_inline_tables_are_written_as_tables() -> None:
    text = 'known = [{cells = "gemini/natural-end", check = "text.exact", reason = "lost"}]\n'
    shown = {cell: [finding("text.exact")] for cell in cells("gemini/natural-end")}
    new = update(text, parse(text, PATH), shown)
    assert parse(new.text, PATH) == parse(text, PATH)


# Whole runs only


def told(**changes: Result | None) -> list[dict[str, object]]:
    """What the items of a whole run over one API tell, with the results of some cells changed or left out."""
    found = []
    for id_, scenario in catalogue().items():
        for mode in scenario.modes:
            if scenario.api is Api.GEMINI:
                result = changes.get(f"{id_}:{mode}", Result(id_, mode, Verdict.FAITHFUL, {}))
                if result is not None:
                    found.append({"apis": ["gemini"], "result": result.to_json()})
    return found


CELL = "gemini/natural-end:buffered"


def test_a_whole_run_writes(tmp_path: Path) -> None:
    broken = Result("gemini/natural-end", Mode.BUFFERED, Verdict.MISLEADING, {}, (finding("text.exact"),))
    path = tmp_path / "known.toml"
    line = bring_up_to_date(Declared((), path), told(**{CELL: broken}))
    assert line.endswith("0 entries kept, 0 narrowed, 0 dropped, 1 added: say in their reason why")
    assert [entry.cells for entry in parse(path.read_text(encoding="utf-8"), path)] == [(CELL,)]


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (None, "1 of .* cells did not run, gemini/natural-end:buffered for one: nothing was written"),
        (Result.untested("gemini/natural-end", Mode.BUFFERED, "no cassette"), "could not be tested"),
    ],
    ids=["left out", "not tested"],
)
def test_a_run_that_is_not_whole_writes_nothing(result: Result | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(FILE, encoding="utf-8")
    with pytest.raises(BadOption, match=says):
        bring_up_to_date(Declared((), path), told(**{CELL: result}))
    assert path.read_text(encoding="utf-8") == FILE


def test_a_cell_that_does_not_apply_is_no_cell_that_did_not_run(tmp_path: Path) -> None:
    items = [
        *told(**{CELL: None}),
        {"apis": ["gemini"], "not_applicable": "only the server plays faults", "cell": CELL},
    ]
    assert bring_up_to_date(Declared((), tmp_path / "known.toml"), items)


@pytest.mark.parametrize(
    ("text", "adapter", "says"),
    [
        (None, "mine:build", "no file to write"),
        ("none", "litellm", "no file to write"),
        ("no/such/folder.toml", "mine:build", "cannot write"),
    ],
)
def test_a_file_is_needed(text: str | None, adapter: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=says):
        find(text, adapter, tmp_path, tmp_path, updating=True)


def test_a_file_that_is_not_there_yet_will_be(tmp_path: Path) -> None:
    assert find("new.toml", "mine:build", tmp_path, tmp_path, updating=True) == Declared((), tmp_path / "new.toml")

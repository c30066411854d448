"""Results files: read back, refused where they are none, shards joined; summary, badge and page made of them."""

from __future__ import annotations

import base64
import json
import re
import zlib
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from made import NASTY, finding, other, result, run

from conformance.__main__ import main
from conformance.errors import BadResults
from conformance.report.badge import badge
from conformance.report.markdown import markdown
from conformance.report.page import page
from conformance.report.results import Run, merged, read_results, write_json
from conformance.report.table import lines
from conformance.report.text import explain_failure
from conformance.vocabulary import Verdict

SCHEMA = json.loads(resources.files("conformance.report").joinpath("results.schema.json").read_text(encoding="utf-8"))


def written(path: Path, of: Run) -> Path:
    write_json(of, path)
    return path


def test_what_is_written_is_of_the_schema_and_reads_back(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", other())
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), SCHEMA)
    assert read_results(path).to_json() == other().to_json()
    jsonschema.validate(json.loads(written(path, run()).read_text(encoding="utf-8")), SCHEMA)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot read"),
        ("{", "is not JSON"),
        ("[]", "holds no results"),
        ("{}", "holds no results"),
        ('{"schema": 0, "adapter": "a", "results": []}', "of schema 0"),
        ('{"schema": 1, "adapter": "a", "results": []}', "not of the results form"),
        ('{"schema": 1, "adapter": "a", "results": [5]}', "not of the results form"),
    ],
)
@pytest.mark.parametrize("command", ["page", "summary", "badge"])
def test_a_file_that_is_none_is_one_clear_error(
    command: str, text: str | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, to = tmp_path / "a.json", tmp_path / "out"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert main([command, str(path), "-o", str(to)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert says in told
    assert str(path) in told
    assert not to.exists()


def test_shards_of_one_run_are_joined() -> None:
    one, two = run(), run()
    one.results, two.results = one.results[:3], two.results[2:]
    (whole,) = merged([one, two])
    assert whole.to_json() == run().to_json()
    assert len(merged([run(), other(), run("mine", "2.0")])) == 3


def test_shards_that_contradict_each_other_are_refused() -> None:
    one, two = run(), run()
    two.results = [result("openai-chat/natural-end:buffered", Verdict.LOUD)]
    with pytest.raises(BadResults, match=r"openai-chat/natural-end:buffered: faithful, loud"):
        merged([one, two])


def test_summary_has_the_numbers_and_what_fails_and_no_markup_of_an_adapter() -> None:
    text = markdown([run(), other()])
    assert "| mine | 1.0 | anthropic-messages | · | 1 | 1 | · | 1 | 1 |" in text
    assert "| other | 2.0 | anthropic-messages | 4 | · | · | · | · | · |" in text
    assert "Undeclared: **2 MUST**, 1 SHOULD" in text
    assert "- misleading `reason.class`: told" in text
    assert "`anthropic-messages/pause-turn:buffered`" in text
    assert "Known failures (1)" in text
    assert "Declared gaps (1)" in text
    assert "<script" not in text


def test_badge_tells_the_worst() -> None:
    told = json.loads(badge(run()))
    assert told == {
        "schemaVersion": 1,
        "label": "LLM adapter conformance",
        "message": "1 of 7 misleading",
        "color": "red",
    }
    assert json.loads(badge(other()))["message"] == "4 of 4 faithful"
    assert json.loads(badge(other()))["color"] == "brightgreen"
    empty = other()
    empty.results = []
    assert json.loads(badge(empty))["color"] == "lightgrey"
    untested = other()
    untested.results.append(result("anthropic-messages/length-cap:buffered", None))
    assert json.loads(badge(untested))["message"] == "1 of 5 not tested"


def data_of(text: str) -> dict[str, Any]:
    (packed,) = re.findall(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]+)</script>', text)
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed)))
    return found


def test_page_stands_alone_and_holds_what_a_cell_needs() -> None:
    text = page([run(), other()])
    assert not re.findall(r"""(?:src|href|url\()\s*=?\s*["']?(?:https?:)?//""", text)
    assert "<script>document" not in text
    assert "$" + "data" not in text
    data = data_of(text)
    assert [each["key"] for each in data["runs"]] == ["mine", "other"]
    cell = data["runs"][0]["cells"]["anthropic-messages/pause-turn:buffered"]
    assert cell["v"] == "misleading"
    assert cell["sent"]
    assert cell["seen"]["reason"] == "stop"
    assert cell["f"][0]["observed"] == NASTY.replace("\ud800", "?")
    (told,) = [each for each in data["scenarios"] if each["id"] == "anthropic-messages/pause-turn"]
    wire = told["modes"]["streamed"]
    assert "pause_turn" in wire["frames"][wire["at"]]
    assert wire["right"]["reason"] == "continue"
    assert wire["http"] == "HTTP 200"
    assert told["evidence"]


def test_page_of_one_adapter_in_two_versions_tells_them_apart() -> None:
    data = data_of(page([run("a", "1"), run("a", "2")]))
    assert [each["key"] for each in data["runs"]] == ["a 1", "a 2"]


def test_page_shows_cells_of_a_scenario_that_this_corpus_has_not() -> None:
    old = other()
    old.results.append(result("gemini/long-gone:buffered", Verdict.FAITHFUL))
    assert data_of(page([old]))["scenarios"][-1]["id"] == "gemini/long-gone"


def test_command_renders_several_files_into_one_page(tmp_path: Path) -> None:
    files = [written(tmp_path / name, of) for name, of in (("a.json", run()), ("b.json", other()))]
    to = tmp_path / "report" / "index.html"
    assert main(["page", *map(str, files), "-o", str(to)]) == 0
    assert len(data_of(to.read_text(encoding="utf-8"))["runs"]) == 2


def test_badge_is_for_one_adapter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [written(tmp_path / name, of) for name, of in (("a.json", run()), ("b.json", other()))]
    assert main(["badge", *map(str, files)]) == 2
    assert "results of 2 runs" in capsys.readouterr().err


def broken_in(*cells: str) -> Run:
    found = finding(Verdict.MISLEADING, check="request.max-tokens", problem="not sent")
    results = [result(cell, Verdict.MISLEADING, found, outcomes={"request.max-tokens": "fail"}) for cell in cells]
    return Run("mine", None, "2026.11.0", "server", ("gemini",), results)


def test_a_request_that_lacks_the_same_everywhere_points_at_the_binding_first() -> None:
    hint = "request.max-tokens fails in each of 3 cells: does the binding hand call.max_tokens to the library?"
    everywhere = broken_in("gemini/natural-end:buffered", "gemini/natural-end:streamed", "gemini/length-cap:buffered")
    assert hint in "\n".join(lines(everywhere))
    assert "does the binding hand call.max_tokens" in explain_failure(everywhere.results[0], "mine")
    right = result("gemini/length-cap:streamed", Verdict.FAITHFUL, outcomes={"request.max-tokens": "pass"})
    everywhere.results.append(right)
    assert "does the binding" not in "\n".join(lines(everywhere))
    assert "does the binding" not in explain_failure(run().results[1], "mine")

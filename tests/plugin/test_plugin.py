"""The plugin as users meet it: the ways to plug in, what is printed, the files, what other runs pay. No bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.scenarios import catalogue
from conformance.vocabulary import Api

pytestmark = pytest.mark.slow  # a minute in all, so that the fast loop stays fast: `make test-all` and CI run it

Run = Callable[..., pytest.RunResult]
Read = Callable[[Path], dict[str, Any]]

PLAIN = "natural-end or tool-call"
"""A `-k` expression that keeps runs short: the smoke tests and a few cells."""

DROPS_STOP = """
    def post(self, call, **more):
        return super().post(replace(call, stop=None), **more)
"""
SCHEMA = json.loads(resources.files("conformance.report").joinpath("results.schema.json").read_text(encoding="utf-8"))


def cells_of(api: Api) -> int:
    return sum(len(scenario.modes) for scenario in catalogue().values() if scenario.api is api)


# The ways to plug in


def test_shipped_name(run: Run) -> None:
    """A run says what is judged with what, and ends in the table and the totals."""
    result = run("--adapter", "reference", "--apis", "gemini", "-k", "natural-end")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            f"conformance: adapter reference *, corpus * ({cells_of(Api.GEMINI)} cells), transport server, no known *",
            "conformance: apis gemini",
            "*test_conformance.py*",
            "*= conformance =*",
            "*1 request.stop-whole * MUST*",
            "gemini/natural-end:buffered * faithful *+*",
            "2 cells: 2 faithful, 0 declared, 0 loud, 0 broken, 0 misleading",
            "undeclared: 0 MUST, 0 SHOULD; stale declarations: 0",
            "*4 passed*",
        ]
    )


@pytest.mark.usefixtures("mine")
def test_factory_of_ones_own(run: Run) -> None:
    """`pkg.module:factory` names an adapter outside this package; its APIs alone are collected."""
    result = run("--adapter", "mine:build", "-k", PLAIN)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["conformance: adapter mine,*", "conformance: apis anthropic-messages", "* cells: *"])
    result.stdout.no_fnmatch_line("*openai*")


def test_ini(run: Run, pytester: pytest.Pytester) -> None:
    """Every option is an ini setting too."""
    pytester.makeini(
        "[pytest]\nconformance_adapter = reference\nconformance_apis = gemini,openai-chat\n"
        "conformance_transport = vcr\nconformance_report = found.json\nconformance_time_limit = 5\n"
    )
    result = run("-k", PLAIN)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*transport vcr*", "conformance: apis openai-chat, gemini", "results: *found.json"])


def test_readme_binding_as_a_fixture(run: Run, pytester: pytest.Pytester, readme_binding: str, read: Read) -> None:
    """One test file of a user runs the suite (all of it: test_wheel.py); of other APIs nothing is collected."""
    pytester.makepyfile(test_mine=readme_binding)
    pytester.makeini("[pytest]\nconformance_apis = anthropic-messages\n")
    result = run("--conformance-report", "found.json", "-k", PLAIN, suite=False)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*adapter from the `adapter` fixture*", "*0 broken, 0 misleading*"])
    assert "skipped" not in result.parseoutcomes()
    found = read(pytester.path / "found.json")
    assert (found["adapter"], found["not_applicable"]) == ("mine", {})
    assert {cell["scenario"].partition("/")[0] for cell in found["results"]} == {"anthropic-messages"}


def test_fixture_without_ini(run: Run, pytester: pytest.Pytester, readme_binding: str, read: Read) -> None:
    """Cells of APIs that the adapter does not speak are counted apart, and the run says how to leave them out."""
    pytester.makepyfile(test_mine=readme_binding)
    result = run("-k", PLAIN, "--conformance-report", "found.json", suite=False)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["* cells do not apply: mine does not speak gemini", "*ini file: conformance_apis = anthropic-messages"]
    )
    found = read(pytester.path / "found.json")
    assert found["apis"] == ["anthropic-messages"]
    assert set(found["not_applicable"]) == {
        f"mine does not speak {api}" for api in Api if api is not Api.ANTHROPIC_MESSAGES
    }


# What is printed


def test_failure_says_what_there_is_to_know(run: Run, faulty: Callable[[str], str]) -> None:
    result = run("--adapter", faulty(DROPS_STOP), "-k", "anthropic-messages/stop-fired:buffered")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "anthropic-messages/stop-fired:buffered  misleading  (mine)",
            "  the wire: *",
            "  right: *",
            "  MUST request.stop-whole: *",
            "      expected  *",
            "      observed  *",
            "      rule      *",
            "  sent 1    POST /v1/messages  {*}",
            "  wire      HTTP 200, cassettes/anthropic-messages/stop-fired/buffered.yaml",
            "  evidence  *",
            "  cassette  *",
            "  to do     mend the adapter; or list it *",
            "*open findings*",
            "  MUST   request.stop-whole *",
            "undeclared: 1 MUST, *",
        ]
    )
    result.stdout.no_fnmatch_line("*test_conformance.py:*: Failed*")


@pytest.mark.parametrize("quiet", [["-q"], ["-qq"], ["--tb=no"], ["-v"]], ids=" ".join)
def test_table_whatever_the_verbosity(quiet: list[str], run: Run) -> None:
    result = run("--adapter", "reference", "-k", "gemini/natural-end", *quiet)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["gemini/natural-end:streamed *", "2 cells: 2 faithful*"])


# Known failures


def test_known_failures(run: Run, faulty: Callable[[str], str], pytester: pytest.Pytester, read: Read) -> None:
    """A listed failure does not fail the run and is told with its reason; it hides no other."""
    known = '[[known]]\ncells = "*/stop-fired"\ncheck = "request.stop-whole"\nreason = "stop is not sent, see #1"\n'
    pytester.path.joinpath("known.toml").write_text(known, encoding="utf-8")
    adapter = faulty(DROPS_STOP)
    common = ("--adapter", adapter, "--known-failures", "known.toml", "--conformance-report", "found.json")
    result = run(*common, "-k", "anthropic-messages/stop-fired:")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "*1 known failures from *known.toml",
            "declared: listed as known failures",
            "  MUST   request.stop-whole *",
            "*stop is not sent, see #1",
            "2 cells: 0 faithful, 2 declared, *",
        ]
    )
    found = read(pytester.path / "found.json")
    assert {finding["declared"] for cell in found["results"] for finding in cell["findings"]} == {
        "stop is not sent, see #1"
    }
    assert run(*common, "-k", "stop-fired: or stop-unicode:").ret == 1


@pytest.mark.usefixtures("mine")
def test_stale_known_failure(run: Run, pytester: pytest.Pytester) -> None:
    """A listed failure that does not show is a failure."""
    known = '[[known]]\ncells = "*/natural-end"\ncheck = "text.exact"\nreason = "was so once"\n'
    pytester.path.joinpath("known.toml").write_text(known, encoding="utf-8")
    result = run("--adapter", "mine:build", "--known-failures", "known.toml", "-k", "anthropic-messages/natural-end")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*STALE  text.exact is a listed failure and did not fail*", "*stale declarations: 2"])


def test_update_known_failures(run: Run, pytester: pytest.Pytester, faulty: Callable[[str], str]) -> None:
    """A whole run writes the file anew, and the next one is green; a run of some cells may not."""
    old = '[[known]]\ncells = "anthropic-messages/natural-end"\ncheck = "text.exact"\nreason = "was so once"\n'
    pytester.path.joinpath("known.toml").write_text(old, encoding="utf-8")
    common = ("--adapter", faulty(DROPS_STOP), "--known-failures", "known.toml", "-q", "--tb=no")
    result = run(*common, "--update-known-failures")
    result.stdout.fnmatch_lines(["known failures: *known.toml: 0 entries kept, 0 narrowed, 1 dropped, * added: *"])
    text = pytester.path.joinpath("known.toml").read_text(encoding="utf-8")
    assert 'check = "request.stop-whole"' in text
    assert "not explained yet: " in text
    assert "was so once" not in text
    assert run(*common).ret == 0


# A binding that is wired wrong

WRONG = """
    def post(self, call, **more):
        return super().post(replace(call, base_url=call.base_url + "/nowhere"), **more)
"""


def test_smoke_failing_stops_the_rest(
    run: Run, faulty: Callable[[str], str], pytester: pytest.Pytester, read: Read
) -> None:
    """The message says that the binding is wired wrong; no cell is judged, and none is counted as passed."""
    result = run("--adapter", faulty(WRONG), "--conformance-report", "found.json")
    cells = cells_of(Api.ANTHROPIC_MESSAGES)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "the binding of mine is wired wrong, so nothing else is run for this API",
            f"{cells} cells: 0 faithful, *, {cells} not tested",
        ]
    )
    assert result.parseoutcomes()["failed"] == 3
    assert "passed" not in result.parseoutcomes()
    found = read(pytester.path / "found.json")
    jsonschema.validate(found, SCHEMA)
    assert found["totals"] == {"not tested": cells}
    assert found["wiring"]


def test_smoke_of_a_tool_call_holds_back_what_asks_for_tools(
    run: Run, faulty: Callable[[str], str], pytester: pytest.Pytester, read: Read
) -> None:
    """A library without tools that work is judged on all the rest; what was not tested is not passed."""
    adapter = faulty(
        """
        def post(self, call, **more):
            if call.tools:
                raise NameError("tools")
            return super().post(call, **more)
        """
    )
    result = run("--adapter", adapter, "--conformance-report", "found.json", "-k", PLAIN)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["the binding of mine is wired wrong, so no cell with tools is run for this API"])
    verdicts = {
        f"{cell['scenario']}:{cell['mode']}": cell["verdict"] for cell in read(pytester.path / "found.json")["results"]
    }
    assert verdicts["anthropic-messages/natural-end:buffered"] == "faithful"
    assert verdicts["anthropic-messages/tool-call:buffered"] is None


def test_smoke_counts_where_it_is_not_selected(run: Run, faulty: Callable[[str], str]) -> None:
    """Without the smoke tests a wrong binding fails the first cell: a run of one cell is never green for it."""
    result = run("--adapter", faulty(WRONG), "-k", "test_scenario and natural-end")
    assert result.ret == 1
    result.assert_outcomes(failed=1, skipped=1)


# The files


def test_results_are_of_the_schema(run: Run, pytester: pytest.Pytester, read: Read) -> None:
    run("--adapter", "reference", "--conformance-report", "found.json", "-k", PLAIN)
    found = read(pytester.path / "found.json")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(found, SCHEMA)
    order = list(dict.fromkeys(result["scenario"] for result in found["results"]))
    assert order == [scenario for scenario in catalogue() if scenario in order]
    assert set(found["apis"]) == set(Api)


def test_schema_can_fail(run: Run, pytester: pytest.Pytester, read: Read) -> None:
    """The schema refuses a results file that was tampered with."""
    run("--adapter", "reference", "--conformance-report", "found.json", "-k", "gemini/natural-end")
    for path, value in (("verdict", "fine"), ("mode", "both"), ("problem", "untold"), ("extra", 1)):
        found = read(pytester.path / "found.json")
        found["results"][0][path] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(found, SCHEMA)


def test_xdist_with_a_fixture(run: Run, pytester: pytest.Pytester, readme_binding: str) -> None:
    """The controller builds no adapter, yet knows whose results these are."""
    pytest.importorskip("xdist")
    pytester.makepyfile(test_mine=readme_binding)
    for name, workers in (("one.json", ()), ("two.json", ("-p", "xdist", "-n", "2"))):
        assert run("-k", "natural-end", "--conformance-report", name, *workers, suite=False).ret == 0
    assert (pytester.path / "one.json").read_bytes() == (pytester.path / "two.json").read_bytes()


def test_files_without_a_terminal(run: Run, pytester: pytest.Pytester, read: Read) -> None:
    common = ("--conformance-report", "found.json", "--conformance-html", "found.html", "-k", "gemini/natural-end")
    assert run("--adapter", "reference", "-p", "no:terminal", *common).ret == 0
    assert read(pytester.path / "found.json")["totals"] == {"faithful": 2}
    assert (pytester.path / "found.html").is_file()


class Page(HTMLParser):
    """Checks that each tag is closed, and collects ids and addresses."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name in {"href", "src", "action"} and value:
                self.addresses.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page(run: Run, pytester: pytest.Pytester, faulty: Callable[[str], str]) -> None:
    """The page is whole and asks for nothing from elsewhere; what it shows: tests/report and tests/browser."""
    result = run("--adapter", faulty(DROPS_STOP), "--conformance-html", "found.html", "-k", "stop-fired or natural-end")
    result.stdout.fnmatch_lines(["page: *found.html"])
    text = (pytester.path / "found.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.addresses == []
    assert "data" in page.ids


def test_page_escapes_what_an_adapter_says(run: Run, pytester: pytest.Pytester, faulty: Callable[[str], str]) -> None:
    """Neither markup nor a lone surrogate in a reply breaks a file."""
    adapter = faulty(
        r"""
        def complete(self, call):
            return replace(super().complete(call), text="<script>alert(1)</script>\ud800")
        """
    )
    result = run(
        "--adapter",
        adapter,
        "-k",
        "natural-end:buffered",
        "--conformance-html",
        "a.html",
        "--conformance-report",
        "a.json",
    )
    assert result.ret == 1
    assert "<script>alert(1)" not in (pytester.path / "a.html").read_text(encoding="utf-8")
    jsonschema.validate(json.loads((pytester.path / "a.json").read_text(encoding="utf-8")), SCHEMA)


# What must not happen


def test_snapshot_update_with_an_adapter(run: Run) -> None:
    pytest.importorskip("syrupy")
    result = run("-p", "syrupy", "--adapter", "reference", "--snapshot-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--snapshot-update together with an adapter*", "*make snapshots*"])


def test_snapshot_update_with_a_fixture(run: Run, pytester: pytest.Pytester, readme_binding: str) -> None:
    pytest.importorskip("syrupy")
    pytester.makepyfile(test_mine=readme_binding)
    result = run("-p", "syrupy", "--snapshot-update", suite=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--snapshot-update together with an adapter" in result.stdout.str() + result.stderr.str()


def test_other_runs_import_nothing(run: Run, pytester: pytest.Pytester) -> None:
    """A pytest run that asks for no adapter pays for the plugin's own module and for nothing beneath it."""
    pytester.makepyfile(
        """
        import sys

        def test_nothing():
            heavy = {"yaml", "h11", "hypothesis", "asyncio", "http.client"}
            ours = {name for name in sys.modules if name.startswith("conformance.")}
            assert not heavy & set(sys.modules)
            assert ours == {"conformance.plugin"}
        """
    )
    result = run(suite=False)
    assert result.ret == 0, result.stdout.str()


def test_help_names_every_option(run: Run) -> None:
    result = run("--help", suite=False)
    for option in ("adapter", "apis", "transport", "known-failures", "conformance-report", "conformance-html"):
        result.stdout.fnmatch_lines([f"*--{option}=*"])

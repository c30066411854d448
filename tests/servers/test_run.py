"""A run with `--server` as its user meets it: exit codes, what is printed, the files, bad options. No rule is here."""

from __future__ import annotations

import json
import socket
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.checks.server_rules import SERVER_RULES
from conformance.plugin import _SERVER_SETTINGS, _ini
from conformance.report.page_data import page_data
from conformance.report.results import read_results
from tests.servers.engine import MODEL, Engine, running
from tests.servers.faulty.matching import KeepsMatch
from tests.servers.hopeless import AnswersAtRandom

SOME = "server-stop-mid-word or server-answers or server-stop-beyond"


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """A run in a process of its own, with this plugin alone."""
    return pytester.runpytest_subprocess("-p", "conformance.plugin", "--pyargs", "conformance", *arguments)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def of(url: str, *apis: str) -> list[str]:
    """The options that name a server."""
    return [*(f"--server={api}@{url}" for api in apis), f"--model={MODEL}"]


@pytest.mark.slow
def test_faithful(pytester: pytest.Pytester) -> None:
    """Two APIs of one server in one run; the files have the forms of an adapter's run; adapters are not collected."""
    pytester.makeini("[pytest]\nconformance_adapter = reference\nconformance_apis = gemini\n")  # of an adapter
    with running(Engine()) as url:
        files = ("--conformance-report=found.json", "--conformance-html=found.html")
        result = run(pytester, *of(url, "openai-chat", "anthropic-messages"), "-k", SOME, *files)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "conformance: server openai-chat@* anthropic-messages@*, model scripted-1, * at most 600 requests, no *",
            "*1 stop.honoured * MUST*",
            "openai-chat/server-answers:buffered * faithful *+*",
            "openai-chat/server-stop-beyond-limit:buffered * loud *+*",
            "requests: * of 600",
            "results: *found.json",
            "*10 passed*",
        ]
    )
    result.stdout.no_fnmatch_line("*test_conformance*")
    told: dict[str, Any] = json.loads((pytester.path / "found.json").read_text(encoding="utf-8"))
    schema = resources.files("conformance.report").joinpath("results.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(told, json.loads(schema))
    assert told["transport"] == "http"
    assert (pytester.path / "found.html").is_file()
    shown = page_data([read_results(pytester.path / "found.json")])
    assert "A stop string inside a word." in [told["claim"] for told in shown["scenarios"]]
    assert list(shown["rules"]) == list(SERVER_RULES)


@pytest.mark.slow
def test_findings(pytester: pytest.Pytester) -> None:
    """A MUST that fails fails the run, says what to run by hand, and can be listed as known."""
    with running(KeepsMatch()) as url:
        result = run(pytester, *of(url, "openai-chat"), "-k", "server-stop-mid-word:buffered")
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            [
                "  MUST stop.trimmed: the matched string is kept in the text  (misleading)",
                "  shows it  curl -sN http://127.0.0.1:*/v1/chat/completions *",
                '      check = "stop.trimmed"',
            ]
        )
        entry = ('cells = "openai-chat/server-stop-mid-word:buffered"', 'check = "stop.trimmed"', 'reason = "so"')
        known = "\n".join(["[[known]]", *entry])
        (pytester.path / "known.toml").write_text(known, encoding="utf-8")
        options = (*of(url, "openai-chat"), "-k", "server-stop-mid-word:buffered", "--known-failures=known.toml")
        result = run(pytester, *options)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["openai-chat/server-stop-mid-word:buffered * declared *d*"])


@pytest.mark.slow
def test_not_tested_is_no_pass(pytester: pytest.Pytester) -> None:
    """Of a server that does not repeat itself one failure says so, and the others are counted as not tested."""
    with running(AnswersAtRandom()) as url:
        result = run(pytester, *of(url, "openai-chat"), "-k", "server-stop-mid-word or server-stop-case")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*the server does not repeat itself at a fixed seed and temperature*"])
    result.stdout.fnmatch_lines(["4 cells: * 4 not tested", "*1 failed, 3 skipped*"])


@pytest.mark.slow
def test_not_there(pytester: pytest.Pytester) -> None:
    """A wrong address is a usage error, before anything runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    result = run(pytester, *of(url, "openai-chat"), "-k", "answers")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: conformance: nothing listens at {url}" in result.stderr.str() + result.stdout.str()


def test_documented_options() -> None:
    """docs/servers.md names every option with its ini setting, and every exit code."""
    page = (Path(__file__).parents[2] / "docs" / "servers.md").read_text(encoding="utf-8")
    for name, metavar in [("server", "API@URL"), *((name, metavar) for name, metavar, _ in _SERVER_SETTINGS)]:
        assert f"| `--{name} {metavar}` | `{_ini(name)}` |" in page
    assert all(f"\n| {code} | " in page for code in (0, 1, 4))


BAD = [
    (("--server=openai-chat@http://127.0.0.1:1/v1",), "--server without a model"),
    (("--server=chat@http://127.0.0.1:1/v1", "--model=m"), "names no API"),
    (("--server=gemini@http://h/a", "--server=gemini@http://h/b", "--model=m"), "gemini is named twice"),
    (("--server=gemini@http://127.0.0.1:1", "--model=m", "--adapter=reference"), "--adapter together with --server"),
    (("--server=gemini@http://127.0.0.1:1", "--model=m", "--max-requests=none"), "is no number of requests"),
    (("--server=gemini@http://127.0.0.1:1", "--model=m", "--api-key-env=NOT_SET"), "NOT_SET is not set"),
    (("--server=gemini@http://127.0.0.1:1", "--model=m", "--known-failures=gone.toml"), "cannot read"),
    (("--server=gemini@http://127.0.0.1:1", "--model=m", "--update-known-failures"), "write the entries by hand"),
]


@pytest.mark.parametrize(("arguments", "says"), BAD, ids=[says for _, says in BAD])
def test_bad_options(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    """Every mistake is one clear error that names the mend."""
    from conformance.errors import ConformanceError
    from conformance.server_options import read

    told = dict(argument[2:].partition("=")[::2] for argument in arguments)
    servers = [argument.partition("=")[2] for argument in arguments if argument.startswith("--server=")]
    with pytest.raises(ConformanceError) as caught:
        read(servers, told.get, tmp_path, update="update-known-failures" in told)
    assert says in str(caught.value)
    assert caught.value.mend

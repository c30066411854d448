"""One malformed thing of each kind: one clear usage error, no traceback. No good input is here."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.corpus import root

pytestmark = pytest.mark.slow  # each is a process of its own

Run = Callable[..., pytest.RunResult]

KNOWN = '[[known]]\ncells = "gemini/natural-end"\ncheck = "text.exact"\nreason = "tracked"\n'


def refused(result: pytest.RunResult, *says: str) -> None:
    """The run ended in one usage error of a few lines that says these things."""
    told = result.stderr.str() + result.stdout.str()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in told
    assert "INTERNALERROR" not in told
    assert len(re.findall(r"^(?!conformance: ).*conformance: ", told, re.MULTILINE)) == 1  # beside the header's lines
    assert "\n  mend: " in told
    for text in says:
        assert text in told


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--adapter", "litelm", "did you mean litellm"),
        ("--adapter", "no.such.module:build", "there is no module 'no'"),
        ("--adapter", "json:build", "json has no 'build'"),
        ("--adapter", "json:loads", "TypeError"),
        ("--adapter", "json:__name__", "cannot be called"),
        ("--adapter", "builtins:dict", "lacks name, apis"),
        ("--apis", "openai", "--apis: no API 'openai'"),
        ("--apis", ",", "--apis is empty"),
        ("--transport", "pigeon", "--transport: no transport 'pigeon'"),
        ("--conformance-time-limit", "soon", "'soon' is no number of seconds"),
        ("--conformance-time-limit", "0", "a number above 0"),
        ("--conformance-time-limit", "nan", "a number above 0"),
        ("--conformance-report", "no/such/folder/found.json", "--conformance-report: cannot write"),
        ("--conformance-report", ".", "--conformance-report: cannot write"),
        ("--conformance-html", "no/such/folder/found.html", "--conformance-html: cannot write"),
        ("--known-failures", "missing.toml", "cannot read"),
    ],
)
def test_option(option: str, value: str, says: str, run: Run) -> None:
    # Of an option that is given twice the last counts, so that the adapter may be the one that is wrong.
    refused(run("--adapter", "reference", option, value), says)


def test_api_that_the_adapter_does_not_speak(run: Run, faulty: Callable[[str], str]) -> None:
    refused(run("--adapter", faulty("pass"), "--apis", "gemini"), "the adapter does not speak gemini")


def test_ini_value(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nconformance_adapter = reference\nconformance_transport = pigeon\n")
    refused(run(), "no transport 'pigeon'")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not = [toml", "known.toml:1: not TOML"),
        ("\udcff", "cannot read"),
        ("[other]\n", "known.toml:1: unknown table 'other'"),
        (KNOWN.replace("text.exact", "text.exactly"), "known.toml:3: entry 1 names no check 'text.exactly'"),
        (
            KNOWN.replace("gemini/", "gemini/no-"),
            "known.toml:2: entry 1 names 'gemini/no-natural-end', which matches no cell",
        ),
        (KNOWN.replace('"tracked"', '" "'), "has an empty reason"),
        (KNOWN.replace("reason", "because"), "lacks reason"),
        (KNOWN + 'until = "2027"\n', "known.toml:5: entry 1 has an unknown key 'until'"),
        (KNOWN.replace("natural-end", "*"), "at most 20 are allowed"),
        (KNOWN + KNOWN, "known.toml:6: entry 2 lists text.exact for gemini/natural-end:"),
    ],
)
def test_known_failures(text: str, says: str, run: Run, pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("known.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    refused(run("--adapter", "reference", "--known-failures", "known.toml"), says)


def test_known_failures_of_an_api_that_is_not_spoken(
    run: Run, pytester: pytest.Pytester, faulty: Callable[[str], str], readme_binding: str
) -> None:
    """They could never show; told for a named adapter, and for one that a fixture built."""
    pytester.path.joinpath("known.toml").write_text(KNOWN, encoding="utf-8")
    refused(run("--adapter", faulty("pass"), "--known-failures", "known.toml"), "names no cell of anthropic-messages")
    pytester.makepyfile(test_mine=readme_binding)
    result = run("--known-failures", "known.toml", suite=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "names no cell of anthropic-messages" in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("-k", "natural-end"), "together with -k"),
        (("-m", "slow"), "together with -m"),
        (("-x",), "together with -x"),
        (("--deselect", "a.py"), "together with --deselect"),
        (("--apis", "gemini"), "the run leaves out anthropic-messages, openai-chat, openai-responses"),
        (("--known-failures", "none"), "no file to write"),
        (("--known-failures", "no/such/folder.toml"), "cannot write"),
    ],
)
def test_update_known_failures_of_some_cells(options: tuple[str, ...], says: str, run: Run) -> None:
    refused(run("--adapter", "reference", "--known-failures", "known.toml", "--update-known-failures", *options), says)


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ("def __init__(self): raise RuntimeError('no key')", "raised RuntimeError: no key"),
        ("def __getattribute__(self, name): raise AttributeError(name)", "lacks name, apis"),
    ],
    ids=["raises", "is none"],
)
def test_binding(methods: str, says: str, run: Run, faulty: Callable[[str], str]) -> None:
    refused(run("--adapter", faulty(methods)), says)


@pytest.mark.parametrize(
    ("fixture", "says"),
    [
        (
            "@pytest.fixture(scope='session')\ndef adapter():\n    raise RuntimeError('no key')\n",
            "RuntimeError: no key",
        ),
        ("@pytest.fixture(scope='session')\ndef adapter():\n    return object()\n", "lacks name, apis"),
        ("@pytest.fixture\ndef adapter():\n    return object()\n", "scope='session'"),
        ("", "no adapter named"),
    ],
    ids=["raises", "is none", "scope", "absent"],
)
def test_fixture(fixture: str, says: str, run: Run, pytester: pytest.Pytester) -> None:
    """A fixture that cannot be used ends the run at once: each of some hundred cells would say the same."""
    pytester.makepyfile(test_mine=f"import pytest\nfrom conformance.suite import *\n\n{fixture}")
    refused(run(suite=False), says)


def test_binding_that_returns_something_else(run: Run, faulty: Callable[[str], str]) -> None:
    """That is a binding wired wrong, and no traceback of the suite."""
    result = run("--adapter", faulty("def complete(self, call): return 'text'"), "-k", "natural-end:buffered")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*mine.complete returned str*"])
    result.stdout.no_fnmatch_line("*Traceback*")


# A broken corpus. The package is copied, since its corpus is what the package carries.


@pytest.fixture
def corpus(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a corpus that may be broken, carried by a copy of the package."""
    package = Path(__file__).parents[2] / "conformance"
    away = pytester.path / "copy"
    shutil.copytree(package, away / "conformance", ignore=shutil.ignore_patterns("__pycache__", "_corpus"))
    for folder in ("cassettes", "snapshots"):
        shutil.copytree(root() / folder, away / folder)
    monkeypatch.setenv("PYTHONPATH", str(away))
    return away


def cassette(corpus: Path) -> Path:
    return corpus / "cassettes" / "gemini" / "length-cap" / "buffered.yaml"


@pytest.mark.parametrize(
    ("text", "says"), [("interactions: [", "cannot read the cassette"), ("- 1\n", "is not a vcrpy cassette")]
)
def test_broken_cassette(text: str, says: str, run: Run, corpus: Path) -> None:
    """It is told at the start, not cell by cell."""
    cassette(corpus).write_text(text, encoding="utf-8")
    refused(run("--adapter", "reference", "--apis", "gemini", "-k", "length-cap"), says, "python -m tools.author")


def test_broken_cassette_is_nobodys_business_elsewhere(run: Run, corpus: Path) -> None:
    cassette(corpus).write_text("interactions: [", encoding="utf-8")
    assert run("--adapter", "reference", "--apis", "gemini", "-k", "natural-end").ret == 0


def test_unsafe_cassette(run: Run, corpus: Path) -> None:
    """A cassette is data: tags that would build Python objects are refused."""
    mark = corpus / "mark"
    cassette(corpus).write_text(
        f"!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['{mark}']]"
    )
    refused(run("--adapter", "reference", "--apis", "gemini", "-k", "length-cap"), "cannot read the cassette")
    assert not mark.exists()


def harness(result: pytest.RunResult, *says: str) -> None:
    """One cell was not tested, and that is told as the suite's own problem."""
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["gemini/length-cap:buffered  not tested  (reference)", "  the suite could not put its question: *"]
    )
    result.stdout.fnmatch_lines(["*1 not tested", "undeclared: 0 MUST, 0 SHOULD; *"])
    result.stdout.no_fnmatch_line("*Traceback*")
    for text in says:
        assert text in result.stdout.str()


def test_snapshot_without_cassette(run: Run, corpus: Path) -> None:
    cassette(corpus).unlink()
    harness(run("--adapter", "reference", "-k", "gemini/length-cap:buffered"), "no cassette at")


def test_cassette_without_snapshot(run: Run, corpus: Path) -> None:
    (corpus / "snapshots" / "gemini" / "length-cap.json").unlink()
    harness(run("--adapter", "reference", "-k", "gemini/length-cap:buffered"), "no snapshot at")


def test_broken_snapshot(run: Run, corpus: Path) -> None:
    (corpus / "snapshots" / "gemini" / "length-cap.json").write_text("{", encoding="utf-8")
    harness(run("--adapter", "reference", "-k", "gemini/length-cap:buffered"), "cannot read the snapshot")


def test_cassette_that_no_longer_shows_its_premise(run: Run, corpus: Path) -> None:
    shutil.copy(corpus / "cassettes" / "gemini" / "natural-end" / "buffered.yaml", cassette(corpus))
    harness(run("--adapter", "reference", "-k", "gemini/length-cap:buffered"), "no longer shows its premise")

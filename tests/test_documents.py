"""What README, CHANGELOG and CONTRIBUTING say is so: paths, commands, options, ids, the quote. Not their prose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.plugin import _SETTINGS, _ini
from conformance.scenarios import catalogue
from conformance.vocabulary import Verdict

ROOT = Path(__file__).parents[1]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_changelog_lists_every_scenario() -> None:
    """An adapter's authors can see which version brought a scenario."""
    listed = set(re.findall(r"^- `([a-z-]+/[a-z0-9-]+)`", text("CHANGELOG.md"), re.MULTILINE))
    assert "\n".join(sorted(set(catalogue()) - listed)) == ""


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_paths_exist(name: str) -> None:
    named = re.findall(r"`((?:conformance|cassettes|snapshots|tools|tests)/[\w./]*|[A-Z]+\.md)`", text(name))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_commands_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", text("Makefile"), re.MULTILINE))
    used = set(re.findall(r"(?:^|`)make ([a-z-]+)", text(name), re.MULTILINE))
    assert used
    assert used <= targets


def test_readme_names_every_option_and_verdict() -> None:
    readme = text("README.md")
    for name, metavar, _ in _SETTINGS:
        assert f"| `--{name} {metavar}` | `{_ini(name)}` |" in readme
    for verdict in Verdict:
        assert f"| `{verdict}` |" in readme


@pytest.mark.slow  # LiteLLM in a process of its own
def test_readme_quotes_a_real_failure(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each quoted line is in the output of the quoted run."""
    pytest.importorskip("litellm")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (quoted,) = re.findall(r"^```text\n(.*?)^```", text("README.md"), re.MULTILINE | re.DOTALL)
    options = ("--adapter", "litellm", "--known-failures", "none", "-k", "openai-chat/send-stop-5:buffered")
    result = pytester.runpytest_subprocess("-p", "conformance.plugin", "--pyargs", "conformance", *options)
    assert result.ret == 1
    missing = [line for line in quoted.splitlines() if line not in result.stdout.lines]
    assert missing == []

"""The action, the workflows and docs/ci.md: they parse, and name inputs, options and commands that there are."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.__main__ import main
from conformance.plugin import _SETTINGS

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
DOC = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def runs(document: Any) -> list[str]:
    """Every `run:` of a workflow or action."""
    if isinstance(document, dict):
        mine = [document["run"]] if isinstance(document.get("run"), str) else []
        return mine + [text for value in document.values() for text in runs(value)]
    return [text for value in document for text in runs(value)] if isinstance(document, list) else []


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_scripts_are_bash_and_take_no_input_but_by_the_environment(path: Path) -> None:
    """What a caller or a pull request says never becomes part of a script."""
    found = runs(yaml.safe_load(path.read_text(encoding="utf-8")))
    assert found
    for script in found:
        assert "${{" not in script
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_what_there_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["jobs"]
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake (?:--\S+ )*([a-z][a-z-]*)", text)) <= targets
    for module in re.findall(r"python -m (tools\.\w+)", text):
        assert (ROOT / module.replace(".", "/") / "__main__.py").is_file()
    for script in re.findall(r"bash (\S+)", text):
        assert (ROOT / script).is_file()


def test_the_workflow_to_paste_uses_inputs_that_the_action_has() -> None:
    (pasted,) = re.findall(r"^```yaml\n(.*?)^```", DOC, re.MULTILINE | re.DOTALL)
    (job,) = yaml.safe_load(pasted)["jobs"].values()
    (step,) = [step for step in job["steps"] if "llm-adapter-conformance" in step.get("uses", "")]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert set(re.findall(r"^\| `([a-z-]+)` \|", DOC, re.MULTILINE)) == set(ACTION["inputs"])


def test_the_action_reads_each_of_its_inputs() -> None:
    steps = str(ACTION["runs"]["steps"])
    assert {name for name in ACTION["inputs"] if f"inputs.{name}" not in steps} == set()


def test_options_that_are_named_exist() -> None:
    ours = {f"--{name}" for name, _, _ in _SETTINGS} | {"--update-known-failures"}
    foreign = {"--junitxml", "--pyargs", "--tb"}
    scripts = "\n".join([*re.findall(r"^```sh\n(.*?)^```", DOC, re.MULTILINE | re.DOTALL), *runs(ACTION)])
    calls = re.findall(r"-m pytest [^\n]*(?:\\\n[^\n]*)*", scripts)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(calls)))
    assert named
    assert named <= ours | foreign


@pytest.mark.parametrize("command", ["summary", "page", "badge"])
def test_commands_that_are_named_exist(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"python -m conformance {command} " in DOC
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert "RESULTS" in capsys.readouterr().out

"""The wheel in a user's own repository, in fresh environments with the lowest and the newest core dependencies."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
import zlib
from pathlib import Path

import jsonschema
import pytest

from conformance.scenarios import catalogue
from conformance.vocabulary import Api

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
CORE: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
PINS = {"lowest": [requirement.replace(">=", "==") for requirement in CORE], "newest": []}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a user would: nothing of this test run's environment reaches it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV"))}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    # hatchling is in the dev group, so nothing is downloaded for the build.
    done = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module", params=PINS)
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """The Python of a fresh environment that holds the wheel, pytest, and nothing of ours beside."""
    home = tmp_path_factory.mktemp(request.param) / "venv"
    venv.create(home, with_pip=True, symlinks=True)
    python = home / "bin" / "python"
    done = run(python, "-m", "pip", "install", "-q", wheel, *PINS[request.param], cwd=home)
    assert done.returncode == 0, done.stdout + done.stderr
    return python


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A user's repository: the README's test file and three lines of configuration."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    (binding,) = [block for block in blocks if "from conformance.suite import *" in block]
    (tmp_path / "test_mine.py").write_text(binding, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nconformance_apis = anthropic-messages\nconformance_report = found.json\n", encoding="utf-8"
    )
    return tmp_path


def test_wheel_holds_the_corpus(wheel: Path) -> None:
    """Every cassette and snapshot, what the report needs, the known failures, and none of the suite's own tests."""
    names = set(zipfile.ZipFile(wheel).namelist())
    for scenario in catalogue().values():
        assert f"conformance/_corpus/snapshots/{scenario.id}.json" in names
        for mode in scenario.modes:
            assert f"conformance/_corpus/cassettes/{scenario.id}/{mode}.yaml" in names
    assert "conformance/_corpus/cassettes/provenance.json" in names
    assert {"conformance/py.typed", "conformance/report/results.schema.json", "conformance/serve/index.html"} <= names
    assert {f"conformance/report/assets/page.{kind}" for kind in ("html", "css", "js")} <= names
    beside = {f"conformance/adapters/{path.name}" for path in (ROOT / "conformance" / "adapters").glob("*.known.toml")}
    assert beside <= names
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"conformance"}


def test_one_file_runs_the_suite(python: Path, repository: Path) -> None:
    """A right binding: exit 0, every cell of its API told, and results that the schema describes."""
    done = run(python, "-m", "pytest", "-q", cwd=repository)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((repository / "found.json").read_text(encoding="utf-8"))
    schema = ROOT / "conformance" / "report" / "results.schema.json"
    jsonschema.validate(found, json.loads(schema.read_text(encoding="utf-8")))
    cells = sum(len(scenario.modes) for scenario in catalogue().values() if scenario.api is Api.ANTHROPIC_MESSAGES)
    assert len(found["results"]) + sum(found["not_applicable"].values()) == cells
    assert found["failures"]["MUST"] == found["failures"]["stale"] == 0


def test_a_wrong_binding_fails(python: Path, repository: Path) -> None:
    """The same file without the stop strings: exit 1, and the message says so."""
    test_file = repository / "test_mine.py"
    text = test_file.read_text(encoding="utf-8")
    assert "if call.stop is not None" in text
    test_file.write_text(text.replace("if call.stop is not None", "if False"), encoding="utf-8")
    done = run(python, "-m", "pytest", "-q", "-k", "stop-fired: or natural-end", cwd=repository)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "MUST request.stop-whole" in done.stdout


def test_by_name_with_the_page(python: Path, tmp_path: Path) -> None:
    """The command line needs no file at all; the page's template is found in the wheel."""
    command = ("-m", "pytest", "--pyargs", "conformance", "--adapter", "reference", "-q", "-k", "natural-end")
    done = run(python, *command, "--conformance-html", "found.html", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "found.html").read_text(encoding="utf-8")
    (packed,) = re.findall(r'id="data">([^<]+)<', text)
    assert b'"gemini/natural-end:streamed"' in zlib.decompress(base64.b64decode(packed))

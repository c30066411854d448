"""A user's own repository for tests of the plugin: the README's binding, and runs in a process of their own."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[2] / "README.md"

Run = Callable[..., pytest.RunResult]


@pytest.fixture(scope="session")
def readme_binding() -> str:
    """The test file that the README tells its readers to write."""
    blocks: list[str] = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    (found,) = [block for block in blocks if "from conformance.suite import *" in block]
    return found


@pytest.fixture
def mine(pytester: pytest.Pytester, readme_binding: str) -> Path:
    """The README's binding as a module `mine`, with a factory `build`; the class may be changed by `faulty`."""
    pytester.syspathinsert()
    text = readme_binding.replace("from conformance.suite import *", "")
    return pytester.makepyfile(mine=f"{text}\n\nbuild = Mine\n")


@pytest.fixture
def faulty(pytester: pytest.Pytester, mine: Path) -> Callable[[str], str]:
    """Write a module with a class that overrides methods of the README's binding; return what --adapter takes."""

    def write(methods: str) -> str:
        assert mine.is_file()
        body = textwrap.indent(textwrap.dedent(methods).strip(), "    ")
        pytester.makepyfile(
            faulty=f"from dataclasses import replace\nfrom mine import *\n\nclass build(Mine):\n{body}\n"
        )
        return "faulty:build"

    return write


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run pytest in a process of its own, with this plugin alone: the others cost three quarters of the time."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def go(*arguments: str, suite: bool = True) -> pytest.RunResult:
        what = ("--pyargs", "conformance") if suite else ()
        return pytester.runpytest_subprocess("-p", "conformance.plugin", *what, *arguments)

    return go


def results(path: Path) -> dict[str, Any]:
    """A results file."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture
def read() -> Callable[[Path], dict[str, Any]]:
    """Read a results file."""
    return results

"""`--conformance-set` as users meet it: the ini setting, the exit code, what is printed. What counts: tests/sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.scenarios import catalogue
from conformance.sets import freeze, render

pytestmark = pytest.mark.slow  # runs in processes of their own: see test_plugin.py

Run = Callable[..., pytest.RunResult]
Read = Callable[[Path], dict[str, Any]]


def test_a_run_is_not_red_by_what_came_after_the_set(run: Run, pytester: pytest.Pytester, read: Read) -> None:
    """The same adapter fails a scenario that the set does not have, and passes once the set counts; `all` overrides."""
    pytester.makepyfile(
        late="from dataclasses import replace\nfrom conformance.adapters.reference import Reference\n\n"
        "class build(Reference):\n    name = 'late'\n\n    def complete(self, call):\n"
        "        reply = super().complete(call)\n"
        "        return replace(reply, text=reply.text[:-1]) if 'length-cap' in call.base_url else reply\n"
    )
    pytester.syspathinsert()
    since = [one for one in catalogue().values() if one.slug != "length-cap"]
    Path("then.toml").write_text(render(freeze("2026.01", since)), encoding="utf-8")
    pytester.makeini("[pytest]\nconformance_set = then.toml\nconformance_apis = gemini\n")
    options = ("--adapter", "late:build", "-k", "natural-end or length-cap:", "--conformance-report", "found.json")

    pinned = run(*options)
    assert pinned.ret == 0
    pinned.stdout.fnmatch_lines(
        [
            "*set 2026.01 (* of them scored)*",
            "gemini/length-cap:buffered * (misleading) *u*",
            "unscored: not in the set 2026.01, shown only",
            "4 cells: 2 faithful, * 2 unscored (set 2026.01)",
            "*2 unscored*",
        ]
    )
    found = read(Path("found.json"))
    assert found["set"] == "2026.01"
    assert found["totals"] == {"faithful": 2, "unscored": 2}

    everything = run(*options, "--conformance-set", "all")
    assert everything.ret == 1
    assert read(Path("found.json"))["set"] is None


def test_a_set_that_is_not_there(run: Run) -> None:
    result = run("--adapter", "reference", "--conformance-set", "2019.01")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no requirement set '2019.01'*", "*mend: one of 2026.11*"])

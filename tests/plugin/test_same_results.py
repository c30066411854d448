"""The same run gives the same results, to the byte: again, on two workers, in any order."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

import pytest

from tests.plugin.conftest import Run
from tests.plugin.test_plugin import DROPS_STOP

pytestmark = pytest.mark.slow  # five runs of the plugin

SHUFFLES = """
import random

def pytest_collection_modifyitems(items):
    random.Random(11).shuffle(items)
"""

WAYS = {
    "again": (),
    "two workers": ("-p", "xdist", "-n", "2"),
    "shuffled": ("-p", "shuffles"),
    "shuffled on two workers": ("-p", "xdist", "-n", "2", "-p", "shuffles"),
}


def test_results_are_the_same_to_the_byte(run: Run, pytester: pytest.Pytester, faulty: Callable[[str], str]) -> None:
    """With findings, cells of both modes, errors that name an address and retries."""
    pytest.importorskip("xdist")
    pytester.makepyfile(shuffles=SHUFFLES)
    common = ("--adapter", faulty(DROPS_STOP), "-k", "natural-end or stop or redirect or error-http-4")
    for name, way in (("first", ()), *WAYS.items()):
        result = run(*common, "--conformance-report", f"{name}.json", *way)
        assert result.ret == 1
        result.stdout.fnmatch_lines(["*= conformance =*", "undeclared: *"])
    first = (pytester.path / "first.json").read_bytes()
    for name in WAYS:
        assert (pytester.path / f"{name}.json").read_bytes() == first, name


def test_a_report_to_a_device_leaves_the_device(run: Run, pytester: pytest.Pytester) -> None:
    """Written whole means renamed over what was there; a pipe is no place for that."""
    pipe = pytester.path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("--adapter", "reference", "-k", "gemini/natural-end", "--conformance-report", str(pipe)).ret == 0
        assert os.read(reader, 1) == b"{"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)

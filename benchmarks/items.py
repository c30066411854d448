"""P5: pytest runs that make 1,000 checks of the reference adapter against runs of 1,000 empty tests. Whole processes.

The checks are those that applied: playing the cells, the adapter, the server and the table are all in the figure.
Cells that wait by design (faults, a wire held open) are left out, since they only make the benchmark long.
`python -m benchmarks items`
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Figure, bare_pytest, children, interleaved, python
from conformance.suite.parameters import cells
from conformance.vocabulary import Api

TARGET = 1.3
ROUNDS = 2
CHECKS = 1000
EVERY = 5
"""Each fifth cell of the catalogue together make about so many checks."""
EMPTY = f"""
import pytest

@pytest.mark.parametrize("number", range({CHECKS}))
def test_nothing(number):
    pass
"""


def made(report: Path) -> int:
    """How many checks applied in a run."""
    results = json.loads(report.read_text())["results"]
    return sum(outcome != "not applicable" for result in results for outcome in result["outcomes"].values())


def figures() -> Iterator[Figure]:
    """Both kinds of run, in turn."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_empty.py").write_text(EMPTY)
        quick = [id_ for id_, (each, _) in cells(Api) if not (each.needs_server or each.held or each.wire.before)]
        chosen = quick[::EVERY]
        report = folder / "results.json"
        options = bare_pytest(folder)
        suite = [*options, "--adapter", "reference", "--conformance-report", str(report), "-k", " or ".join(chosen)]
        arms = {
            "suite": python(*suite, "--pyargs", "conformance"),
            "empty": python(*options, str(folder / "test_empty.py")),
        }
        took = interleaved(arms, ROUNDS, children)
        checks = made(report)
    ratio = (took["suite"] / checks) / (took["empty"] / CHECKS)
    note = f"{checks} checks in {len(chosen)} cells {took['suite']:.2f} s, empty tests {took['empty']:.2f} s"
    yield Figure("P5", "1,000 checks, all included / 1,000 empty pytest tests", ratio, TARGET, note=note)

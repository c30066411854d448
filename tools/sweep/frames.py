"""A clean end of the stream at every frame border and inside every frame: the first place that misleads. No output."""

from __future__ import annotations

from conformance.corpus import cassette
from conformance.replay.chunking import frames
from conformance.scenarios import Scenario
from conformance.suite.bench import Bench
from conformance.verdict import judge
from conformance.vocabulary import Fault, FaultKind, Mode, Verdict


def sweep(bench: Bench, scenario: Scenario) -> str | None:
    """Where a cut first misleads, and how; None where it never does.

    Raises:
        HarnessError: the stream could not be put to the adapter.
        BrokenCassette: its cassette cannot be read.
    """
    count = len(frames(cassette(scenario.id, Mode.STREAMED)[-1].body))
    for number in range(count):
        for inside in (False, True):
            result = judge(bench.cut_case(scenario, Fault(FaultKind.CUT, number, inside)))
            for finding in result.findings:
                if finding.verdict is Verdict.MISLEADING:
                    place = f"inside frame {number + 1}" if inside else f"after frame {number}"
                    return f"{place} of {count}: {finding.check}: {finding.problem}"
    return None

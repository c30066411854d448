"""What the bench does about hangs: believed where they happen twice, and a wedged library told once."""

from __future__ import annotations

import threading

from conformance.adapters.reference import Reference
from conformance.contract import Call, Reply
from conformance.scenarios import scenario
from conformance.suite.bench import Bench
from conformance.vocabulary import Mode, Verdict


class Sleeps(Reference):
    """Hangs in the calls whose numbers it is given; all of them from a number on where `wedged` is set."""

    def __init__(self, *calls: int, wedged: bool = False) -> None:
        super().__init__()
        self.calls, self.wedged, self.count = calls, wedged, 0

    def complete(self, call: Call) -> Reply:
        self.count += 1
        if self.count in self.calls or (self.wedged and self.count > min(self.calls)):
            threading.Event().wait(3)
            # Left behind by then: it must not open a socket in the middle of another test.
            raise TimeoutError("too late")
        return super().complete(call)


PLAIN, OTHER, THIRD = (scenario(f"gemini/{slug}") for slug in ("natural-end", "length-cap", "tool-call"))


def test_one_slow_call_is_no_hang() -> None:
    """The second try answers, so nobody is accused."""
    with Bench(Sleeps(3), limit=0.5) as bench:
        assert bench.judge(PLAIN, Mode.BUFFERED)[0].passed
        assert bench.judge(OTHER, Mode.BUFFERED)[0].verdict is Verdict.FAITHFUL
        assert bench.judge(THIRD, Mode.BUFFERED)[0].verdict is Verdict.FAITHFUL


def test_a_wedged_library_is_accused_once() -> None:
    """What comes after the hang is not tested, and says so."""
    with Bench(Sleeps(2, wedged=True), limit=0.5) as bench:
        assert bench.judge(PLAIN, Mode.BUFFERED)[0].passed
        hung, _ = bench.judge(OTHER, Mode.BUFFERED)
        after, _ = bench.judge(THIRD, Mode.BUFFERED)
    assert hung.verdict is Verdict.BROKEN
    assert after.verdict is None
    assert after.problem is not None
    assert "since gemini/length-cap:buffered hung" in after.problem
    assert not after.passed

"""An adapter that streams even where a whole reply is asked of it, as agents do: its buffered cells do not apply."""

from __future__ import annotations

import pytest

from conformance.adapters.reference import Reference
from conformance.contract import Call, End, Part, Reply, TextDelta
from conformance.scenarios import scenario
from conformance.suite.bench import Bench, NotApplicable
from conformance.suite.smoke import Smoke, smoke
from conformance.vocabulary import Api, Mode, Verdict

STOPPED = scenario("anthropic-messages/stop-fired")


class AlwaysStreams(Reference):
    def complete(self, call: Call) -> Reply:
        return Reply.from_parts(list(self.stream(call)))


def test_buffered_cells_do_not_apply_and_streamed_ones_are_judged() -> None:
    with Bench(AlwaysStreams()) as bench:
        with pytest.raises(NotApplicable, match="asks for a stream where a whole reply is asked of it"):
            bench.judge(STOPPED, Mode.BUFFERED)
        result, _ = bench.judge(STOPPED, Mode.STREAMED)
    assert (result.verdict, result.findings) == (Verdict.FAITHFUL, ())


def test_it_is_not_wired_wrong() -> None:
    with Bench(AlwaysStreams()) as bench:
        assert [smoke(bench, Api.ANTHROPIC_MESSAGES, which) for which in Smoke] == [None] * len(Smoke)


class YieldsNone(Reference):
    def stream(self, call: Call) -> list[Part]:
        return [TextDelta(None), End("stop")]  # type: ignore[arg-type, list-item]  # what a careless binding does


def test_a_delta_without_text_is_the_bindings_fault() -> None:
    with Bench(YieldsNone()) as bench:
        problem = smoke(bench, Api.ANTHROPIC_MESSAGES, Smoke.STREAMED)
    assert problem is not None
    assert "yield a delta where there is text" in problem

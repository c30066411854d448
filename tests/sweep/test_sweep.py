"""The sweep names the first place that misleads, and Hypothesis the smallest cut; whoever does it right has neither."""

from __future__ import annotations

import pytest

from conformance.adapters.reference import Reference
from conformance.scenarios import scenario
from conformance.suite.bench import Bench
from tests.mutants.errors import CutIsComplete
from tests.mutants.streams import ParsesEachChunk
from tools.sweep.__main__ import main
from tools.sweep.frames import sweep
from tools.sweep.places import smallest_cut

STREAMS = ["openai-chat/tool-call", "openai-responses/natural-end", "anthropic-messages/stop-fired", "gemini/gem-crlf"]


@pytest.mark.parametrize("id_", STREAMS)
def test_reference_is_never_misleading(id_: str) -> None:
    with Bench(Reference()) as bench:
        assert sweep(bench, scenario(id_)) is None
        assert smallest_cut(bench, scenario(id_), 10) is None


def test_first_place_that_misleads_is_named() -> None:
    with Bench(CutIsComplete()) as bench:
        found = sweep(bench, scenario("anthropic-messages/stop-fired"))
    assert found is not None
    assert found.startswith("after frame 0 of 8: cut.not-complete: ")


def test_smallest_cut_is_one() -> None:
    """A reader that takes each chunk for whole frames breaks by a single cut, and a single one is told."""
    with Bench(ParsesEachChunk()) as bench:
        found = smallest_cut(bench, scenario("openai-chat/natural-end"), 50)
    assert found is not None
    assert found.startswith("cut at ")
    assert found.count("|") == 1


def test_command_tells_a_row_a_stream(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reference", "gemini/natural-end", "openai-chat/stall"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [row.split() for row in out[:-1]] == [["gemini/natural-end", "never"]]
    assert main(["nobody"]) == 2

"""What the benchmarks say of a figure, and that each can be asked for. How fast anything is stands in no test."""

from __future__ import annotations

import itertools
from importlib.util import find_spec

import pytest

from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.measure import Figure, interleaved, line


@pytest.mark.parametrize(
    ("figure", "held"),
    [
        (Figure("P1", "equal", 1.3, 1.3), "held"),
        (Figure("P1", "above", 1.31, 1.3), "MISSED"),
        (Figure("", "no target", 9.0), ""),
        (Figure("P7", "no peer", None, 0.4), "not measured"),
    ],
)
def test_a_figure_without_a_value_is_never_held(figure: Figure, held: str) -> None:
    assert figure.held == held
    assert held in line(figure)


def test_medians_of_interleaved_rounds() -> None:
    ran: list[str] = []
    ticks = itertools.count()
    arms = {"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}
    assert interleaved(arms, 3, lambda: float(next(ticks))) == {"a": 1.0, "b": 1.0}
    assert ran == ["a", "b"] * 4


@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_is_there(name: str) -> None:
    assert find_spec(f"benchmarks.{name}") is not None


def test_an_unknown_one_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "no benchmark is called nothing; there are replay, " in capsys.readouterr().err

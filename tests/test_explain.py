"""`python -m conformance`: every scenario can be explained, and the committed catalogue page is current."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.report.catalogue import page
from conformance.report.explain import explain
from conformance.scenarios import Scenario, catalogue

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("told", [pytest.param(told, id=told.id) for told in catalogue().values()])
def test_every_scenario_is_explained(told: Scenario) -> None:
    """Claim, right answer, evidence and the place of each cassette are in the text."""
    text = explain(told)
    assert told.claim in text
    assert told.right in text
    assert all(item.source in text for item in told.evidence)
    assert all(f"cassettes/{told.id}/{mode}.yaml" in text for mode in told.modes)


def test_catalogue_page_is_current() -> None:
    """`make catalogue` writes it."""
    assert (DOCS / "catalogue.md").read_text(encoding="utf-8") == page()


def test_pattern_explains_several(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "anthropic-messages/stop-fired*"]) == 0
    out = capsys.readouterr().out
    assert "anthropic-messages/stop-fired-at-once" in out
    assert "stop_sequence '</answer>'" in out


def test_unknown_id_names_close_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "gemini/stop-fird"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: no scenario 'gemini/stop-fird'")
    assert "gemini/stop-fired" in err
    assert "Traceback" not in err

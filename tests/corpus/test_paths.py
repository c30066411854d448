"""A documented cassette uses only JSON paths that were recorded somewhere, or that a named source defines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from conformance.corpus import Exchange, cassette, manifest
from conformance.scenarios import Scenario, catalogue
from conformance.vocabulary import Api, Mode, Provenance
from tools.published import inventory
from tools.published.defined import defined
from tools.published.errors import BadPins
from tools.published.naive import payloads_of
from tools.published.shape import leaves

CELLS = [
    pytest.param(scenario, mode, id=f"{scenario.id}:{mode}")
    for scenario in catalogue().values()
    for mode in scenario.modes
    if manifest()[f"{scenario.id}:{mode}"].provenance is Provenance.DOCUMENTED
]


@cache
def recorded(api: Api, mode: str) -> frozenset[str]:
    """The paths of an API, of compatible hosts too: scenarios name the hosts that they come from."""
    kinds = (path.stem.removesuffix(f"-{mode}") for path in inventory.FOLDER.glob(f"*-{mode}.json"))
    found = [inventory.paths_of(kind, mode) for kind in kinds if kind.partition("@")[0] == api]
    return frozenset().union(*found)


def unknown(scenario: Scenario, mode: Mode) -> Iterator[str]:
    """The paths of a cell that no recording shows."""
    for exchange in cassette(scenario.id, mode):
        shown = {"$"} | recorded(scenario.api, "error" if exchange.status >= 400 else mode)
        yield from (path for path in paths(exchange) if path not in shown)


def paths(exchange: Exchange) -> Iterator[str]:
    streamed = exchange.headers.get("content-type", "").startswith("text/event-stream")
    for payload in payloads_of(exchange.body, streamed=streamed):
        yield from (leaf.path for leaf in leaves(payload))


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_every_path_is_recorded_or_defined(scenario: Scenario, mode: Mode) -> None:
    open_ = {path for path in unknown(scenario, mode) if not any(row.covers(scenario.api, path) for row in defined())}
    assert not open_, "correct the scenario, or add the path to tools/published/defined_paths.toml with its source"


def test_every_row_is_needed() -> None:
    used = {(one.values[0].api, path) for one in CELLS for path in unknown(*one.values)}  # type: ignore[attr-defined]
    idle = [row for row in defined() if not any(row.covers(api, path) for api, path in used)]
    assert not idle, "take these rows out of tools/published/defined_paths.toml"


@pytest.mark.parametrize(
    "text", ["", "x", '[[path]]\napi = "x"', '[[path]]\napi = "gemini"\nbelow = ["$.a"]\nsource = ""']
)
def test_bad_rows_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "defined_paths.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadPins, match=r"defined_paths\.toml"):
        defined(path)


def test_a_row_covers_what_lies_below_and_nothing_beside() -> None:
    row = next(row for row in defined() if row.path == "$.promptFeedback")
    assert row.covers(Api.GEMINI, "$.promptFeedback.blockReason")
    assert not row.covers(Api.GEMINI, "$.promptFeedbacks")
    assert not row.covers(Api.OPENAI_CHAT, "$.promptFeedback")

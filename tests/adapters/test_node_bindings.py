"""Tests of what lies beside the bindings for Node: short files, and known failures that can be read. No node is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.known_failures import load

NODE = Path(__file__).parents[2] / "bindings" / "node"
BINDINGS = sorted(path for path in NODE.glob("*.mjs") if path.name != "serve.mjs")


@pytest.mark.parametrize("binding", BINDINGS, ids=lambda path: path.stem)
def test_a_binding_is_short_and_has_its_known_failures(binding: Path) -> None:
    assert len(binding.read_text(encoding="utf-8").splitlines()) <= 40
    assert load(binding.with_suffix(".known.toml"))


def test_every_file_of_known_failures_is_some_bindings() -> None:
    assert {path.name.removesuffix(".known.toml") for path in NODE.glob("*.known.toml")} == {b.stem for b in BINDINGS}

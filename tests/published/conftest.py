"""What the tests of the published tools share: a cache of their own. No network anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that the tools use."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CONFORMANCE_CACHE", str(folder))
    return folder

"""What the tests of the published tools share: a cache of their own. No network anywhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `making`, which is no test


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that the tools use."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CONFORMANCE_CACHE", str(folder))
    return folder

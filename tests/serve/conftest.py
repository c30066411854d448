"""What the tests of serving share: a line of a process."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

import pytest


@pytest.fixture
def line_of() -> Callable[[IO[str]], str]:
    """Read one line that a process writes."""
    return lambda stream: stream.readline()

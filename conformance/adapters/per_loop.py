"""One client for each event loop, for bindings of asynchronous libraries. Nothing of any library is here.

The suite runs all calls in one loop and makes a new one only after a call that hung; a client that was first
used in the old loop is of no use in the new one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class PerLoop(Generic[_T]):
    """Builds with `make` when a loop asks for the first time; keeps what it built while that loop is in use."""

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._kept: tuple[asyncio.AbstractEventLoop, _T] | None = None

    def get(self) -> _T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        if self._kept is None or self._kept[0] is not loop:
            self._kept = (loop, self._make())
        return self._kept[1]

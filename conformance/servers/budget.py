"""How many requests a run may make, and how many of them are kept for the probes that are still to come."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock


class Spent(Exception):
    """No request is left."""


class Budget:
    """Counts requests. What is reserved for later probes is not spent on drawing and shrinking.

    Args:
        limit: requests in all.
    """

    MOST_DRAWN = 12
    """Requests that one probe may draw beside its own: more finds little more, and a real engine is slow."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0
        self._reserved = 0
        self._drawing = 0
        self._own = 0
        self._lock = Lock()

    def plan(self, costs: Iterable[tuple[int, bool]]) -> None:
        """Take down what is to come: the cost of each cell, and whether it draws."""
        told = list(costs)
        self._reserved = sum(cost for cost, _ in told)
        self._drawing = sum(draws for _, draws in told)

    def begin(self, cost: int, *, draws: bool) -> None:
        """A cell begins: its own requests are no longer kept for later."""
        self._own = cost
        self._reserved = max(0, self._reserved - cost)
        self._drawing = max(0, self._drawing - draws)

    def take(self) -> None:
        """Spend one request.

        Raises:
            Spent: none is left.
        """
        with self._lock:
            if self.spent >= self.limit:
                raise Spent
            self.spent += 1

    @property
    def spare(self) -> int:
        """Requests that nobody is waiting for."""
        return max(0, self.limit - self.spent - self._reserved)

    def share(self) -> int:
        """How many requests the cell that runs may draw, so that those after it can draw as many."""
        return min(self.MOST_DRAWN, max(0, self.spare - self._own) // (self._drawing + 1))

"""The budget alone: what is kept for later probes is not drawn."""

from __future__ import annotations

import pytest

from conformance.servers.budget import Budget, Spent


@pytest.mark.parametrize("limit", [10, 17, 40, 1000])
def test_every_cell_gets_its_own_requests(limit: int) -> None:
    """However much is drawn, the last cell can still ask what it has to."""
    cells = [(1, True), (2, False), (1, True), (1, True), (3, False)]
    budget = Budget(limit)
    budget.plan(cells)
    drawn = []
    for cost, draws in cells:
        budget.begin(cost, draws=draws)
        drawn.append(budget.share() if draws else 0)
        for _ in range(cost + drawn[-1]):
            budget.take()
    assert budget.spent <= limit
    assert sum(drawn) >= min(limit - 8, 3 * Budget.MOST_DRAWN) - len(cells)


def test_spent() -> None:
    budget = Budget(1)
    budget.take()
    with pytest.raises(Spent):
        budget.take()
    assert budget.spent == 1

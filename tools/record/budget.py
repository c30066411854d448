"""How many tokens a run may cost, and has cost. What one request may cost is not known here."""

from __future__ import annotations

from dataclasses import dataclass

from tools.record.errors import OverBudget


@dataclass(slots=True)
class Budget:
    """Tokens that may be spent in a run.

    Attributes:
        most: the limit.
        spent: what the answers say that they cost; where one says nothing, the most that it may have cost.
    """

    most: int
    spent: int = 0

    def spend(self, tokens: int) -> None:
        """Count what has been spent."""
        self.spent += tokens

    def allow(self, tokens: int) -> None:
        """Make sure that so many more may be spent.

        Raises:
            OverBudget: they may not.
        """
        if self.spent + tokens > self.most:
            raise OverBudget(
                f"{self.spent} tokens are spent, {tokens} more may be needed, and --max-cost is {self.most}",
                "raise it, or name fewer scenarios",
            )

"""`python -m tests.mutants`: the matrix check x mutant, as found by running every mutant. Expectations: the tests."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.checks import RULES
from tests.mutants import MUTANTS, Mutant
from tests.mutants.gate import failing, results_of

WIDTH = 160
_MARKS = "x fails   . passes   blank: does not apply to its cells   ! not as declared"


def matrix(mutants: Sequence[type[Mutant]]) -> str:
    """Checks as rows, mutants as numbered columns, and the key to the numbers below."""
    first = max(map(len, RULES)) + 2 + len("SHOULD") + 2
    step = 2 if first + 2 * len(mutants) <= WIDTH else 1
    numbers = [f"{number:>2}" for number in range(1, len(mutants) + 1)]
    lines = [" " * first + "".join(number[digit].ljust(step) for number in numbers) for digit in range(2)]
    for check, rule in RULES.items():
        marks = "".join(_mark(kind, check).ljust(step) for kind in mutants)
        lines.append(f"{check:<{first - 8}}{rule.severity:<8}{marks}".rstrip())
    key = [f"{number} {kind.name}: {_summary(kind)}" for number, kind in zip(numbers, mutants, strict=True)]
    return "\n".join([*lines, "", _MARKS, "", *key])


def _mark(kind: type[Mutant], check: str) -> str:
    results = results_of(kind)
    failed = check in failing(results)
    if failed is not (check in kind.fails):
        return "!"
    if failed:
        return "x"
    applies = any(result.outcomes.get(check) == "pass" for result in results.values())
    return "." if applies else " "


def _summary(kind: type[Mutant]) -> str:
    room = WIDTH - len(kind.name) - 5
    text = " ".join((kind.__doc__ or "").split())
    return text if len(text) <= room else f"{text[: room - 3]}..."


if __name__ == "__main__":
    print(matrix(MUTANTS))

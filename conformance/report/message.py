"""What the message of any failing cell has: its head, what was found, what to do. The rest is the callers'."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.checks import Rule
from conformance.verdict import Result


def head(result: Result, name: str) -> str:
    """The first line: the cell, its verdict, who was judged."""
    return f"{result.cell}  {result.verdict or 'not tested'}  ({name})"


def untested(result: Result) -> str:
    """Why the question could not be put."""
    return f"  the suite could not put its question: {result.problem}"


def findings(result: Result, rules: Mapping[str, Rule]) -> list[str]:
    """Each open finding with its rule, and the stale declarations."""
    out: list[str] = []
    for finding in result.open:
        where = f" [{finding.chunking}]" if finding.chunking else ""
        out += [
            "",
            f"  {finding.severity} {finding.check}{where}: {finding.problem}  ({finding.verdict})",
            f"      expected  {finding.expected}",
            f"      observed  {finding.observed}",
            f"      rule      {rules[finding.check].text}",
        ]
    for stale in result.stale:
        out += ["", f"  STALE  {stale}"]
    return out


def to_do(result: Result, *, kind: str) -> list[str]:
    """How to go on; `kind` is what is judged, `adapter` or `server`."""
    if not result.open:
        return ["  to do     take the stale declaration out"]
    return [
        f"  to do     mend the {kind}; or list it in the file that --known-failures names:",
        "",
        "      [[known]]",
        f'      cells = "{result.cell}"',
        f'      check = "{result.open[0].check}"',
        '      reason = "why it is known"',
        "",
        f"  rerun     pytest --pyargs conformance --{kind} ... -k '{result.cell}'",
    ]

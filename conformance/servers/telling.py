"""The message of a cell in which a server fails: what was asked, what is wrong, the command line that shows it."""

from __future__ import annotations

from conformance.checks.finding import Finding
from conformance.checks.server_rules import SERVER_RULES
from conformance.probes import probes
from conformance.verdict import Result


def explain_server(result: Result, server: str) -> str:
    """The whole message for one cell that failed."""
    told = probes()[result.scenario]
    out = [f"{result.cell}  {result.verdict or 'not tested'}  ({server})"]
    if result.problem is not None:
        return "\n".join([*out, f"  the suite could not put its question: {result.problem}"])
    out += [f"  asked     {told.claim}", f"  right     {told.right}"]
    for finding in result.open:
        out += _finding(finding)
    for stale in result.stale:
        out += ["", f"  STALE  {stale}"]
    out += ["", *(f"  shows it  {line}" for line in result.sent)]
    out += [f"  seen      {name} {text!r}" for name, text in result.seen.items()]
    out += [f"  evidence  {item.kind}: {item.source}" for item in told.evidence]
    return "\n".join([*out, *_mend(result)])


def _finding(finding: Finding) -> list[str]:
    return [
        "",
        f"  {finding.severity} {finding.check}: {finding.problem}  ({finding.verdict})",
        f"      expected  {finding.expected}",
        f"      observed  {finding.observed}",
        f"      rule      {SERVER_RULES[finding.check].text}",
    ]


def _mend(result: Result) -> list[str]:
    if not result.open:
        return ["  to do     take the stale declaration out"]
    return [
        "  to do     mend the server; or list it in the file that --known-failures names:",
        "",
        "      [[known]]",
        f'      cells = "{result.cell}"',
        f'      check = "{result.open[0].check}"',
        '      reason = "why it is known"',
        "",
        f"  rerun     pytest --pyargs conformance --server ... -k '{result.cell}'",
    ]

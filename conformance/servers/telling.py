"""The message of a cell in which a server fails: what was asked, what is wrong, the command line that shows it."""

from __future__ import annotations

from conformance.checks.server_rules import SERVER_RULES
from conformance.probes import probes
from conformance.report.message import findings, head, to_do, untested
from conformance.verdict import Result


def explain_server(result: Result, server: str) -> str:
    """The whole message for one cell that failed."""
    told = probes()[result.scenario]
    out = [head(result, server)]
    if result.problem is not None:
        return "\n".join([*out, untested(result)])
    out += [f"  asked     {told.claim}", f"  right     {told.right}", *findings(result, SERVER_RULES)]
    out += ["", *(f"  shows it  {line}" for line in result.sent)]
    out += [f"  seen      {name} {text!r}" for name, text in result.seen.items()]
    out += [f"  evidence  {item.kind}: {item.source}" for item in told.evidence]
    return "\n".join([*out, *to_do(result, kind="server")])

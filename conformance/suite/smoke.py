"""Three smoke scenarios an API: is the binding wired right? Their failure says nothing about the adapter itself."""

from __future__ import annotations

from enum import StrEnum

from conformance.checks import Observation
from conformance.contract import Adapter
from conformance.errors import ConformanceError
from conformance.scenarios import catalogue
from conformance.suite.bench import Bench, NotApplicable
from conformance.vocabulary import Api, Mode


class Smoke(StrEnum):
    """What is tried, each on a reply that could not be plainer."""

    BUFFERED = "natural-end:buffered"
    STREAMED = "natural-end:streamed"
    TOOL_CALL = "tool-call:buffered"


def smoke(bench: Bench, api: Api, which: Smoke) -> str | None:
    """Try one; return what is wrong with the binding, or None."""
    slug, _, mode = which.partition(":")
    scenario = catalogue()[f"{api}/{slug}"]
    try:
        seen = bench.case(scenario, Mode(mode)).plain
    except NotApplicable:
        return None  # it never asks for a whole reply: its streams are judged
    except ConformanceError as error:
        return _message(bench.adapter, api, which, str(error))
    problem = _wrong(seen, which)
    return None if problem is None else _message(bench.adapter, api, which, problem)


def _wrong(seen: Observation, which: Smoke) -> str | None:
    if seen.hung and len(seen.sent) > 1:
        return f"the call never ended, after {len(seen.sent)} requests: does the library ask again by itself?"
    if seen.hung:
        return "the call never ended"
    if not seen.sent:
        why = f": {seen.raised.kind}: {seen.raised.message}" if seen.raised else ""
        return f"no request reached the replay server{why}"
    if seen.failure is not None:
        return seen.failure
    if seen.reply is None:
        return "nothing came back"
    if which is Smoke.TOOL_CALL:
        return None if seen.reply.tool_calls else "the reply has no tool call: does the binding fill Reply.tool_calls?"
    return None if seen.reply.text else "the reply has no text: does the binding fill it in?"


def _message(adapter: Adapter, api: Api, which: Smoke, problem: str) -> str:
    held = "no cell with tools" if which is Smoke.TOOL_CALL else "nothing else"
    return (
        f"the binding of {adapter.name} is wired wrong, so {held} is run for this API\n"
        f"  tried     {api}/{which}, the plainest reply there is\n"
        f"  problem   {problem}\n"
        f"  to do     check how the binding builds its address from call.base_url (a bare root without /v1), and that\n"
        f"            it returns a conformance.Reply and yields conformance Parts; README: bind your adapter"
    )

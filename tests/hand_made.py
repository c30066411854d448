"""Cases made by hand, without a server or a cassette, for the tests of checks and verdicts. No test is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.checks import Case, Finding, Observation, Raised
from conformance.contract import Reply, Tool
from conformance.scenarios import Ask, Scenario, Wire
from conformance.vocabulary import Api, Mode, Stop, Verdict, Vocabulary
from conformance.wire import Reading

CHAT, RESPONSES, ANTHROPIC, GEMINI = Api.OPENAI_CHAT, Api.OPENAI_RESPONSES, Api.ANTHROPIC_MESSAGES, Api.GEMINI

OWN = Vocabulary({stop.value: stop for stop in Stop})
"""A vocabulary of the adapter's own with a member for each class."""


@dataclass(frozen=True)
class Request:
    """A request as a transport logs it."""

    json: Mapping[str, Any] | None
    path: str = "/"
    headers: Mapping[str, str] = field(default_factory=dict)
    query: str = ""


def asked(
    api: Api = CHAT, stop: str | tuple[str, ...] | None = None, tools: tuple[Tool, ...] = (), **more: Any
) -> Scenario:
    """A scenario whose wire nobody plays."""
    return Scenario(api, "hand-made", "It ends.", "so", Ask("Well?", stop=stop, tools=tools), Wire(), (), (), **more)


def truth(stop: Stop = Stop.COMPLETE, text: str = "Yes.", **more: Any) -> Reading:
    """What the wire says."""
    return Reading(text, stop, **more)


def said(reason: str | None = "complete", text: str = "Yes.", **more: Any) -> Reply:
    """What the caller was told."""
    return Reply(text, reason, **more)


def seen(reply: Reply | None = None, chunking: str = "whole", **more: Any) -> Observation:
    """What one delivery showed; one request without a stop was sent unless told otherwise."""
    return Observation(chunking, reply=reply, **{"sent": (Request({}),), **more})


def case(
    scenario: Scenario,
    reading: Reading,
    *observed: Observation,
    mode: Mode = Mode.BUFFERED,
    vocabulary: Vocabulary = OWN,
    **more: Any,
) -> Case:
    """A cell, already played."""
    return Case(scenario, mode, reading, observed, vocabulary, **more)


def raised(kind: str, message: str = "boom") -> Raised:
    """An exception by the full name of its class."""
    return Raised((kind, "builtins.Exception"), message)


def verdicts(check: Callable[[Case], list[Finding] | None], one: Case) -> list[Verdict] | None:
    """The verdicts of a check's findings: none where it passes, None where it does not apply."""
    found = check(one)
    return None if found is None else [finding.verdict for finding in found]

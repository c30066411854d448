"""The one place where scenarios are defined, one module per theme. No bytes, no files, no pytest."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from conformance.errors import ScenarioNotFound
from conformance.scenarios import (
    anthropic_streams,
    blocked,
    chat_hosts,
    chat_streams,
    encodings,
    endings,
    errors_http,
    errors_odd,
    errors_stream,
    faults,
    gemini_calls,
    gemini_reasons,
    gemini_streams,
    reasons,
    requests,
    responses_status,
    responses_streams,
    resumable,
    stops,
    stops_unmet,
    streams,
    tool_calls,
    tool_streams,
)
from conformance.scenarios.model import Ask, Evidence, Scenario, Wire
from conformance.vocabulary import Api

__all__ = ["Ask", "Evidence", "Scenario", "Wire", "catalogue", "scenario"]

_THEMES = (
    endings,
    tool_calls,
    blocked,
    resumable,
    reasons,
    gemini_calls,
    gemini_reasons,
    responses_status,
    stops,
    stops_unmet,
    requests,
    streams,
    chat_streams,
    chat_hosts,
    responses_streams,
    anthropic_streams,
    gemini_streams,
    tool_streams,
    faults,
    errors_stream,
    errors_http,
    errors_odd,
    encodings,
)


@cache
def catalogue() -> Mapping[str, Scenario]:
    """Every scenario by id, API by API in the order of the themes.

    Raises:
        ValueError: two scenarios have one id.
    """
    every = [scenario for theme in _THEMES for scenario in theme.scenarios()]
    every.sort(key=lambda scenario: tuple(Api).index(scenario.api))
    by_id = {scenario.id: scenario for scenario in every}
    if len(by_id) != len(every):
        ids = [scenario.id for scenario in every]
        raise ValueError(f"defined twice: {sorted({id_ for id_ in ids if ids.count(id_) > 1})}")
    return by_id


def scenario(scenario_id: str) -> Scenario:
    """The scenario of this id.

    Raises:
        ScenarioNotFound: there is none; the error names the closest ids.
    """
    found = catalogue().get(scenario_id)
    if found is None:
        close = get_close_matches(scenario_id, catalogue(), n=3)
        raise ScenarioNotFound(
            f"no scenario {scenario_id!r}", f"did you mean {' or '.join(close)}?" if close else "see the catalogue page"
        )
    return found

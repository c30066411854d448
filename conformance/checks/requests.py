"""Was the request what was asked, and did it go where it was asked to? The rules named request.* are here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

from conformance.checks.case import Case, SentRequest
from conformance.checks.finding import Finding
from conformance.checks.rule import found
from conformance.vocabulary import Severity, Verdict

_MISSING = object()


def at(body: Mapping[str, Any] | None, path: tuple[str, ...]) -> Any:
    """The value at a path of keys, or a marker that equals nothing."""
    value: Any = body
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return _MISSING
        value = value[key]
    return value


def _sent_stop(case: Case) -> Any:
    """What was sent at the API's place, in whichever of its spellings; an API without one is looked at under `stop`."""
    body = case.request.json if case.request else None
    values = (at(body, path) for path in case.codec.STOP_PATHS or (("stop",),))
    return next((value for value in values if value is not _MISSING), _MISSING)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else value


def stop_whole(case: Case) -> list[Finding] | None:
    """Every stop string arrives, in order, at the API's place; or the adapter raises or warns."""
    stop = case.scenario.ask.stop
    if not stop or case.plain.hung:
        return None
    if not case.plain.sent:
        return [] if case.plain.raised else None
    asked = _as_list(stop)
    paths = case.codec.STOP_PATHS
    sent = _sent_stop(case)
    if sent is not _MISSING and not paths:
        return []  # the vendor refuses the unknown parameter, and that is loud
    if sent is not _MISSING and _as_list(sent) == asked:
        return _type_findings(case, sent)
    where = ".".join(paths[0]) if paths else "no such parameter"
    missing = sent is _MISSING or not sent
    warned = [text for text in case.plain.warnings if "stop" in text.lower()]
    if missing and warned:
        told = found(
            "request.stop-whole",
            Verdict.LOUD,
            "the stop strings are not sent; a warning says so",
            f"{where}: {asked!r}",
            f"warning: {warned[0]}",
        )
        return [replace(told, severity=Severity.SHOULD)]  # who warns has kept the rule; the loss is shown all the same
    problem = "the stop strings are dropped in silence" if missing else "the stop strings are not sent as asked"
    if not missing and isinstance(sent, list) and sent == asked[: len(sent)]:
        problem = f"the list of {len(asked)} stop strings is sliced to {len(sent)}"
    observed = "nothing" if sent is _MISSING else repr(sent)
    return [found("request.stop-whole", Verdict.MISLEADING, problem, f"{where}: {asked!r}", observed)]


def _type_findings(case: Case, sent: Any) -> list[Finding]:
    """Only OpenAI Chat has a bare-string form."""
    if isinstance(sent, str) and ("stop",) not in case.codec.STOP_PATHS:
        return [
            found(
                "request.stop-whole",
                Verdict.MISLEADING,
                "a bare string where the API takes a list",
                repr([sent]),
                repr(sent),
            )
        ]
    return []


def stop_absent(case: Case) -> list[Finding] | None:
    """No stop asked, no key on the wire."""
    if case.scenario.ask.stop or not case.plain.sent:
        return None
    sent = _sent_stop(case)
    if sent is _MISSING or (sent == [] and case.scenario.ask.stop is not None):
        return []  # an empty list that was asked may be sent as it is
    path = (case.codec.STOP_PATHS or (("stop",),))[0]
    return [
        found(
            "request.stop-absent",
            Verdict.MISLEADING,
            "a stop key is sent although none was asked",
            f"no {'.'.join(path)}",
            f"{'.'.join(path)}: {sent!r}",
        )
    ]


def max_tokens(case: Case) -> list[Finding] | None:
    """The cap arrives as asked, in any of the API's own spellings."""
    asked, request = case.scenario.ask.max_tokens, case.request
    if asked is None or request is None:
        return None
    paths = case.codec.MAX_TOKENS_PATHS
    sent = [value for value in (at(request.json, path) for path in paths) if value is not _MISSING]
    if asked in sent:
        return []
    where = ".".join(paths[0])
    return [
        found(
            "request.max-tokens",
            Verdict.MISLEADING,
            "the cap on output tokens is not sent as asked",
            f"{where}: {asked}",
            f"{sent[0]!r}" if sent else "nothing",
        )
    ]


def tools(case: Case) -> list[Finding] | None:
    """The declared tools arrive by name."""
    asked, request = sorted(tool.name for tool in case.scenario.ask.tools), case.request
    if not asked or request is None:
        return None
    sent = sorted(_tool_names((request.json or {}).get("tools")))
    if sent == asked:
        return []
    return [
        found(
            "request.tools",
            Verdict.MISLEADING,
            "the tools sent are not the ones that were declared",
            ", ".join(asked),
            ", ".join(sent) or "none",
        )
    ]


_TOOL_LISTS = ("functionDeclarations", "function_declarations")


def _tool_names(tools_: Any) -> list[str]:
    """The names in a `tools` value of any of the four APIs: flat, under `function`, or in Gemini's lists."""
    names: list[str] = []
    for tool in tools_ if isinstance(tools_, list) else ():
        if not isinstance(tool, Mapping):
            continue
        inner = tool.get("function")
        holders = [inner if isinstance(inner, Mapping) else tool]
        for key in _TOOL_LISTS:
            holders += tool.get(key) or ()
        names += [str(holder["name"]) for holder in holders if isinstance(holder, Mapping) and "name" in holder]
    return names


def count(case: Case) -> list[Finding] | None:
    """One call makes one request; retries and continuations are counted and shown."""
    if case.plain.hung or not case.plain.sent:
        return None
    number = len(case.plain.sent)
    if number == 1:
        return []
    return [found("request.count", Verdict.LOUD, "one call made several requests", "1 request", f"{number} requests")]


_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")


def key_kept(case: Case) -> list[Finding] | None:
    """The key goes to no other host than the one that was called."""
    elsewhere = case.plain.elsewhere
    if elsewhere is None or not case.plain.sent:
        return None
    keys = {key for request in case.plain.sent for key in _keys(request)}
    leaked = [name for request in elsewhere for key, name in _keys(request).items() if key in keys]
    if not leaked:
        return []
    return [
        found(
            "request.key-kept",
            Verdict.MISLEADING,
            "the key is sent to another host that a redirect names",
            "the redirect is not followed, or without the key",
            f"a request to the other host with the key in {leaked[0]}",
        )
    ]


def _keys(request: SentRequest) -> dict[str, str]:
    """Each credential of a request, and where it stands."""
    found_ = {request.headers[name]: f"the header {name}" for name in _KEY_HEADERS if request.headers.get(name)}
    return found_ | dict.fromkeys(parse_qs(request.query).get("key", []), "the query")

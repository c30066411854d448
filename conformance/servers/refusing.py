"""The probes of requests that cannot be answered: an error comes, and then the server still answers."""

from __future__ import annotations

import json
from dataclasses import dataclass

from conformance.checks.server_rules import server_found
from conformance.probes import Probe
from conformance.servers.asking import PROMPTS, Heard, Question, read
from conformance.servers.checks import Judged, refusal_of
from conformance.servers.client import Answer
from conformance.servers.session import NotForIt, Session
from conformance.vocabulary import Api, Mode, Severity, Verdict
from conformance.wire.codec import HTTP_ERROR

_WORDS = 20_000
_HALF = 2
_PLACES = {Api.OPENAI_CHAT: "messages", Api.ANTHROPIC_MESSAGES: "messages", Api.GEMINI: "contents"}
_CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")
_NO_MODEL = "no-such-model-conformance"


@dataclass(frozen=True, slots=True)
class _Sent:
    heard: Heard
    curl: str

    @property
    def answer(self) -> Answer:
        return self.heard.answer


def refusing(session: Session, probe: Probe, mode: Mode) -> Judged:
    """Ask a probe of this room."""
    question = Question("harbour " * _WORDS if probe.kind == "context" else PROMPTS[0], mode)
    sent = _send(session, probe.kind, question)
    if probe.kind == "context" and sent.answer.hung:
        raise NotForIt("the server takes longer than the time limit to read a long prompt")
    out = _judged(session.target.api, probe.kind, sent) | _survives(session)
    if not out["server.survives"]:
        session.shown = sent.heard
    return out


def _send(session: Session, kind: str, question: Question) -> _Sent:
    target = session.target
    path, body = session.request(question)
    key = None
    data: dict[str, object] | bytes = body
    if kind == "malformed":
        data = json.dumps(body).encode()[:-12]
    elif kind == "types":
        body[_PLACES.get(target.api, "input")] = 42
    elif kind == "path":
        path = f"{path.partition('?')[0].rstrip('/')}-that-does-not-exist"
    elif kind == "model":
        if target.api is Api.GEMINI:
            path = path.replace(f"/{target.model}:", f"/{_NO_MODEL}:")
        else:
            body["model"] = _NO_MODEL
    elif kind == "key":
        if target.key is None:
            raise NotForIt("the run has no key: --api-key-env NAME")
        key = "conformance-wrong-key"
    answer, curl = session.raw(path, data, key=key)
    return _Sent(read(target, question, answer, curl), curl)


def _judged(api: Api, kind: str, sent: _Sent) -> Judged:
    answer, heard = sent.answer, sent.heard
    if answer.hung:
        found = server_found("limits.terminates", Verdict.BROKEN, "the call did not end", "an error", heard.excerpt)
        return {"limits.terminates": [found]}
    out: Judged = {"limits.terminates": [], "error.surfaces": []}
    if answer.status is None:
        problem = "the connection ends without an answer"
        out["error.surfaces"] = [
            server_found("error.surfaces", Verdict.BROKEN, problem, "an error response", heard.excerpt)
        ]
        return out
    if heard.refused:
        # What a server says of a path that it does not have is no matter of the API.
        return out if kind == "path" else out | refusal_of(api, answer.status, answer.body, heard.excerpt)
    if answer.status >= HTTP_ERROR:
        return out | refusal_of(api, answer.status, answer.body, heard.excerpt)
    if kind == "model":
        raise NotForIt("the server answers for every model name")
    if kind == "context":
        return out | _cut_prompt(heard)
    out["error.surfaces"] = [
        server_found(
            "error.surfaces",
            Verdict.LOUD if kind in _HARMLESS else Verdict.MISLEADING,
            f"a reply comes to a request that cannot be answered ({_CANNOT[kind]})",
            "an HTTP error",
            heard.excerpt,
            severity=Severity.SHOULD if kind in _HARMLESS else None,
        )
    ]
    return out


_HARMLESS = ("path", "key")
"""Answered all the same, nobody is told what is not so."""
_CANNOT = {"malformed": "no JSON", "types": "42 for messages", "path": "no such path", "key": "wrong key"}


def _cut_prompt(heard: Heard) -> Judged:
    """A reply may come from a window that is long enough; the count of input tokens tells where it was not."""
    counted = _input_tokens(heard)
    if not isinstance(counted, int) or counted <= 0:
        raise NotForIt("the server answers a long prompt and does not count its tokens")
    found = server_found(
        "prompt.whole",
        Verdict.MISLEADING,
        "a prompt that is too long is cut in silence",
        f"an error, or at least {_WORDS} input tokens for {_WORDS} words",
        f"{counted} input tokens: {heard.excerpt}",
    )
    return {"prompt.whole": [found] if counted < _WORDS // _HALF else []}


def _input_tokens(heard: Heard) -> int | None:
    """All of them: Anthropic's API counts those that a cache held apart."""
    told = heard.reading.usage
    counted = told.input_tokens if told else None
    usage = json.loads(heard.answer.body).get("usage")
    cached = [usage.get(name) for name in _CACHED] if isinstance(usage, dict) else []
    return counted if counted is None else counted + sum(count for count in cached if isinstance(count, int))


def _survives(session: Session) -> Judged:
    heard = session.ask(Question(PROMPTS[0], Mode.BUFFERED), again=True)
    if heard.reading.error is None:
        return {"server.survives": []}
    found = server_found(
        "server.survives",
        Verdict.BROKEN,
        "after the error a plain question is not answered any more",
        "a reply",
        heard.excerpt,
    )
    return {"server.survives": [found]}

"""What is wrong with an answer, as pure functions from what was heard to findings. Asks nobody.

The rules' sentences are in `conformance.checks.server_rules`. A Judged holds the checks that apply; a check that is
not in it was not put to the question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.checks.ending import harm
from conformance.checks.finding import Finding
from conformance.checks.server_rules import server_found
from conformance.contract import Reply
from conformance.servers.asking import Heard
from conformance.servers.oracle import Right, explain, is_right, right
from conformance.vocabulary import Api, Mode, Severity, Stop, Verdict
from conformance.wire import codec_for
from conformance.wire.codec import HTTP_ERROR
from conformance.wire.grammar import violations

Judged = dict[str, list[Finding]]

ON_THE_BYTES = frozenset(
    {
        *("limits.terminates", "shape.grammar", "shape.idiom", "reason.once", "text.stream-agrees"),
        *("error.envelope", "error.status"),
    }
)
"""Checks whose findings one answer shows by itself; the others need the free run beside it, and are asked once more."""

_TEXT_RULES = ("stop.honoured", "stop.earliest", "stop.trimmed", "stop.not-invented", "text.exact")
_SHOWS_PACE = 3
"""Pieces of a text that show a pace; two show none."""
_SLACK = 8
"""Characters by which a delta may be longer than in the free run without anything having been held back."""
_BORDER = 32
"""Characters before the end of a capped text in which the cap may have come first."""
_SERVER_FAULT = 500


class Unexplained(Exception):
    """The text is not the free run's, and no fault of stop matching explains it: nothing is judged."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beforehand: the free run in the same mode.

    Attributes:
        text: what the server writes without stop strings.
        stop: how that ends.
        deltas: the pieces in which its stream came.
    """

    text: str
    stop: Stop
    deltas: tuple[str, ...] = ()


def basics(api: Api, heard: Heard) -> Judged:
    """What holds of every reply: it ends, it is of the API, its stream keeps the order."""
    out: Judged = {"limits.terminates": []}
    answer = heard.answer
    if answer.hung:
        out["limits.terminates"] = [
            server_found("limits.terminates", Verdict.BROKEN, "the call did not end", "an end", heard.excerpt)
        ]
        return out
    if heard.refused:
        return out
    if not heard.replied:
        what = "the reply breaks off" if answer.broken else "what comes is no reply of the API"
        expected = f"a reply of {api}"
        return out | {"shape.grammar": [server_found("shape.grammar", Verdict.BROKEN, what, expected, heard.excerpt)]}
    if heard.question.mode is Mode.BUFFERED:
        return out
    out |= {"shape.grammar": [], "shape.idiom": [], "reason.once": []}
    expected = f"the stream grammar of {api}"
    if not heard.events:
        what = f"no stream: {answer.content_type or 'no content type'}"
        out["shape.grammar"] = [server_found("shape.grammar", Verdict.BROKEN, what, expected, heard.excerpt)]
        return out
    for violation in violations(api, heard.events, ended=True, sentinel=True):
        check = "shape.grammar" if violation.breaks else "shape.idiom"
        where = f"event {violation.at + 1} of {len(heard.events)}" if violation.at is not None else "the whole stream"
        verdict = Verdict.BROKEN if violation.breaks else Verdict.LOUD
        out[check].append(server_found(check, verdict, violation.says, expected, f"{where}: {heard.excerpt}"))
    if heard.reading.reason_frames > 1:
        out["reason.once"] = [
            server_found(
                "reason.once",
                Verdict.MISLEADING,
                "more than one terminal reason",
                "1",
                f"{heard.reading.reason_frames} frames with a reason",
            )
        ]
    elif heard.reading.content_after_reason:
        problem = "content comes after the terminal reason"
        out["reason.once"] = [
            server_found("reason.once", Verdict.MISLEADING, problem, "the reason after all content", heard.excerpt)
        ]
    return out


def refusal(api: Api, heard: Heard) -> Judged:
    """A refusal: is it in the API's envelope, with a status that says whose fault it is."""
    return refusal_of(api, heard.answer.status, heard.answer.body, heard.excerpt)


def refusal_of(api: Api, status: int | None, body: bytes, excerpt: str) -> Judged:
    """The same of any exchange."""
    out: Judged = {"error.envelope": [], "error.status": []}
    if not has_envelope(api, body):
        out["error.envelope"] = [
            server_found(
                "error.envelope",
                Verdict.LOUD,
                "the error is not in the API's envelope",
                _ENVELOPES[api],
                excerpt,
            )
        ]
    if status is None or not HTTP_ERROR <= status < _SERVER_FAULT:
        out["error.status"] = [
            server_found("error.status", Verdict.LOUD, "the status is not one of a caller's fault", "4xx", excerpt)
        ]
    return out


_ENVELOPES: Mapping[Api, str] = {
    Api.OPENAI_CHAT: '{"error": {"message": ...}}',
    Api.OPENAI_RESPONSES: '{"error": {"message": ...}}',
    Api.ANTHROPIC_MESSAGES: '{"type": "error", "error": {"type": ..., "message": ...}}',
    Api.GEMINI: '{"error": {"code": ..., "message": ..., "status": ...}}',
}


def has_envelope(api: Api, body: bytes) -> bool:
    """Whether a body is the API's error envelope; sent as an event of a stream it is one too."""
    text = body.decode("utf-8", "replace").strip()
    lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")] or [text]
    for line in lines:
        try:
            payload = json.loads(line)
        except ValueError:
            continue
        if isinstance(payload, list) and payload and api is Api.GEMINI:
            payload = payload[0]
        inner = payload.get("error") if isinstance(payload, dict) else None
        if api is Api.OPENAI_RESPONSES and inner is None and isinstance(payload, dict):
            inner = payload if payload.get("type") == "error" else (payload.get("response") or {}).get("error")
        if isinstance(inner, dict) and isinstance(inner.get("message"), str):
            needs = {Api.ANTHROPIC_MESSAGES: ("type",), Api.GEMINI: ("code", "status")}.get(api, ())
            if all(name in inner for name in needs):
                return True
    return False


def stopped(api: Api, heard: Heard, known: Known, stops: Sequence[str], *, border: bool = False) -> Judged:
    """An answer to a question with stop strings, the free text known.

    Args:
        api: whose shape it has.
        heard: the answer.
        known: the free run in the same mode.
        stops: the strings that were asked for.
        border: the cap may have come first, so that either reason is honest.

    Raises:
        Unexplained: the text shows no fault of stop matching, and is not the free run's.
    """
    out = basics(api, heard)
    if not heard.replied:
        return out | (refusal(api, heard) if heard.refused else {})
    if heard.answer.broken:
        return out | {
            "text.exact": [
                server_found("text.exact", Verdict.BROKEN, "the reply breaks off", "a whole reply", heard.excerpt)
            ]
        }
    out |= {check: [] for check in _TEXT_RULES}
    truth, seen = right(known.text, stops), heard.reading.text
    if not is_right(known.text, stops, seen):
        fault = explain(known.text, stops, seen, ended=heard.reading.stop is not Stop.TRUNCATED)
        if fault is None:
            raise Unexplained
        out[fault.check] = [_wrong_text(fault.check, fault.problem, known, truth, stops, seen)]
        return out
    out |= _reason(heard, known, truth, border=border) | _named(api, heard, truth)
    if heard.question.mode is Mode.STREAMED:
        out |= _held_back(heard, known, stops) | final_agrees(api, heard)
    return out


def _wrong_text(check: str, problem: str, known: Known, truth: Right, stops: Sequence[str], seen: str) -> Finding:
    end = len(seen) if known.text.startswith(seen) else None
    shown = f"... {seen[-60:]!r} ({len(seen)} characters)"
    if end is not None and end > truth.begin:
        shown = f"... {seen[max(0, truth.begin - 30) : truth.begin + 40]!r} ({len(seen)} characters)"
    expected = f"stop {list(stops)!r}: ... {known.text[: truth.begin][-60:]!r} ({truth.begin} characters)"
    return server_found(check, Verdict.MISLEADING, problem, expected, shown)


def _reason(heard: Heard, known: Known, truth: Right, *, border: bool) -> Judged:
    honest = {Stop.COMPLETE} if truth.fires else {known.stop}
    near = truth.fires and known.stop is Stop.TRUNCATED and truth.begin >= len(known.text) - _BORDER
    if border or near:
        honest |= {Stop.COMPLETE, Stop.TRUNCATED}
    ending = "a stop string ended the text" if truth.fires else f"the text ended as in the free run, {known.stop}"
    return {"reason.class": reason_found(heard, honest, ending)}


def reason_found(heard: Heard, honest: set[Stop], ending: str) -> list[Finding]:
    """Whether the reason is one of the honest ones."""
    told = heard.reading.stop
    if told in honest:
        return []
    harms = [harm(stop, told) for stop in honest]
    verdict = min(harms, key=lambda one: one.harm)
    return [
        server_found(
            "reason.class",
            verdict,
            f"the reason says `{told}`, and {ending}",
            " or ".join(sorted(honest)),
            f"{heard.reading.raw_reason!r}",
            severity=None if verdict is Verdict.MISLEADING else Severity.SHOULD,
        )
    ]


def _named(api: Api, heard: Heard, truth: Right) -> Judged:
    """Which string fired: only Anthropic's API has a place and a value for it."""
    if api is not Api.ANTHROPIC_MESSAGES:
        return {}
    named, raw = heard.reading.stop_sequence, heard.reading.raw_reason
    cut = len(heard.reading.text)
    honest = truth.named.get(cut, frozenset()) if truth.fires else frozenset()
    if named is not None and named not in honest:
        expected = " or ".join(repr(stop) for stop in sorted(honest)) or "no string"
        found = server_found(
            "stop.not-invented", Verdict.MISLEADING, "a string is named that did not match", expected, repr(named)
        )
        return {"stop.not-invented": [found]}
    if not truth.fires:
        if raw == "stop_sequence":
            problem = "the reason says that a stop string matched"
            found = server_found("stop.not-invented", Verdict.MISLEADING, problem, "end_turn or max_tokens", repr(raw))
            return {"stop.not-invented": [found]}
        return {}
    if named is None or raw != "stop_sequence":
        observed = f"stop_reason {raw!r}, stop_sequence {named!r}"
        expected = f"stop_reason 'stop_sequence', stop_sequence {sorted(honest)[0]!r}"
        return {
            "stop.which": [
                server_found("stop.which", Verdict.LOUD, "the reply does not say which string", expected, observed)
            ]
        }
    return {"stop.which": []}


def _held_back(heard: Heard, known: Known, stops: Sequence[str]) -> Judged:
    if len(known.deltas) < _SHOWS_PACE or not heard.deltas:
        return {}
    most = max(map(len, known.deltas)) + max((len(stop) for stop in stops), default=0) + _SLACK
    longest = max(heard.deltas, key=len)
    if len(longest) <= most:
        return {"stream.incremental": []}
    found = server_found(
        "stream.incremental",
        Verdict.LOUD,
        "text is held back longer than a stop string can ask for",
        f"pieces of at most {most} characters ({max(map(len, known.deltas))} without stop strings)",
        f"a piece of {len(longest)}: {longest[:60]!r}",
    )
    return {"stream.incremental": [found]}


def final_agrees(api: Api, heard: Heard) -> Judged:
    """Responses sends the whole object once more at the end of a stream."""
    if api is not Api.OPENAI_RESPONSES:
        return {}
    ends = [event for event in heard.events if isinstance(event, Mapping) and isinstance(event.get("response"), dict)]
    if not ends or not ends[-1]["response"].get("output"):
        return {}  # the chatgpt.com backend sends none
    final = Reply.from_parts(codec_for(api).whole(ends[-1]["response"])).text
    if final == heard.reading.text:
        return {"text.stream-agrees": []}
    found = server_found(
        "text.stream-agrees",
        Verdict.MISLEADING,
        "the final object has another text than the deltas",
        repr(heard.reading.text[-80:]),
        repr(final[-80:]),
    )
    return {"text.stream-agrees": [found]}


def usage(heard: Heard, cap: int) -> Judged:
    """Output tokens are counted, and no more of them than were allowed."""
    told = heard.reading.usage
    count = told.output_tokens if told else None
    good = isinstance(count, int) and (count > 0 or not heard.reading.text)
    if good:
        return {"usage.reported": []}
    found = server_found(
        "usage.reported", Verdict.LOUD, "the output tokens are not counted", f"1 to {cap}", f"{count!r}"
    )
    return {"usage.reported": [found]}

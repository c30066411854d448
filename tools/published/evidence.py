"""Holds every recorded exchange against the codecs: no exception, no lost text, nothing unknown. Prints nothing.

What a codec does not read as the plain reader does is a Problem. A problem that is understood stands
in `divergences.toml` with its count and its reason; any other fails `make evidence`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformance.vocabulary import Api, Mode, Stop
from conformance.wire import Reading, codec_for
from tools.published import known, naive
from tools.published.classify import Kind
from tools.published.facts import facts_of
from tools.published.recordings import Exchange, Recordings


class Problem(NamedTuple):
    """One way in which a codec and an exchange do not agree."""

    rule: str
    kind: str
    detail: str


@dataclass(slots=True)
class Evidence:
    """What came out of one run.

    Attributes:
        endings: by kind, mode and ending (`reason -> class`, or `HTTP status`), how many exchanges.
        facts: by kind, how many exchanges show a grammar fact.
        problems: where each problem showed.
        unread: exchanges of protocols that have no codec, by kind.
        unverified: exchanges without a vendor's header or id, by kind.
    """

    endings: defaultdict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    facts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    problems: defaultdict[Problem, list[str]] = field(default_factory=lambda: defaultdict(list))
    unread: Counter[str] = field(default_factory=Counter)
    unverified: Counter[str] = field(default_factory=Counter)


def gather(recordings: Recordings, say: Callable[[str], None] = lambda _: None) -> Evidence:
    """Put every exchange through its codec."""
    evidence = Evidence()
    total = len(recordings.exchanges)
    for number, exchange in enumerate(recordings.exchanges, 1):
        if number % 500 == 0 or number == total:
            say(f"{number}/{total} exchanges through the codecs")
        _take(evidence, exchange)
    return evidence


def codec_api(kind: Kind) -> Api | None:
    """The Api whose codec reads this kind, compatible hosts included."""
    return Api(kind.protocol) if kind.protocol in set(Api) else None


def read(exchange: Exchange, api: Api) -> Reading:
    """The codec's Reading of an exchange."""
    codec = codec_for(api)
    # An HTTP error is one JSON body whatever the request asked for and the headers say.
    if exchange.mode is Mode.BUFFERED or exchange.recorded.status >= 400:
        return codec.read(exchange.recorded.status, _error_body(exchange))
    reader = codec.stream()
    reader.feed(exchange.recorded.body)
    reader.close()
    return reader.reading


def ending(exchange: Exchange, reading: Reading) -> str:
    """How an exchange ended, in one word and its class."""
    if exchange.recorded.status >= 400:
        return f"HTTP {exchange.recorded.status}"
    refused = " with a refusal" if reading.refusal else ""
    return f"{reading.raw_reason}{refused} -> {reading.stop}"


def _error_body(exchange: Exchange) -> bytes:
    body = exchange.recorded.body
    if exchange.mode is Mode.STREAMED and body.startswith(b"data:"):
        return body.removeprefix(b"data:").strip()
    return body


def _take(evidence: Evidence, exchange: Exchange) -> None:
    kind = str(exchange.kind)
    api = codec_api(exchange.kind)
    if api is None:
        evidence.unread[kind] += 1
        return
    if not exchange.verified:
        evidence.unverified[kind] += 1
    try:
        reading = read(exchange, api)
    except Exception as error:  # noqa: BLE001 -- whatever a codec raises on recorded bytes is the finding
        evidence.problems[Problem("crash", kind, type(error).__name__)].append(exchange.place)
        return
    evidence.endings[kind, exchange.mode][ending(exchange, reading)] += 1
    for rule, detail in _problems(exchange, api, reading):
        evidence.problems[Problem(rule, kind, detail)].append(exchange.place)
    if exchange.recorded.status < 400:
        evidence.facts[kind].update(facts_of(exchange, api))


def _problems(exchange: Exchange, api: Api, reading: Reading) -> Iterator[tuple[str, str]]:
    if exchange.recorded.status >= 400:
        if reading.error is None or not reading.error.message or reading.error.type == "not_json":
            yield "error-not-read", f"HTTP {exchange.recorded.status}"
        return
    yield from _lost(exchange, api, reading)
    yield from _unknown(exchange, api, reading)
    if reading.error is not None:
        yield "error-under-200", str(reading.error.type)
    if not reading.ended or (reading.raw_reason is None and reading.error is None):
        yield "no-reason", exchange.mode
    elif not reading.closed:
        yield "not-closed", str(reading.raw_reason)
    if reading.reason_frames > 1:
        yield "reason-twice", str(reading.raw_reason)
    if reading.content_after_reason:
        yield "content-after-reason", str(reading.raw_reason)
    if any(call.whole is not True for call in reading.tool_calls):
        yield "call-not-whole", f"{reading.raw_reason} -> {reading.stop}"


def _lost(exchange: Exchange, api: Api, reading: Reading) -> Iterator[tuple[str, str]]:
    plain = naive.said(api, exchange.recorded.body, streamed=exchange.mode is Mode.STREAMED)
    for what in ("text", "thinking", "refusal"):
        if getattr(plain, what) != getattr(reading, what):
            yield f"{what}-differs", exchange.mode
    calls = tuple((call.name, naive.canonical(call.arguments)) for call in reading.tool_calls)
    if calls != plain.calls:
        yield "calls-differ", exchange.mode
    if reading.raw_reason != plain.reason:
        yield "reason-differs", f"{plain.reason} read as {reading.raw_reason}"
    if plain.output_tokens != (reading.usage.output_tokens if reading.usage else None):
        yield "tokens-differ", exchange.mode


def _unknown(exchange: Exchange, api: Api, reading: Reading) -> Iterator[tuple[str, str]]:
    if reading.raw_reason is not None and codec_for(api).stop_of(reading.raw_reason) is Stop.UNKNOWN:
        yield "reason-unknown", reading.raw_reason
    payloads = naive.payloads_of(exchange.recorded.body, streamed=exchange.mode is Mode.STREAMED)
    types = {kind for payload in payloads for kind in known.types_in(api, payload)}
    for kind in sorted(types):
        if not known.is_known(api, kind):
            yield "type-unknown", kind
        elif known.asks_the_caller(api, kind) and reading.stop is Stop.COMPLETE:
            yield "caller-must-act", kind


def figures(recordings: Recordings, evidence: Evidence) -> dict[str, Any]:
    """All counts of a run as plain data in a stable order: what is committed and compared."""
    return {
        "read": {
            "exchanges": recordings.seen,
            "no call of a model": recordings.others,
            "set aside": dict(sorted(recordings.aside.items())),
            "repeated bodies": recordings.repeated,
            "kept": len(recordings.exchanges),
            "without a codec": dict(sorted(evidence.unread.items())),
            "without a vendor's header or id": dict(sorted(evidence.unverified.items())),
        },
        "endings": {
            kind: {
                mode: dict(sorted(counts.items()))
                for (of, mode), counts in sorted(evidence.endings.items())
                if of == kind
            }
            for kind in sorted({kind for kind, _ in evidence.endings})
        },
        "facts": {kind: dict(sorted(facts.items())) for kind, facts in sorted(evidence.facts.items())},
    }


def as_text(data: Any) -> str:
    """Plain data as the committed files keep it."""
    return json.dumps(data, indent=1, ensure_ascii=False, sort_keys=False) + "\n"

"""Plays the recorded exchanges themselves to an adapter and judges what it makes of them. Writes and prints nothing.

There is no hand-written expectation: the truth is the codec's Reading, which `evidence` holds against a
reader that shares no line with it. Requests are our own, so the checks on requests have little to say here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from conformance.checks import Case, Finding
from conformance.contract import Adapter
from conformance.corpus import Exchange as OurExchange
from conformance.replay import Chunking, Delivery, ReplayServer
from conformance.scenarios import Ask, Scenario, Wire
from conformance.scenarios.model import Evidence as Source
from conformance.suite.bench import call_for
from conformance.suite.caller import Caller
from conformance.verdict import Result, judge
from conformance.vocabulary import Api, Mode, Verdict
from conformance.wire.request import request_for
from tools.author.build import HOSTS, call_of
from tools.published import evidence
from tools.published.recordings import Exchange

_LIMIT = 10.0
_ASK = Ask("Go on.", max_tokens=1024)

BYTE_EVERY = 40
"""Every so many streams are played byte by byte as well: all of them would take hours."""


class Row(NamedTuple):
    """One line of the table."""

    package: str
    kind: str
    mode: Mode
    ending: str


class Fault(NamedTuple):
    """One kind of finding."""

    rule: str
    severity: str
    verdict: str
    what: str


@dataclass(slots=True)
class Bulk:
    """What came of a run.

    Attributes:
        rows: how many exchanges of each row had each verdict.
        faults: where each kind of finding showed.
        untested: exchanges that could not be put to the adapter, with the reason.
    """

    rows: defaultdict[Row, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    faults: defaultdict[Fault, list[str]] = field(default_factory=lambda: defaultdict(list))
    untested: list[str] = field(default_factory=list)

    @property
    def played(self) -> int:
        """How many exchanges were judged."""
        return sum(sum(verdicts.values()) for verdicts in self.rows.values())


class Player:
    """One adapter and the server that plays to it. Recorded bodies stay in memory."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._caller = Caller(adapter, _LIMIT)
        self._server = ReplayServer()

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._caller.close()
        self._server.stop()

    def judge(self, exchange: Exchange, api: Api, number: int, *, bytewise: bool) -> Result:
        """Play one exchange whole, and byte by byte where wanted."""
        scenario = _scenario(exchange, api, number)
        played = _played(scenario, exchange)
        chunkings = [Chunking.WHOLE, *([Chunking.BYTE] if bytewise else [])]
        observed = []
        for chunking in chunkings:
            with self._server.playing(Delivery(scenario.id, {exchange.mode: (played,)}, chunking)) as play:
                call = call_for(scenario, play.base_url, _LIMIT)
                ask = self._caller.complete if exchange.mode is Mode.BUFFERED else self._caller.stream
                seen = ask(call, str(chunking))
            if play.problem is not None:
                return Result.untested(scenario.id, exchange.mode, play.problem)
            observed.append(replace(seen, sent=tuple(play.sent)))
        case = Case(
            scenario=scenario,
            mode=exchange.mode,
            truth=evidence.read(exchange, api),
            observed=tuple(observed),
            vocabulary=self._adapter.vocabulary,
            lacks=self._adapter.lacks,
        )
        return judge(case)


def run(adapter: Adapter, exchanges: Iterable[Exchange], say: Callable[[str], None] = lambda _: None) -> Bulk:
    """Judge an adapter by every exchange whose API it speaks."""
    spoken = list(_spoken(adapter, exchanges))
    bulk = Bulk()
    streams = 0
    with Player(adapter) as player:
        for number, (exchange, api) in enumerate(spoken, 1):
            if number % 500 == 0 or number == len(spoken):
                say(f"{number}/{len(spoken)} exchanges played to {adapter.name}")
            streams += exchange.mode is Mode.STREAMED
            bytewise = exchange.mode is Mode.STREAMED and streams % BYTE_EVERY == 1
            _take(bulk, exchange, api, player.judge(exchange, api, number, bytewise=bytewise))
    return bulk


def _spoken(adapter: Adapter, exchanges: Iterable[Exchange]) -> Iterator[tuple[Exchange, Api]]:
    for exchange in exchanges:
        api = evidence.codec_api(exchange.kind)
        if api is not None and api in adapter.apis:
            yield exchange, api


def _take(bulk: Bulk, exchange: Exchange, api: Api, result: Result) -> None:
    if result.verdict is None:
        bulk.untested.append(f"{exchange.place}: {result.problem}")
        return
    end = evidence.ending(exchange, evidence.read(exchange, api))
    row = Row(exchange.recorded.package, str(exchange.kind), exchange.mode, end)
    bulk.rows[row][str(result.verdict)] += 1
    for finding in result.open:
        bulk.faults[_fault(finding)].append(exchange.place)


def _fault(finding: Finding) -> Fault:
    return Fault(finding.check, str(finding.severity), str(finding.verdict), finding.problem)


def faithful(verdicts: Counter[str]) -> bool:
    """Whether a row holds nothing else."""
    return set(verdicts) <= {str(Verdict.FAITHFUL)}


def _scenario(exchange: Exchange, api: Api, number: int) -> Scenario:
    return Scenario(
        api,
        f"published-{number}",
        "A recorded exchange.",
        "what the codec reads",
        _ASK,
        Wire(),
        (),
        (Source("rec", exchange.place),),
        modes=(exchange.mode,),
    )


def _played(scenario: Scenario, exchange: Exchange) -> OurExchange:
    host, recorded = HOSTS[scenario.api], exchange.recorded
    request = request_for(call_of(scenario, host), stream=exchange.mode is Mode.STREAMED)
    streamed = exchange.mode is Mode.STREAMED and recorded.status < 400
    content_type = "text/event-stream; charset=utf-8" if streamed else "application/json"
    return OurExchange(
        "POST", host + request.path, request.body, recorded.status, {"content-type": content_type}, recorded.body
    )

"""Puts one adapter to the test, cell by cell: plays the deliveries and builds the Case. No rule, no pytest here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, Protocol, Self

from conformance.checks import Case, Observation, SentRequest
from conformance.contract import Adapter, Call
from conformance.corpus import Exchange, cassette, reading_of, snapshot
from conformance.errors import BrokenCassette, BrokenSnapshot, HarnessError
from conformance.known_failures import Known
from conformance.replay import Chunking, Delivery, InProcess, Play, ReplayServer, applies
from conformance.replay.chunking import frames
from conformance.replay.faults import delivered
from conformance.scenarios import Scenario
from conformance.scenarios import scenario as scenario_of
from conformance.scenarios.view import View
from conformance.sets import RequirementSet
from conformance.suite.steady import steadied
from conformance.suite.watch import Watch
from conformance.verdict import Result, judge
from conformance.vocabulary import Api, Fault, FaultKind, Mode, Transport
from conformance.wire import Reading
from conformance.wire.codec import HTTP_ERROR

STALL_TIMEOUT, STALL_LIMIT = 0.4, 6.0
"""Seconds that a library is told to wait on a wire that says nothing, and that it gets for that, retries included."""


class NotApplicable(Exception):
    """The cell cannot be put on this transport, or not to this client: a signal, not an error."""


_FIRST_CALL = 4
"""How many times the limit the first call of a run may take."""


class Player(Protocol):
    """A transport: plays a delivery while the block runs."""

    def playing(self, delivery: Delivery) -> AbstractContextManager[Play]:
        """Play it."""


class Bench:
    """One adapter under test for a whole run.

    Args:
        adapter: the code under test.
        transport: how cassettes reach it.
        known: its listed failures.
        limit: seconds that a call may take.
        requirements: what counts; None for everything.
    """

    def __init__(
        self,
        adapter: Adapter,
        *,
        transport: Transport = Transport.SERVER,
        known: tuple[Known, ...] = (),
        limit: float = 10.0,
        requirements: RequirementSet | None = None,
    ) -> None:
        from conformance.suite.caller import Caller

        self.adapter = adapter
        self._transport = transport
        self._known = known
        self._limit = limit
        self._requirements = requirements
        self._caller = Caller(adapter, limit)
        port = getattr(adapter, "upstream_port", 0)  # of a gateway, whose upstream address is fixed
        server = ReplayServer(port, behind_gateway=bool(port))
        self._server = server if transport is Transport.SERVER else None
        self._player: Player = self._server or InProcess()
        self._plain: dict[tuple[str, Mode], Observation] = {}
        self._warm = False
        self._hung: dict[Api, str] = {}
        self._wedged: set[Api] = set()
        self._built: dict[str | tuple[str, ...], Adapter] = {}

    def __enter__(self) -> Self:
        if self._server is not None:
            self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._caller.close()
        if self._server is not None:
            self._server.stop()

    def judge(self, scenario: Scenario, mode: Mode) -> tuple[Result, Sequence[SentRequest]]:
        """Play a cell under every chunking and judge it; the requests of the plain delivery come with the result.

        A cell that cannot be played is told as untested.

        Raises:
            NotApplicable: it cannot be played here at all.
        """
        try:
            self._check_alive(scenario.api)
            case = self.case(scenario, mode)
        except (HarnessError, BrokenCassette, BrokenSnapshot) as error:
            return self.untested(scenario, mode, str(error)), ()
        if any(seen.hung for seen in case.observed):
            self._hung.setdefault(scenario.api, f"{scenario.id}:{mode}")
        return judge(case, self._known, self._requirements), case.plain.sent

    def untested(self, scenario: Scenario, mode: Mode, problem: str) -> Result:
        """The result of a cell that could not be put to the adapter."""
        return Result.untested(scenario.id, mode, problem, self._requirements)

    def _check_alive(self, api: Api) -> None:
        """After a hang: does the adapter still answer what it answered before? A wedged library is told once.

        Raises:
            HarnessError: it does not, so nothing more can be told of this API in this process.
        """
        plain = scenario_of(f"{api}/natural-end")
        before = self._plain.get((plain.id, Mode.BUFFERED))
        if api not in self._hung or before is None or before.hung:
            return
        if api not in self._wedged:
            exchanges = {each: cassette(plain.id, each) for each in plain.modes}
            if not self._observe(plain, Mode.BUFFERED, _delivery(plain, exchanges)).hung:
                del self._hung[api]
                return
            self._wedged.add(api)
        raise HarnessError(
            f"since {self._hung[api]} hung, {self.adapter.name} no longer answers {plain.id}, which it did before",
            "run the cell that hung by itself; the others are not to blame",
        )

    def case(self, scenario: Scenario, mode: Mode) -> Case:
        """Play a cell under every chunking.

        Raises:
            NotApplicable: only the server can play it, or the client asks for another form or coding of the body.
            HarnessError: the question could not be put to the adapter.
            BrokenCassette: the cassette cannot be read, or no longer shows what the scenario claims.
            BrokenSnapshot: the snapshot cannot be read.
        """
        if scenario.needs_server and self._transport is not Transport.SERVER:
            raise NotApplicable("only the server plays faults, framings, codings and redirects")
        exchanges = {each: cassette(scenario.id, each) for each in scenario.modes}
        check_premise(scenario, mode, exchanges[mode])
        plain = self._observe_plain(scenario, mode, exchanges)
        observed = [plain]
        if not plain.hung:
            observed += [
                self._observe(scenario, mode, _delivery(scenario, exchanges, chunking=chunking))
                for chunking in self._chunkings(scenario, mode, exchanges[mode])
            ]
        return Case(
            scenario=scenario,
            mode=mode,
            truth=_truth(scenario, mode, exchanges[mode], len(plain.sent)),
            observed=tuple(observed),
            vocabulary=self.adapter.vocabulary,
            lacks=self.adapter.lacks,
            other=self._other(scenario, mode, exchanges),
            held=self._held(scenario, mode, exchanges) if not plain.hung else None,
        )

    def cut_case(self, scenario: Scenario, fault: Fault) -> Case:
        """Play a streamed cell with another fault than its own. The truth is what a right reader makes of what is left.

        Raises:
            HarnessError: the question could not be put to the adapter.
            BrokenCassette: the cassette cannot be read.
        """
        exchanges = {Mode.STREAMED: cassette(scenario.id, Mode.STREAMED)}
        truth = reading_of(scenario.api, Mode.STREAMED, delivered(exchanges[Mode.STREAMED][-1], fault))
        # After the reason the end of the stream may be taken for what it is.
        cut = replace(scenario, fault=fault, may_raise=True, tolerates=None)
        plain = self._observe(cut, Mode.STREAMED, _delivery(cut, exchanges))
        return Case(cut, Mode.STREAMED, truth, (plain,), self.adapter.vocabulary, self.adapter.lacks)

    def under_cuts(self, scenario: Scenario, cuts: tuple[int, ...]) -> Observation:
        """Play a streamed cell cut at these places of its body.

        Raises:
            HarnessError: the question could not be put to the adapter.
            BrokenCassette: the cassette cannot be read.
        """
        exchanges = {Mode.STREAMED: cassette(scenario.id, Mode.STREAMED)}
        return self._observe(scenario, Mode.STREAMED, _delivery(scenario, exchanges, cuts=cuts))

    def _chunkings(self, scenario: Scenario, mode: Mode, turns: tuple[Exchange, ...]) -> list[Chunking]:
        if mode is Mode.BUFFERED or self._transport is Transport.VCR:
            return []  # a body is read whole; vcrpy joins chunks
        last = delivered(turns[-1], scenario.fault)
        if last.status >= HTTP_ERROR or len(turns) > 1:
            return []  # an error is read whole, and each retry takes its time
        if scenario.fault is not None and scenario.fault.kind is not FaultKind.CUT:
            return []  # how a connection dies is the point there
        if scenario.packing is not None:
            return [Chunking.BYTE]  # the others tell borders of the text
        return [each for each in Chunking if each is not Chunking.WHOLE and applies(last.body, each)]

    def _observe_plain(
        self, scenario: Scenario, mode: Mode, exchanges: Mapping[Mode, tuple[Exchange, ...]]
    ) -> Observation:
        key = (scenario.id, mode)
        if key not in self._plain:
            self._plain[key] = self._observe(scenario, mode, _delivery(scenario, exchanges))
        return self._plain[key]

    def _other(
        self, scenario: Scenario, mode: Mode, exchanges: Mapping[Mode, tuple[Exchange, ...]]
    ) -> tuple[Observation, Reading] | None:
        """The buffered side of a streamed cell, played again where it ran in another process."""
        if mode is not Mode.STREAMED or Mode.BUFFERED not in scenario.modes:
            return None
        try:
            whole = self._observe_plain(scenario, Mode.BUFFERED, exchanges)
        except NotApplicable:
            return None  # it has no whole reply of its own to compare with
        return whole, snapshot(scenario.id)[Mode.BUFFERED]

    def _held(
        self, scenario: Scenario, mode: Mode, exchanges: Mapping[Mode, tuple[Exchange, ...]]
    ) -> Observation | None:
        if not scenario.held or mode is not Mode.STREAMED or self._transport is Transport.VCR:
            return None
        # All but the last third of the frames: enough to hold a first piece of text on every API.
        pieces = frames(exchanges[mode][-1].body)
        count = len(pieces) * 2 // 3
        begun = reading_of(scenario.api, mode, replace(exchanges[mode][-1], body=b"".join(pieces[:count])))
        watch = Watch(begun.text, scenario.ask.stop)
        seen = self._observe(scenario, mode, _delivery(scenario, exchanges, hold_after=count), watch)
        return replace(seen, while_open=watch.seen)

    def _configured(self, scenario: Scenario) -> Adapter:
        """The adapter, built with the scenario's stop strings where they are asked at construction."""
        if not scenario.ask.at_construction:
            return self.adapter
        configured = getattr(self.adapter, "configured", None)
        if configured is None:
            raise NotApplicable(f"{self.adapter.name} takes no stop strings at construction")
        stop = scenario.ask.stop or ()
        if stop not in self._built:
            self._built[stop] = configured(list(stop))
        return self._built[stop]

    def _observe(self, scenario: Scenario, mode: Mode, delivery: Delivery, watch: Watch | None = None) -> Observation:
        """One delivery. A hang is believed where it happens twice: a busy machine makes one of a slow import."""
        seen = self._observe_once(scenario, mode, delivery, watch)
        if seen.hung and not _stalls(scenario):
            return self._observe_once(scenario, mode, delivery, watch)
        return seen

    def _observe_once(self, scenario: Scenario, mode: Mode, delivery: Delivery, watch: Watch | None) -> Observation:
        limit = min(self._limit, STALL_LIMIT) if _stalls(scenario) else self._limit
        if not self._warm:
            # Some libraries import half of themselves in their first call: that is no hang.
            self._warm, limit = True, limit * _FIRST_CALL
        with self._caller.speaking(self._configured(scenario)), self._player.playing(delivery) as play:
            call = call_for(scenario, play.base_url, self._limit)
            if mode is Mode.BUFFERED:
                seen = self._caller.complete(call, delivery.label, limit=limit)
            else:
                # A stall ends with the play: content releases a wire only where it is watched.
                with watch.watching(play) if watch is not None else nullcontext() as on_content:
                    seen = self._caller.stream(call, delivery.label, on_content, limit=limit)
        if mode is Mode.BUFFERED and play.sent and all(sent.mode is Mode.STREAMED for sent in play.sent):
            raise NotApplicable(f"{self.adapter.name} asks for a stream where a whole reply is asked of it")
        if play.problem is not None:
            raise HarnessError(f"{scenario.id}:{mode} could not be put to {self.adapter.name}: {play.problem}")
        if scenario.packing is not None and not play.packed and play.sent:
            raise NotApplicable(f"{self.adapter.name} does not ask for {scenario.packing}")
        if scenario.without_query and any(scenario.without_query in sent.query for sent in play.sent):
            raise NotApplicable(f"{self.adapter.name} asks with {scenario.without_query}")
        return replace(
            steadied(seen),
            sent=tuple(play.sent),
            elsewhere=tuple(play.elsewhere) if scenario.wire.redirects else None,
        )


def _stalls(scenario: Scenario) -> bool:
    return scenario.fault is not None and scenario.fault.kind is FaultKind.STALL


def _delivery(scenario: Scenario, exchanges: Mapping[Mode, tuple[Exchange, ...]], **more: Any) -> Delivery:
    return Delivery(
        scenario.id, exchanges, fault=scenario.fault, framing=scenario.framing, packing=scenario.packing, **more
    )


def _truth(scenario: Scenario, mode: Mode, turns: tuple[Exchange, ...], requests: int) -> Reading:
    """The snapshot; where the adapter asked less often than there are answers, what the last one that it got says."""
    if 0 < requests < len(turns):
        return reading_of(scenario.api, mode, turns[requests - 1])
    return snapshot(scenario.id)[mode]


def call_for(scenario: Scenario, base_url: str, limit: float) -> Call:
    """The Call that puts a scenario's request. The library's own time-out is a little shorter than the suite's."""
    ask = scenario.ask
    return Call(
        api=scenario.api,
        base_url=base_url,
        api_key="conformance-no-key",
        model=scenario.model,
        prompt=ask.prompt,
        stop=None if ask.at_construction else list(ask.stop) if isinstance(ask.stop, tuple) else ask.stop,
        max_tokens=ask.max_tokens,
        tools=ask.tools,
        tool_choice=ask.tool_choice,
        timeout=STALL_TIMEOUT if _stalls(scenario) else limit * 0.8,
    )


def view_of(scenario: Scenario, mode: Mode, turns: tuple[Exchange, ...]) -> View:
    """What a client gets to see of a cell: the last answer as it is delivered, and the statuses before it."""
    last = delivered(turns[-1], scenario.fault)
    return View(scenario.api, mode, last.status, last.body, tuple(turn.status for turn in turns[:-1]))


def check_premise(scenario: Scenario, mode: Mode, turns: tuple[Exchange, ...]) -> None:
    """Make sure that the bytes still show the behaviour.

    Raises:
        BrokenCassette: they do not: the fixture is broken, and no adapter is to blame.
    """
    view = view_of(scenario, mode, turns)
    for premise in scenario.premise:
        if not premise.holds(view):
            raise BrokenCassette(
                f"the cassette of {scenario.id}:{mode} no longer shows its premise: {premise.says}",
                "record it again, or mend the scenario",
            )

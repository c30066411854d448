"""What is to be played, and what came of it: Delivery and Play. No transport's machinery is here; both share these.

The rule on blame: an answer that the suite did not have is the suite's problem and never the
adapter's failure, so every miss ends in `Play.problem`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.corpus import Exchange
from conformance.errors import HarnessError
from conformance.replay.addressing import Sent, origin_of, path_of, same_address
from conformance.replay.chunking import Chunking
from conformance.vocabulary import Api, Fault, Framing, Mode, Packing

_ASKS_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Delivery:
    """One way of playing a scenario.

    Attributes:
        scenario: its id, such as `anthropic-messages/stop-fired`.
        exchanges: what answers in each mode; the nth request gets the nth, the last one repeats.
        chunking: how bodies are cut.
        hold_after: of a streamed body, how many SSE frames to send before the wire is held open.
        fault: what is done to the body of the last exchange; those before it come whole.
        framing: how the end of that body is told; None: by length, or by chunks where it is streamed.
        packing: its content coding, where the client offers it.
        cuts: places at which bodies are cut instead of `chunking`'s.
        pace: seconds between two pieces of a body; None for none.
    """

    scenario: str
    exchanges: Mapping[Mode, tuple[Exchange, ...]]
    chunking: Chunking = Chunking.WHOLE
    hold_after: int | None = None
    fault: Fault | None = None
    framing: Framing | None = None
    packing: Packing | None = None
    cuts: tuple[int, ...] | None = None
    pace: float | None = None

    @property
    def label(self) -> str:
        """How the bytes come, for reports."""
        if self.cuts is not None:
            return f"cut at {', '.join(map(str, self.cuts)) or 'no place'}"
        return str(self.chunking)

    @property
    def plain(self) -> bool:
        """Whether bodies come whole, clean and at once."""
        special = (self.hold_after, self.fault, self.framing, self.packing, self.cuts, self.pace)
        return self.chunking is Chunking.WHOLE and all(value is None for value in special)

    @property
    def api(self) -> Api:
        """The API that the scenario's id names.

        Raises:
            HarnessError: it names none.
        """
        name = self.scenario.partition("/")[0]
        try:
            return Api(name)
        except ValueError:
            raise HarnessError(f"{self.scenario!r} names no API", f"one of: {', '.join(Api)}") from None

    @property
    def origin(self) -> str:
        """Scheme and host that the cassettes were recorded from.

        Raises:
            HarnessError: there is no exchange.
        """
        for turns in self.exchanges.values():
            for exchange in turns:
                return origin_of(exchange.uri)
        raise HarnessError(f"{self.scenario} has no exchange to play", "give the delivery a cassette")


class Turn(NamedTuple):
    """What answers a request: the exchange number `place` of `mode`."""

    mode: Mode
    place: int


class Miss(NamedTuple):
    """Nothing answers a request: the HTTP status that says so, and why."""

    status: int
    problem: str


@dataclass(eq=False)
class Play:
    """A delivery under way: where to call, what was sent there, and whether the suite could answer.

    Attributes:
        base_url: the bare root to hand to the adapter.
        sent: every request, in order of arrival, answered or not.
        held: the wire was held open (`hold_after`); without that, `released` says nothing.
        released: `release` came while it was held.
        gave_up: `release` did not come in time, and the rest was sent.
        elsewhere: requests that reached the other address, to which a redirect points.
        packed: the body was sent in the content coding that was asked for.
    """

    delivery: Delivery
    base_url: str
    sent: list[Sent] = field(default_factory=list)
    held: bool = False
    released: bool = False
    gave_up: bool = False
    elsewhere: list[Sent] = field(default_factory=list)
    packed: bool = False
    _turns: Counter[Mode] = field(default_factory=Counter, repr=False)
    _failure: str | None = field(default=None, repr=False)
    _refused: str | None = field(default=None, repr=False)
    _stray: str | None = field(default=None, repr=False)
    _let_go: bool = field(default=False, repr=False)
    _wake: list[Callable[[], object]] = field(default_factory=list, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def problem(self) -> str | None:
        """Why this play proves nothing about the adapter; None where it does.

        A request that could not be answered is a problem unless a right one follows it (a fallback);
        one that asks for nothing (a list of models) or goes elsewhere, only where no right one came at all.
        """
        with self._lock:
            return self._failure or self._refused or (None if self._turns else self._stray)

    def answer(self, sent: Sent) -> Turn | Miss:
        """Log a request and say what answers it."""
        with self._lock:
            self.sent.append(sent)
            found = self._find(sent)
            if isinstance(found, Turn):
                self._refused = None
            elif sent.method in _ASKS_NOTHING:
                self._stray = self._stray or found.problem
            else:
                self._refused = found.problem
            return found

    def stray(self, problem: str, sent: Sent | None = None) -> None:
        """A request that is not for this API; a problem only where no right one comes."""
        with self._lock:
            if sent is not None:
                self.sent.append(sent)
            self._stray = self._stray or problem

    def fail(self, problem: str) -> None:
        """The transport itself failed: a problem whatever follows."""
        with self._lock:
            self._failure = self._failure or problem

    def release(self) -> None:
        """Let a held wire go on. Any thread may call it, at any time."""
        with self._lock:
            self._let_go = True
            for wake in self._wake:
                wake()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """While open, `release` calls `wake`; at once where it has been called already."""
        with self._lock:
            self._wake.append(wake)
            if self._let_go:
                wake()
        try:
            yield
        finally:
            with self._lock:
                self._wake.remove(wake)

    def _find(self, sent: Sent) -> Turn | Miss:
        delivery = self.delivery
        turns = delivery.exchanges.get(sent.mode)
        known = turns or next(filter(None, delivery.exchanges.values()), None)
        if known and not same_address(delivery.api, sent, known[0].method, known[0].uri):
            return Miss(
                404,
                f"the binding asked for {sent.method} {sent.path}; this API lives at "
                f"{known[0].method} {path_of(known[0].uri)}: check how it builds its address from call.base_url",
            )
        if not turns:
            has = " and ".join(mode for mode in delivery.exchanges if delivery.exchanges[mode]) or "no"
            return Miss(501, f"the binding asked for a {sent.mode} reply, scenario {delivery.scenario} has only {has}")
        place = min(self._turns[sent.mode], len(turns) - 1)
        self._turns[sent.mode] += 1
        return Turn(sent.mode, place)

"""The facts that checks look at: one cell of one adapter, already played. No rule is here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from conformance.checks.reachable import reachable
from conformance.contract import Chunk, Part, Reply
from conformance.scenarios import Scenario
from conformance.vocabulary import Gap, Mode, Stop, Vocabulary
from conformance.wire import Codec, Reading, codec_for


class SentRequest(Protocol):
    """A request as the transport logged it."""

    @property
    def path(self) -> str:
        """Path below the base URL."""

    @property
    def json(self) -> Mapping[str, Any] | None:
        """The JSON body, or None where it was none."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Names in lower case."""

    @property
    def query(self) -> str:
        """What follows the path."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that reached the caller.

    Attributes:
        kinds: the names of its class and bases, `module.name`.
        message: its text.
        reachable: all that can be read off it and its causes.
    """

    kinds: tuple[str, ...]
    message: str
    reachable: str = ""

    @property
    def kind(self) -> str:
        """The class itself."""
        return self.kinds[0]

    @classmethod
    def of(cls, error: BaseException) -> Raised:
        """Take down an exception."""
        kinds = tuple(f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__[:-1])
        return cls(kinds, f"{error}"[:500], reachable(error))


class OpenWire(NamedTuple):
    """What a caller had seen of a stream when the server held it open.

    Attributes:
        sent: the text that had been sent, as a right reader has it.
        shown: characters of text that had reached the caller.
        anything: whether any content had.
    """

    sent: str
    shown: int
    anything: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """What the caller saw of one delivery.

    Attributes:
        chunking: how the bytes were cut.
        reply: the Reply, or the joined Parts; None where an exception came before there was one.
        parts: what a stream yielded, in order; Chunks as the Parts that they were read into.
        final: the library's own accumulated object.
        raised: the exception, if any.
        hung: the call did not end within the time limit.
        warnings: Python warnings and log records of level WARNING and above.
        sent: the requests that arrived.
        while_open: for a wire held open, what had arrived before it was let go; else None.
        chunks: the Chunks themselves, in order.
        elsewhere: the requests that followed a redirect to another host; None where nothing redirects.
    """

    chunking: str
    reply: Reply | None = None
    parts: tuple[Part, ...] = ()
    final: Reply | None = None
    raised: Raised | None = None
    hung: bool = False
    warnings: tuple[str, ...] = ()
    sent: tuple[SentRequest, ...] = ()
    while_open: OpenWire | None = None
    chunks: tuple[Chunk, ...] = ()
    elsewhere: tuple[SentRequest, ...] | None = None

    @property
    def failure(self) -> str | None:
        """The error that the caller got, raised or as an item of the stream; None where there is none."""
        if self.raised is not None:
            return f"{self.raised.kind}: {self.raised.message}"
        error = self.reply.error if self.reply is not None else None
        return f"an error item, {error.type or 'error'}: {error.message}" if error is not None else None

    @property
    def whole(self) -> Reply | None:
        """The reply of a call that ended without an error, or None."""
        return None if self.failure is not None or self.hung else self.reply


@dataclass(frozen=True, slots=True)
class Case:
    """One cell: scenario and mode, the truth, and what an adapter made of it.

    Attributes:
        truth: the snapshot.
        observed: one observation per chunking; the first is the plain one that most checks judge.
        other: the plain observation of the other mode, and its truth, where the scenario has both.
        held: the observation on a wire that was held open.
    """

    scenario: Scenario
    mode: Mode
    truth: Reading
    observed: tuple[Observation, ...]
    vocabulary: Vocabulary
    lacks: frozenset[Gap] = frozenset()
    other: tuple[Observation, Reading] | None = None
    held: Observation | None = None

    @property
    def plain(self) -> Observation:
        """The delivery that most checks judge."""
        return self.observed[0]

    @property
    def codec(self) -> Codec:
        """The codec of the upstream API."""
        return codec_for(self.scenario.api)

    @property
    def request(self) -> SentRequest | None:
        """The first request for a reply. Requests that list models or count tokens are request.count's business."""
        asked = [request for request in self.plain.sent if request.json is not None]
        at_home = [request for request in asked if request.path.endswith(self.codec.ENDPOINTS)]
        return next(iter(at_home or asked), None)

    @property
    def refused(self) -> bool:
        """The adapter raised before it sent anything, where that is as right as an answer."""
        return self.scenario.may_refuse and self.plain.raised is not None and not self.plain.sent

    def same_shape(self, reply: Reply) -> bool:
        """Whether the reply is in the upstream API's own values, so that what the wire does shows through."""
        return self.vocabulary.members is None and (reply.shape or self.vocabulary.api or self.scenario.api) == (
            self.scenario.api
        )

    def says(self, reply: Reply) -> Stop:
        """The class that the adapter's public reason claims, by its own vocabulary; no reason is UNKNOWN."""
        if self.vocabulary.members is not None:
            return self.vocabulary.members.get(reply.reason or "", Stop.UNKNOWN)
        return codec_for(reply.shape or self.vocabulary.api or self.scenario.api).stop_of(reply.reason)

    def has_member(self, stop: Stop, reply: Reply) -> bool:
        """Whether the vocabulary in use has a value for this class."""
        if self.vocabulary.members is not None:
            return stop in self.vocabulary.members.values()
        codec = codec_for(reply.shape or self.vocabulary.api or self.scenario.api)
        return any(row.stop is stop for row in codec.STOPS.values())

    def ending(self, reply: Reply) -> Stop:
        """The class as the caller can tell it: the reason, and in the adapter's favour what stands beside it.

        Where the truth is a tool call or a block, a `complete` with the calls or the refusal in the reply
        deceives nobody who looks. Content never turns an honest reason into an accusation.
        """
        claimed = self.says(reply)
        honest = {self.truth.stop} | self.scenario.accepts
        if claimed is Stop.COMPLETE and Stop.TOOL_CALL in honest and reply.tool_calls:
            return Stop.TOOL_CALL
        if claimed is Stop.COMPLETE and Stop.BLOCKED in honest and reply.refusal:
            return Stop.BLOCKED
        return claimed

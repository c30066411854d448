"""What a scenario is. Definitions live in the theme modules beside this one, bytes in the corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contract import Tool
from conformance.scenarios.premises import Premise
from conformance.vocabulary import Api, Fault, Framing, Mode, Packing, Standing, Stop
from conformance.wire.draft import Draft
from conformance.wire.sse import Event

MODELS: Mapping[Api, str] = {
    Api.OPENAI_CHAT: "gpt-4.1-mini",
    Api.OPENAI_RESPONSES: "gpt-4.1-mini",
    Api.ANTHROPIC_MESSAGES: "claude-haiku-4-5",
    Api.GEMINI: "gemini-2.5-flash",
}
"""Models that take stop sequences; the newest reasoning models refuse them."""

_REDIRECT, _ERROR = 300, 400

BOTH = (Mode.BUFFERED, Mode.STREAMED)
BUFFERED = (Mode.BUFFERED,)
STREAMED = (Mode.STREAMED,)


@dataclass(frozen=True, slots=True)
class Ask:
    """What the suite asks the adapter to ask. Fields as in `Call`; no model means the API's usual one.

    `at_construction` gives the stop strings to `Adapter.configured` and none to the call.
    """

    prompt: str
    stop: str | tuple[str, ...] | None = None
    max_tokens: int | None = None
    tools: tuple[Tool, ...] = ()
    tool_choice: str | None = None
    model: str | None = None
    at_construction: bool = False


@dataclass(frozen=True, slots=True)
class Wire:
    """How a documented cassette is written: a draft that the API's codec encodes, and edits to what it writes.

    Attributes:
        draft: the reply, or None where `body` is sent as it is.
        whole: edits the JSON of the buffered reply.
        events: edits the events of the stream.
        raw: edits the bytes of the stream at the very end (line ends, comments, a cut inside a frame).
        status: HTTP status; of an error it holds for both modes.
        body: a whole body (an error envelope), sent buffered in both modes.
        headers: response headers beside the usual ones.
        before: what answers the requests before the last one, in order (a retry is met by the next).
    """

    draft: Draft | None = None
    whole: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    events: Callable[[list[Event]], list[Event]] | None = None
    raw: Callable[[bytes], bytes] | None = None
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    before: tuple[Wire, ...] = ()

    @property
    def redirects(self) -> bool:
        """Whether the answer names another address."""
        return _REDIRECT <= self.status < _ERROR


@dataclass(frozen=True, slots=True)
class Evidence:
    """One source for a scenario's wire: `rec`orded, `doc`umented, a `bug` report, or a `seed` article."""

    kind: str
    source: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """One exact behaviour of one API.

    Attributes:
        api, slug: together the id.
        claim: one sentence on what the wire does.
        right: one sentence on what a right adapter reports.
        ask: the request.
        wire: how a documented cassette is written.
        premise: what the cassette must show, re-derived from its bytes on every run.
        evidence: sources, best first.
        modes: which deliveries exist.
        standing: who stands behind the wire.
        accepts: classes that are honest beside the snapshot's.
        accepts_why: the reason for `accepts`.
        may_refuse: an error before anything is sent is as right as the reply.
        tolerates: what a right reader must not be disturbed by, where that is the scenario's point.
        held: whether `stream.incremental` is judged here, on a wire that is held open.
        may_raise: an error is as right as the reply.
        fault: what is done to the cassette on delivery.
        framing: how the body's end is told, where that is not the usual way.
        packing: the content coding in which the body is sent.
        without_query: only a request whose query lacks this gets the form; the others get another one.
    """

    api: Api
    slug: str
    claim: str
    right: str
    ask: Ask
    wire: Wire
    premise: tuple[Premise, ...]
    evidence: tuple[Evidence, ...]
    modes: tuple[Mode, ...] = BOTH
    standing: Standing = Standing.OBSERVED
    accepts: frozenset[Stop] = frozenset()
    accepts_why: str = ""
    may_refuse: bool = False
    tolerates: str | None = None
    held: bool = False
    may_raise: bool = False
    fault: Fault | None = None
    framing: Framing | None = None
    packing: Packing | None = None
    without_query: str | None = None

    @property
    def needs_server(self) -> bool:
        """Only the server can deliver it: vcrpy hands bodies over whole and clean, from one host."""
        return bool(self.fault or self.framing or self.packing or self.wire.redirects)

    @property
    def id(self) -> str:
        """The cassette path, the snapshot path, the pytest id, the report row and the known-failure key."""
        return f"{self.api}/{self.slug}"

    @property
    def model(self) -> str:
        """The model that the request names."""
        return self.ask.model or MODELS[self.api]

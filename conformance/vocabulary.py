"""The words of the house: APIs, modes, stop classes, verdicts. No behaviour, no I/O, no other module of ours.

`Stop` is the heart. Every wire value of every API is read into one of its members; a value that no
table knows is `UNKNOWN`, which every caller must treat like `TRUNCATED` and never like `COMPLETE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Api(StrEnum):
    """A wire protocol. The value is its public id: the first half of every scenario id."""

    OPENAI_CHAT = "openai-chat"
    OPENAI_RESPONSES = "openai-responses"
    ANTHROPIC_MESSAGES = "anthropic-messages"
    GEMINI = "gemini"


class Mode(StrEnum):
    """How a reply is delivered: one JSON body, or a stream of server-sent events."""

    BUFFERED = "buffered"
    STREAMED = "streamed"


class Stop(StrEnum):
    """What an ending means to the caller, whatever the API calls it."""

    COMPLETE = "complete"
    """Safe to show."""
    TRUNCATED = "truncated"
    """A cap was hit; the answer is not whole."""
    TOOL_CALL = "tool_call"
    """Run the tool; nothing to show yet."""
    CONTINUE = "continue"
    """The provider asks to be invoked again (pause_turn, compaction, CONTINUATION)."""
    BLOCKED = "blocked"
    """Filtered or refused."""
    FAILED = "failed"
    """The provider reports that generation failed: retry, never show."""
    UNKNOWN = "unknown"
    """Anything else, no reason at all included. Grouped with TRUNCATED, never with COMPLETE."""


class Verdict(StrEnum):
    """How an adapter did in one cell, from best to worst harm."""

    FAITHFUL = "faithful"
    DECLARED = "declared"
    LOUD = "loud"
    BROKEN = "broken"
    MISLEADING = "misleading"

    @property
    def harm(self) -> int:
        """Rank in the order of harm; the verdict of a cell is the worst among its findings."""
        return tuple(Verdict).index(self)


class Severity(StrEnum):
    """A MUST that fails fails the run; a SHOULD is reported and scored."""

    MUST = "MUST"
    SHOULD = "SHOULD"


class Standing(StrEnum):
    """Who stands behind a scenario's wire. What is only PERMITTED can fail no more than a SHOULD."""

    OBSERVED = "observed"
    """Seen from that vendor, or from a named compatible host."""
    PROMISED = "promised"
    """Stated by the vendor's documentation, types or versioning policy."""
    PERMITTED = "permitted"
    """Only allowed by the standard underneath: SSE, JSON, HTTP."""


class Provenance(StrEnum):
    """Where a cassette comes from."""

    LIVE = "live"
    """Recorded from the provider with a key."""
    PUBLISHED = "published"
    """Structure of one exchange of a hash-pinned public package; wording and ids are our own."""
    DOCUMENTED = "documented"
    """Built from vendor documentation or SDK types, each cited."""


class Transport(StrEnum):
    """How a cassette reaches the adapter."""

    SERVER = "server"
    """The loopback server: re-chunking, faults, every language."""
    VCR = "vcr"
    """In process through pytest-recording, for adapters whose address cannot be changed."""


class FaultKind(StrEnum):
    """What is done to a body on delivery."""

    CUT = "cut"
    """The body ends early as if it were whole: a content-length of what is sent, a last HTTP chunk."""
    BODY_CUT = "body-cut"
    """The connection closes although content-length or chunked framing has promised more."""
    RESET = "reset"
    """The connection is reset (RST)."""
    STALL = "stall"
    """Nothing more comes, and the wire stays open."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done to a cassette on delivery, told by frames, so that a new recording keeps its place.

    Attributes:
        frames: how many frames are sent before it happens; a negative number counts from the end. A
            body that is no stream is one frame.
        inside: the first half of the next frame is sent as well.
    """

    kind: FaultKind
    frames: int = 0
    inside: bool = False


class Framing(StrEnum):
    """How a body's end is told."""

    LENGTH = "content-length"
    CHUNKED = "chunked"
    CLOSE = "until-close"
    """Neither length nor chunks: the body lasts until the connection closes."""


class Packing(StrEnum):
    """A content coding, used where the client's accept-encoding offers it."""

    GZIP = "gzip"
    DEFLATE = "deflate"


class Gap(StrEnum):
    """What an adapter may declare that its interface has no place for. A gap never hides a misleading verdict."""

    STOP_SEQUENCE = "stop-sequence"
    """No place for the matched stop string."""
    RAW_REASON = "raw-reason"
    """The provider's own value is not reachable."""
    USAGE = "usage"
    """No place for token counts."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An adapter's public finish values and what each means, as the adapter's documentation defines them.

    Three forms: `Vocabulary({"stop": Stop.COMPLETE, ...})` for values of its own,
    `Vocabulary.of(Api.OPENAI_CHAT)` for an adapter that speaks another API's values, and
    `PASSTHROUGH` for one that hands the provider's own values through unchanged.
    """

    members: Mapping[str, Stop] | None = None
    api: Api | None = None

    @classmethod
    def of(cls, api: Api) -> Self:
        """The vocabulary of an API: its table decides what each value means."""
        return cls(api=api)

    @property
    def passthrough(self) -> bool:
        """Whether the upstream API's own values come through unchanged."""
        return self.members is None and self.api is None


PASSTHROUGH = Vocabulary()
"""The provider's own values come through unchanged, so the upstream API's table reads them."""

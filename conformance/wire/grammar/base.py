"""What the four grammars share: a violation, and the state of one stream. No API's rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from conformance.contract import DONE

Json = Mapping[str, Any]


class Violation(NamedTuple):
    """One rule that a stream does not keep.

    Attributes:
        breaks: a client that follows the vendor's documentation is broken by it; else it only departs from the idiom.
        says: what is wrong, in one sentence.
        at: number of the event with which it shows, from 0; None for what the whole stream lacks.
    """

    breaks: bool
    says: str
    at: int | None = None


class Grammar(ABC):
    """The state of one stream. Takes its events, collects what is wrong.

    Attributes:
        failed: the stream reported an error, so that it need not end as others do.
    """

    def __init__(self) -> None:
        self.found: list[Violation] = []
        self.failed = False
        self.done = False
        self._at: int | None = None

    def take(self, event: Json | str) -> None:
        """Read one event."""
        self._at = 0 if self._at is None else self._at + 1
        if not isinstance(event, str):
            self.event(event)
        elif event.strip() == DONE:
            self.sentinel()
            self.done = True
        else:
            self.breaks("a frame is not JSON")

    @abstractmethod
    def event(self, event: Json) -> None:
        """Read the JSON of one event."""

    @abstractmethod
    def sentinel(self) -> None:
        """Read `[DONE]`."""

    def close(self, *, ended: bool, sentinel: bool) -> None:
        """The stream is over; `ended` where it did not break off."""
        self._at = None
        if ended and not self.failed:
            self.lacks()
        if sentinel and not self.done:
            self.no_sentinel()

    @abstractmethod
    def lacks(self) -> None:
        """Say what a stream that is over should have had."""

    @abstractmethod
    def no_sentinel(self) -> None:
        """Say what the absence of `[DONE]` means; nothing where the API has none."""

    def breaks(self, says: str) -> None:
        """A client is broken by this."""
        self._say(Violation(True, says, self._at))

    def departs(self, says: str) -> None:
        """The vendor never sends this."""
        self._say(Violation(False, says, self._at))

    def _say(self, violation: Violation) -> None:
        if violation.says not in [known.says for known in self.found]:
            self.found.append(violation)


def as_object(value: Any) -> Json:
    """The value where it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """The value where it is an array, else an empty one."""
    return list(value) if isinstance(value, list | tuple) else []

"""What can go wrong while recording, by what follows from it. Errors of the corpus are in conformance.errors."""

from __future__ import annotations

from conformance.errors import ConformanceError


class KeyMissing(ConformanceError):
    """The environment holds no key for an API."""


class KeyRefused(ConformanceError):
    """The provider does not take the key: nothing more is asked of it."""


class WrongFolder(ConformanceError):
    """The recording must not, or cannot, be written where it was told to."""


class OverBudget(ConformanceError):
    """What is asked for may cost more tokens than allowed."""


class SecretLeft(ConformanceError):
    """An exchange holds the key, or something that looks like a secret, after scrubbing: nothing of it is written."""


class NoAnswer(ConformanceError):
    """One request has had no usable answer. It may be asked again where `again` says so.

    Attributes:
        again: whether another try may help.
        after: seconds that the provider asks to wait, or None.
        billed: output may have been generated, and is to be paid for.
    """

    def __init__(
        self, problem: str, mend: str = "", *, again: bool = False, after: float | None = None, billed: bool = False
    ) -> None:
        super().__init__(problem, mend)
        self.again = again
        self.after = after
        self.billed = billed


class HalfWritten(ConformanceError):
    """A recording that was decided is not all in its place."""


class BadTable(ConformanceError):
    """The table of provocations is not of its form."""

"""Every error that the suite itself raises, in the order in which a run can meet them. Errors of adapters are not here.

A run asks for an adapter (`AdapterNotFound`, `AdapterBroken`), reads its options (`BadOption`), its known
failures (`BadKnownFailures`) and its requirement set (`BadSet`), looks scenarios up (`ScenarioNotFound`), loads
a cassette and a snapshot (`BrokenCassette`, `BrokenSnapshot`), decodes bytes (`BadWire`) and plays them
(`HarnessError`). Each carries a sentence on what is wrong and one on the mend. The plugin turns
every one of them into pytest's usage error (exit code 4), the tools into exit code 2.
"""

from __future__ import annotations


class ConformanceError(Exception):
    """Root of all errors of the suite: what is wrong, and the mend.

    Attributes:
        problem: one sentence on what is wrong.
        mend: one sentence on what to do about it.
    """

    def __init__(self, problem: str, mend: str = "") -> None:
        super().__init__(problem, mend)
        self.problem = problem
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.problem}\n  mend: {self.mend}" if self.mend else self.problem


class BadOption(ConformanceError):
    """An option has a value that the suite cannot use."""


class AdapterNotFound(ConformanceError):
    """No shipped adapter and no importable factory has this name."""


class AdapterBroken(ConformanceError):
    """The binding raised while it was built, or lacks something that the contract asks for."""


class BadKnownFailures(ConformanceError):
    """A known-failures file cannot be read, or lists what does not exist."""


class BadSet(ConformanceError):
    """A requirement set does not exist, cannot be read, or scores what the corpus no longer has."""


class BadResults(ConformanceError):
    """A results file cannot be read, is of another form, or contradicts another one."""


class ScenarioNotFound(ConformanceError):
    """No scenario has this id."""


class BrokenCassette(ConformanceError):
    """A cassette is missing, unreadable, or no longer shows what its scenario claims."""


class BrokenSnapshot(ConformanceError):
    """A snapshot is missing or unreadable."""


class BadWire(ConformanceError):
    """Bytes that a codec was asked to read are not of its API."""


class HarnessError(ConformanceError):
    """The suite could not put its question to the adapter: never the adapter's fault, never a verdict."""

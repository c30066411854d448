"""Errors of the drift tools: a wheel that cannot be had or trusted, a table of places that is not of its form."""

from __future__ import annotations

from conformance.errors import ConformanceError


class NotPulled(ConformanceError):
    """A wheel could not be pulled from the package index."""


class BadWheel(ConformanceError):
    """A file is no wheel, or holds what no wheel of an SDK should."""


class BadPlaces(ConformanceError):
    """The table of places, or that of decided members, is not of its form."""


class BadRecording(ConformanceError):
    """A recording, or a results file, cannot be read."""

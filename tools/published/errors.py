"""Errors of the published tools: a pin that cannot be had, an archive not to be trusted. Nothing of an API."""

from __future__ import annotations

from conformance.errors import ConformanceError


class NotFetched(ConformanceError):
    """A pin is not in the cache and could not be pulled."""


class WrongBytes(ConformanceError):
    """A file is not the one that was pinned."""


class BadArchive(ConformanceError):
    """An archive is truncated, or holds what no source distribution should."""


class BadPins(ConformanceError):
    """The pins, the figures or the divergences are not of their form, or a name is in none of them."""


class Underivable(ConformanceError):
    """A recorded exchange from which no cassette can be derived: something in it is not understood, or has no name."""

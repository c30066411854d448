"""Faulty engines: each has one fault that real engines have had, and names the checks that fail on it."""

from tests.servers.faulty import endings, errors, matching, streams, together
from tests.servers.faulty.base import FAULTY, Faulty

__all__ = ["FAULTY", "Faulty", "endings", "errors", "matching", "streams", "together"]

"""Known failures: what an adapter's authors have listed, each with a reason. Read, matched, brought up to date."""

from conformance.known_failures.entries import Known, matching
from conformance.known_failures.reading import load, parse, unspoken
from conformance.known_failures.updating import Update, update

__all__ = ["Known", "Update", "load", "matching", "parse", "unspoken", "update"]

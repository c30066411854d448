"""Faulty adapters that prove that each check can fail, one small module a theme. No check is tested directly here."""

from tests.mutants import errors, limits, reasons, requests, shapes, stops, streams, text, tools
from tests.mutants.base import MUTANTS, Mutant, Steps

__all__ = ["MUTANTS", "THEMES", "Mutant", "Steps"]

THEMES = (requests, text, reasons, stops, tools, errors, streams, shapes, limits)

"""Frozen requirement sets: which checks count in which cells. The sets are the TOML files beside this module.

An adapter's author names one (`--conformance-set`), so that what a newer corpus adds is run and shown, and fails
nothing until he moves on. A set freezes the cells, the rules and how severe each rule was; what a rule finds is
code, which is why a rule that is made stricter gets a new id. No verdict is reached here.
"""

from conformance.sets.freeze import freeze, render
from conformance.sets.requirements import RequirementSet, find, names, parse

__all__ = ["RequirementSet", "find", "freeze", "names", "parse", "render"]

"""Texts of an adapter without what is new in each run: ports, numbers of plays, addresses of objects. No judging.

Two runs that see the same must say the same.
"""

from __future__ import annotations

import re
from dataclasses import replace

from conformance.checks import Observation

_PLAY = re.compile(r"(?P<host>\b127\.0\.0\.1):\d+(?P<path>/[a-z-]+~[\w.-]+~[\w-]+)?(?:~\d+)?")
_OBJECT = re.compile(r"\b0x[0-9a-f]{6,}\b")


def steady(text: str) -> str:
    """The text with each address of a play, and of an object, the same in every run."""
    return _OBJECT.sub("0x...", _PLAY.sub(r"\g<host>\g<path>", text))


def steadied(seen: Observation) -> Observation:
    """The observation with such texts. What came over the wire is not touched: that is judged."""
    raised = seen.raised and replace(seen.raised, message=steady(seen.raised.message))
    return replace(seen, raised=raised, warnings=tuple(map(steady, seen.warnings)))

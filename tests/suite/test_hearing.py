"""What counts as a warning to the caller: what the library says of this call, and not what the collector finds."""

from __future__ import annotations

import logging
import warnings

import pytest

from conformance.contract import Call, Reply
from conformance.suite.caller import Caller
from conformance.vocabulary import PASSTHROUGH, Api


class Speaks:
    name, apis, vocabulary, lacks = "speaks", frozenset(Api), PASSTHROUGH, frozenset[str]()

    def __init__(self, category: type[Warning] | None) -> None:
        self.category = category

    def complete(self, call: Call) -> Reply:
        if self.category is None:
            logging.getLogger("speaks").warning("stop is dropped")
        else:
            warnings.warn("stop is dropped", self.category, stacklevel=1)
        return Reply("Yes.")


@pytest.mark.parametrize(
    ("category", "heard"), [(UserWarning, True), (DeprecationWarning, True), (None, True), (ResourceWarning, False)]
)
def test_what_is_heard(category: type[Warning] | None, heard: bool) -> None:
    caller = Caller(Speaks(category), 5.0)
    try:
        seen = caller.complete(Call(Api.GEMINI, "http://127.0.0.1:9", "k", "m", "p"), "whole")
    finally:
        caller.close()
    assert seen.warnings == (("stop is dropped",) if heard else ())

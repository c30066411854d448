"""The tests that an adapter runs: `pytest --pyargs conformance`, or `from conformance.suite import *` in a test."""

from conformance.suite.test_conformance import test_scenario, test_smoke

__all__ = ["test_smoke", "test_scenario"]  # noqa: RUF022 -- pytest collects in this order: a wrong binding shows first

"""The tests that an adapter runs: `pytest --pyargs conformance --adapter NAME`, or `from conformance.suite import *`."""

from conformance.suite.test_conformance import test_scenario, test_smoke

__all__ = ["test_scenario", "test_smoke"]

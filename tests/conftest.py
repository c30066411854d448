"""What all tests of the suite share: pytester, and how hard Hypothesis tries (`--hypothesis-profile deep`)."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell in the background starts its children deaf to Ctrl-C, and they theirs; some tests send it to them.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is left out where it is: tests/browser needs a Chromium, and is ignored in pyproject.toml."""
    ignored = config.getoption("ignore") or ()
    return "browser tests: left out, `make test-browser` runs them" if "tests/browser" in ignored else None


# No deadline: the machine of a run is often shared. In CI the same examples every time.
_COMMON = {
    "deadline": None,
    "derandomize": "CI" in os.environ,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("fast", max_examples=20, **_COMMON)
settings.register_profile("default", max_examples=50, **_COMMON)
settings.register_profile("deep", max_examples=2_000, **_COMMON)
settings.load_profile("default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow ones first, so that two workers end together."""
    items.sort(key=lambda item: "slow" not in item.keywords)

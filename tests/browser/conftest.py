"""A headless Chromium for the tests of the page. These tests run by `make test-browser`, and by nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import written

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--force-device-scale-factor=1",
    ),
)
_MEND = "apt-get install chromium chromium-driver, or what your system calls them; then `make test-browser`"


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """The browser; what it lacks is one clear error and no skip."""
    try:
        from selenium import webdriver
    except ModuleNotFoundError:
        pytest.exit(f"browser tests: selenium is not installed\n  mend: {_MEND}", returncode=2)
    driver = shutil.which("chromedriver")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if driver is None or program is None:
        pytest.exit(
            f"browser tests: no {'chromedriver' if program else 'chromium'} on the path\n  mend: {_MEND}", returncode=2
        )
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page of two adapters."""
    return written(tmp_path_factory.mktemp("page") / "index.html").as_uri()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go, to be looked at."""
    return tmp_path_factory.mktemp("pictures")

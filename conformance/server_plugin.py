"""Pytest hooks of a run with `--server`: one item a cell. Registered by the plugin only when the option is there."""

from __future__ import annotations

import socket

import pytest

from conformance.server_options import ServerOptions
from conformance.servers.examiner import Examiner, cells
from conformance.servers.target import Target

SERVERS: pytest.StashKey[ServerOptions] = pytest.StashKey()
_CONNECT = 3.0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item a cell."""
    if "conformance_probe" in metafunc.fixturenames:
        values = cells(metafunc.config.stash[SERVERS].apis)
        metafunc.parametrize("conformance_probe", [pytest.param(cell, id=f"{cell[0].id}:{cell[1]}") for cell in values])


def pytest_collection_finish(session: pytest.Session) -> None:
    """Plan the requests; refuse a run that cannot ask anything, once and before anything runs."""
    options = session.config.stash[SERVERS]
    chosen = [
        item.callspec.params["conformance_probe"]
        for item in session.items
        if hasattr(item, "callspec") and "conformance_probe" in item.callspec.params
    ]
    if not chosen or session.config.getoption("collectonly", False):
        return
    options.examiner.plan(chosen)
    for target in options.targets:
        _reach(target)


def _reach(target: Target) -> None:
    try:
        socket.create_connection(target.host, timeout=_CONNECT).close()
    except OSError as error:
        raise pytest.UsageError(
            f"conformance: nothing listens at {target.url}: {error}\n  mend: start the server, or check the address"
        ) from error


@pytest.fixture(scope="session")
def conformance_examiner(request: pytest.FixtureRequest) -> Examiner:
    """What asks the servers of this run."""
    return request.config.stash[SERVERS].examiner


@pytest.fixture(scope="session")
def conformance_servers(request: pytest.FixtureRequest) -> ServerOptions:
    """The settings of this run."""
    return request.config.stash[SERVERS]

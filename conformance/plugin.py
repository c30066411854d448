"""Pytest hooks only; whatever is heavy is imported in the hook that needs it, so that other runs pay nothing for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from conformance.report import Run
    from conformance.serve import Provider
    from conformance.suite.judging import Judging

_OPTIONS = pytest.StashKey[Any]()  # Options, or ServerOptions with --server

# Name of the option, what it takes, its help text. The ini setting is `conformance_<name>`.
_SETTINGS = (
    ("adapter", "NAME", "adapter to judge: a shipped name or pkg.module:factory"),
    ("apis", "LIST", "only these upstream APIs, separated by commas"),
    ("transport", "NAME", "how cassettes reach the adapter: server (default) or vcr"),
    ("known-failures", "FILE", "TOML file of the adapter's known failures, or `none` to ignore a shipped one"),
    (
        "conformance-set",
        "SET",
        "only what this frozen requirement set has counts, such as 2026.11; default: all counts",
    ),
    ("conformance-report", "FILE", "write the results as JSON"),
    ("conformance-html", "FILE", "write the results as a page to look at"),
    ("conformance-time-limit", "SECONDS", "seconds that one call may take (default 10)"),
)


_SERVER = "judge a server instead of an adapter; may be given again for its other APIs"
_SERVER_SETTINGS = (
    ("model", "NAME", "the model to ask the server for"),
    ("max-requests", "N", "requests to make at most, for each API (default 300)"),
    ("api-key-env", "VARIABLE", "environment variable that holds the server's key, where it wants one"),
)

# Which of our test files a run has no use for: the one of servers, or the one of adapters.
_TESTS = {"test_server.py": False, "test_conformance.py": True}


def _ini(name: str) -> str:
    return f"conformance_{name.removeprefix('conformance-')}".replace("-", "_")


def _given(config: pytest.Config, name: str) -> str | None:
    """The option, or else its ini setting."""
    return config.getoption(name.replace("-", "_"), None) or config.getini(_ini(name)) or None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; each has an ini setting of the same meaning."""
    group = parser.getgroup("conformance", "LLM adapter conformance")
    for name, metavar, text in _SETTINGS:
        group.addoption(f"--{name}", metavar=metavar, default=None, help=text)
        parser.addini(_ini(name), help=text, default=None)
    for name, metavar, text in _SERVER_SETTINGS:
        group.addoption(f"--{name}", metavar=metavar, default=None, action="store", help=text)
        parser.addini(_ini(name), help=text, default=None)
    group.addoption("--server", metavar="API@URL", default=None, action="append", help=_SERVER)
    parser.addini("conformance_server", help=_SERVER, default=None, type="linelist")
    group.addoption(
        "--update-known-failures",
        action="store_true",
        help="after a whole run, write the known-failures file anew: keep what still shows, drop what does not, add "
        "what is new",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the options where there are any; every mistake is one usage error."""
    update = bool(config.getoption("update_known_failures", False))
    if _given(config, "server"):
        _configure_server(config, update=update)
    elif update or any(_given(config, name) for name, _, _ in _SETTINGS):
        from conformance.errors import ConformanceError
        from conformance.options import read

        try:
            if update:
                _refuse_partial(config)
            here = config.invocation_params.dir
            options = read(lambda name: _given(config, name), config.rootpath, here, update=update)
            if options.adapter is not None:
                _refuse_snapshot_update(config)
        except ConformanceError as error:
            raise pytest.UsageError(f"conformance: {error}") from error
        config.stash[_OPTIONS] = options
    if not hasattr(config, "workerinput"):  # an xdist worker sends its reports to the controller, which has the whole
        config.pluginmanager.register(_Collector(config), "conformance-collector")


def _configure_server(config: pytest.Config, *, update: bool) -> None:
    from conformance import server_plugin
    from conformance.errors import ConformanceError
    from conformance.server_options import OF_ADAPTERS, read

    if getattr(config.option, "numprocesses", None) or hasattr(config, "workerinput"):
        raise pytest.UsageError("conformance: a server is judged in one process\n  mend: leave out -n")

    def given(name: str) -> str | None:
        # Of what is an adapter's, the ini file of its repository speaks of the adapter.
        told: str | None = (
            config.getoption(name.replace("-", "_"), None) if name in OF_ADAPTERS else _given(config, name)
        )
        return told

    try:
        servers: Any = _given(config, "server")
        options = read(servers, given, config.invocation_params.dir, update=update)
    except ConformanceError as error:
        raise pytest.UsageError(f"conformance: {error}") from error
    config.stash[server_plugin.SERVERS] = options
    config.stash[_OPTIONS] = options
    config.pluginmanager.register(server_plugin, "conformance-server")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of our own two test files collect the one that the run is about."""
    if collection_path.name not in _TESTS or Path(__file__).parent not in collection_path.parents:
        return None
    return True if _TESTS[collection_path.name] is bool(_given(config, "server")) else None


# Options of pytest that leave cells out; whatever else does shows at the end, where cells are missing.
_PARTIAL = {"keyword": "-k", "markexpr": "-m", "maxfail": "-x", "lf": "--lf", "deselect": "--deselect"}


def _refuse_partial(config: pytest.Config) -> None:
    for name, option in _PARTIAL.items():
        if config.getoption(name, None):
            raise pytest.UsageError(
                f"conformance: --update-known-failures together with {option}: what does not run is not known"
                "\n  mend: run the whole suite"
            )


def _refuse_snapshot_update(config: pytest.Config) -> None:
    if config.getoption("update_snapshots", False):
        raise pytest.UsageError(
            "conformance: --snapshot-update together with an adapter: its replies must never become the truth\n"
            "  mend: run `make snapshots` in a checkout of the suite"
        )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is judged, with what."""
    options = config.stash.get(_OPTIONS, None)
    return options.header() if options is not None else []


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """A cell that the requirement set does not have is neither passed nor failed."""
    if report.when == "call" and report.passed:
        for name, _ in report.user_properties:
            if name == "conformance_unscored":
                return "unscored", "u", "UNSCORED"
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item a cell, three smoke items an API."""
    wants = {"conformance_cell", "conformance_smoke"} & set(metafunc.fixturenames)
    if not wants:
        return
    from conformance.options import default
    from conformance.suite.parameters import cells, smokes

    options = metafunc.config.stash.get(_OPTIONS, None) or default()
    for name in wants:
        values = cells(options.apis) if name == "conformance_cell" else smokes(options.apis)
        metafunc.parametrize(name, [pytest.param(value, id=id_) for id_, value in values])


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse what would spoil the whole run, once and before anything runs."""
    cells = [item for item in session.items if "conformance_judging" in getattr(item, "fixturenames", ())]
    if not cells:
        return
    _refuse_snapshot_update(session.config)
    if hasattr(session.config, "workerinput"):
        return  # a usage error does not travel from xdist's workers; there a broken cassette is told cell by cell
    from conformance.errors import BrokenCassette
    from conformance.suite.parameters import check_cassettes

    try:
        check_cassettes(item.callspec.params.get("conformance_cell") for item in cells if hasattr(item, "callspec"))
    except BrokenCassette as error:
        raise pytest.UsageError(f"conformance: {error}") from error


@pytest.fixture(scope="session")
def adapter(request: pytest.FixtureRequest) -> Any:
    """The adapter under test. Define a session-scoped fixture of this name to plug your own in."""
    options = request.config.stash.get(_OPTIONS, None)
    if options is None or options.adapter is None:
        _leave(
            "no adapter named\n"
            "  mend: --adapter NAME, the ini setting conformance_adapter, or a session fixture `adapter`"
        )
    return options.adapter


@pytest.fixture(scope="session")
def conformance_judging(request: pytest.FixtureRequest) -> Iterator[Judging]:
    """What judges the cells of this run."""
    from conformance.errors import AdapterBroken, BadKnownFailures, HarnessError
    from conformance.options import default

    options = request.config.stash.get(_OPTIONS, None) or default()
    try:
        judging = options.judging(_built(request))
        with judging as judge:
            yield judge
    except (AdapterBroken, BadKnownFailures, HarnessError) as error:
        _leave(str(error))


def _built(request: pytest.FixtureRequest) -> Any:
    """The adapter; a fixture that fails ends the run at once, since each cell would only fail in the same way."""
    try:
        return request.getfixturevalue("adapter")
    except pytest.exit.Exception:
        raise
    except pytest.fail.Exception as error:
        _leave(f"the `adapter` fixture cannot be used: {error}\n  mend: give it scope='session'")
    except Exception as error:  # noqa: BLE001 -- a binding may raise anything while it is built
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        where = f" at {at.tb_frame.f_code.co_filename}:{at.tb_lineno}" if at is not None else ""
        _leave(f"the `adapter` fixture raised {type(error).__name__}: {error}{where}\n  mend: build your adapter there")


def _leave(problem: str) -> NoReturn:
    pytest.exit(f"conformance: {problem}", returncode=pytest.ExitCode.USAGE_ERROR)


class _Collector:
    """Takes results out of the reports, also out of those that came from xdist's workers; shows and writes them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._found: dict[str, Any] = {}  # by item: one that is run again (a rerun plugin) counts once
        self._run: Run | None = None
        self._written: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for key, value in report.user_properties:
                if key == "conformance":
                    self._found[report.nodeid] = value

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files here and not in the summary, which a run without a terminal does not have."""
        if not self._found:
            return
        from conformance.errors import ConformanceError
        from conformance.options import default

        options = self._config.stash.get(_OPTIONS, None) or default()
        self._run = options.run(self._found.values())
        try:
            self._written = options.write(self._run)
            self._written += options.update_known(self._found.values())
        except (OSError, ConformanceError) as error:
            what = error if isinstance(error, ConformanceError) else f"the results could not be written: {error}"
            self._written.append(f"ERROR: conformance: {what}")
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table, the totals, where the files are."""
        if self._run is None:
            return
        from conformance.report import lines

        terminalreporter.section("conformance")
        for line in [*lines(self._run), *self._written]:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def _conformance_server() -> Iterator[Any]:
    """The loopback server behind `provider`; started for the first test that asks for it."""
    from conformance.replay import ReplayServer

    with ReplayServer() as server:
        yield server


@pytest.fixture
def provider(_conformance_server: Any) -> Iterator[Provider]:
    """Play a provider's behaviour: `provider("anthropic-messages/pause-turn").base_url`; `.sent` is the log."""
    from conformance.serve import Provider

    with Provider(_conformance_server) as opened:
        yield opened

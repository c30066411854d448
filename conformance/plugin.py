"""Pytest hooks only. Everything heavy is imported inside the hook that needs it: a run without an adapter pays nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conformance.options import Options
    from conformance.suite.judging import Judging

_OPTIONS = pytest.StashKey["Options"]()
_RESULTS = pytest.StashKey[list[dict[str, Any]]]()
_NOT_SPOKEN = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; each has an ini setting of the same meaning."""
    group = parser.getgroup("conformance", "LLM adapter conformance")
    for name, metavar, text in (
        ("adapter", "NAME", "adapter to judge: a shipped name or pkg.module:factory"),
        ("apis", "LIST", "only these upstream APIs, separated by commas"),
        ("transport", "NAME", "how cassettes reach the adapter: server (default) or vcr"),
        ("known-failures", "FILE", "TOML file of the adapter's known failures"),
        ("conformance-report", "FILE", "write the results as JSON"),
        ("conformance-time-limit", "SECONDS", "seconds that one call may take (default 10)"),
    ):
        group.addoption(f"--{name}", metavar=metavar, default=None, help=text)
        ini = name if name.startswith("conformance") else f"conformance-{name}"
        parser.addini(ini.replace("-", "_"), help=text, default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options where there are any; every mistake is one usage error."""
    named = ("adapter", "apis", "transport", "known_failures", "conformance_report", "conformance_time_limit")
    if any(_given(config, name) for name in named):
        from conformance.errors import ConformanceError
        from conformance.options import read

        try:
            config.stash[_OPTIONS] = read(
                lambda name: _given(config, name), config.rootpath, config.invocation_params.dir
            )
            if config.stash[_OPTIONS].adapter and config.getoption("update_snapshots", False):
                raise pytest.UsageError(
                    "--snapshot-update together with --adapter: an adapter's output must never become the truth\n"
                    "  mend: run `make snapshots` in a checkout of the suite, without an adapter"
                )
        except ConformanceError as error:
            raise pytest.UsageError(f"conformance: {error}") from error
    config.stash[_RESULTS] = []
    config.stash[_NOT_SPOKEN] = 0


def _given(config: pytest.Config, name: str) -> str | None:
    """The option, or else its ini setting."""
    ini = name if name.startswith("conformance") else f"conformance_{name}"
    return config.getoption(name, None) or config.getini(ini) or None


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is judged, with what."""
    options = config.stash.get(_OPTIONS, None)
    return options.header() if options is not None else []


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


@pytest.fixture(scope="session")
def adapter(request: pytest.FixtureRequest) -> Any:
    """The adapter under test. Define a session-scoped fixture of this name to plug your own in."""
    options = request.config.stash.get(_OPTIONS, None)
    if options is None or options.adapter is None:
        pytest.exit(
            "conformance: no adapter named\n"
            "  mend: --adapter NAME, the ini setting conformance_adapter, or a session fixture `adapter`",
            returncode=pytest.ExitCode.USAGE_ERROR,
        )
    return options.adapter


@pytest.fixture(scope="session")
def conformance_judging(request: pytest.FixtureRequest, adapter: Any) -> Iterator[Judging]:
    """What judges the cells of this run."""
    from conformance.options import default
    from conformance.suite.judging import Judging

    options = request.config.stash.get(_OPTIONS, None) or default()
    request.config.stash[_OPTIONS] = options = options.judging(adapter)
    with options.bench() as bench:
        yield Judging(bench)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """A cell of an API that the adapter does not speak is not applicable, and counted apart."""
    if "conformance_judging" not in pyfuncitem.fixturenames:
        return (yield)
    from conformance.suite.judging import NotSpoken

    try:
        return (yield)
    except NotSpoken as signal:
        pytest.skip(f"not applicable: {signal}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Nothing to do on a worker; the controller collects in `pytest_terminal_summary`."""


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The table, the totals and the results file."""
    options = config.stash.get(_OPTIONS, None)
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, [])]
    found = [value for report in reports for key, value in report.user_properties if key == "conformance"]
    if options is None or not found:
        return
    from conformance.report import lines

    skipped = [
        report for report in terminalreporter.stats.get("skipped", []) if "not applicable:" in str(report.longrepr)
    ]
    run = options.run(found, not_applicable=len(skipped))
    terminalreporter.section("conformance")
    for line in lines(run):
        terminalreporter.write_line(line)
    options.write(run, terminalreporter.write_line)

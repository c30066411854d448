"""`python -m conformance serve`: plays scenarios on loopback until Ctrl-C, with an index page and a line a request."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from conformance.errors import BadOption, HarnessError
from conformance.replay import Play, ReplayServer
from conformance.replay.http1 import Connection, Request
from conformance.replay.server import HOST
from conformance.scenarios import Scenario, catalogue
from conformance.scenarios import scenario as scenario_of
from conformance.serve.index import page, text
from conformance.serve.playing import delivery_of
from conformance.vocabulary import Framing

PORT = 8788
_PORTS = 65536


class Stage:
    """Opens a play for each scenario that is asked for, and answers for the index.

    Args:
        scenarios: what is played.
        say: told a line for each request.
        how: arguments for `delivery_of`.
    """

    def __init__(self, scenarios: Iterable[Scenario], say: Callable[[str], None], **how: Any) -> None:
        self._scenarios = {told.id: told for told in scenarios}
        self._say = say
        self._how = how
        self._plays: dict[str, Play] = {}
        self._root = ""

    def at(self, root: str) -> None:
        """Where the stage is, for the lines to paste."""
        self._root = root

    async def __call__(self, http: Connection, request: Request) -> tuple[Play, str] | None:
        """The play that a request is for, and the path below it; None where it was answered."""
        path = urlsplit(request.target).path
        api, _, rest = path.removeprefix("/").partition("/")
        slug, _, rest = rest.partition("/")
        id_ = f"{api}/{slug}"
        if id_ in self._scenarios and rest:
            self._say(f"{request.method} /{rest} -> {id_}")
            return self._play(id_), rest
        if path == "/" or (id_ in self._scenarios and not rest):
            await self._index(http, request)
            return None
        self._say(f"{request.method} {path} -> 404")
        await http.refuse(404, f"no scenario at {path}: the index at {self._root}/ lists them")
        return None

    def _play(self, id_: str) -> Play:
        """The open play of a scenario; a new one where the last has said all it had to say."""
        play = self._plays.get(id_)
        if play is None or len(play.sent) >= max(map(len, play.delivery.exchanges.values())):
            play = Play(delivery_of(id_, **self._how), f"{self._root}/{id_}")
            self._plays[id_] = play
        return play

    async def _index(self, http: Connection, request: Request) -> None:
        asked = next((value for name, value in request.headers if name.lower() == "accept"), "")
        if "text/html" in asked:
            how = ", ".join(f"{name} {value}" for name, value in self._how.items() if value is not None)
            body, kind = page(self._scenarios.values(), self._root, f"Bodies: {how}." if how else ""), "text/html"
        else:
            body, kind = text(self._scenarios.values(), self._root), "text/plain"
        data = body.encode()
        headers = [("content-type", f"{kind}; charset=utf-8")]
        http.begin(200, headers, framing=Framing.LENGTH, length=len(data))
        await http.send(data)
        await http.end()


def chosen(patterns: Iterable[str]) -> list[Scenario]:
    """The scenarios that ids or patterns name, in the order of the catalogue; all of them where there are none.

    Raises:
        ScenarioNotFound: one of them names none.
    """
    found: set[str] = set()
    asked = list(patterns)
    for pattern in asked:
        found |= {id_ for id_ in catalogue() if fnmatchcase(id_, pattern)} or {scenario_of(pattern).id}
    return [told for id_, told in catalogue().items() if not asked or id_ in found]


def serve(
    patterns: Iterable[str],
    say: Callable[[str], None],
    *,
    port: int = PORT,
    chunking: str | None = None,
    pace: float | None = None,
    fault: str | None = None,
) -> None:
    """Play until Ctrl-C or SIGTERM.

    Raises:
        ScenarioNotFound: a pattern names no scenario.
        BadOption: a chunking, pace, fault or port that cannot be.
        BrokenCassette: a cassette cannot be read.
    """
    scenarios = chosen(patterns)
    if not 0 <= port < _PORTS:
        raise BadOption(f"--port: no port {port}", "a number from 0, for any free one, to 65535")
    for told in scenarios:  # what is wrong is told before anybody calls
        delivery_of(told.id, chunking=chunking, pace=pace, fault=fault)
    stage = Stage(scenarios, say, chunking=chunking, pace=pace, fault=fault)
    try:
        server = ReplayServer(port, stage).start()
    except HarnessError as error:
        raise BadOption(f"--port: {error.problem}", "name another one, or 0 for any free one") from error
    over = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda _signal, _frame: over.set())
    try:
        root = f"http://{HOST}:{server.port}"
        stage.at(root)
        say(f"{root}/ plays {len(scenarios)} scenarios; open it for lines to paste. Ctrl-C ends.")
        over.wait()
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        server.stop()
        say("stopped")

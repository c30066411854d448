"""A provider on loopback for the recorder: keys, errors, chunk times and telling headers as vendors have. No tests.

Its replies are the corpus's own, by the request that the recorder sends for a scenario; a script changes
what answers next. As a program it plays all scenarios that can be provoked, until Ctrl-C.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from conformance.corpus import Exchange, cassette
from conformance.replay.chunking import frames
from conformance.scenarios import catalogue, scenario
from conformance.vocabulary import Api, Mode
from tools.record.asking import question
from tools.record.provocations import Provocation, provocation
from tools.secrets.own_key import VARIABLES

# Put together from pieces, so that no file holds what looks like a key.
KEYS: Mapping[Api, str] = {
    Api.OPENAI_CHAT: "sk-" + "proj-" + "Zq8Lw2Xv7Nc4Rt9Yb3Kd6Mf1Hs5Gj0PaZq8Lw2Xv",
    Api.OPENAI_RESPONSES: "sk-" + "proj-" + "Zq8Lw2Xv7Nc4Rt9Yb3Kd6Mf1Hs5Gj0PaZq8Lw2Xv",
    Api.ANTHROPIC_MESSAGES: "sk-ant-" + "api03-" + "Vb6Tn3Wq9Er5Ty8Ui2Op4As7Df1Gh0JkVb6Tn3Wq-AA",
    Api.GEMINI: "AIza" + "SyB7mX4cV9nQ2wE6rT8yU1iO5pA3sD0fGhJ",
}

TELLING: Mapping[str, str] = {
    "set-cookie": "__cf_bm=" + "pT5vXq9ZrL2mNw8KcYb4.1764464000-1.0.1.1-Hj7; path=/; HttpOnly",
    "openai-organization": "harbourmaster-guild-x7k2",
    "openai-project": "proj_" + "R4tYh8Uj2Ik6Ol0Pq5Ws9Ed3",
    "anthropic-organization-id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "cf-ray": "8f3b1c2d4e5f6a7b-LIS",
    "x-forwarded-for": "198.18." + "7.33",
    "date": "Sun, 29 Nov 2026 23:59:59 GMT",
    "anthropic-ratelimit-tokens-reset": "2026-11-29T23:59:59Z",
    "x-ratelimit-remaining-tokens": "149984",
}
"""Headers of every answer, none of which may be kept."""

REQUEST_IDS = {
    Api.ANTHROPIC_MESSAGES: "request-id",
    Api.OPENAI_CHAT: "x-request-id",
    Api.OPENAI_RESPONSES: "x-request-id",
}

Edit = Callable[[Exchange], Exchange]


@dataclass(frozen=True, slots=True)
class Turn:
    """How one request is answered.

    Attributes:
        status: an error's, in the vendor's envelope; None: the scenario's own reply.
        headers: beside the usual ones.
        edit: changes the reply.
        cut: so many frames are sent, then the connection is closed.
        packed: the body is sent as gzip, though nobody has asked for it.
        hold: this is set when the request has come; the answer waits for `go`.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    edit: Edit | None = None
    cut: int | None = None
    packed: bool = False
    hold: threading.Event | None = None
    go: threading.Event | None = None


@dataclass
class StandIn:
    """A running provider of all four APIs.

    Args:
        scenarios: the ids whose requests it knows; of two with the same request the first answers.
        pause: seconds between the chunks of a stream.
    """

    scenarios: Iterable[str]
    pause: float = 0.0
    script: dict[str, list[Turn]] = field(default_factory=lambda: defaultdict(list))
    asked: list[str] = field(default_factory=list)
    keys: Mapping[Api, str] = field(default_factory=lambda: dict(KEYS))

    def __post_init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, Mode]] = {}
        for id_ in self.scenarios:
            one = scenario(id_)
            how = provocation(one)
            assert isinstance(how, Provocation), f"{id_}: {how}"
            for mode in one.modes:
                sent = question(one, mode, how, base_url="", key="")
                self._known.setdefault((sent.url, _canonical(sent.body)), (id_, mode))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stand_in": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def options(self) -> list[str]:
        """What makes the recorder ask here."""
        return [word for api in Api for word in ("--base-url", f"{api}={self.url}")]

    def find(self, target: str, body: Any) -> tuple[str, Mode] | None:
        return self._known.get((target, _canonical(body)))

    def turn(self, cell: str) -> Turn:
        """What is next in the script of a cell (or of every cell); the plain reply when it is over."""
        self.asked.append(cell)
        for name in (cell, "*"):
            if self.script[name]:
                return self.script[name].pop(0)
        return Turn()


def _canonical(body: Any) -> str:
    return json.dumps(body, sort_keys=True)


def api_of(target: str) -> Api:
    if target.startswith("/v1/chat/completions"):
        return Api.OPENAI_CHAT
    if target.startswith("/v1/responses"):
        return Api.OPENAI_RESPONSES
    return Api.ANTHROPIC_MESSAGES if target.startswith("/v1/messages") else Api.GEMINI


def envelope(api: Api, status: int, message: str) -> Any:
    """An error as the vendor wraps it."""
    if api is Api.GEMINI:
        return {"error": {"code": status, "message": message, "status": "UNAVAILABLE"}}
    if api is Api.ANTHROPIC_MESSAGES:
        kind = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011CVx7Kq2Zr9Wt4"}
    return {"error": {"message": message, "type": "error", "param": None, "code": None}}


class _Handler(BaseHTTPRequestHandler):
    stand_in: StandIn
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class calls it so
        """Say nothing."""

    def do_POST(self) -> None:
        api = api_of(self.path)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self._key(api)
        found = self.stand_in.find(self.path, body)
        if key != self.stand_in.keys[api]:
            self._refuse(api, key)
        elif found is None:
            self._error(api, 404, "nobody knows this request")
        else:
            try:
                self._play(api, *found)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the recorder was killed

    def _key(self, api: Api) -> str:
        name = {Api.GEMINI: "x-goog-api-key", Api.ANTHROPIC_MESSAGES: "x-api-key"}.get(api, "authorization")
        return (self.headers[name] or "").removeprefix("Bearer ")

    def _refuse(self, api: Api, key: str) -> None:
        if api is Api.GEMINI:
            self._error(api, 400, "API key not valid. Please pass a valid API key.")
        elif api is Api.ANTHROPIC_MESSAGES:
            self._error(api, 401, "invalid x-api-key")
        else:
            self._error(api, 401, f"Incorrect API key provided: {key[:8]}{'*' * 12}{key[-4:]}.")

    def _error(self, api: Api, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(envelope(api, status, message)).encode()
        self._head(
            api, status, {"content-type": "application/json", **(headers or {}), "content-length": str(len(data))}
        )
        self.wfile.write(data)

    def _play(self, api: Api, scenario_id: str, mode: Mode) -> None:
        turn = self.stand_in.turn(f"{scenario_id}:{mode}")
        if turn.hold is not None and turn.go is not None:
            turn.hold.set()
            turn.go.wait(20)
        if turn.status is not None:
            self._error(api, turn.status, "not now", turn.headers)
            return
        exchange = cassette(scenario_id, mode)[-1]
        exchange = turn.edit(exchange) if turn.edit else exchange
        pieces = frames(exchange.body) if mode is Mode.STREAMED and exchange.status < 300 else [exchange.body]
        headers = {"content-type": exchange.headers["content-type"], **turn.headers}
        if turn.packed:
            headers["content-encoding"] = "gzip"
            pieces = [gzip.compress(exchange.body)]
        if len(pieces) == 1 and turn.cut is None:
            self._head(api, exchange.status, headers | {"content-length": str(len(pieces[0]))})
            self.wfile.write(pieces[0])
            return
        self._head(api, exchange.status, headers | {"transfer-encoding": "chunked"})
        for piece in pieces[: turn.cut]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            time.sleep(self.stand_in.pause)
        if turn.cut is not None:
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def _head(self, api: Api, status: int, headers: Mapping[str, str]) -> None:
        self.send_response_only(status)
        request_id = {REQUEST_IDS[api]: "req_011CVx7Kq2Zr9Wt4Yb6Nm8Ld"} if api in REQUEST_IDS else {}
        for name, value in {**TELLING, **request_id, **headers}.items():
            self.send_header(name, value)
        self.end_headers()


def main() -> None:
    """Play the provider, and print what the recorder has to be told."""
    ids = [id_ for id_, one in catalogue().items() if isinstance(provocation(one), Provocation)]
    with StandIn(ids, pause=0.05) as running:
        for api, variable in VARIABLES.items():
            if api is not Api.OPENAI_RESPONSES:  # it shares its key with the other API of its vendor
                print(f"export {variable}={KEYS[api]}")
        print(f"export STAND_IN='{' '.join(running.options)}'", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()

"""The in-process transport seen from the clients that adapters ride on. Skipped where the `vcr` extra is absent."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from conformance import corpus
from conformance.corpus import Exchange
from conformance.errors import BrokenCassette, HarnessError
from conformance.replay import Chunking, Delivery, InProcess, Play, ReplayServer
from conformance.vocabulary import Mode

pytest.importorskip("vcr")
pytest.importorskip("pytest_recording")

SCENARIO = "anthropic-messages/stop-fired"
URL = "https://api.anthropic.com/v1/messages"
STREAM = 'event: ping\ndata: {"type": "ping", "text": "é\u2028"}\n\n'.encode()
WHOLE = '{"type": "message", "text": "é"}'.encode()
BUFFERED_REQUEST = {"model": "m", "stop_sequences": ["é"]}
STREAMED_REQUEST = {"model": "m", "stream": True}


def exchange(body: bytes = WHOLE, *, request: Any = None, status: int = 200, uri: str = URL) -> Exchange:
    kind = "text/event-stream" if body == STREAM else "application/json"
    headers = {"content-type": kind, "transfer-encoding": "chunked"} if body == STREAM else {"content-type": kind}
    return Exchange("POST", uri, request or BUFFERED_REQUEST, status, headers, body)


BOTH = {Mode.BUFFERED: (exchange(),), Mode.STREAMED: (exchange(STREAM, request=STREAMED_REQUEST),)}


def delivery(**changes: Any) -> Delivery:
    return Delivery(**{"scenario": SCENARIO, "exchanges": BOTH, **changes})


def write(root: Path, mine: Delivery) -> Delivery:
    """The cassette files of a delivery, in vcrpy's form."""
    for mode, turns in mine.exchanges.items():
        interactions = [
            {
                "request": {
                    "method": turn.method,
                    "uri": turn.uri,
                    "body": json.dumps(turn.request),
                    "headers": {"content-type": ["application/json"]},
                },
                "response": {
                    "status": {"code": turn.status, "message": "OK"},
                    "headers": {name: [value] for name, value in turn.headers.items()},
                    "body": {"string": turn.body.decode()},
                },
            }
            for turn in turns
        ]
        path = root / "cassettes" / mine.scenario / f"{mode}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump({"version": 1, "interactions": interactions}), encoding="utf-8")
    return mine


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(corpus, "root", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def play(root: Path, transport: InProcess) -> Iterator[Play]:
    with transport.playing(write(root, delivery())) as one:
        yield one


@pytest.fixture(scope="module")
def transport() -> InProcess:
    return InProcess()


def by_httpx(method: str, url: str, body: bytes) -> bytes:
    with httpx.Client() as client, client.stream(method, url, content=body) as response:
        return b"".join(response.iter_bytes())


def by_httpx_async(method: str, url: str, body: bytes) -> bytes:
    async def call() -> bytes:
        async with httpx.AsyncClient() as client:
            return (await client.request(method, url, content=body)).content

    return asyncio.run(call())


def by_httpx2(method: str, url: str, body: bytes) -> bytes:
    httpx2 = pytest.importorskip("httpx2")
    with httpx2.Client() as client:
        content: bytes = client.request(method, url, content=body).content
        return content


def by_urllib(method: str, url: str, body: bytes) -> bytes:
    import urllib.request

    with urllib.request.urlopen(urllib.request.Request(url, body, method=method)) as response:  # noqa: S310 -- patched
        content: bytes = response.read()
        return content


def by_requests(method: str, url: str, body: bytes) -> bytes:
    requests = pytest.importorskip("requests")
    content: bytes = requests.request(method, url, data=body, timeout=10).content
    return content


def by_aiohttp(method: str, url: str, body: bytes) -> bytes:
    aiohttp = pytest.importorskip("aiohttp")

    async def call() -> bytes:
        async with aiohttp.ClientSession() as session, session.request(method, url, data=body) as response:
            content: bytes = await response.read()
            return content

    return asyncio.run(call())


CLIENTS: list[Callable[[str, str, bytes], bytes]] = [
    by_httpx,
    by_httpx_async,
    by_httpx2,
    by_urllib,
    by_requests,
    by_aiohttp,
]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("request_", "reply"), [(BUFFERED_REQUEST, WHOLE), (STREAMED_REQUEST, STREAM)])
def test_each_client_gets_the_mode_that_it_asks_for(
    play: Play, client: Callable[[str, str, bytes], bytes], request_: dict[str, Any], reply: bytes
) -> None:
    assert client("POST", f"{play.base_url}/v1/messages?beta=true", json.dumps(request_).encode()) == reply
    [sent] = play.sent
    assert (sent.method, sent.path, sent.query, sent.json) == ("POST", "/v1/messages", "beta=true", request_)
    assert play.problem is None


@pytest.mark.parametrize("client", CLIENTS)
def test_a_request_without_reply_is_a_problem_before_the_client_raises(
    play: Play, client: Callable[[str, str, bytes], bytes]
) -> None:
    with pytest.raises(Exception, match=r"Can't play back|record_mode"):
        client("POST", f"{play.base_url}/v1/v1/messages", b"{}")
    assert str(play.problem).startswith("the binding asked for POST /v1/v1/messages; this API lives at")
    assert len(play.sent) == 1


def test_requests_play_exchanges_in_order_and_the_last_repeats(root: Path, transport: InProcess) -> None:
    turns = (exchange(b'{"error": 1}', status=429), exchange(), exchange(b'{"last": 1}'))
    with transport.playing(write(root, delivery(exchanges={Mode.BUFFERED: turns}))) as play:
        replies = [httpx.post(f"{play.base_url}/v1/messages", json={}) for _ in range(4)]
    assert [reply.content for reply in replies] == [b'{"error": 1}', WHOLE, b'{"last": 1}', b'{"last": 1}']
    assert replies[0].status_code == 429


def test_a_mode_without_cassette_is_a_problem(root: Path, transport: InProcess) -> None:
    mine = write(root, delivery(exchanges={Mode.BUFFERED: (exchange(),)}))
    with transport.playing(mine) as play, pytest.raises(Exception, match="Can't play back"):
        httpx.post(f"{play.base_url}/v1/messages", json=STREAMED_REQUEST)
    assert str(play.problem).endswith("has only buffered")


def test_a_request_elsewhere_is_a_problem_only_alone(play: Play) -> None:
    with pytest.raises(Exception, match="Can't play back"):
        httpx.get("https://prices.invalid/models.json")
    assert "asked for GET https://prices.invalid/models.json" in str(play.problem)
    httpx.post(f"{play.base_url}/v1/messages", json={})
    assert play.problem is None
    assert len(play.sent) == 2


def test_the_network_is_closed_while_it_plays_and_open_afterwards(root: Path, transport: InProcess) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address, mine = listener.getsockname(), write(root, delivery())
        with socket.socket() as client:
            with transport.playing(mine), pytest.raises(RuntimeError, match="Network is disabled"):
                client.connect(address)
            client.connect(address)


def test_worker_threads_and_loops_of_their_own_are_served(play: Play) -> None:
    def one(number: int) -> bytes:
        client = (by_httpx, by_httpx_async)[number % 2]
        return client("POST", f"{play.base_url}/v1/messages", json.dumps({"n": number}).encode())

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(16))) == [WHOLE] * 16
    assert sorted(sent.json["n"] for sent in play.sent if sent.json) == list(range(16))


def test_a_client_older_than_the_play_is_served_and_freed(root: Path, transport: InProcess) -> None:
    with httpx.Client() as client:
        for reply in (b'{"n": 1}', b'{"n": 2}'):
            with transport.playing(write(root, delivery(exchanges={Mode.BUFFERED: (exchange(reply),)}))) as play:
                assert client.post(f"{play.base_url}/v1/messages", json={}).content == reply


def test_both_transports_give_the_same_reply(root: Path, transport: InProcess) -> None:
    mine = write(root, delivery())
    replies = []
    with ReplayServer() as server:
        for playing in (transport.playing, server.playing):
            with playing(mine) as play:
                reply = httpx.post(f"{play.base_url}/v1/messages", json=STREAMED_REQUEST)
            replies.append((reply.status_code, reply.headers["content-type"], reply.content))
    assert replies[0] == replies[1]


@pytest.mark.parametrize("changes", [{"chunking": Chunking.BYTE}, {"hold_after": 1}])
def test_what_only_the_server_can_do_is_refused(transport: InProcess, changes: dict[str, Any]) -> None:
    with pytest.raises(HarnessError, match="plays bodies whole"), transport.playing(delivery(**changes)):
        pass


@pytest.mark.usefixtures("play")
def test_one_play_at_a_time(transport: InProcess) -> None:
    with pytest.raises(HarnessError, match="another play is open"), transport.playing(delivery()):
        pass


def test_a_failed_block_leaves_nothing_patched(root: Path, transport: InProcess) -> None:
    before = httpx.HTTPTransport.handle_request
    with pytest.raises(KeyError), transport.playing(write(root, delivery())):
        raise KeyError
    assert httpx.HTTPTransport.handle_request is before
    with transport.playing(delivery()):
        pass


def test_a_changed_reply_is_not_played_as_if_it_were_recorded(root: Path, transport: InProcess) -> None:
    write(root, delivery())
    changed = delivery(exchanges={Mode.BUFFERED: (exchange(b"{"),)})
    with pytest.raises(BrokenCassette, match="reads other replies"), transport.playing(changed):
        pass


@pytest.mark.usefixtures("root")
def test_a_missing_cassette_is_the_fault_of_the_corpus(transport: InProcess) -> None:
    with pytest.raises(BrokenCassette, match="cannot read"), transport.playing(delivery()):
        pass


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytest_recording", None)
    with pytest.raises(HarnessError, match=r"llm-adapter-conformance\[vcr\]"):
        InProcess()


def test_importing_the_package_imports_no_vcrpy() -> None:
    code = "import sys, conformance.replay; print('vcr' in sys.modules, 'pytest_recording' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_a_play_leaves_no_thread(root: Path, transport: InProcess) -> None:
    before = threading.active_count()
    with transport.playing(write(root, delivery())) as play:
        httpx.post(f"{play.base_url}/v1/messages", json={})
    assert threading.active_count() == before

"""`python -m conformance serve`: the index, its lines, the options, Ctrl-C; and what is wrong with a call of it."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from conformance.__main__ import main
from conformance.corpus import cassette
from conformance.replay import ReplayServer
from conformance.scenarios import catalogue
from conformance.serve.foreground import Stage, chosen
from conformance.serve.index import clients, curl
from conformance.vocabulary import Api, Mode

PAUSE = "anthropic-messages/pause-turn"


@contextmanager
def stage(*ids: str, **how: str | float) -> Iterator[tuple[str, list[str]]]:
    said: list[str] = []
    made = Stage(chosen(ids), said.append, **how)
    with ReplayServer(0, made) as server:
        root = f"http://127.0.0.1:{server.port}"
        made.at(root)
        yield root, said


def get(url: str, **headers: str) -> tuple[str, str]:
    with urlopen(Request(url, headers=headers), timeout=10) as reply:  # noqa: S310 -- loopback
        return reply.headers["content-type"], reply.read().decode()


def paste(line: str) -> bytes:
    """What a curl line does, without curl: its address, its body, and nothing that it does not say."""
    words = shlex.split(line)
    assert words[:2] == ["curl", "-sN"]
    url = next(word for word in words if word.startswith("http"))
    assert words[words.index("-H") + 1] == "content-type: application/json"
    body = words[words.index("-d") + 1].encode()
    request = Request(url, body, {"content-type": "application/json"})  # noqa: S310 -- loopback
    try:
        with urlopen(request, timeout=10) as reply:  # noqa: S310 -- as above
            data: bytes = reply.read()
    except HTTPError as error:
        with error:
            data = error.read()
    return data


def test_every_line_of_the_index_gets_the_bytes_of_its_cassette() -> None:
    """All of them, but for scenarios in which the wire itself is faulty."""
    with stage() as (root, _):
        kind, text = get(f"{root}/")
        assert kind.startswith("text/plain")
        lines = re.findall(r"^curl .*$", text, re.MULTILINE)
        assert len(lines) == sum(len(told.modes) for told in catalogue().values())
        asked = 0
        for told in catalogue().values():
            if told.fault or told.framing or told.wire.redirects or asked % 3:  # a third of them is enough
                asked += 1
                continue
            asked += 1
            for mode in told.modes:
                line = curl(told, mode, f"{root}/{told.id}")
                assert line in lines
                assert paste(line) == cassette(told.id, mode)[0].body, told.id


def test_a_browser_gets_a_page_with_a_line_for_each_client() -> None:
    with stage(PAUSE, "openai-chat/natural-end") as (root, _):
        kind, text = get(f"{root}/", accept="text/html,*/*")
    assert kind.startswith("text/html")
    assert f'id="{PAUSE}"' in text
    assert text.count("<details") == 2
    assert f"ANTHROPIC_BASE_URL={root}/{PAUSE}" in text
    assert "OpenAI(base_url=&quot;" in text
    assert "{base}" not in text


@pytest.mark.parametrize("api", list(Api))
def test_each_api_has_clients(api: Api) -> None:
    told = next(told for told in catalogue().values() if told.api is api)
    assert all(f"http://x/{told.id}" in line for _, line in clients(told, f"http://x/{told.id}"))


def test_a_wrong_address_says_where_the_index_is() -> None:
    with stage(PAUSE) as (root, said), pytest.raises(HTTPError) as caught:
        get(f"{root}/openai-chat/natural-end/v1/chat/completions")
    with caught.value as error:
        assert f"the index at {root}/" in error.read().decode()
    assert said == ["GET /openai-chat/natural-end/v1/chat/completions -> 404"]


def test_a_retry_scenario_begins_again_when_it_has_been_told() -> None:
    with stage("anthropic-messages/retry-hidden-429") as (root, _):
        line = curl(
            catalogue()["anthropic-messages/retry-hidden-429"],
            Mode.BUFFERED,
            f"{root}/anthropic-messages/retry-hidden-429",
        )
        kinds = [json.loads(paste(line))["type"] for _ in range(4)]
    assert kinds == ["error", "message", "error", "message"]


@pytest.mark.parametrize(("fault", "left"), [("cut:3", 3), ("cut", None)])
def test_a_fault_cuts_the_stream(fault: str, left: int | None) -> None:
    with stage(PAUSE, fault=fault) as (root, _):
        body = paste(curl(catalogue()[PAUSE], Mode.STREAMED, f"{root}/{PAUSE}"))
    whole = cassette(PAUSE, Mode.STREAMED)[0].body
    assert whole.startswith(body)
    assert 0 < len(body) < len(whole)
    assert left is None or body.count(b"event:") == left


def test_a_reset_breaks_the_connection() -> None:
    with stage(PAUSE, fault="reset") as (root, _), pytest.raises((OSError, HTTPException)):
        paste(curl(catalogue()[PAUSE], Mode.STREAMED, f"{root}/{PAUSE}"))


def test_a_pace_takes_its_time() -> None:
    with stage(PAUSE, pace=0.02) as (root, _):
        start = time.monotonic()
        body = paste(curl(catalogue()[PAUSE], Mode.STREAMED, f"{root}/{PAUSE}"))
    assert time.monotonic() - start > 0.02 * (body.count(b"event:") - 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gemini/stop-fird"], "did you mean"),
        (["--chunking", "per-word"], "no chunking 'per-word'"),
        (["--pace", "-1"], "no number of seconds"),
        (["--fault", "melt"], "no fault 'melt'"),
        (["--fault", "cut:many"], "'many' is no number of frames"),
        (["--port", "70000"], "no port 70000"),
    ],
)
def test_bad_input_is_one_error(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *arguments]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert says in told


def test_a_port_that_is_taken_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with ReplayServer() as server:
        assert main(["serve", PAUSE, "--port", str(server.port)]) == 2
    assert "name another one" in capsys.readouterr().err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "term"])
def test_it_ends_cleanly(how: signal.Signals, tmp_path: Path, line_of: Callable[[object], str]) -> None:
    command = [sys.executable, "-m", "conformance", "serve", PAUSE, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            assert re.match(r"http://127\.0\.0\.1:\d+/ plays 1 scenarios", line_of(process.stderr))
            process.send_signal(how)
            assert process.wait(20) == 0
            assert line_of(process.stderr) == "stopped\n"
        finally:
            process.kill()  # leaving the block waits for its end

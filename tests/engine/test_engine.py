"""The tool that serves a real engine, without one: the vocabulary that it writes, what starts and what does not."""

from __future__ import annotations

import http.client
import sys
from pathlib import Path

import pytest

from conformance.vocabulary import Api
from tools.engine import serving as room
from tools.engine.__main__ import main
from tools.engine.model import HALVES, PIECES, byte_alphabet, vocabulary
from tools.engine.serving import Engine, EngineBroken, serving

_WEB = """
import http.server, sys
http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]), bind="127.0.0.1")
"""


def test_every_byte_and_every_token_has_one_spelling() -> None:
    """An engine refuses a vocabulary in which two tokens are spelled alike."""
    assert len(set(byte_alphabet().values())) == 256
    tokens = [token for token, _ in vocabulary()]
    assert len(set(tokens)) == len(tokens) == 256 + len(PIECES) + 2 * len(HALVES)


def test_halves_are_a_character_together_and_none_alone() -> None:
    """Stop strings meet characters that are cut between tokens."""
    for first, second in HALVES:
        with pytest.raises(UnicodeDecodeError):
            first.decode()
        assert any(not letter.isascii() for letter in (first + second).decode())


def test_missing_package_is_one_clear_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    assert main(["write", str(tmp_path / "model.gguf")]) == 2
    assert "mend: make engine" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_engine_that_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What it said last is in the error."""
    broken = Engine(lambda _model, _port: ["-c", "raise SystemExit('no such model')"], (Api.OPENAI_CHAT,))
    monkeypatch.setattr(room, "ENGINES", {"broken": broken})
    with (
        pytest.raises(EngineBroken, match=r"(?s)broken's server does not start.*no such model"),
        serving("broken", tmp_path / "model", tmp_path / "log"),
    ):
        pytest.fail("it has not started")


def test_engine_runs_while_the_block_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "models").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    web = Engine(lambda _model, port: ["-c", _WEB, str(port)], (Api.OPENAI_CHAT,))
    monkeypatch.setattr(room, "ENGINES", {"web": web})
    with serving("web", tmp_path / "model", tmp_path / "log") as url:
        host = url.removeprefix("http://").partition("/")[0]
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.request("GET", "/v1/models")
        assert connection.getresponse().status == 200
        connection.close()
    with pytest.raises(OSError, match="refused"):
        connection.connect()

"""The scan: finds each form, shows no more than its beginning, is quiet on this repository, and quick."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from planting import FORMED
from stand_in import KEYS

from conformance.vocabulary import Api
from tools.secrets.__main__ import main
from tools.secrets.forms import find, masked
from tools.secrets.own_key import VARIABLES

SETTLED = [name for name in sorted(FORMED) if name != "masked key"]
"""A masked key is a vendor's own text, which cassettes hold with words of ours: not looked for in the repository."""


@pytest.mark.parametrize("name", SETTLED)
def test_each_form_is_found_in_a_file(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret, tell = FORMED[name](random.Random(5))  # noqa: S311 -- any
    path = tmp_path / "notes.md"
    path.write_text(f"first line\nlook: {secret}\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out.startswith(f"{path}:2: ")
    assert "mend: take it out" in err
    assert tell not in out


@pytest.mark.parametrize("name", sorted(FORMED))
def test_what_is_masked_is_found_no_more(name: str) -> None:
    rng = random.Random(9)  # noqa: S311 -- the same every time
    for _ in range(20):
        secret, tell = FORMED[name](rng)
        text = f'{{"text": "a {secret} b", "more": [1]}}'
        assert any(find(text))
        hidden = masked(text)
        assert len(hidden) == len(text)
        assert tell not in hidden
        assert not any(find(hidden))
        assert masked(hidden) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "task-oriented work, risk-free-and-very-long-words-with-dashes",
        "std::vector<int> a::b::c and 12:30:45",
        "version 1.2.3.4567 of 10.000.000.000",
        "http://127.0.0.1:8000, 0.0.0.0, ::1, 192.0.2.7, 203.0.113.250, 2001:db8::1",
        "msg_01USKhfRKWw1vo1Winl4Sf52 chatcmpl-9rj6CeqLxrHyZTSryhK8abcd req_011C9rj6CeqLxrHyZTSryhK8",
        "the organisation of the projects, user-friendly",
        "Bearer tokens are sent in a header",
        "?key=short",
        "prance==26.7.19.0",
    ],
)
def test_what_is_nobodys_is_left_alone(text: str) -> None:
    assert list(find(text)) == []


def test_the_repository_holds_none_and_the_scan_is_quick(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in set(VARIABLES.values()):  # the stand-in's keys lie in its own file
        monkeypatch.delenv(variable)
    start = time.process_time()
    code = main([])
    assert (capsys.readouterr().out, code) == ("", 0)
    assert time.process_time() - start < 10  # about one second on a quiet machine


def test_a_key_of_the_environment_is_found_by_its_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a key without a form only its value can be looked for."""
    key = "0123456789abcdef" * 2
    monkeypatch.setenv("GEMINI_API_KEY", key)
    (tmp_path / "a.txt").write_text(f"seen: {key}", encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "the value of GEMINI_API_KEY, as it is" in out
    assert key not in out


def test_bytes_that_are_no_text_are_looked_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.bin").write_bytes(b"\xff\x00\xfe " + KEYS[Api.ANTHROPIC_MESSAGES].encode() + b" \xff")
    assert main([str(tmp_path)]) == 1
    assert "API key (sk-)" in capsys.readouterr().out


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "no-such")]) == 2
    assert "nothing lies at" in capsys.readouterr().err

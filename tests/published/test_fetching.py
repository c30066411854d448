"""A pin enters the cache whole and with its hash, or not at all. pip runs for real, against a folder and no network."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from making import pin_of, put, sdist

from tools.published import fetch as module
from tools.published.__main__ import main
from tools.published.errors import NotFetched, WrongBytes
from tools.published.fetch import cache_dir, cached, fetch

GOOD = sdist({"a.yaml": b"interactions: []\n"})
OTHER = sdist({"a.yaml": b"interactions: [ ]\n"})


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip looks at."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir()) if cache.is_dir() else []


def test_a_pin_is_pulled_without_being_built_and_then_served_offline(
    index: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(index, GOOD)
    said: list[str] = []
    assert [path.read_bytes() for path in fetch([pin_of(GOOD)], said.append)] == [GOOD]
    assert left(cache) == ["tiny-1.0.tar.gz"]
    assert said[-1].startswith("[1/1] tiny==1.0: 0.0 MB in")

    def refuse(*_: object) -> Path:
        raise AssertionError("the cache is enough")

    monkeypatch.setattr(module, "_download", refuse)
    monkeypatch.setattr(socket, "socket", refuse)
    assert fetch([pin_of(GOOD)], said.append) == [cached(pin_of(GOOD))]
    assert said[-1] == "[1/1] tiny==1.0: in the cache"


def test_a_changed_byte_is_refused_and_nothing_is_kept(index: Path, cache: Path) -> None:
    put(index, OTHER)
    with pytest.raises(WrongBytes, match=pin_of(OTHER).sha256) as caught:
        fetch([pin_of(GOOD)], lambda _: None)
    assert pin_of(GOOD).sha256 in caught.value.problem
    assert left(cache) == []


def test_what_pip_hands_over_is_hashed_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_download", lambda _pin, scratch, _say: put(scratch, GOOD[:-1]))
    with pytest.raises(WrongBytes, match="is not the pinned file"):
        fetch([pin_of(GOOD)], lambda _: None)
    assert left(cache) == []


def test_a_damaged_file_in_the_cache_is_refused_and_the_next_fetch_mends_it(index: Path, cache: Path) -> None:
    put(index, GOOD)
    put(cache, GOOD[: len(GOOD) // 2])
    with pytest.raises(WrongBytes, match="fetch it again"):
        cached(pin_of(GOOD))
    fetch([pin_of(GOOD)], lambda _: None)
    assert cached(pin_of(GOOD)).read_bytes() == GOOD


@pytest.mark.usefixtures("index", "cache")
def test_without_network_and_cache_it_says_so_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fetch"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not in the cache" in line
    assert "pip has no network or no such file" in line


def test_a_cache_that_cannot_be_written_is_an_error_with_its_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CONFORMANCE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(NotFetched, match="set CONFORMANCE_CACHE"):
        fetch([pin_of(GOOD)], lambda _: None)


def test_the_cache_lies_outside_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONFORMANCE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "llm-adapter-conformance" / "published"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_dir() == Path.home() / ".cache" / "llm-adapter-conformance" / "published"

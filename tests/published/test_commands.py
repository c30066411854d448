"""The commands on a tiny pin of our own: what they print, and exit code 2 with one clear error for bad input."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import cassette, completion, interaction, pin_of, put, recorded, sdist, tarball

from tools.published import __main__ as commands
from tools.published import recordings
from tools.published.__main__ import main
from tools.published.errors import BadPins
from tools.published.pins import Pin

BODY = recorded(completion()).body.decode()
DATA = sdist({"tests/a.yaml": cassette(interaction(BODY), interaction('{"embedding": []}', uri="https://example.com"))})


@pytest.fixture
def tiny(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Pin:
    """The only pin that there is, in the cache."""
    put(cache, DATA)
    one = pin_of(DATA)
    monkeypatch.setattr(commands, "pins", lambda **_: (one,))
    monkeypatch.setattr(recordings, "pin", lambda _: one)
    return one


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ([], 1),
        (["--api", "openai-chat", "--mode", "buffered", "--ending", "stop"], 1),
        (["--mode", "streamed"], 0),
        (["--ending", "length"], 0),
        (["--limit", "1", "--bonus"], 1),
    ],
)
def test_list_prints_one_line_an_exchange(options: list[str], lines: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", *options]) == 0
    printed = capsys.readouterr().out.splitlines()
    size = len(BODY)
    assert printed == [f"tiny==1.0:tests/a.yaml#0\topenai-chat\tbuffered\tstop -> complete\t{size} bytes"] * lines


@pytest.mark.usefixtures("tiny")
def test_an_api_that_nobody_speaks_is_an_error_with_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--api", "opnai-chat"]) == 2
    error = capsys.readouterr().err
    assert "error: no exchange speaks 'opnai-chat'" in error
    assert "mend: --api takes one of openai-chat" in error


@pytest.mark.parametrize("arguments", [["list", "--limit", "0"], ["list", "--limit", "x"], ["list", "--mode", "x"], []])
def test_bad_options_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)


@pytest.mark.usefixtures("tiny")
def test_evidence_that_differs_from_the_committed_ends_with_1_and_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evidence"]) == 1
    out, err = capsys.readouterr()
    assert "openai-chat  buffered  stop -> complete       1" in out
    assert '+   "exchanges": 2,' in out or '+  "exchanges": 2,' in out
    assert "mend: review the difference" in err
    assert main(["evidence", "--bonus"]) == 0


@pytest.mark.usefixtures("tiny")
def test_an_archive_that_is_not_to_be_trusted_stops_a_command_with_2(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    climbing = tarball({"../evil.yaml": b"x"})
    put(cache, climbing)
    monkeypatch.setattr(commands, "pins", lambda **_: (pin_of(climbing),))
    assert main(["list"]) == 2
    assert "climbs out of its folder" in capsys.readouterr().err
    put(cache, DATA)  # the cache takes the right file again
    monkeypatch.setattr(commands, "pins", lambda **_: (pin_of(DATA),))
    assert main(["list"]) == 0


@pytest.mark.usefixtures("tiny")
def test_one_exchange_is_found_by_its_place() -> None:
    assert recordings.find("tiny:tests/a.yaml#0").body.decode() == BODY
    for place in ("tiny:tests/a.yaml#7", "tiny:other.yaml#0", "tiny"):
        with pytest.raises(BadPins, match="no exchange at"):
            recordings.find(place)


def test_a_file_that_pip_saved_is_no_code_that_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.published import _backend

    (tmp_path / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: a-b.c\nVersion: 1.0\n")
    monkeypatch.chdir(tmp_path)
    assert _backend.prepare_metadata_for_build_wheel(str(tmp_path)) == "a_b_c-1.0.dist-info"
    assert (tmp_path / "a_b_c-1.0.dist-info" / "METADATA").is_file()
    with pytest.raises(RuntimeError, match="nothing is built"):
        _backend.build_wheel()

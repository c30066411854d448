"""Whole or not at all: the recorder is ended at each step on the disk, by a kill, Ctrl-C, a full disk."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stand_in import StandIn, Turn
from test_recording import tree

from conformance.corpus import Exchange
from tools.record.__main__ import main
from tools.record.errors import HalfWritten, WrongFolder
from tools.record.transaction import FOLDER, Store

ID = "anthropic-messages/natural-end"
SMALL = "anthropic-messages/send-stop-blank"
"""A scenario whose reply is an error of one line, where the number of runs counts."""
ROOT = Path(__file__).parents[2]


def longer(exchange: Exchange) -> Exchange:
    """A reply in which every file of the recording differs: text, lengths, reading."""
    body = exchange.body.replace(b'"text":"', b'"text":"Well: ').replace(b'"message":"', b'"message":"Well: ')
    return replace(exchange, body=body)


@pytest.fixture
def vendor() -> object:
    with StandIn([ID, SMALL]) as running:
        yield running


@pytest.fixture
def first(vendor: StandIn, tmp_path: Path) -> Path:
    """What lay there before: recordings from another day."""
    corpus = tmp_path / "first"
    assert main([ID, SMALL, "--corpus", str(corpus), *vendor.options]) == 0
    manifest = corpus / "cassettes" / "provenance.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(" on 2", " on 1"), encoding="utf-8")
    vendor.script["*"] = [Turn(edit=longer)] * 1000
    return corpus


def ended(how: str, id_: str, vendor: StandIn, first: Path) -> list[dict[str, object]]:
    script = Path(__file__).with_name("killing.py")
    command = [sys.executable, str(script), how, str(first), str(first.with_name("work")), id_, *vendor.options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, object]] = json.loads(done.stdout)
    return rows


def test_a_kill_at_every_step_leaves_all_or_nothing(vendor: StandIn, first: Path) -> None:
    """After the next start all is old, or all is new; nothing is left over. Recoveries are killed at every step too."""
    *killed, through = ended("kill", ID, vendor, first)
    assert {row["code"] for row in killed} == {-9}
    assert (through["code"], through["after"]) == (0, "new")
    assert len(killed) >= 25
    recovered = [row["recovered"] for row in killed]
    decided = recovered.index("new")
    assert set(recovered[:decided]) == {"old"}
    assert set(recovered[decided:]) == {"new"}
    # Before the decision nothing has changed even without a recovery; what is mixed is between two moves.
    assert {row["after"] for row in killed[:decided]} == {"old"}
    assert "mixed" in {row["after"] for row in killed[decided:]}
    assert not any(row["left"] for row in killed)


@pytest.mark.slow
def test_ctrl_c_at_every_step_leaves_all_or_nothing_at_once(vendor: StandIn, first: Path) -> None:
    *interrupted, through = ended("interrupt", SMALL, vendor, first)
    assert through["code"] == 0
    assert {row["code"] for row in interrupted} == {130}
    assert {row["after"] for row in interrupted} == {"old", "new"}
    assert not any(row["left"] for row in interrupted)


@pytest.mark.slow
def test_a_full_disk_at_every_step_leaves_all_or_nothing(vendor: StandIn, first: Path) -> None:
    *failed, through = ended("full", SMALL, vendor, first)
    assert through["code"] == 0
    assert {row["code"] for row in failed} == {2}
    assert {row["recovered"] for row in failed} == {"old", "new"}
    assert not any(row["left"] for row in failed)


def test_the_kernel_refuses_to_write_more(vendor: StandIn, first: Path) -> None:
    """No file may grow beyond so many bytes: what the system itself does when there is no room."""
    before = tree(first)
    limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"]  # blocks of 512 or 1024 bytes, by the shell
    command = [*limited, sys.executable, "-m", "tools.record", ID, "--corpus", str(first), *vendor.options]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "error: cannot write: " in done.stderr
    assert tree(first) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_ended_while_the_provider_is_asked(number: int, vendor: StandIn, first: Path) -> None:
    before = tree(first)
    came, go = threading.Event(), threading.Event()
    vendor.script[f"{ID}:streamed"] = [Turn(hold=came, go=go)]
    command = [sys.executable, "-m", "tools.record", ID, "--corpus", str(first), *vendor.options]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert came.wait(30)
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
        go.set()
    assert process.returncode == (130 if number == signal.SIGINT else -9)
    assert ("interrupted: of the scenario under way nothing was written" in err) is (number == signal.SIGINT)
    assert tree(first) == before


def test_two_at_once_are_refused(tmp_path: Path, vendor: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(tmp_path).held():
        assert main([ID, "--corpus", str(tmp_path), *vendor.options]) == 2
    assert "another process records into" in capsys.readouterr().err
    assert main([ID, "--corpus", str(tmp_path), *vendor.options]) == 0


def test_a_journal_that_does_not_fit_is_not_followed(tmp_path: Path) -> None:
    """A staged file that is damaged never gets into the corpus; the folder is kept for a person to look at."""
    store = Store(tmp_path)
    (tmp_path / FOLDER / "staged").mkdir(parents=True)
    (tmp_path / FOLDER / "staged" / "0").write_bytes(b"half")
    (tmp_path / FOLDER / "journal.json").write_text(
        json.dumps([{"to": "cassettes/a.yaml", "staged": "0", "sha256": "0" * 64}]), encoding="utf-8"
    )
    with pytest.raises(HalfWritten, match="is not what the journal says"), store.held():
        raise AssertionError
    assert tree(tmp_path).keys() == {f"{FOLDER}/staged/0", f"{FOLDER}/journal.json"}


def test_a_file_system_of_its_own_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rename works on one file system only, so this is known before anything is decided."""
    mounted, plain = tmp_path / "cassettes", Path.stat
    mounted.mkdir()

    def stat(path: Path, **options: Any) -> os.stat_result:
        found = plain(path, **options)
        return os.stat_result((*found[:2], found.st_dev + 1, *found[3:10])) if path == mounted else found

    monkeypatch.setattr(Path, "stat", stat)
    store = Store(tmp_path)
    with store.held(), pytest.raises(WrongFolder, match="another file system"):
        store.commit({"cassettes/a.yaml": b"x"})
    assert not (tmp_path / FOLDER).exists()
    assert not list(mounted.iterdir())


def test_what_takes_long_is_not_the_disk(tmp_path: Path) -> None:
    """A commit waits for the disk a few times, not once a byte."""
    start = time.monotonic()
    store = Store(tmp_path)
    with store.held():
        store.commit({f"cassettes/{number}.yaml": b"x" * 100_000 for number in range(6)})
    assert time.monotonic() - start < 5


@pytest.mark.slow
def test_the_rehearsal_that_contributing_describes(tmp_path: Path) -> None:
    """The stand-in as a program prints what to export and to add; with that the recorder records."""
    program = [sys.executable, str(Path(__file__).with_name("stand_in.py"))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(program, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        printed = [shlex.split(running.stdout.readline())[1].partition("=") for _ in range(4)]
        exports = {name: value for name, _, value in printed}
        command = [
            sys.executable,
            "-m",
            "tools.record",
            ID,
            *exports.pop("STAND_IN").split(),
            "--corpus",
            str(tmp_path),
        ]
        done = subprocess.run(command, env={**os.environ, **exports}, cwd=ROOT, capture_output=True, check=False)
        running.send_signal(signal.SIGINT)
        try:
            assert running.wait(20) == 0
        finally:
            running.kill()  # leaving the block waits for its end
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "snapshots" / f"{ID}.json").is_file()

"""Writes several files together: all of them or none, whenever the process ends. What is in them is not known here.

New contents are laid down in a folder beside the targets first. A journal, renamed into its place when
all of them are on the disk, is the decision: without it the next start throws them away, with it the next
start moves those that are left. A kill between two of the moves leaves some files new and some old until then.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools.record.errors import HalfWritten, WrongFolder

FOLDER = ".recording"
"""The folder inside the corpus that holds what is under way."""

_JOURNAL = "journal.json"
_STAGED = "staged"


class Disk:
    """What is done to the file system, one method a step. Tests put one in its place that fails or kills."""

    def write(self, path: Path, data: bytes) -> None:
        """Write a new file and wait until it is on the disk."""
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def move(self, source: Path, target: Path) -> None:
        """Rename over what may be there."""
        source.replace(target)

    def make(self, folder: Path) -> None:
        """Make a folder and those above it."""
        folder.mkdir(parents=True, exist_ok=True)

    def settle(self, folder: Path) -> None:
        """Wait until the names in a folder are on the disk."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def remove(self, path: Path) -> None:
        """Remove a file, or a folder with all in it; harmless where it is not there."""
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Store:
    """A folder whose files are written together. One process at a time may hold it."""

    root: Path
    disk: Disk = field(default_factory=Disk)

    @property
    def _folder(self) -> Path:
        return self.root / FOLDER

    @contextmanager
    def held(self) -> Iterator[str | None]:
        """Hold the folder, and finish or undo what an earlier process has left behind.

        Yields:
            what was done about that, in words; None where nothing was left.

        Raises:
            WrongFolder: another process holds it, or it cannot be written.
            HalfWritten: what was left cannot be finished.
        """
        try:
            self.disk.make(self.root)
            # The folder itself is locked: a file for it could not be removed without a race.
            lock = os.open(self.root, os.O_RDONLY)
        except OSError as error:
            raise WrongFolder(f"cannot write to {self.root}: {error.strerror}", "name another folder") from error
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise WrongFolder(f"another process records into {self.root}", "wait for it, or end it") from None
            yield self._recover()
        finally:
            os.close(lock)

    def commit(self, files: Mapping[str, bytes]) -> None:
        """Write all files, named by their paths below the root. The folder must be held.

        Raises:
            OSError: nothing has changed: the disk is full, say.
            HalfWritten: it is decided, but a file could not be moved; the next start goes on.
        """
        try:
            self._lay_down(files)
        except BaseException:
            if not (self._folder / _JOURNAL).exists():
                self._drop()
            raise
        self._finish()

    def _lay_down(self, files: Mapping[str, bytes]) -> None:
        staged = self._folder / _STAGED
        self.disk.make(staged)
        rows = []
        for number, (name, data) in enumerate(sorted(files.items())):
            self._check_device(name)
            self.disk.write(staged / str(number), data)
            rows.append({"to": name, "staged": str(number), "sha256": hashlib.sha256(data).hexdigest()})
        self.disk.settle(staged)
        self.disk.write(staged / _JOURNAL, json.dumps(rows, indent=1).encode())
        self.disk.move(staged / _JOURNAL, self._folder / _JOURNAL)

    def _check_device(self, name: str) -> None:
        above = next(folder for folder in (self.root / name).parents if folder.exists())
        if above.stat().st_dev != self._folder.stat().st_dev:
            raise WrongFolder(f"{above} is on another file system than {self.root}", "name a folder on one")

    def _finish(self) -> int:
        """Move what the journal names and is not in its place yet; how many files that was."""
        # A second Ctrl-C would only cost a recovery, but a file system half old and half new is worth avoiding.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            return self._move()
        except OSError as error:
            raise HalfWritten(
                f"the recording is decided, but not all of it is in its place: {error}",
                "mend what the error names, then: python -m tools.record --recover",
            ) from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _move(self) -> int:
        self.disk.settle(self._folder)
        rows = json.loads((self._folder / _JOURNAL).read_bytes())
        moved = 0
        for row in rows:
            source, target = self._folder / _STAGED / row["staged"], self.root / row["to"]
            if source.exists():
                self._expect(source, row["sha256"])
                self.disk.make(target.parent)
                self.disk.move(source, target)
                moved += 1
            else:
                self._expect(target, row["sha256"])
        for folder in sorted({(self.root / row["to"]).parent for row in rows}):
            self.disk.settle(folder)
        self.disk.remove(self._folder / _JOURNAL)
        self.disk.settle(self._folder)
        self._drop()
        return moved

    def _expect(self, path: Path, digest: str) -> None:
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise HalfWritten(
                f"{path} is not what the journal says", f"restore the files from git, and remove {self._folder}"
            )

    def _recover(self) -> str | None:
        if (self._folder / _JOURNAL).exists():
            return f"finished the recording that an earlier run was killed in: {self._finish()} files moved"
        if not self._folder.exists():
            return None
        unfinished = any((self._folder / _STAGED).glob("*"))
        self._drop()
        return "threw away what an earlier run had not finished; nothing else was changed" if unfinished else None

    def _drop(self) -> None:
        self.disk.remove(self._folder)

"""Wheels of SDKs: pulled by the user's own pip into a cache, read in memory. Nothing of them is ever imported.

Asked for without a version, pip says what is newest; a version that is in the cache is not asked for again. A wheel
enters the cache whole or not at all.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from tools.drift.errors import BadWheel, NotPulled
from tools.published.fetch import cache_dir

Say = Callable[[str], None]
"""Takes one line of progress."""

MEMBER_LIMIT = 30_000_000
"""Bytes; the largest file that is read (types.py of google-genai) has 0.8 MB, unpacked service models have 3."""

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*?)(?:==(?P<version>[A-Za-z0-9][A-Za-z0-9.!+]*))?")
_WHEEL = re.compile(r"(?P<name>[^-]+)-(?P<version>[^-]+)(-[^-]+)?-[^-]+-[^-]+-[^-]+\.whl")
_SECONDS = 600


class Wheel:
    """One wheel, its members read when they are asked for.

    Args:
        path: the file.

    Raises:
        BadWheel: it is no wheel.
    """

    def __init__(self, path: Path) -> None:
        named = _WHEEL.fullmatch(path.name)
        if named is None or not path.is_file():
            raise BadWheel(f"{path} is no wheel", "give a package, package==version, or a .whl file")
        self.path = path
        self.package = named["name"].replace("_", "-")
        self.version = named["version"]

    def __str__(self) -> str:
        return f"{self.package}=={self.version}"

    @cached_property
    def files(self) -> frozenset[str]:
        """Names of its members.

        Raises:
            BadWheel: it is no archive.
        """
        try:
            with zipfile.ZipFile(self.path) as archive:
                return frozenset(archive.namelist())
        except (OSError, zipfile.BadZipFile) as error:
            raise BadWheel(
                f"{self.path.name} is truncated or no archive: {error}", "remove it; it is pulled anew"
            ) from error

    def read(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            BadWheel: it cannot be read, or is above the limit.
        """
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(name) as file:
                data = file.read(MEMBER_LIMIT + 1)
        except (OSError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise BadWheel(
                f"cannot read {name} in {self.path.name}: {error}", "remove the file; it is pulled anew"
            ) from error
        if len(data) > MEMBER_LIMIT:
            raise BadWheel(f"{name} in {self.path.name} is above the limit of {MEMBER_LIMIT:,} bytes")
        return data


def pull(asked: str, say: Say) -> Wheel:
    """The wheel of `package`, `package==version`, or of the file that is named.

    Raises:
        BadWheel: the file is no wheel.
        NotPulled: pip cannot get it.
    """
    if asked.endswith(".whl"):
        return Wheel(Path(asked))
    wanted = _REQUIREMENT.fullmatch(asked)
    if wanted is None:
        raise NotPulled(f"{asked!r} names no package", "give a package, package==version, or a .whl file")
    folder = cache_dir() / "wheels"
    there = sorted(folder.glob(f"{re.sub(r'[-_.]+', '_', wanted['name'])}-{wanted['version']}-*.whl"))
    if wanted["version"] and there:
        say(f"{asked}: in the cache")
        return Wheel(there[0])
    say(f"{asked}: asking the package index")
    wheel = Wheel(_download(asked, folder))
    say(f"{asked}: {wheel}, {wheel.path.stat().st_size / 1e6:.1f} MB")
    return wheel


def _download(asked: str, folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # In the cache itself, so that the last step is a rename within one file system.
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as scratch:
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
            command += ["--ignore-requires-python", "--disable-pip-version-check", "--no-input", "--retries", "1"]
            command += ["--quiet", "--dest", scratch, asked]
            done = subprocess.run(  # noqa: S603 -- our own interpreter; what was asked matches a package's name
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
            found = list(Path(scratch).glob("*.whl"))
            if done.returncode or len(found) != 1:
                raise NotPulled(f"pip cannot get a wheel of {asked}: {_reason(done.stderr)}", "check name and network")
            return found[0].replace(folder / found[0].name)
    except subprocess.TimeoutExpired:
        raise NotPulled(f"pip did not get {asked} within {_SECONDS} s", "check the network") from None
    except OSError as error:
        raise NotPulled(f"cannot write to the cache {folder}: {error}", "set CONFORMANCE_CACHE to a folder") from error


def _reason(told: str) -> str:
    """What pip said in one line, without the list of all versions that exist."""
    lines = [line for line in told.splitlines() if line.strip()] or ["it said nothing"]
    worst = next((line for line in lines if line.startswith("ERROR:")), lines[-1])
    return re.sub(r" \(from versions:.*", "", worst.removeprefix("ERROR: "))[:300]

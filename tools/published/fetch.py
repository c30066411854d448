"""Pulls pinned source distributions into a cache outside the repository. Opens no archive and reads no cassette.

The user's own pip finds and downloads the file, so his index, proxy and certificates are honoured
and no registry is named here. A file enters the cache whole and with the pinned hash, or not at all.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.published.errors import NotFetched, WrongBytes
from tools.published.pins import Pin

Say = Callable[[str], None]
"""Takes one line of progress."""

# Build backends that sdists name. pip imports one before it saves the file: it gets `_backend.py` under that name.
_BACKENDS = (
    "hatchling.build",
    "setuptools.build_meta",
    "flit_core.buildapi",
    "poetry.core.masonry.api",
    "pdm.backend",
    "uv_build",
)
_STEP = 10
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")


def cache_dir() -> Path:
    """Where pins are kept: $CONFORMANCE_CACHE, or a folder of the user's cache."""
    if own := os.environ.get("CONFORMANCE_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "llm-adapter-conformance" / "published"


def sha256_of(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cached(pin: Pin) -> Path:
    """The pin's file in the cache, its hash checked. No network.

    Raises:
        NotFetched: it is not there.
        WrongBytes: it is another file.
    """
    path = cache_dir() / pin.filename
    if not path.is_file():
        raise NotFetched(f"{pin} is not in the cache {cache_dir()}", "fetch it: python -m tools.published fetch")
    if (found := sha256_of(path)) != pin.sha256:
        raise WrongBytes(
            f"{path} is not the pinned file: sha256 {found}, pinned {pin.sha256}",
            "fetch it again, which replaces it: python -m tools.published fetch",
        )
    return path


def fetch(pins: Sequence[Pin], say: Say) -> list[Path]:
    """All pins in the cache; those that are not there, or are damaged, are pulled.

    Raises:
        NotFetched: pip cannot get one of them.
        WrongBytes: what pip got is not what was pinned.
    """
    paths: list[Path] = []
    for number, pin in enumerate(pins, 1):
        head = f"[{number}/{len(pins)}] {pin}"
        try:
            paths.append(cached(pin))
        except (NotFetched, WrongBytes):
            started = time.monotonic()
            path = _pull(pin, head, say)
            say(f"{head}: {path.stat().st_size / 1e6:.1f} MB in {time.monotonic() - started:.1f} s")
            paths.append(path)
        else:
            say(f"{head}: in the cache")
    return paths


def _pull(pin: Pin, head: str, say: Say) -> Path:
    cache = cache_dir()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        # In the cache itself, so that the last step is a rename within one file system.
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=cache) as scratch:
            file = _download(pin, Path(scratch), lambda line: say(f"{head}: {line}"))
            if (found := sha256_of(file)) != pin.sha256:
                raise _wrong(pin, found)
            file.replace(cache / pin.filename)
    except OSError as error:
        raise NotFetched(f"cannot write to the cache {cache}: {error}", "set CONFORMANCE_CACHE to a folder") from error
    return cache / pin.filename


def _download(pin: Pin, scratch: Path, say: Say) -> Path:
    shims, target, wanted = scratch / "shims", scratch / "target", scratch / "wanted.txt"
    _write_shims(shims)
    wanted.write_text(f"{pin} --hash=sha256:{pin.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--require-hashes"]
    command += ["--no-build-isolation", "--ignore-requires-python", "--disable-pip-version-check", "--no-input"]
    command += ["--retries", "1", "--progress-bar", "raw", "--dest", str(target), "--requirement", str(wanted)]
    path = os.pathsep.join(filter(None, (str(shims), os.environ.get("PYTHONPATH"))))
    with subprocess.Popen(  # noqa: S603 -- our own interpreter with fixed arguments
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONPATH": path},
    ) as pip:
        lines = _follow(pip, say)
    found = list(target.glob("*.tar.gz")) if target.is_dir() else []
    if pip.returncode == 0 and len(found) == 1:
        return found[0]
    if any("DO NOT MATCH THE HASHES" in line for line in lines):
        got = next((line.split()[-1] for line in lines if line.strip().startswith("Got")), "unknown")
        raise _wrong(pin, got)
    raise NotFetched(
        f"{pin} is not in the cache {cache_dir()}, and pip has no network or no such file: {_reason(lines)}"
    )


def _follow(pip: subprocess.Popen[str], say: Say) -> list[str]:
    lines: list[str] = []
    told = 0
    for line in pip.stdout or ():
        if progress := _PROGRESS.match(line):
            done, total = int(progress[1]), int(progress[2])
            if total and done * 100 // total >= told + _STEP:
                told = done * 100 // total // _STEP * _STEP
                say(f"{told}% of {total / 1e6:.1f} MB")
        else:
            lines.append(line.rstrip())
    return lines


def _reason(lines: Sequence[str]) -> str:
    """What pip said in one line, without the list of all versions that exist."""
    errors = [line for line in lines if line.startswith("ERROR:") or "No module named" in line]
    text = errors[0].removeprefix("ERROR: ") if errors else (lines[-1] if lines else "it said nothing")
    return re.sub(r" \(from versions:.*", "", text)[:300]


def _wrong(pin: Pin, found: str) -> WrongBytes:
    return WrongBytes(
        f"what pip got for {pin} is not the pinned file: sha256 {found}, pinned {pin.sha256}",
        "it was not kept; look at the index that pip is configured with",
    )


def _write_shims(folder: Path) -> None:
    source = Path(__file__).with_name("_backend.py").read_bytes()
    for backend in _BACKENDS:
        package = folder
        for part in backend.split("."):
            package /= part
            package.mkdir(parents=True, exist_ok=True)
            (package / "__init__.py").touch()
        (package / "__init__.py").write_bytes(source)

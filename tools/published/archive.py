"""Reads members of a source distribution in memory, trusting nothing in it. Writes no file and knows no cassette.

An archive that holds one suspicious member is refused as a whole: a path that climbs out of its
folder, an absolute path, a link or a device, a member or a total above the limit, a cut stream.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tools.published.errors import BadArchive

MEMBER_LIMIT = 50_000_000
"""The largest cassette in the pins holds 12 MB; from here on a member is refused unread."""

TOTAL_LIMIT = 1_000_000_000
"""What all members of one archive may hold together: ten times the largest pin."""

_MEND = "remove the file from the cache and fetch it again; if it stays, the pin itself is bad"


class Member(NamedTuple):
    """One file of an archive: its path below the archive's top folder, and its bytes, unpacked where they were gzip."""

    name: str
    data: bytes


def members(
    path: Path, wanted: Callable[[str], bool], *, limit: int = MEMBER_LIMIT, total: int = TOTAL_LIMIT
) -> Iterator[Member]:
    """The wanted files of a `.tar.gz`, in the archive's order.

    Raises:
        BadArchive: the archive is cut, is no archive, or holds what it should not.
    """
    try:
        with gzip.open(path) as stream:
            # As a stream, so that no member is looked at before everything in front of it was.
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                for info in tar:
                    name = _checked(path, info)
                    total -= info.size
                    if total < 0:
                        raise BadArchive(f"{path.name} unpacks to more than its limit", _MEND)
                    if info.isfile() and wanted(name):
                        yield Member(name, _data(path, tar, info, limit))
            while stream.read(1 << 20):  # to the end, for the checksum that closes the stream
                pass
    except FileNotFoundError:
        raise BadArchive(f"no archive at {path}", "fetch it: python -m tools.published fetch") from None
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise BadArchive(f"{path.name} is truncated or is no archive: {error}", _MEND) from error


def _checked(path: Path, info: tarfile.TarInfo) -> str:
    where = PurePosixPath(info.name)
    if where.is_absolute() or ".." in where.parts or "\\" in info.name or ":" in where.parts[0]:
        raise BadArchive(f"{path.name} holds a path that climbs out of its folder: {info.name!r}", _MEND)
    if info.issym() or info.islnk():
        raise BadArchive(f"{path.name} holds a link: {info.name!r} to {info.linkname!r}", _MEND)
    if not (info.isfile() or info.isdir()):
        raise BadArchive(f"{path.name} holds something that is neither file nor folder: {info.name!r}", _MEND)
    return "/".join(where.parts[1:])


def _data(path: Path, tar: tarfile.TarFile, info: tarfile.TarInfo, limit: int) -> bytes:
    if info.size > limit:
        raise _too_large(path, info, info.size, limit)
    file = tar.extractfile(info)
    data = file.read() if file else b""
    if len(data) != info.size:
        raise BadArchive(f"{path.name} is truncated in {info.name!r}", _MEND)
    if not info.name.endswith(".gz"):
        return data
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    plain = unpacker.decompress(data, limit + 1)
    if len(plain) > limit:
        raise _too_large(path, info, len(plain), limit)
    if not unpacker.eof:
        raise BadArchive(f"{path.name} holds a truncated file: {info.name!r}", _MEND)
    return plain


def _too_large(path: Path, info: tarfile.TarInfo, size: int, limit: int) -> BadArchive:
    return BadArchive(
        f"{path.name} holds a member above the limit: {info.name!r} has {size:,} bytes or more, {limit:,} are allowed",
        _MEND,
    )

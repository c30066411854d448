"""Archives that should not be trusted are refused with a clear error, and nothing is left behind."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from making import TOP, packed, put, tarball

from tools.published.archive import members
from tools.published.errors import BadArchive


def names(path: Path, **limits: int) -> dict[str, bytes]:
    return {
        member.name: member.data for member in members(path, lambda name: name.endswith((".yaml", ".gz")), **limits)
    }


def test_wanted_members_come_below_the_top_folder_and_unpacked(tmp_path: Path) -> None:
    path = put(tmp_path, tarball({"a/b.yaml": b"one", "c.txt": b"no", "d.yaml.gz": packed(b"two")}))
    assert names(path) == {"a/b.yaml": b"one", "d.yaml.gz": b"two"}


@pytest.mark.parametrize("keep", [20, 200, -9, -1])
def test_a_truncated_archive_is_refused(tmp_path: Path, keep: int) -> None:
    data = tarball({f"{number}.yaml": bytes(range(256)) * 40 for number in range(20)})
    with pytest.raises(BadArchive, match="truncated or is no archive"):
        names(put(tmp_path, data[:keep]))


def test_a_changed_byte_inside_is_refused(tmp_path: Path) -> None:
    data = bytearray(tarball({"a.yaml": bytes(range(256)) * 40}))
    data[-6] ^= 1  # in the checksum that closes the stream
    with pytest.raises(BadArchive, match="truncated or is no archive"):
        names(put(tmp_path, bytes(data)))


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadArchive, match="no archive"):
        names(put(tmp_path, b"<html>not here</html>"))
    with pytest.raises(BadArchive, match="no archive at"):
        names(tmp_path / "missing.tar.gz")


@pytest.mark.parametrize(
    "name", ["../evil.yaml", "/etc/evil.yaml", "..", "x/../../evil.yaml", "a\\..\\evil.yaml", "C:/e.yaml"]
)
def test_a_path_that_climbs_out_is_refused(tmp_path: Path, name: str) -> None:
    climbing = tarfile.TarInfo(name)
    with pytest.raises(BadArchive, match="climbs out of its folder"):
        names(put(tmp_path, tarball({"a.yaml": b"fine"}, climbing)))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_is_refused_even_where_nobody_wants_it(tmp_path: Path, kind: bytes) -> None:
    link = tarfile.TarInfo(f"{TOP}/unwanted")
    link.type, link.linkname = kind, "/etc/passwd"
    with pytest.raises(BadArchive, match="holds a link"):
        names(put(tmp_path, tarball({"a.yaml": b"fine"}, link)))


def test_a_device_is_refused(tmp_path: Path) -> None:
    device = tarfile.TarInfo(f"{TOP}/null")
    device.type = tarfile.CHRTYPE
    with pytest.raises(BadArchive, match="neither file nor folder"):
        names(put(tmp_path, tarball({}, device)))


def test_a_cassette_of_more_than_50_mb_is_refused_by_its_size_and_its_name(tmp_path: Path) -> None:
    path = put(tmp_path, tarball({"small.yaml": b"fine", "large.yaml": bytes(50_000_001)}))
    with pytest.raises(BadArchive, match=r"large\.yaml' has 50,000,001 bytes or more, 50,000,000 are allowed"):
        names(path)


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, tarball({"bomb.yaml.gz": packed(bytes(100_000))}))
    with pytest.raises(BadArchive, match="above the limit"):
        names(path, limit=10_000)


def test_a_large_file_that_nobody_wants_does_not_count_but_the_total_does(tmp_path: Path) -> None:
    path = put(tmp_path, tarball({"video.bin": bytes(100_000), "a.yaml": b"fine"}))
    assert names(path, limit=10_000) == {"a.yaml": b"fine"}
    with pytest.raises(BadArchive, match="unpacks to more"):
        names(path, total=50_000)


def test_a_truncated_gzip_member_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, tarball({"a.yaml.gz": packed(bytes(range(256)) * 9)[:-12]}))
    with pytest.raises(BadArchive, match="truncated"):
        names(path)

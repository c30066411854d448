"""The known-failures file: what an entry covers, and one clear message for each thing that can be wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.errors import BadKnownFailures
from conformance.known_failures import Known, load

GOOD = """
[[known]]
cells = ["openai-chat/natural-end", "gemini/*:streamed"]
check = "text.exact"
reason = "upstream bug"
link = "https://example.org/1"
expect = "lost"

[[known]]
cells = "openai-chat/natural-end:buffered"
check = "reason.raw-kept"
reason = "no place for it"
"""
ENTRY = {"cells": '"openai-chat/natural-end"', "check": '"text.exact"', "reason": '"why"'}


def written(path: Path, text: str) -> Path:
    file = path / "known.toml"
    file.write_text(text, encoding="utf-8")
    return file


def entry(**changes: str | None) -> str:
    """One entry with keys changed, or left out where None is given."""
    keys = {**ENTRY, **changes}
    return "[[known]]\n" + "\n".join(f"{key} = {value}" for key, value in keys.items() if value is not None)


def test_load(tmp_path: Path) -> None:
    assert load(written(tmp_path, GOOD)) == (
        Known(
            ("openai-chat/natural-end", "gemini/*:streamed"),
            "text.exact",
            "upstream bug",
            "https://example.org/1",
            "lost",
        ),
        Known(("openai-chat/natural-end:buffered",), "reason.raw-kept", "no place for it"),
    )


@pytest.mark.parametrize("text", ["", "# nothing is known yet\n"])
def test_empty_file_lists_nothing(tmp_path: Path, text: str) -> None:
    assert load(written(tmp_path, text)) == ()


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        ("openai-chat/natural-end", {"buffered", "streamed"}),
        ("openai-chat/natural-end:streamed", {"streamed"}),
        ("openai-chat/*", {"buffered", "streamed"}),
        ("*:buffered", {"buffered"}),
        ("*", {"buffered", "streamed"}),
        ("openai-chat/natural", set()),
        ("gemini/natural-end", set()),
        ("OPENAI-CHAT/natural-end", set()),
    ],
)
def test_covers(pattern: str, covered: set[str]) -> None:
    known = Known((pattern,), "text.exact", "why")
    assert {mode for mode in ("buffered", "streamed") if known.covers(f"openai-chat/natural-end:{mode}")} == covered


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("[[known]\n", "is not TOML", id="no-toml"),
        pytest.param("[[failures]]\nx = 1\n", "unknown table 'failures'", id="unknown-table"),
        pytest.param(entry(cells=None), "entry 1 lacks cells", id="no-cells"),
        pytest.param(entry(check=None, reason=None), "entry 1 lacks check, reason", id="no-check-no-reason"),
        pytest.param(entry(note='"x"'), "entry 1: unknown key 'note'", id="unknown-key"),
        pytest.param(entry(check='"text.exakt"'), "entry 1: no check 'text.exakt'", id="unknown-check"),
        pytest.param(entry(reason='"  "'), "entry 1 has an empty reason", id="empty-reason"),
        pytest.param(entry(cells='"openai-chat/nowhere"'), "'openai-chat/nowhere' matches no cell", id="no-such-cell"),
        pytest.param(entry(cells='"openai-chat/natural-end:whole"'), "matches no cell", id="no-such-mode"),
        pytest.param(
            entry() + "\n" + entry(cells='["gemini/*", "nobody/*"]'), "entry 2: 'nobody/*'", id="second-entry"
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadKnownFailures) as caught:
        load(file)
    assert message in caught.value.problem
    assert str(file) in caught.value.problem
    assert caught.value.mend


@pytest.mark.parametrize("kind", ["missing", "folder", "latin-1"])
def test_file_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    path = {"missing": tmp_path / "none.toml", "folder": tmp_path, "latin-1": tmp_path / "latin.toml"}[kind]
    if kind == "latin-1":
        path.write_bytes("# é\n".encode("latin-1"))
    with pytest.raises(BadKnownFailures, match="cannot read") as caught:
        load(path)
    assert str(path) in caught.value.problem
    assert caught.value.mend


def test_entry_without_cells(tmp_path: Path) -> None:
    """An entry that matches nothing is an error."""
    file = written(tmp_path, entry(cells="[]"))
    with pytest.raises(BadKnownFailures):
        load(file)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(entry(cells="5"), id="cells-is-a-number"),
        pytest.param(entry(cells="[5]"), id="cells-has-a-number"),
        pytest.param(entry(check="[]"), id="check-is-a-list"),
        pytest.param("known = 5\n", id="known-is-a-number"),
        pytest.param("known = [5]\n", id="known-has-a-number"),
    ],
)
def test_values_of_another_type(tmp_path: Path, text: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadKnownFailures):
        load(file)

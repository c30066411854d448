"""The known-failures file as it is read: what an entry covers, and file, line and mend for each thing wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import adapters
from conformance.errors import BadKnownFailures
from conformance.known_failures import Known, load, unspoken
from conformance.known_failures.places import Places
from conformance.known_failures.reading import MAX_CELLS, corpus_cells

GOOD = """
[[known]]
cells = ["openai-chat/natural-end", "gemini/length-*:streamed"]
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
            ("openai-chat/natural-end", "gemini/length-*:streamed"),
            "text.exact",
            "upstream bug",
            "https://example.org/1",
            "lost",
        ),
        Known(("openai-chat/natural-end:buffered",), "reason.raw-kept", "no place for it"),
    )


@pytest.mark.parametrize("text", ["", "# nothing is known yet\n", "known = []\n"])
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


TWO = "# a comment\n\n" + entry() + "\n\n"

BAD = {
    "no TOML": ("\n[[known]\n", 2, "not TOML"),
    "TOML that ends early": ('[[known]]\nreason = "', 2, "not TOML"),
    "a key twice": (entry() + '\nreason = "b"\n', 5, "not TOML"),
    "an unknown table": ("# a\n[[failures]]\nx = 1\n", 2, "unknown table 'failures'"),
    "known is a number": ("\nknown = 5\n", 2, "`known` is no list of tables"),
    "known has a number": ("known = [5]\n", 1, "`known` is no list of tables"),
    "no cells": (TWO + entry(cells=None), 8, "entry 2 lacks cells"),
    "no check, no reason": (entry(check=None, reason=None), 1, "entry 1 lacks check, reason"),
    "an unknown key": (entry(note='"x"'), 5, "entry 1 has an unknown key 'note'"),
    "an unknown check": (TWO + entry(check='"text.exakt"'), 10, "entry 2 names no check 'text.exakt'"),
    "an empty reason": (entry(reason='"  "'), 4, "entry 1 has an empty reason"),
    "an empty expect": (entry(expect='""'), 5, "entry 1 has an empty expect"),
    "a link that is no text": (entry(link="7"), 5, "entry 1 has a link that is no text"),
    "a check that is a list": (entry(check="[]"), 3, "entry 1 has a check that is no text"),
    "cells is a number": (entry(cells="5"), 2, "cells that name no cell: 5"),
    "cells has a number": (entry(cells="[5]"), 2, "cells that name no cell: [5]"),
    "cells is empty": (entry(cells="[]"), 2, "cells that name no cell: []"),
    "no such cell": (entry(cells='"openai-chat/nowhere"'), 2, "'openai-chat/nowhere', which matches no cell"),
    "no such mode": (entry(cells='"openai-chat/natural-end:whole"'), 2, "which matches no cell"),
    "one of many is none": (
        TWO + entry(cells='[\n    "gemini/natural-end",\n    "nobody/*",\n]'),
        11,
        "entry 2 names 'nobody/*', which matches no cell",
    ),
    "a wide pattern": (entry(cells='[\n  "gemini/natural-end",\n  "gemini/*",\n]'), 4, "'gemini/*', which covers"),
    "the same twice": (TWO + entry(reason='"again"'), 9, "entry 2 lists text.exact for openai-chat/natural-end"),
    "an inline table": ('\nknown = [{cells = "gemini/natural-end", check = "no", reason = "r"}]', 2, "names no check"),
}


@pytest.mark.parametrize(("text", "line", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadKnownFailures) as caught:
        load(file)
    assert caught.value.problem.startswith(f"{file}:{line}: ")
    assert message in caught.value.problem
    assert caught.value.mend


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_file_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    path = {"missing": tmp_path / "none.toml", "folder": tmp_path}[kind]
    with pytest.raises(BadKnownFailures, match="cannot read") as caught:
        load(path)
    assert str(path) in caught.value.problem
    assert caught.value.mend


def test_file_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes("# a\n# é\n".encode("latin-1"))
    with pytest.raises(BadKnownFailures) as caught:
        load(path)
    assert caught.value.problem.startswith(f"{path}:2: ")


def test_a_pattern_may_cover_twenty_cells_and_ids_any_number(tmp_path: Path) -> None:
    """The rule is about patterns: who writes thirty ids has looked at thirty cells."""
    ids = sorted({cell.rpartition(":")[0] for cell in corpus_cells() if cell.startswith("gemini/")})
    assert len(ids) > MAX_CELLS
    (many,) = load(written(tmp_path, entry(cells=str(ids).replace("'", '"'))))
    assert sum(map(many.covers, corpus_cells())) > MAX_CELLS


def test_what_differs_in_expect_is_not_the_same(tmp_path: Path) -> None:
    assert len(load(written(tmp_path, entry(expect='"one"') + "\n" + entry(expect='"two"')))) == 2


def test_strings_and_comments_hide_no_line(tmp_path: Path) -> None:
    """Brackets and keys within them are no entries."""
    reason = '"""first\n[[known]]\ncells = 1\n# no\n"""  # [[known]]'
    text = entry(reason=reason) + "\n\n" + entry(cells='"gemini/natural-end"', check='"none"')
    with pytest.raises(BadKnownFailures, match=r"known\.toml:12: entry 2 names no check"):
        load(written(tmp_path, text))


def test_blocks_are_the_whole_text() -> None:
    text = "# head\n\n# of the first\n" + entry() + "\n\n# of the second\n" + entry() + "\n"
    blocks = list(Places(text).blocks())
    assert "".join(blocks) == text
    assert [block.splitlines()[0] for block in blocks] == ["# head", "# of the first", "# of the second"]


def test_an_entry_that_names_only_what_is_not_spoken() -> None:
    mine = Known(("gemini/natural-end",), "text.exact", "why")
    assert unspoken((mine,), ["anthropic-messages"]) is mine
    assert unspoken((mine,), ["anthropic-messages", "gemini"]) is None


def test_the_files_of_shipped_bindings_are_good() -> None:
    files = [path for name in adapters.SHIPPED if (path := adapters.known_failures_of(name))]
    assert files
    assert all(load(path) for path in files)

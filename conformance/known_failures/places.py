"""Where something stands in a TOML file: tomllib tells values, and an error needs a line. Judges nothing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

_HIDDEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""' + r"|'''.*?'''" + r'|"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'" + r"|#[^\n]*",
    re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*known[ \t]*\]\]", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]*#")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)|\s*\(at end of document\)")


class Places:
    """Finds entries, their keys and values in a file that is valid TOML. Lines count from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Strings and comments can hold anything, brackets and keys too: they are blanked, and offsets stay.
        self._bare = _HIDDEN.sub(lambda found: re.sub(r"[^\n]", "~", found.group()), text)
        self._heads = [match.start() for match in _HEADER.finditer(self._bare)]

    def entry(self, number: int) -> int:
        """The line on which an entry (from 1) begins."""
        return self._line(self._span(number)[0])

    def key(self, number: int, name: str, value: str | None = None) -> int:
        """The line of an entry's key, or of a text within its value; of the entry itself where it is not found."""
        start, end = self._span(number)
        found = re.compile(rf"^[ \t]*{re.escape(name)}[ \t]*=", re.MULTILINE).search(self._bare, start, end)
        if found is None:
            return self.entry(number)
        at = self._text.find(value, found.end(), end) if value else -1
        return self._line(at if at >= 0 else found.start() + len(found.group()) - len(found.group().lstrip()))

    def table(self, name: str) -> int:
        """The line of a table or key at the top of the file; 1 where it is written in an unusual way."""
        found = re.compile(rf"^[ \t]*(?:\[+[ \t]*)?{re.escape(name)}\b", re.MULTILINE).search(self._bare)
        return self._line(found.start()) if found else 1

    def blocks(self) -> Iterator[str]:
        """The text before the first entry, then each entry's own with the comment lines directly above it."""
        start = 0
        for head in self._heads:
            at = head
            while at > start:
                above = self._text.rfind("\n", 0, at - 1) + 1
                if above < start or not _COMMENT.match(self._text[above:at]):
                    break
                at = above
            yield self._text[start:at]
            start = at
        yield self._text[start:]

    def count(self) -> int:
        """How many entries are written as `[[known]]` tables."""
        return len(self._heads)

    def _span(self, number: int) -> tuple[int, int]:
        if number > len(self._heads):  # written as a list of inline tables
            return max(self._bare.find("known"), 0), len(self._text)
        end = self._heads[number] if number < len(self._heads) else len(self._text)
        return self._heads[number - 1], end

    def _line(self, at: int) -> int:
        return self._text.count("\n", 0, at) + 1


def syntax_error(error: tomllib.TOMLDecodeError, text: str) -> tuple[int, str]:
    """The line that a syntax error names, and its text without the place."""
    found = _AT_LINE.search(str(error))
    line = int(found[1]) if found and found[1] else text.rstrip().count("\n") + 1
    return line, _AT_LINE.sub("", str(error))

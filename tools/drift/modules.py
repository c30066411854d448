"""Names in a package's source, followed through its imports, without importing it. What a type holds: types.py's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

from tools.drift.errors import BadWheel


class Type(NamedTuple):
    """An annotation, a class or a literal's constant, and the file in which its names mean something."""

    file: str
    node: ast.expr | ast.ClassDef


class _Import(NamedTuple):
    """A name that an import binds: the module's path without suffix, and the name in it, or "" for the module."""

    base: str
    name: str


class Modules:
    """The source files of one wheel.

    Args:
        files: their names.
        read: the bytes of one of them.
    """

    def __init__(self, files: frozenset[str], read: Callable[[str], bytes]) -> None:
        self.files = files
        self._read = read
        self._names = cache(self._names_of)

    def named(self, file: str, dotted: str) -> Type | None:
        """What a name means in a file: a class or an expression; None where it leads out of the wheel.

        Raises:
            BadWheel: a file is no Python.
        """
        return self._named(file, dotted, frozenset())

    def _named(self, file: str, dotted: str, seen: frozenset[tuple[str, str]]) -> Type | None:
        if (file, dotted) in seen:
            return None
        seen |= {(file, dotted)}
        first, _, rest = dotted.partition(".")
        found = self._names(file).get(first)
        if isinstance(found, _Import):
            inside = f"{found.name}.{rest}".strip(".") if found.name else rest
            if found.name and (module := self._file(f"{found.base}/{found.name}")):
                return self._named(module, rest, seen) if rest else None
            module = self._file(found.base)
            return self._named(module, inside, seen) if module and inside else None
        return Type(file, found) if found is not None and not rest else None

    def _file(self, base: str) -> str | None:
        return next((name for name in (f"{base}.py", f"{base}/__init__.py") if name in self.files), None)

    def _names_of(self, file: str) -> dict[str, _Import | ast.expr | ast.ClassDef]:
        try:
            tree = ast.parse(self._read(file))
        except (SyntaxError, ValueError) as error:
            raise BadWheel(f"{file} is no Python: {error}") from error
        names: dict[str, _Import | ast.expr | ast.ClassDef] = {}
        for statement in _statements(tree.body):
            if isinstance(statement, ast.ClassDef):
                names[statement.name] = statement
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
                names[statement.target.id] = statement.value
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                names[statement.targets[0].id] = statement.value
            elif isinstance(statement, ast.ImportFrom):
                base = _base(file, statement)
                names |= {alias.asname or alias.name: _Import(base, alias.name) for alias in statement.names}
            elif isinstance(statement, ast.Import):
                names |= {one.asname: _Import(one.name.replace(".", "/"), "") for one in statement.names if one.asname}
        return names


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Top-level statements, those under `if TYPE_CHECKING` and `try` included."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try):
            yield from _statements(statement.body)
            yield from _statements(statement.orelse)
        else:
            yield statement


def _base(file: str, statement: ast.ImportFrom) -> str:
    parts = list(PurePosixPath(file).parts[:-1])
    above = parts[: len(parts) - statement.level + 1] if statement.level else []
    return "/".join([*above, *(statement.module or "").split(".")]).rstrip("/")

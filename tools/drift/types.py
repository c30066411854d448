"""What a type holds, read from source: literals, enumerations, the tags of a union, fields. Knows no SDK.

A reference is `file.py:Name` or `file.py:Class.field.field`: what a name stands for, or what a field is annotated with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tools.drift.modules import Modules, Type

# Generics whose arguments are looked into; of Annotated the first only.
_LOOKED_INTO = frozenset(
    {
        "Annotated",
        "Final",
        "Iterable",
        "List",
        "NotRequired",
        "Nullable",
        "Optional",
        "OptionalNullable",
        "Required",
        "Sequence",
        "Union",
        "list",
    }
)
_KINDS = {
    "str": "string",
    "bytes": "string",
    "datetime": "string",
    "int": "number",
    "float": "number",
    "bool": "boolean",
    "None": "null",
    "NoneType": "null",
    **dict.fromkeys(("List", "list", "Sequence", "Iterable"), "array"),
    **dict.fromkeys(("Dict", "dict", "Mapping"), "object"),
}
"""Name of a type in source -> JSON type of its values."""

ANY = "any"
"""The JSON type of what the source leaves open."""


class Spot(NamedTuple):
    """A place in a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Field(NamedTuple):
    """One field of a class: where it stands, its type as written, and as JSON types."""

    spot: Spot
    written: str
    kinds: frozenset[str]


class Types:
    """The types of one wheel."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules

    def at(self, reference: str) -> list[Type]:
        """The types that a reference stands for; none where there is no such file, name or field.

        Raises:
            BadWheel: a file is no Python.
        """
        file, _, dotted = reference.partition(":")
        name, *fields = dotted.split(".")
        found = self._modules.named(file, name) if file in self._modules.files else None
        types = [found] if found else []
        for field in fields:
            types = [annotation for part in self._classes(types) for annotation in self._annotation(part, field)]
        return types

    def values(self, types: Iterable[Type]) -> dict[str, Spot]:
        """The members of the literals and enumerations in these types; fields of classes are not looked into."""
        found: dict[str, Spot] = {}
        for part in self._parts(types):
            if isinstance(part.node, ast.ClassDef):
                for value, line in _enum_members(part.node) if self._is_enum(part) else ():
                    found.setdefault(value, Spot(part.file, line))
            elif isinstance(part.node, ast.Constant) and isinstance(part.node.value, str):
                found.setdefault(part.node.value, Spot(part.file, part.node.lineno))
        return found

    def tags(self, types: Iterable[Type], key: str = "type") -> dict[str, Spot]:
        """What the classes in these types have as their `type`, by which a union is told apart."""
        found: dict[str, Spot] = {}
        for part in self._classes(types):
            for value in self.values(self._annotation(part, key)):
                found.setdefault(value, Spot(part.file, part.node.lineno))
        return found

    def fields(self, types: Iterable[Type]) -> dict[str, Field]:
        """The fields of the classes in these types by their names on the wire, those of their bases included."""
        found: dict[str, Field] = {}
        for part in self._classes(types):
            for owner in self._with_bases(part):
                for name, one in _annotated(owner.node):
                    kinds = frozenset(self._kinds(Type(owner.file, one.annotation)))
                    field = Field(Spot(owner.file, one.lineno), ast.unparse(one.annotation), kinds)
                    found.setdefault(_alias(one) or name, field)
        return found

    def _parts(self, types: Iterable[Type], seen: frozenset[str] = frozenset()) -> Iterator[Type]:
        """The leaves of types: constants of literals, classes, and names that lead out of the wheel."""
        for one in types:
            file, node = one
            if isinstance(node, ast.Name | ast.Attribute):
                key = f"{file}:{ast.unparse(node)}"
                target = None if key in seen else self._modules.named(file, ast.unparse(node))
                yield from self._parts([target], seen | {key}) if target else (one,)
            elif isinstance(node, ast.Subscript) and _name(node) == "Literal":
                yield from (Type(file, argument) for argument in _arguments(node))
            elif isinstance(node, ast.ClassDef):
                yield one
            else:
                yield from self._parts((Type(file, inner) for inner in _inside(node)), seen)

    def _classes(self, types: Iterable[Type]) -> Iterator[Type]:
        return (part for part in self._parts(types) if isinstance(part.node, ast.ClassDef))

    def _with_bases(self, part: Type) -> Iterator[Type]:
        """A class, then its bases within the wheel."""
        yield part
        if isinstance(part.node, ast.ClassDef):
            for base in part.node.bases:
                target = self._modules.named(part.file, ast.unparse(base))
                if target and isinstance(target.node, ast.ClassDef):
                    yield from self._with_bases(target)

    def _is_enum(self, part: Type) -> bool:
        owners = [owner.node for owner in self._with_bases(part)]
        return any(
            "Enum" in ast.unparse(base) for owner in owners if isinstance(owner, ast.ClassDef) for base in owner.bases
        )

    def _annotation(self, part: Type, field: str) -> list[Type]:
        """What a field of a class is annotated with, or nothing."""
        for owner in self._with_bases(part):
            for name, one in _annotated(owner.node):
                if field in (name, _alias(one)):
                    return [Type(owner.file, one.annotation)]
        return []

    def _kinds(self, one: Type, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """The JSON types that a value of this type can have."""
        file, node = one
        if isinstance(node, ast.ClassDef):
            yield "string" if self._is_enum(one) else "object"
        elif isinstance(node, ast.Name | ast.Attribute):
            key = f"{file}:{ast.unparse(node)}"
            target = None if key in seen else self._modules.named(file, ast.unparse(node))
            known = _KINDS.get(ast.unparse(node).rpartition(".")[2], ANY)
            yield from self._kinds(target, seen | {key}) if target else (known,)
        elif isinstance(node, ast.Constant) and not isinstance(node.value, str):
            yield "null" if node.value is None else ANY
        elif isinstance(node, ast.Subscript) and _name(node) == "Literal":
            yield from (
                _KINDS.get(type(each.value).__name__, ANY)
                for each in _arguments(node)
                if isinstance(each, ast.Constant)
            )
        elif isinstance(node, ast.Subscript) and _name(node) in _KINDS:
            yield _KINDS[_name(node)]
        else:
            if isinstance(node, ast.Subscript) and _name(node) in ("Optional", "Nullable", "OptionalNullable"):
                yield "null"
            inner = _inside(node)
            yield from (kind for each in inner for kind in self._kinds(Type(file, each), seen))
            yield from () if inner else (ANY,)


def _inside(node: ast.expr) -> list[ast.expr]:
    """The types of which a type is made: of a union, of a generic that is looked into, of a type in quotes."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [ast.parse(node.value, mode="eval").body]
    if isinstance(node, ast.Subscript) and _name(node) in _LOOKED_INTO:
        return _arguments(node)[: 1 if _name(node) == "Annotated" else None]
    return []


def _name(node: ast.Subscript) -> str:
    return ast.unparse(node.value).rpartition(".")[2]


def _arguments(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _annotated(node: ast.AST) -> Iterator[tuple[str, ast.AnnAssign]]:
    for statement in node.body if isinstance(node, ast.ClassDef) else ():
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if not statement.target.id.startswith("_") and "ClassVar" not in ast.unparse(statement.annotation):
            yield statement.target.id, statement


def _alias(statement: ast.AnnAssign) -> str | None:
    """The name on the wire, where the field has one of its own."""
    call = statement.value
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        if keyword.arg == "alias" and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
            return keyword.value.value
    return None


def _enum_members(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for statement in node.body:
        value = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value, statement.lineno

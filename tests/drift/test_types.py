"""Types read from source: what each form of annotation holds, followed through imports. No SDK of anyone's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drift.making import HEAD, wheel
from tools.drift import wheels
from tools.drift.errors import BadWheel
from tools.drift.modules import Modules
from tools.drift.types import Types
from tools.drift.wheels import Wheel

FILES = {
    "p/__init__.py": "from .a import One as First\nif TYPE_CHECKING:\n    from .b import Two\nelse:\n    pass\n",
    "p/a.py": (
        f"{HEAD}from . import common\nfrom .common import Base\nimport p.b as bee\nfrom p.b import Colour as Hue\n"
        "from .deep import inner\n\n"
        "raise SystemExit('a wheel is never run')\n\n"
        "Reason: TypeAlias = Literal['a', 'b']\n"
        "Loop = Union['Loop', Literal['x']]\n"
        "class One(Base):\n"
        "    type: Literal['one'] = 'one'\n"
        "    plain: Literal['c']\n"
        "    named: Optional[Reason] = None\n"
        "    union: Union[Reason, Literal['d'], None]\n"
        "    piped: 'Reason | None'\n"
        "    marked: Annotated[Optional[Reason], Marker('e')]\n"
        "    listed: List[Reason]\n"
        "    hue: Hue\n"
        "    far: bee.Colour\n"
        "    inside: inner.Deep.value\n"
        "    deep: inner.Deep\n"
        "    open: Union[Literal['f'], Unknown]\n"
        "    loop: Loop\n"
        "    renamed: int = FieldInfo(alias='from')\n"
        "    counted: Union[int, float]\n"
        "    many: Dict[str, Literal['g']]\n"
        "    other: Optional['Two']\n"
        "    flag: Literal[True]\n"
        "    anything: object\n"
        "    _private: str\n"
        "    shared: ClassVar[str] = ''\n"
        "class Two(One):\n"
        "    type: Literal['two']\n"
        "Both: TypeAlias = Annotated[Union[One, Two], Tag('type')]\n"
    ),
    "p/b.py": (
        "from .common import Kind\n\nclass Colour(Kind):\n    '''Three.'''\n"
        "    RED = 'red'\n    BLUE = 'blue'\n    N = 3\n"
    ),
    "p/common.py": (
        "import enum\nclass Kind(str, enum.Enum): ...\nclass Base:\n    base: str\n    type: Literal['base']\n"
    ),
    "p/deep/__init__.py": "",
    "p/deep/inner.py": "from ..a import Reason\n\nclass Deep:\n    value: Reason\n",
    "p/broken.py": "def (",
    "p/latin.py": b"# coding: utf-8\nX = '\xff'\n",
}


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> Types:
    made = Wheel(wheel(tmp_path_factory.mktemp("wheel"), "p", "1.0", FILES))
    return Types(Modules(made.files, made.read))


@pytest.mark.parametrize(
    ("reference", "values"),
    [
        ("p/a.py:Reason", "a b"),
        ("p/a.py:One.plain", "c"),
        ("p/a.py:One.named", "a b"),
        ("p/a.py:One.union", "a b d"),
        ("p/a.py:One.piped", "a b"),
        ("p/a.py:One.marked", "a b"),
        ("p/a.py:One.listed", "a b"),
        ("p/a.py:One.hue", "red blue"),
        ("p/a.py:One.far", "red blue"),
        ("p/a.py:One.deep.value", "a b"),
        ("p/a.py:One.open", "f"),
        ("p/a.py:One.loop", "x"),
        ("p/a.py:Two.named", "a b"),
        ("p/a.py:One.other.type", "two"),
        ("p/__init__.py:First.plain", "c"),
        ("p/a.py:One.many", ""),
        ("p/a.py:One.counted", ""),
        ("p/a.py:One.inside", ""),
        ("p/a.py:One.no_such_field", ""),
        ("p/a.py:NoSuchName", ""),
        ("p/nowhere.py:One", ""),
    ],
)
def test_values(types: Types, reference: str, values: str) -> None:
    assert " ".join(types.values(types.at(reference))) == values


def test_spots_say_where_a_member_is_written(types: Types) -> None:
    assert {name: str(spot) for name, spot in types.values(types.at("p/a.py:One.hue")).items()} == {
        "red": "p/b.py:5",
        "blue": "p/b.py:6",
    }
    line = FILES["p/a.py"][: FILES["p/a.py"].index("class Two")].count("\n") + 1  # type: ignore[arg-type]
    assert str(types.tags(types.at("p/a.py:Both"))["two"]) == f"p/a.py:{line}"


def test_tags_of_a_union(types: Types) -> None:
    """A class's own `type`, and not that of its base."""
    assert set(types.tags(types.at("p/a.py:Both"))) == {"one", "two"}


def test_fields_with_json_types(types: Types) -> None:
    fields = types.fields(types.at("p/a.py:Two"))
    assert {name: " ".join(sorted(field.kinds)) for name, field in fields.items()} == {
        "type": "string",
        "plain": "string",
        "named": "null string",
        "union": "null string",
        "piped": "null string",
        "marked": "null string",
        "listed": "array",
        "hue": "string",
        "far": "string",
        "inside": "any",
        "deep": "object",
        "open": "any string",
        "loop": "any string",
        "from": "number",
        "counted": "number",
        "many": "object",
        "other": "null object",
        "flag": "boolean",
        "anything": "any",
        "base": "string",
    }
    assert fields["from"].written == "int"


@pytest.mark.parametrize("file", ["broken", "latin"])
def test_what_is_no_python_is_said(types: Types, file: str) -> None:
    with pytest.raises(BadWheel, match=rf"p/{file}\.py is no Python"):
        types.at(f"p/{file}.py:X")


def test_wheels_are_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadWheel, match="is no wheel"):
        Wheel(tmp_path / "p-1.0.tar.gz")
    cut = tmp_path / "p-1.0-py3-none-any.whl"
    cut.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(BadWheel, match="truncated"):
        assert Wheel(cut).files
    whole = Wheel(wheel(tmp_path, "p", "2.0", {"big.py": "#" * 1000}))
    with pytest.raises(BadWheel, match=r"cannot read other\.py"):
        whole.read("other.py")
    monkeypatch.setattr(wheels, "MEMBER_LIMIT", 999)
    with pytest.raises(BadWheel, match="above the limit"):
        whole.read("big.py")

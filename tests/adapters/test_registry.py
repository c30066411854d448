"""Tests of the registry: what `load` finds, and what it says where it finds nothing. No binding is called here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.adapters import SHIPPED, load, version_of
from conformance.errors import AdapterBroken, AdapterNotFound

WHOLE = """
from conformance import PASSTHROUGH, Api

class Mine:
    name = "mine"
    apis = frozenset({Api.GEMINI})
    vocabulary = PASSTHROUGH
    lacks = frozenset()
    def complete(self, call): ...
    def stream(self, call): ...

class Nested:
    build = Mine

def raises():
    raise RuntimeError("no key was set")

def partial():
    half = Mine()
    half.apis = frozenset()
    return type("Half", (), {"name": "half", "apis": frozenset(), "complete": print})()

number = 7
"""

Write = Callable[[str], str]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Write:
    """Write a module that can be imported for the length of one test; returns its name."""
    monkeypatch.syspath_prepend(tmp_path)
    name = f"binding_of_{request.node.name.split('[')[0]}"

    def write(text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name

    return write


def test_a_shipped_name_is_built() -> None:
    assert load("reference").name == "reference"


@pytest.mark.parametrize("factory", ["Mine", "Nested.build"])
def test_a_dotted_factory_is_built(module: Write, factory: str) -> None:
    adapter = load(f"{module(WHOLE)}:{factory}")
    assert adapter.name == "mine"
    assert version_of(adapter) is None


def test_a_version_is_read_where_the_binding_has_one(module: Write) -> None:
    assert version_of(load(f"{module(WHOLE + 'Mine.version = 3')}:Mine")) == "3"


def test_an_unknown_name_lists_the_shipped_ones_and_the_close_ones() -> None:
    with pytest.raises(AdapterNotFound) as caught:
        load("lightllm")
    assert "'lightllm'" in caught.value.problem
    assert "did you mean litellm?" in caught.value.mend
    assert all(name in caught.value.mend for name in SHIPPED)
    assert "package.module:factory" in caught.value.mend


def test_nothing_is_suggested_where_nothing_is_close() -> None:
    with pytest.raises(AdapterNotFound) as caught:
        load("zzz")
    assert "did you mean" not in caught.value.mend


@pytest.mark.parametrize("name", ["", ":", "module:", ":factory"])
def test_half_a_name_is_not_found(name: str) -> None:
    with pytest.raises(AdapterNotFound):
        load(name)


def test_a_module_that_is_not_there_is_not_found() -> None:
    with pytest.raises(AdapterNotFound, match="no module 'nowhere_at_all'") as caught:
        load("nowhere_at_all.binding:build")
    assert "pythonpath" in caught.value.mend


def test_a_factory_that_is_not_there_is_not_found(module: Write) -> None:
    with pytest.raises(AdapterNotFound, match="has no 'absent'"):
        load(f"{module(WHOLE)}:absent")


def test_a_factory_that_raises_is_shown_with_its_error(module: Write) -> None:
    with pytest.raises(AdapterBroken, match="RuntimeError: no key was set"):
        load(f"{module(WHOLE)}:raises")


def test_a_module_that_raises_is_shown_with_its_error(module: Write) -> None:
    with pytest.raises(AdapterBroken, match="ZeroDivisionError"):
        load(f"{module('1 / 0')}:build")


def test_an_attribute_error_inside_the_module_is_its_own(module: Write) -> None:
    with pytest.raises(AdapterBroken, match="AttributeError"):
        load(f"{module('import sys; sys.absent_name')}:build")


def test_what_the_module_itself_imports_in_vain_is_its_own(module: Write) -> None:
    with pytest.raises(AdapterBroken, match="absent_library"):
        load(f"{module('import absent_library')}:build")


def test_what_cannot_be_called_is_no_factory(module: Write) -> None:
    with pytest.raises(AdapterBroken, match="of type int, cannot be called"):
        load(f"{module(WHOLE)}:number")


def test_an_object_that_is_no_adapter_is_told_what_it_lacks(module: Write) -> None:
    with pytest.raises(AdapterBroken, match="a Half, lacks vocabulary, lacks, stream"):
        load(f"{module(WHOLE)}:partial")


@pytest.mark.parametrize(
    ("name", "library"),
    [("openai-sdk", "openai"), ("anthropic-sdk", "anthropic"), ("google-genai-sdk", "google"), ("litellm", "litellm")],
)
def test_a_missing_library_names_the_extra(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, SHIPPED[name].module, raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    if library == "google":
        monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(AdapterBroken) as caught:
        load(name)
    assert caught.value.mend == f'pip install "llm-adapter-conformance[{name}]"'

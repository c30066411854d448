"""JSON text is cut into tokens with their places, whole or cut short, and put together again byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.published.jsontext import Form, tokens, units, written

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_every_value_is_found_at_its_path(value: Any, escaped: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    for token in tokens(text):
        if token.form is Form.STRING:
            literal = text[token.start : token.end]
            assert "".join(char for _, char in units(literal)) == at(value, token.path)
        elif token.form in (Form.NUMBER, Form.LITERAL):
            assert json.loads(text[token.start : token.end]) == at(value, token.path)


@given(st.text(), st.booleans())
def test_a_literal_written_with_its_own_text_is_itself(text: str, escaped: bool) -> None:
    literal = json.dumps(text, ensure_ascii=escaped)
    assert written(literal, text) == literal


def test_escapes_keep_their_length() -> None:
    literal = r'"a\u00e9\ud83d\ude00\n\"b"'
    new = written(literal, 'xß🌊\n"y')
    assert new == r'"x\u00df\ud83c\udf0a\n\"y"'
    assert len(new) == len(literal)


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ('{"city": "Lis', ["{", '"city"', ":", '"Lis']),
        ('{"ci', ["{", '"ci']),
        ('{"a": [1, 2', ["{", '"a"', ":", "[", "1", ",", "2"]),
        ('{"a": "b\\', ["{", '"a"', ":", '"b\\']),
        ('{"a": "b\\u00', ["{", '"a"', ":", '"b\\u00']),
        ("", []),
    ],
)
def test_text_that_was_cut_is_read_as_far_as_it_goes(text: str, forms: list[str]) -> None:
    assert [text[token.start : token.end] for token in tokens(text)] == forms

"""The names that the package offers are there, although none is imported before it is asked for."""

from __future__ import annotations

import pytest

import conformance


@pytest.mark.parametrize("name", conformance.__all__)
def test_a_name_is_there(name: str) -> None:
    assert getattr(conformance, name) is not None


def test_another_name_is_none() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = conformance.Nothing

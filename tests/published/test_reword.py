"""Other words keep the shape and nothing else; ids, secrets and times keep their form."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.published.minting import fresh_id, fresh_secret, fresh_time
from tools.published.reword import long_words, redigit, reword, shape
from tools.published.words import WORDS

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


@given(TEXTS)
def test_shape_and_bytes_stay(text: str) -> None:
    new = reword(text, "api/slug")
    assert shape(new) == shape(text)
    assert [len(char.encode()) for char in new] == [len(char.encode()) for char in text]


@pytest.mark.parametrize(
    "text",
    [
        "Grüße aus Köln!",
        "日本語 ひらがな カタカナ 한국어",
        "Привет, мир",
        "αβγ 🚀✅",
        "it's 72°F, “fine”\n\n- a\t1.5e3",
        "Ạ Ⅷ 𐐀 ʰ ٣ �",
    ],
)
def test_other_scripts_are_replaced_by_their_own_kind(text: str) -> None:
    new = reword(text, "api/slug")
    assert shape(new) == shape(text)
    assert new != text


def test_texts_of_one_shape_become_one_text() -> None:
    """So no letter of the recorded text can be read back."""
    assert reword("Dear Anna, 12", "api/slug") == reword("Good Lord, 98", "api/slug")


def test_no_long_word_of_the_recording_is_used() -> None:
    first = reword("xxxxxx xxxxxx", "api/slug")
    avoid = long_words(first)
    assert not avoid & long_words(reword("xxxxxx xxxxxx", "api/slug", avoid))


def test_words_are_in_their_place_by_length() -> None:
    assert all(len(word) == length for length, words in WORDS.items() for word in words)


def test_a_number_stays_a_number_of_the_same_form() -> None:
    assert re.fullmatch(r"-[1-9]\.[1-9]{2}e\+[1-9]", redigit("-0.50e+3", "api/slug"))


@pytest.mark.parametrize(
    ("recorded", "form"),
    [
        ("msg_01XFDUDYJgAACzvnptvVoYEL", r"msg_01[0-9A-Za-z]{22}"),
        ("chatcmpl-AU9UN6hG54O1PXRTx1nqzPVuMCrza", r"chatcmpl-[0-9A-Za-z]{29}"),
        ("resp_0123456789abcdef0123456789abcdef", r"resp_[0-9a-f]{32}"),
        ("a2ee8343-cb5c-4645-a878-fdb52212d52e", r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        ("call_92990446", r"call_[0-9]{8}"),
    ],
)
def test_an_id_keeps_its_form(recorded: str, form: str) -> None:
    fresh = fresh_id(recorded, "api/slug|1")
    assert re.fullmatch(form, fresh)
    assert fresh != recorded


@pytest.mark.parametrize("size", range(30, 37))
def test_a_secret_stays_base64(size: int) -> None:
    recorded = base64.b64encode(bytes(range(200, 200 + size))).decode()
    fresh = fresh_secret(recorded, "api/slug|1")
    assert len(fresh) == len(recorded)
    assert base64.b64encode(base64.b64decode(fresh, validate=True)).decode() == fresh


@pytest.mark.parametrize(("recorded", "fresh"), [("1766410466", "1760000000"), ("0", "0"), ("1.5", "1.7")])
def test_a_time_is_always_the_same_one(recorded: str, fresh: str) -> None:
    assert fresh_time(recorded) == fresh

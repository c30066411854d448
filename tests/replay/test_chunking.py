"""Every way of cutting a body, on bytes written out here. How the pieces reach a client is `test_server`'s subject."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.replay.chunking import Chunking, applies, cut, frames

CUTS = [
    (Chunking.WHOLE, b"data: 1\n\ndata: 2\n\n", [b"data: 1\n\ndata: 2\n\n"]),
    (Chunking.FRAME, b"data: 1\n\ndata: 2\n\n", [b"data: 1\n\n", b"data: 2\n\n"]),
    (Chunking.FRAME, b"data: 1\r\n\r\ndata: 2\r\n\r\n", [b"data: 1\r\n\r\n", b"data: 2\r\n\r\n"]),
    (Chunking.FRAME, b"data: 1\r\rdata: 2\r\r", [b"data: 1\r\r", b"data: 2\r\r"]),
    (Chunking.FRAME, b"data: 1\r\ndata: 2\r\n\r\n", [b"data: 1\r\ndata: 2\r\n\r\n"]),
    (Chunking.FRAME, b"data: 1\n\n\n\ndata: 2\n\n", [b"data: 1\n\n\n\n", b"data: 2\n\n"]),
    (Chunking.FRAME, b"\n\n: ping\n\ndata: 1", [b"\n\n: ping\n\n", b"data: 1"]),
    (Chunking.FRAME, b"\xef\xbb\xbfdata: 1\n\ndata: 2", [b"\xef\xbb\xbfdata: 1\n\n", b"data: 2"]),
    (Chunking.FRAME, b'{"a":\n\n1}', [b'{"a":\n\n1}']),
    (Chunking.LINE, b"event: a\r\ndata: 1\n\ndata: 2\r", [b"event: a\r\n", b"data: 1\n", b"\n", b"data: 2\r"]),
    (Chunking.BYTE, "é\n".encode(), [b"\xc3", b"\xa9", b"\n"]),
    (Chunking.MULTIBYTE, "aé😀😀b".encode(), [b"a\xc3", b"\xa9\xf0\x9f", b"\x98\x80\xf0\x9f\x98", b"\x80b"]),
    (Chunking.CRLF, b"data: 1\r\n\r\n", [b"data: 1\r", b"\n\r", b"\n"]),
    (Chunking.FRAME_PAIRS, b"data: 1\n\ndata: 2\n\ndata: 3\n\n", [b"data: 1\n\ndata: 2\n\n", b"data: 3\n\n"]),
    (Chunking.FIELD, b'data: {"data:":1}\n\ndata: 2\n\n', [b"da", b'ta: {"data:":1}\n\nda', b"ta: 2\n\n"]),
    (Chunking.FIELD, b"\xef\xbb\xbfdata: 1\rdata:2", [b"\xef\xbb\xbfda", b"ta: 1\rda", b"ta:2"]),
    (Chunking.BYTE, b"", []),
]

NOT_APPLICABLE = [
    (Chunking.FRAME, b'{"one": "frame"}'),
    (Chunking.FRAME_PAIRS, b"data: 1\n\ndata: 2\n\n"),
    (Chunking.MULTIBYTE, b"data: ascii\n\n"),
    (Chunking.CRLF, b"data: 1\n\n"),
    (Chunking.FIELD, b'{"data:": 1}'),
    (Chunking.BYTE, b""),
]


@pytest.mark.parametrize(("chunking", "body", "pieces"), CUTS)
def test_the_body_is_cut_where_the_chunking_says(chunking: Chunking, body: bytes, pieces: list[bytes]) -> None:
    assert cut(body, chunking) == pieces


@pytest.mark.parametrize(("chunking", "body"), NOT_APPLICABLE)
def test_a_chunking_that_cuts_nothing_does_not_apply(chunking: Chunking, body: bytes) -> None:
    assert not applies(body, chunking)


@pytest.mark.parametrize("chunking", Chunking)
def test_every_chunking_applies_to_a_body_that_has_everything(chunking: Chunking) -> None:
    assert applies("data: é\r\n\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n".encode(), chunking)


@given(st.binary(), st.sampled_from(Chunking))
def test_the_pieces_are_the_body(body: bytes, chunking: Chunking) -> None:
    pieces = cut(body, chunking)
    assert b"".join(pieces) == body
    assert all(pieces)


_BITS = st.sampled_from([b"data: ", b"event: x", b": c", b"\r", b"\n", b"\r\n", "é😀".encode(), b"\xef\xbb\xbf", b"1"])


@given(st.lists(_BITS).map(b"".join), st.sampled_from(Chunking))
def test_the_pieces_are_the_body_of_something_like_a_stream(body: bytes, chunking: Chunking) -> None:
    assert b"".join(cut(body, chunking)) == body


@given(st.lists(_BITS).map(b"".join))
def test_no_frame_border_parts_a_cr_from_its_lf(body: bytes) -> None:
    pieces = frames(body)
    assert not any(left.endswith(b"\r") and right.startswith(b"\n") for left, right in pairwise(pieces))

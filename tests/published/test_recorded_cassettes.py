"""Every kind of cassette that the pins hold is read into the same bytes; what cannot be read is named, never raised."""

from __future__ import annotations

import base64
import builtins
import json
import zlib
from typing import Any

import pytest
import yaml
from making import cassette, interaction, packed, sse

from tools.published import cassettes
from tools.published.cassettes import Recorded, Unreadable, read

BODY = json.dumps({"object": "chat.completion", "text": "Grüße, 世界"}, ensure_ascii=False)
RAW = BODY.encode()


def only(data: bytes) -> Recorded:
    (one,) = read("tiny==1.0", "a.yaml", data)
    assert isinstance(one, Recorded)
    return one


def unreadable(data: bytes) -> str:
    (one,) = read("tiny==1.0", "a.yaml", data)
    assert isinstance(one, Unreadable)
    return str(one)


@pytest.mark.parametrize(
    ("stored", "key", "encoding", "form"),
    [
        (BODY, "string", None, "text"),
        (RAW, "string", None, "binary"),
        (packed(RAW), "string", "gzip", "binary"),
        (zlib.compress(RAW), "string", "deflate", "binary"),
        (base64.b64encode(packed(RAW)).decode(), "base64_string", "gzip", "binary"),
        (BODY, "string", "gzip", "text"),  # decoded by the recorder, the header left as it was
        (BODY, "string", "br", "text"),
        (RAW, "string", "br", "binary"),
        (BODY, "parsed_body", None, "parsed"),
    ],
)
def test_every_kind_of_body_gives_the_same_bytes(stored: Any, key: str, encoding: str | None, form: str) -> None:
    headers = {"Content-Encoding": encoding} if encoding else {}
    one = only(cassette(interaction(stored, key=key, headers=headers)))
    assert (one.body, one.form) == (RAW, form)
    assert not one.streamed


def test_a_parsed_body_is_written_as_json_again() -> None:
    one = only(cassette(interaction({"a": ["ü", None]}, key="parsed_body")))
    assert json.loads(one.body) == {"a": ["ü", None]}


def test_br_needs_its_library_and_is_counted_apart_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(cassettes, "import_module", without)
    data = cassette(interaction(b"\x1b\x0e\x00", headers={"content-encoding": "br"}))
    assert unreadable(data) == "body is br, and the brotli library is not installed"


def test_br_is_unpacked_where_the_library_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    class Brotli:
        error = ValueError

        @staticmethod
        def decompress(data: bytes) -> bytes:
            if data != b"\x1b\x0e\x00":
                raise ValueError
            return RAW

    monkeypatch.setattr(cassettes, "import_module", lambda _: Brotli)
    assert only(cassette(interaction(b"\x1b\x0e\x00", headers={"content-encoding": "br"}))).body == RAW
    assert unreadable(cassette(interaction(b"\x1b", headers={"content-encoding": "br"}))) == "body does not unpack"


@pytest.mark.parametrize("stored", [packed(RAW)[:-5], b"\x1f\x8b\x08nonsense"])
def test_a_body_that_does_not_unpack_is_counted_apart(stored: bytes) -> None:
    assert unreadable(cassette(interaction(stored, headers={"content-encoding": "gzip"}))) == "body does not unpack"


def test_requests_beside_responses_are_paired_in_order() -> None:
    rows = [interaction(f'{{"n": {number}}}') for number in range(3)]
    data = yaml.safe_dump({"requests": [r["request"] for r in rows], "responses": [r["response"] for r in rows]})
    assert [one.body for one in read("tiny", "a.yaml", data.encode()) if isinstance(one, Recorded)] == [
        b'{"n": 0}',
        b'{"n": 1}',
        b'{"n": 2}',
    ]


@pytest.mark.parametrize(
    "request_body",
    ['{"model": "m"}', b'{"model": "m"}', packed(b'{"model": "m"}'), {"model": "m"}, {"string": '{"model": "m"}'}],
)
def test_every_kind_of_request_body_is_read(request_body: Any) -> None:
    assert only(cassette(interaction("{}", body=request_body))).request == {"model": "m"}


@pytest.mark.parametrize("request_body", [None, "", "a=b", "[1]", b"\xff\xfe"])
def test_a_request_that_is_no_json_object_is_none(request_body: Any) -> None:
    assert only(cassette(interaction("{}", body=request_body))).request is None


def test_a_redacted_address_gives_no_host_and_no_path() -> None:
    one = only(cassette(interaction("{}", uri="**REDACTED**")))
    assert (one.host, one.path) == ("", "")


def test_a_stream_is_told_by_its_header_or_its_first_bytes() -> None:
    assert only(cassette(interaction("", headers={"content-type": "text/event-stream"}))).streamed
    assert only(cassette(interaction(sse({"a": 1}).decode()))).streamed
    assert only(cassette(interaction(": comment\n\n"))).streamed


def test_a_python_tag_is_refused_and_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(builtins, "print", lambda *_: ran.append("ran"))
    assert unreadable(b"interactions:\n- !!python/object/apply:builtins.print ['x']\n") == "cassette is not safe YAML"
    assert ran == []


@pytest.mark.parametrize("data", [b"a: [", b"\x00", b"a: \xff\xfe"])
def test_broken_yaml_is_counted_apart(data: bytes) -> None:
    assert unreadable(data) == "cassette is not safe YAML"


@pytest.mark.parametrize("data", [b"", b"- 1\n", b"on: push\njobs: {}\n", b"interactions: 3\n", b"interactions: [x]\n"])
def test_yaml_that_is_no_cassette_holds_nothing(data: bytes) -> None:
    assert list(read("tiny", "a.yaml", data)) == []


def test_an_exchange_of_another_form_does_not_hide_its_neighbours() -> None:
    first, second = read("tiny", "a.yaml", cassette({"request": {}, "response": None}, interaction(BODY)))
    assert str(first) == "exchange is not of vcrpy's form"
    assert isinstance(second, Recorded)
    assert second.place == "tiny:a.yaml#1"


def test_the_comment_that_says_generated_is_seen_and_the_words_in_a_body_are_not() -> None:
    assert only(cassette(interaction("{}"), comment="# TODO: this is generated by AI, re-record\n")).generated
    assert not only(cassette(interaction('{"text": "generated by AI"}'))).generated

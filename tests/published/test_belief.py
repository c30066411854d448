"""Each rule by which a cassette is no recording catches what it is for, and leaves scrubbed recordings alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from making import PLACES, cassette, completion, interaction, pin_of, put, recorded, sdist, sse

from conformance.vocabulary import Api
from tools.published import recordings
from tools.published.believe import Rule, judge, verified
from tools.published.cassettes import Recorded
from tools.published.classify import classify

RAY = "0123456789abcdef-LHR"
REQUEST = "req_" + "0" * 32


def rules(*exchanges: Recorded) -> list[Rule | None]:
    rows = [(one, kind) for one in exchanges if (kind := classify(one))]
    aside = judge(rows)
    return [aside.get(one.place) for one in exchanges]


def at(api: Api, body: Any, **fields: Any) -> Recorded:
    host, path = PLACES[api]
    return recorded(body, **{"host": host, "path": path, **fields})


def test_a_real_looking_exchange_is_believed() -> None:
    assert rules(recorded(completion(), headers={"cf-ray": RAY, "x-request-id": REQUEST})) == [None]


def test_generated_by_comment() -> None:
    assert rules(recorded(completion(), generated=True)) == [Rule.GENERATED]


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("cf-ray", RAY),
        ("request-id", "req_" + "a1" * 12),
        ("x-request-id", REQUEST),
        ("x-request-id", "01234567-89ab-cdef-0123-456789abcdef"),
        ("apim-request-id", "01234567-89ab-cdef-0123-456789abcdef"),
    ],
)
def test_one_request_id_on_two_bodies_sets_both_aside(header: str, value: str) -> None:
    pair = [recorded(completion(text), headers={header: value}, file=f"{text}.yaml") for text in ("a", "b")]
    assert rules(*pair) == [Rule.CLONED_ID, Rule.CLONED_ID]


def test_one_request_id_on_one_body_twice_is_a_copy_and_no_edit() -> None:
    pair = [recorded(completion(), headers={"cf-ray": RAY}, file=name) for name in ("a.yaml", "b.yaml")]
    assert rules(*pair) == [None, None]


@pytest.mark.parametrize("value", ["CF-RAY-XXX", "**REDACTED**", "REDACTED-RAY", "req_FILTERED"])
def test_a_scrubbers_placeholder_is_no_clone(value: str) -> None:
    headers = {"cf-ray": value, "request-id": value, "x-request-id": value}
    pair = [recorded(completion(text), headers=headers, file=f"{text}.yaml") for text in ("a", "b")]
    assert rules(*pair) == [None, None]


def test_content_length_must_fit_the_body_as_stored_or_as_read() -> None:
    body = recorded(completion()).body
    assert rules(recorded(body, headers={"content-length": str(len(body))})) == [None]
    assert rules(recorded(body, stored=40, headers={"content-length": "40"})) == [None]
    assert rules(recorded(body, headers={"content-length": str(len(body) + 1)})) == [Rule.LENGTH]
    assert rules(recorded(body, headers={"content-length": "**REDACTED**"})) == [None]


def test_content_length_says_nothing_of_a_body_that_was_serialised_again() -> None:
    assert rules(recorded(completion(), form="parsed", headers={"content-length": "1"})) == [None]


@pytest.mark.parametrize(
    ("api", "good", "bad"),
    [
        (Api.OPENAI_CHAT, "chatcmpl-" + "A" * 29, "chatcmpl-123"),
        (Api.OPENAI_RESPONSES, "resp_" + "0" * 50, "resp_1234"),
        (Api.ANTHROPIC_MESSAGES, "msg_01" + "A" * 22, "msg_01RefusalExampleAbcdefghijk"),
        (Api.ANTHROPIC_MESSAGES, "msg_bdrk_01" + "z" * 22, "msg_fixture_a_0001"),
        (Api.GEMINI, "A" * 23, "x"),
    ],
)
def test_an_id_that_no_vendor_mints(api: Api, good: str, bad: str) -> None:
    key = "responseId" if api is Api.GEMINI else "id"
    assert rules(at(api, {key: good})) == [None]
    assert rules(at(api, {key: bad})) == [Rule.FOREIGN_ID]
    assert rules(at(api, {key: bad}, host="localhost")) == [None]  # a compatible server mints as it likes


def test_an_id_is_found_inside_the_event_that_opens_a_stream() -> None:
    start = {"type": "message_start", "message": {"id": "msg_1"}}
    assert rules(at(Api.ANTHROPIC_MESSAGES, sse(start))) == [Rule.FOREIGN_ID]
    created = {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}
    assert rules(at(Api.OPENAI_RESPONSES, sse(created))) == [Rule.FOREIGN_ID]


def test_a_status_that_no_vendor_sends() -> None:
    reply = {"id": "resp_" + "0" * 50, "object": "response", "status": "complete"}
    assert rules(at(Api.OPENAI_RESPONSES, reply)) == [Rule.FOREIGN_STATUS]
    assert rules(at(Api.OPENAI_RESPONSES, {**reply, "status": "completed"})) == [None]


def test_what_shows_no_vendor_is_counted_apart_and_not_refused() -> None:
    bare = recorded({"choices": []})
    kind = classify(bare)
    assert kind is not None
    assert rules(bare) == [None]
    assert not verified(bare, kind)
    assert verified(recorded({"choices": []}, headers={"openai-processing-ms": "12"}), kind)
    assert verified(recorded(completion()), kind)


def test_a_run_counts_what_it_set_aside_and_keeps_each_body_once(cache: Path) -> None:
    files = {
        "ai.yaml": cassette(interaction("{}"), comment="# TODO: this is generated by AI, re-record\n"),
        "real.yaml": cassette(interaction(recorded(completion()).body.decode())),
        "copy.yaml": cassette(interaction(recorded(completion()).body.decode())),
        "other.yaml": cassette(interaction("{}", uri="https://example.com/metrics")),
        "broken.yaml": b"a: [",
        "ci.yml": b"on: push\n",
    }
    data = sdist(files)
    put(cache, data)
    found = recordings.load([pin_of(data)])
    assert [one.place for one in found.exchanges] == ["tiny==1.0:real.yaml#0"]
    assert (found.seen, found.others, found.repeated) == (5, 1, 1)
    assert found.aside == Counter({Rule.GENERATED: 1, "cassette is not safe YAML": 1})

"""Any reply, written by a codec and cut anywhere, is read as it was meant, the same in both modes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.replay.chunking import Chunking, cut, cut_at
from conformance.strategies import body_of, cuts, drafts, fired, stream_of
from conformance.vocabulary import Api
from conformance.wire import Reading, codec_for
from conformance.wire.draft import Draft, Refusal, Text, Thinking, ToolUse

APIS = pytest.mark.parametrize("api", list(Api))
WITH_STOP = pytest.mark.parametrize("api", [api for api in Api if codec_for(api).STOP_PATHS])


def streamed(api: Api, pieces: list[bytes]) -> Reading:
    reader = codec_for(api).stream()
    for piece in pieces:
        reader.feed(piece)
    reader.close()
    return reader.reading


def said(draft: Draft, kind: type[Text]) -> str:
    return "".join(block.whole for block in draft.blocks if type(block) is kind)


def calls(reading: Reading) -> list[tuple[str, object]]:
    return [(call.name, json.loads(call.arguments)) for call in reading.tool_calls]


@APIS
@given(data=st.data())
def test_reading_is_the_same_however_the_bytes_come(api: Api, data: st.DataObject) -> None:
    draft = data.draw(drafts(api), "draft")
    body = stream_of(draft)
    whole = streamed(api, [body])
    assert streamed(api, cut_at(body, data.draw(cuts(body), "cuts"))) == whole
    for chunking in Chunking:
        assert streamed(api, cut(body, chunking)) == whole, chunking


@APIS
@given(data=st.data())
def test_what_was_written_is_read(api: Api, data: st.DataObject) -> None:
    draft = data.draw(drafts(api), "draft")
    reading = streamed(api, [stream_of(draft)])
    assert reading.text == said(draft, Text)
    assert reading.thinking == said(draft, Thinking)
    assert reading.refusal == said(draft, Refusal)
    assert calls(reading) == [(b.name, json.loads(b.whole)) for b in draft.blocks if isinstance(b, ToolUse)]
    assert reading.raw_reason == draft.reason
    assert reading.stop_sequence == draft.stop_sequence
    assert reading.usage is None or reading.usage.output_tokens == draft.usage.output_tokens
    assert reading.ended
    assert reading.closed
    assert reading.error is None


@APIS
@given(data=st.data())
def test_buffered_is_streamed(api: Api, data: st.DataObject) -> None:
    draft = data.draw(drafts(api), "draft")
    one, two = codec_for(api).read(200, body_of(draft)), streamed(api, [stream_of(draft)])
    for name in ("stop", "text", "thinking", "refusal", "raw_reason", "stop_sequence"):
        assert getattr(one, name) == getattr(two, name), name
    assert calls(one) == calls(two)


@APIS
@given(data=st.data())
def test_reason_comes_once_and_last(api: Api, data: st.DataObject) -> None:
    reading = streamed(api, [stream_of(data.draw(drafts(api), "draft"))])
    assert reading.reason_frames == 1
    assert not reading.content_after_reason


@WITH_STOP
@given(data=st.data())
def test_stop_text_that_no_delta_contains(api: Api, data: st.DataObject) -> None:
    draft, stops = data.draw(fired(api), "draft and stops")
    for reading in (codec_for(api).read(200, body_of(draft)), streamed(api, [stream_of(draft)])):
        assert reading.text == said(draft, Text)
        assert not [stop for stop in stops if stop in reading.text]
        assert reading.stop_sequence == draft.stop_sequence


@APIS
@given(data=st.data())
def test_a_cut_stream_never_says_a_reason_that_did_not_come(api: Api, data: st.DataObject) -> None:
    draft = data.draw(drafts(api), "draft")
    body = stream_of(draft)
    reading = streamed(api, [body[: data.draw(st.integers(0, len(body)), "end")]])
    assert reading.raw_reason in (None, draft.reason)
    assert reading.cut is (reading.raw_reason is None)
    assert said(draft, Text).startswith(reading.text)

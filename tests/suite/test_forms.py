"""Forms of a reply that only some requests get: they are put to who asks so, and to nobody else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest

from conformance.adapters.reference import Reference
from conformance.contract import Call, End, Part
from conformance.corpus import cassette
from conformance.scenarios import scenario
from conformance.suite.bench import Bench, NotApplicable
from conformance.verdict import judge
from conformance.vocabulary import Mode, Verdict
from conformance.wire import codec_for

ARRAY = scenario("gemini/gem-json-array")


class AsksForAnArray(Reference):
    """Streams Gemini without `alt=sse`."""

    def stream(self, call: Call) -> Iterator[Part]:
        url = f"{call.base_url}/v1beta/models/{call.model}:streamGenerateContent"
        body = {
            "contents": [{"role": "user", "parts": [{"text": call.prompt}]}],
            "generationConfig": {"maxOutputTokens": call.max_tokens},
        }
        reader = codec_for(call.api).stream()
        request = Request(url, json.dumps(body).encode(), {"content-type": "application/json"})  # noqa: S310
        with urlopen(request, timeout=call.timeout) as response:  # noqa: S310 -- the suite's own loopback server
            while piece := response.read1():
                yield from (part for part in reader.feed(piece) if not isinstance(part, End))
        reading = reader.reading
        yield End(reading.stop.value, reading.raw_reason, usage=reading.usage)


def test_an_array_is_put_to_who_asks_for_one() -> None:
    """A client that streams without `alt=sse` gets the JSON array, under every chunking."""
    with Bench(AsksForAnArray()) as bench:
        case = bench.case(ARRAY, Mode.STREAMED)
    result = judge(case)
    assert (result.verdict, result.findings) == (Verdict.FAITHFUL, ())
    assert len(case.observed) > 1


def test_an_array_is_put_to_nobody_else() -> None:
    """For a client that asks for server-sent events the cell does not apply: the vendor never sends it that."""
    with Bench(Reference()) as bench, pytest.raises(NotApplicable, match="alt=sse"):
        bench.case(ARRAY, Mode.STREAMED)


def test_the_cassette_was_asked_for_so() -> None:
    """The recorded address lacks the query, as a client's that gets this form."""
    assert "alt=" not in cassette(ARRAY.id, Mode.STREAMED)[-1].uri

"""Tests of the stream grammars: the corpus keeps them, odd hosts do not, and each rule fails on a stream that breaks it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.corpus import cassette
from conformance.scenarios import catalogue
from conformance.vocabulary import Api, Mode
from conformance.wire.grammar import violations
from conformance.wire.sse import SseReader

print_all = []
STREAMED = [s for s in catalogue().values() if Mode.STREAMED in s.modes]


def events_of(scenario_id):
    body = cassette(scenario_id, Mode.STREAMED)[-1].body
    reader = SseReader()
    frames = reader.feed(body)
    out = []
    for f in frames:
        if not f.data: continue
        try: out.append(json.loads(f.data))
        except ValueError: out.append(f.data)
    return out

if __name__ == "__main__":
    for s in STREAMED:
        try: ex = cassette(s.id, Mode.STREAMED)[-1]
        except Exception as e: print(s.id, "NO", type(e)); continue
        if ex.status>=400: continue
        v = violations(s.api, events_of(s.id), sentinel=s.api is Api.OPENAI_CHAT)
        if v: print(s.id, v)

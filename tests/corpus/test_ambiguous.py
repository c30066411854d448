"""Where the wire cannot tell two endings apart, the corpus must not either. Everything else: `test_corpus`."""

from __future__ import annotations

import pytest

from conformance.corpus import cassette, snapshot
from conformance.vocabulary import Api, Mode


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("api", [Api.OPENAI_CHAT, Api.GEMINI])
def test_a_match_and_an_end_of_its_own_are_the_same_bytes(api: Api, mode: Mode) -> None:
    """`stop-ambiguous` is byte for byte `stop-fired`: same request, same status, same body, same Reading."""
    fired, ended = (cassette(f"{api}/{slug}", mode)[-1] for slug in ("stop-fired", "stop-ambiguous"))
    assert (fired.request, fired.status, fired.body) == (ended.request, ended.status, ended.body)
    assert snapshot(f"{api}/stop-fired") == snapshot(f"{api}/stop-ambiguous")

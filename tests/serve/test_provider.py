"""The fixture `provider` as people use it in tests of their own: the address, the log, faults, nothing left behind."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from conformance.corpus import cassette
from conformance.errors import BadOption, ScenarioNotFound
from conformance.serve import Provider
from conformance.vocabulary import Mode

PAUSE = "anthropic-messages/pause-turn"


def ask(url: str, **body: Any) -> bytes:
    with urlopen(Request(url, json.dumps(body).encode()), timeout=10) as reply:  # noqa: S310 -- loopback
        data: bytes = reply.read()
    return data


def test_it_plays_a_scenario_and_logs_what_was_sent(provider: Provider) -> None:
    it = provider(PAUSE)
    assert it.sent == ()
    assert ask(f"{it.base_url}/v1/messages", stream=True) == cassette(PAUSE, Mode.STREAMED)[0].body
    assert json.loads(ask(f"{it.v1}/messages", model="m"))["stop_reason"] == "pause_turn"
    assert [sent.json for sent in it.sent] == [{"stream": True}, {"model": "m"}]
    assert it.problem is None


def test_two_at_once_are_apart(provider: Provider) -> None:
    one, two = provider(PAUSE), provider("openai-chat/natural-end", fault="cut:2")
    assert one.base_url != two.base_url
    assert ask(f"{two.v1}/chat/completions", stream=True).count(b"data:") == 2
    assert (len(one.sent), len(two.sent)) == (0, 1)


def test_what_it_cannot_play_is_said(provider: Provider) -> None:
    with pytest.raises(ScenarioNotFound, match="did you mean"):
        provider("anthropic-messages/pause-turns")
    with pytest.raises(BadOption, match="no fault"):
        provider(PAUSE, fault="melt")


@pytest.mark.slow
def test_in_a_run_of_ones_own(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five lines in a repository of somebody's own; after the test the address is gone."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        """
        import json, urllib.error, urllib.request
        import pytest
        kept = []

        def test_pause_turn(provider):
            it = provider("anthropic-messages/pause-turn")
            kept.append(it.base_url)
            with urllib.request.urlopen(it.base_url + "/v1/messages", b"{}") as reply:
                assert json.load(reply)["stop_reason"] == "pause_turn"

        def test_gone():
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(kept[0] + "/v1/messages", b"{}")
            caught.value.close()

        def test_that_asks_for_nothing_pays_nothing():
            import sys
            assert "conformance.options" not in sys.modules
        """
    )
    result = pytester.runpytest_subprocess("-p", "conformance.plugin")
    result.assert_outcomes(passed=3)

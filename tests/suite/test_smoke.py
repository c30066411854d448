"""What a smoke test says is wrong: the sentence that sends an author to the right place. Nothing is played here."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from conformance.checks import Observation, Raised
from conformance.contract import Reply, ToolCall
from conformance.suite.smoke import Smoke, _wrong

SENT = (SimpleNamespace(path="/v1/messages", json={}, headers={}, query=""),)


@pytest.mark.parametrize(
    ("seen", "which", "says"),
    [
        (Observation("whole", hung=True, sent=SENT), Smoke.BUFFERED, "the call never ended"),
        (
            Observation("whole", hung=True, sent=SENT * 7),
            Smoke.TOOL_CALL,
            "after 7 requests: does the library ask again",
        ),
        (Observation("whole"), Smoke.BUFFERED, "no request reached the replay server"),
        (
            Observation("whole", raised=Raised(("builtins.OSError",), "no")),
            Smoke.STREAMED,
            "server: builtins.OSError: no",
        ),
        (Observation("whole", sent=SENT), Smoke.BUFFERED, "nothing came back"),
        (Observation("whole", sent=SENT, reply=Reply()), Smoke.BUFFERED, "the reply has no text"),
        (Observation("whole", sent=SENT, reply=Reply(text="x")), Smoke.TOOL_CALL, "the reply has no tool call"),
        (Observation("whole", sent=SENT, reply=Reply(text="x")), Smoke.STREAMED, None),
        (Observation("whole", sent=SENT, reply=Reply(tool_calls=(ToolCall("a", "{}"),))), Smoke.TOOL_CALL, None),
    ],
)
def test_what_is_wrong(seen: Observation, which: Smoke, says: str | None) -> None:
    problem = _wrong(seen, which)
    assert problem is None if says is None else says in str(problem)

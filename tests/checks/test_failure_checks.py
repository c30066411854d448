"""The rules on errors, cuts and time limits, on cases made by hand."""

from __future__ import annotations

import pytest

from conformance.checks import Observation, Raised, failures
from conformance.contract import ErrorPart
from conformance.vocabulary import Stop, Verdict
from tests.hand_made import asked, case, raised, said, seen, truth, verdicts

L, M, B = Verdict.LOUD, Verdict.MISLEADING, Verdict.BROKEN
ERROR = truth(Stop.FAILED, "", error=ErrorPart("Overloaded", "overloaded_error", 529))
CUT = truth(Stop.UNKNOWN, ended=False, closed=False)
SDK = raised("sdk.APIError")


@pytest.mark.parametrize(
    ("observed", "found"),
    [
        pytest.param(seen(raised=SDK), [], id="raised"),
        pytest.param(seen(raised=raised("builtins.KeyError")), [], id="raised-by-accident"),
        pytest.param(seen(said(text="half"), raised=SDK), [], id="raised-after-parts"),
        pytest.param(seen(said(error=ErrorPart("Overloaded"))), [], id="as-an-item"),
        pytest.param(seen(said("failed")), [], id="as-a-reason"),
        pytest.param(seen(said("complete")), [M], id="as-complete"),
        pytest.param(seen(said("tool_call")), [M], id="as-a-tool-call"),
        pytest.param(seen(said("continue")), [M], id="as-a-pause"),
        pytest.param(seen(said("truncated")), [L], id="as-truncated"),
        pytest.param(seen(said("blocked")), [L], id="as-blocked"),
        pytest.param(seen(said(None)), [L], id="as-nothing"),
        pytest.param(seen(hung=True), None, id="hangs"),
    ],
)
def test_surfaces(observed: Observation, found: list[Verdict] | None) -> None:
    assert verdicts(failures.surfaces, case(asked(), ERROR, observed)) == found


def test_surfaces_applies_to_errors_alone() -> None:
    assert failures.surfaces(case(asked(), truth(), seen(said()))) is None
    refused = seen(raised=SDK, sent=())
    assert failures.surfaces(case(asked(stop=("a",), may_refuse=True), ERROR, refused)) is None


@pytest.mark.parametrize(
    ("observed", "found"),
    [
        pytest.param(seen(raised=raised("sdk.APIError", "529 Overloaded")), [], id="in-the-text"),
        pytest.param(seen(raised=raised("sdk.APIError", "overloaded_error: Overloaded")), [], id="by-its-name"),
        pytest.param(seen(raised=raised("sdk.APIError", "Overloaded")), [L], id="no-status"),
        pytest.param(seen(raised=raised("sdk.APIError", "HTTP 5290")), [L], id="another-number"),
        pytest.param(seen(raised=Raised(("sdk.APIError",), "oh", "status_code=529\nOverloaded")), [], id="beside-it"),
        pytest.param(seen(said(error=ErrorPart("Overloaded", None, 529))), [], id="as-an-item"),
        pytest.param(seen(said(error=ErrorPart("sorry", None, 529))), [L], id="an-item-without-the-words"),
        pytest.param(seen(said("complete")), None, id="swallowed"),
        pytest.param(seen(raised=SDK, sent=()), None, id="before-sending"),
    ],
)
def test_kept(observed: Observation, found: list[Verdict] | None) -> None:
    assert verdicts(failures.kept, case(asked(), ERROR, observed)) == found


@pytest.mark.parametrize("error", [ErrorPart("the body is not JSON", "not_json", 502), ErrorPart("bare", None, 500)])
def test_nobody_need_keep_what_the_wire_does_not_say(error: ErrorPart) -> None:
    reading = truth(Stop.FAILED, "", error=error)
    assert failures.kept(case(asked(), reading, seen(raised=SDK))) is None


ACCIDENTS = [
    "builtins.KeyError",
    "builtins.IndexError",
    "builtins.TypeError",
    "builtins.AttributeError",
    "builtins.AssertionError",
    "builtins.UnicodeDecodeError",
    "json.decoder.JSONDecodeError",
    "httpx.RemoteProtocolError",
    "httpcore.ReadError",
    "aiohttp.client_exceptions.ClientPayloadError",
    "requests.exceptions.ChunkedEncodingError",
    "urllib3.exceptions.ProtocolError",
    "http.client.IncompleteRead",
    "h11._util.RemoteProtocolError",
]


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        *((kind, [L]) for kind in ACCIDENTS),
        ("openai.APIError", []),
        ("builtins.ValueError", []),
        ("builtins.RuntimeError", []),
        ("my_http.Failed", []),
        ("httpx_of_my_own.Failed", []),
    ],
)
def test_deliberate(kind: str, found: list[Verdict]) -> None:
    for wire in (ERROR, CUT):
        assert verdicts(failures.deliberate, case(asked(), wire, seen(raised=raised(kind)))) == found


@pytest.mark.parametrize(
    "kind",
    [
        "builtins.ConnectionResetError",
        "builtins.TimeoutError",
        "urllib.error.HTTPError",
        "urllib.error.URLError",
        "asyncio.exceptions.IncompleteReadError",
    ],
)
def test_bare_errors_of_pythons_own_transports(kind: str) -> None:
    assert failures.accident(raised(kind))


def test_error_derived_from_an_accident_is_deliberate() -> None:
    class NotThere(KeyError):
        """An error that an SDK chose."""

    assert Raised.of(NotThere("x")).kinds[1] == "builtins.KeyError"
    assert not failures.accident(Raised.of(NotThere("x")))
    assert failures.accident(Raised.of(KeyError("x")))


def test_deliberate_is_not_asked_of_everything() -> None:
    """A refusal before sending may be Python's own; an exception beside a good reply is another rule's."""
    key_error = raised("builtins.KeyError")
    assert failures.deliberate(case(asked(), ERROR, seen(raised=key_error, sent=()))) is None
    assert failures.deliberate(case(asked(), truth(), seen(raised=key_error))) is None
    assert failures.deliberate(case(asked(), ERROR, seen(said()))) is None


@pytest.mark.parametrize(
    ("observed", "complete", "raises"),
    [
        pytest.param(seen(raised=SDK), [], [], id="raised"),
        pytest.param(seen(said(), raised=SDK), [], [], id="raised-after-a-reason"),
        pytest.param(seen(said(error=ErrorPart("cut"))), [], [], id="as-an-item"),
        pytest.param(seen(said("complete")), [M], [L], id="as-complete"),
        pytest.param(seen(said("tool_call")), [M], [L], id="as-a-tool-call"),
        pytest.param(seen(said("continue")), [M], [L], id="as-a-pause"),
        pytest.param(seen(said("truncated")), [], [L], id="as-truncated"),
        pytest.param(seen(said("failed")), [], [L], id="as-failed"),
        pytest.param(seen(said(None)), [], [L], id="silent"),
        pytest.param(seen(hung=True), None, None, id="hangs"),
    ],
)
def test_cuts(observed: Observation, complete: list[Verdict] | None, raises: list[Verdict] | None) -> None:
    one = case(asked(), CUT, observed)
    assert verdicts(failures.not_complete, one) == complete
    assert verdicts(failures.cut_raises, one) == raises


@pytest.mark.parametrize(("ended", "closed"), [(True, True), (True, False), (False, True)])
def test_no_cut_where_the_reason_or_the_last_frame_came(ended: bool, closed: bool) -> None:
    one = case(asked(), truth(ended=ended, closed=closed), seen(said()))
    assert failures.not_complete(one) is None
    assert failures.cut_raises(one) is None


def test_terminates_under_every_chunking() -> None:
    one = case(asked(), truth(), seen(said()), seen(hung=True, chunking="per-byte"), seen(said(), "per-line"))
    (finding,) = failures.terminates(one) or ()
    assert (finding.verdict, finding.chunking) == (B, "per-byte")
    assert failures.terminates(case(asked(), truth(), seen(said()))) == []


class _Response:
    status_code = 429
    text = '{"error": "slow down"}'

    @property
    def content(self) -> bytes:
        raise RuntimeError("not read")


class _Problem(Exception):
    def __init__(self) -> None:
        super().__init__("sorry")
        self.response = _Response()


def _wrapped(*, hidden: bool) -> RuntimeError:
    try:
        raise _Problem
    except _Problem as problem:
        error = RuntimeError("wrapped")
        error.__cause__, error.__context__, error.__suppress_context__ = None if hidden else problem, problem, True
        return error


def test_all_that_can_be_reached_of_an_exception_is_its_attributes_and_its_causes() -> None:
    told = Raised.of(_wrapped(hidden=False))
    assert told.message == "wrapped"
    assert "429" in told.reachable
    assert "slow down" in told.reachable


def test_a_cause_that_is_hidden_cannot_be_reached() -> None:
    assert "429" not in Raised.of(_wrapped(hidden=True)).reachable

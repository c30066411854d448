"""Each cassette is read by its vendor's own SDK as the snapshot says, with no key lost, and fits the SDK's types.

So the wire is not guessed. No adapter of ours is judged here: where an SDK cannot read what it is sent,
a table says why the cassette is right all the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any, get_args

import pytest
from sdks import Sdks, Seen

from conformance.corpus import cassette, manifest, snapshot
from conformance.replay import Delivery, ReplayServer
from conformance.scenarios import Scenario, catalogue
from conformance.scenarios.view import View
from conformance.vocabulary import Api, Mode, Provenance

pytestmark = pytest.mark.slow  # a minute in all, so that the fast loop stays fast: `make test-all` and CI run it

_NO_FIELDS = "lines that are no SSE fields are skipped, as the standard says"

READS_OTHERWISE = {
    "*/error-not-json-empty:streamed": "an empty body is a stream of nothing to all three SDKs",
    "gemini/error-not-json-empty:buffered": "an empty body is an empty reply to google-genai",
    "openai-*/error-not-json-200-html:streamed": _NO_FIELDS,
    "anthropic-messages/error-not-json-200-html:streamed": _NO_FIELDS,
    "anthropic-messages/error-not-json-200-object:streamed": _NO_FIELDS,
    "openai-chat/error-not-json-200-object:buffered": "an object without choices is a completion without choices",
    "openai-chat/error-not-json-200-object-for-stream:streamed": _NO_FIELDS,
    "openai-responses/error-not-json-200-object:streamed": _NO_FIELDS,
    "gemini/error-not-json-200-object:buffered": "an object without candidates is a reply without candidates",
    "openai-chat/sse-bom:streamed": "the SDK does not take a byte order mark off",
    "anthropic-messages/sse-bom:streamed": "the SDK does not take a byte order mark off",
    "gemini/sse-bom:streamed": "the SDK does not take a byte order mark off",
    "gemini/sse-comments:streamed": "google-genai takes a comment for data",
    "gemini/sse-no-space:streamed": "google-genai looks for `data: ` with the space",
    "gemini/gem-json-array:streamed": "google-genai asks for SSE and reads nothing else",
    "gemini/gem-unspecified-int-*": "google-genai never asks for numbers and cannot read them",
}
"""Cells that the SDK is known to read otherwise than the snapshot says, and why."""

OUTSIDE_THE_TYPES = {
    "*/reason-new:*": "a value that nobody has sent yet is in no type",
    "openai-chat/reason-null*:buffered": "the type asks for one of five values; the hosts send none of them",
    "openai-chat/reason-empty-string*": "the type asks for one of five values; the hosts send none of them",
    "anthropic-messages/compaction:*": "typed in the beta namespace only",
    "anthropic-messages/nested-stop-reason:*": "typed in the beta namespace only",
    "*/unknown-[bdip]*": "a kind that nobody knows is in no type",
    "openai-chat/azure-prelude:streamed": "Azure's first chunk has an empty `object`",
    "openai-chat/finish-with-tool-calls-no-index:streamed": "Mistral sends no index",
}
"""Documented cells whose wire the SDK's types do not describe, and why."""

WHOLE = {
    Api.OPENAI_CHAT: ("openai.types.chat", "ChatCompletion"),
    Api.OPENAI_RESPONSES: ("openai.types.responses", "Response"),
    Api.ANTHROPIC_MESSAGES: ("anthropic.types", "Message"),
}
EVENTS = {
    Api.OPENAI_CHAT: ("openai.types.chat", "ChatCompletionChunk"),
    Api.OPENAI_RESPONSES: ("openai.types.responses", "ResponseStreamEvent"),
    Api.ANTHROPIC_MESSAGES: ("anthropic.types", "RawMessageStreamEvent"),
}

CELLS = [(scenario, mode) for scenario in catalogue().values() if not scenario.fault for mode in scenario.modes]
DOCUMENTED = [
    (scenario, mode)
    for scenario, mode in CELLS
    if scenario.api in WHOLE
    and manifest()[f"{scenario.id}:{mode}"].provenance is Provenance.DOCUMENTED
    and snapshot(scenario.id)[mode].error is None
]


def _parameters(cells: list[tuple[Scenario, Mode]], exceptions: Mapping[str, str]) -> list[Any]:
    """One parameter a cell; those in the table must fail, and a row that names no cell of the corpus is an error."""
    every = [f"{scenario.id}:{mode}" for scenario, mode in CELLS]
    idle = [pattern for pattern in exceptions if not any(fnmatchcase(name, pattern) for name in every)]
    assert not idle, f"no cell is like {idle}"
    names = [f"{scenario.id}:{mode}" for scenario, mode in cells]
    return [
        pytest.param(
            *cell,
            id=name,
            marks=[
                pytest.mark.xfail(strict=True, reason=why)
                for pattern, why in exceptions.items()
                if fnmatchcase(name, pattern)
            ],
        )
        for cell, name in zip(cells, names, strict=True)
    ]


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as running:
        yield running


@pytest.fixture(scope="module")
def sdks() -> Iterator[Sdks]:
    with Sdks() as clients:
        yield clients


@pytest.mark.filterwarnings("ignore:.* is not a valid:UserWarning")  # google-genai, of values that are new to it
@pytest.mark.parametrize(("scenario", "mode"), _parameters(CELLS, READS_OTHERWISE))
def test_the_sdk_reads_what_the_snapshot_says(server: ReplayServer, sdks: Sdks, scenario: Scenario, mode: Mode) -> None:
    """Text, tool calls and reason by the SDK's attributes, an error where there is one, every key of the wire."""
    last = cassette(scenario.id, mode)[-1]
    truth = snapshot(scenario.id)[mode]
    with server.playing(Delivery(scenario.id, {mode: (last,)})) as play:
        try:
            seen = sdks.read(scenario.api, play.base_url, scenario.model, mode)
        except Exception:
            if truth.error is None:
                raise
            return
    assert play.problem is None
    if truth.error is not None:
        assert seen.error is not None
        return
    assert (seen.text, seen.reason) == (truth.text, truth.raw_reason)
    assert _calls(seen) == [(call.name, _parsed(call.arguments)) for call in truth.tool_calls]
    if seen.documents:
        assert seen.documents == _sent(scenario, mode)


@pytest.mark.parametrize(("scenario", "mode"), _parameters(DOCUMENTED, OUTSIDE_THE_TYPES))
def test_a_documented_wire_fits_the_types(scenario: Scenario, mode: Mode) -> None:
    """Every document of the wire has the keys and values that the SDK's type of it asks for.

    Clients build their objects without looking; this validates. What follows a recording is older than
    some keys, and a stream may hold events that are in no union: both are left out.
    """
    pydantic = pytest.importorskip("pydantic")
    validate = _validator(scenario.api, mode)
    for document in _sent(scenario, mode):
        if (model := validate(document)) is not None:
            pydantic.TypeAdapter(model).validate_python(document)


def _validator(api: Api, mode: Mode) -> Any:
    """From a document to its type; None where the API's union has none for it."""
    module, name = (WHOLE if mode is Mode.BUFFERED else EVENTS)[api]
    pytest.importorskip(module.partition(".")[0])
    described = getattr(import_module(module), name)
    if mode is Mode.BUFFERED or api is Api.OPENAI_CHAT:
        return lambda _document: described
    union = get_args(get_args(described)[0])
    by_type = {get_args(each.model_fields["type"].annotation)[0]: each for each in union}
    return lambda document: by_type.get(document.get("type"))


def _sent(scenario: Scenario, mode: Mode) -> list[Any]:
    """The JSON documents of the cassette that an SDK hands on: Anthropic's skips pings."""
    last = cassette(scenario.id, mode)[-1]
    documents = [event.data for event in View(scenario.api, mode, last.status, last.body).events]
    return [each for each in documents if isinstance(each, dict) and each.get("type") != "ping"]


def _calls(seen: Seen) -> list[tuple[str, Any]]:
    return [(name, _parsed(arguments)) for _, (name, arguments) in sorted(seen.calls.items())]


def _parsed(arguments: str) -> Any:
    """The object; the text itself where it is cut; {} where the wire has none."""
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return arguments

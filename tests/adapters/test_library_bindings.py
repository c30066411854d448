"""Tests of the bindings of other people's libraries: they are wired right. No library is judged here."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator

import pytest

from conformance import Api, Reply
from conformance.adapters import SHIPPED, load, version_of
from conformance.contract import Adapter
from conformance.scenarios import catalogue
from conformance.suite.bench import Bench, NotApplicable
from conformance.suite.smoke import Smoke, smoke
from conformance.vocabulary import Mode

LIBRARIES = {
    "langchain-openai": "langchain_openai",
    "langchain-anthropic": "langchain_anthropic",
    "langchain-google-genai": "langchain_google_genai",
    "pydantic-ai": "pydantic_ai",
    "any-llm": "any_llm",
    "openai-agents": "agents",
    "llama-index": "llama_index",
    "haystack": "haystack",
    "aisuite": "aisuite",
    "dspy": "dspy",
    "instructor": "instructor",
    "semantic-kernel": "semantic_kernel",
}
APIS = {
    "langchain-openai": (Api.OPENAI_CHAT, Api.OPENAI_RESPONSES),
    "langchain-anthropic": (Api.ANTHROPIC_MESSAGES,),
    "langchain-google-genai": (Api.GEMINI,),
    "pydantic-ai": tuple(Api),
    "any-llm": tuple(Api),
    "openai-agents": (Api.OPENAI_CHAT, Api.OPENAI_RESPONSES),
    "llama-index": tuple(Api),
    "haystack": tuple(Api),
    "aisuite": (Api.OPENAI_CHAT, Api.ANTHROPIC_MESSAGES, Api.GEMINI),
    "dspy": tuple(Api),
    "instructor": tuple(Api),
    "semantic-kernel": (Api.OPENAI_CHAT, Api.ANTHROPIC_MESSAGES, Api.GEMINI),
}
ALWAYS_STREAM = {"strands": "strands"}
"""Those that ask for a stream whatever is asked of them: what is said of whole replies below is not for them."""

CELLS = [(name, api) for name, apis in APIS.items() for api in apis]
STOPPING = [(name, api) for name, api in CELLS if api is not Api.OPENAI_RESPONSES]

pytestmark = pytest.mark.filterwarnings("default")  # what a library warns about is its own affair


@pytest.fixture(scope="module")
def benches() -> Iterator[dict[str, Bench]]:
    """A bench for each library that is installed, opened when it is first asked for."""
    opened: dict[str, Bench] = {}
    yield opened
    for bench in opened.values():
        bench.__exit__(None, None, None)
    opened.clear()
    gc.collect()  # sockets that a library left to the collector are reported here, where nobody minds


@pytest.fixture
def bench(name: str, benches: dict[str, Bench]) -> Bench:
    pytest.importorskip(LIBRARIES[name])
    if name not in benches:
        benches[name] = Bench(load(name), limit=30).__enter__()
    return benches[name]


def cells(chosen: list[tuple[str, Api]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("name", "api"), chosen, ids=["/".join(cell) for cell in chosen])


@cells(CELLS)
@pytest.mark.parametrize("which", Smoke)
def test_the_plainest_replies_come_back(bench: Bench, api: Api, which: Smoke) -> None:
    assert smoke(bench, api, which) is None


@cells(CELLS)
@pytest.mark.parametrize("mode", Mode)
def test_text_and_call_are_the_wires_own(bench: Bench, api: Api, mode: Mode) -> None:
    text = bench.case(catalogue()[f"{api}/natural-end"], mode)
    assert isinstance(text.plain.reply, Reply)
    assert text.plain.reply.text == text.truth.text
    call = bench.case(catalogue()[f"{api}/tool-call"], mode)
    assert call.plain.reply is not None
    ((told,), (true,)) = call.plain.reply.tool_calls, call.truth.tool_calls
    arguments = json.loads(told.arguments) if isinstance(told.arguments, str) else told.arguments
    assert (told.name, arguments) == (true.name, json.loads(true.arguments))


@cells(STOPPING)
@pytest.mark.parametrize("mode", Mode)
def test_stop_strings_and_the_cap_are_sent(bench: Bench, api: Api, mode: Mode) -> None:
    sent = bench.case(catalogue()[f"{api}/send-stop-list"], mode).plain.sent[0].json
    asked = catalogue()[f"{api}/send-stop-list"].ask
    assert all(json.dumps(stop) in json.dumps(sent) for stop in asked.stop or ())
    capped = catalogue()[f"{api}/length-cap"]
    assert str(capped.ask.max_tokens) in json.dumps(bench.case(capped, mode).plain.sent[0].json)


@cells(STOPPING)
def test_no_stop_asked_means_no_key(bench: Bench, api: Api) -> None:
    case = bench.case(catalogue()[f"{api}/send-stop-none"], Mode.BUFFERED)
    assert "top_sequences" not in json.dumps(case.plain.sent[0].json)
    assert "stop" not in (case.plain.sent[0].json or {})


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_binding_is_what_the_registry_says(name: str, bench: Bench) -> None:
    adapter: Adapter = bench.adapter
    assert (adapter.name, adapter.apis) == (name, frozenset(APIS[name]))
    assert version_of(adapter)
    assert SHIPPED[name].extra == name


@pytest.mark.parametrize("name", ALWAYS_STREAM)
@pytest.mark.parametrize("api", Api)
def test_one_that_always_streams_is_judged_by_its_streams(name: str, api: Api) -> None:
    pytest.importorskip(ALWAYS_STREAM[name])
    with Bench(load(name), limit=30) as bench:
        assert [smoke(bench, api, which) for which in Smoke] == [None] * len(Smoke)
        text = bench.case(catalogue()[f"{api}/natural-end"], Mode.STREAMED)
        assert isinstance(text.plain.reply, Reply)
        assert text.plain.reply.text == text.truth.text
        with pytest.raises(NotApplicable):
            bench.case(catalogue()[f"{api}/natural-end"], Mode.BUFFERED)

"""Tests of the shipped bindings: a call reaches the API's place, its reply comes back. A library is not judged here."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from conformance import Api, Call, End, Reply, Stop, TextDelta, Usage
from conformance.adapters import load, version_of
from conformance.adapters.reference import CutStream, ProviderError, Reference, StopNotSupported, TransportFailed
from conformance.contract import Adapter, ChunkReader, Part, Tool
from conformance.wire import codec_for
from conformance.wire.draft import Draft, Text, ToolUse
from conformance.wire.openai_chat import usage_chunk
from conformance.wire.sse import Event, encode

pytestmark = [
    # LiteLLM silences these for its users when it is imported; the configuration of a test run overrules that.
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
    pytest.mark.filterwarnings("ignore:Accessing the .* attribute on the instance:DeprecationWarning"),
]

LIBRARIES = {
    "reference": "json",
    "openai-sdk": "openai",
    "anthropic-sdk": "anthropic",
    "google-genai-sdk": "google.genai",
    "litellm": "litellm",
}
CELLS = [
    ("reference", Api.OPENAI_CHAT),
    ("reference", Api.OPENAI_RESPONSES),
    ("reference", Api.ANTHROPIC_MESSAGES),
    ("reference", Api.GEMINI),
    ("openai-sdk", Api.OPENAI_CHAT),
    ("openai-sdk", Api.OPENAI_RESPONSES),
    ("anthropic-sdk", Api.ANTHROPIC_MESSAGES),
    ("google-genai-sdk", Api.GEMINI),
    ("litellm", Api.OPENAI_CHAT),
    ("litellm", Api.OPENAI_RESPONSES),
    ("litellm", Api.ANTHROPIC_MESSAGES),
    ("litellm", Api.GEMINI),
]
MODELS = {
    Api.OPENAI_CHAT: "gpt-4.1",
    Api.OPENAI_RESPONSES: "gpt-4.1",
    Api.ANTHROPIC_MESSAGES: "claude-haiku-4-5",
    Api.GEMINI: "gemini-2.5-flash",
}
NATURAL_END = {
    Api.OPENAI_CHAT: "stop",
    Api.OPENAI_RESPONSES: "completed",
    Api.ANTHROPIC_MESSAGES: "end_turn",
    Api.GEMINI: "STOP",
}
PATHS = {
    Api.OPENAI_CHAT: ("/root/v1/chat/completions", "/root/v1/chat/completions"),
    Api.OPENAI_RESPONSES: ("/root/v1/responses", "/root/v1/responses"),
    Api.ANTHROPIC_MESSAGES: ("/root/v1/messages", "/root/v1/messages"),
    Api.GEMINI: (
        "/root/v1beta/models/gemini-2.5-flash:generateContent",
        "/root/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    ),
}
LOOK_UP = Tool("look_up", "Looks a word up.", {"type": "object", "properties": {"word": {"type": "string"}}})


@dataclass
class Vendor:
    """What the server answers next, and what it was asked."""

    url: str = ""
    status: int = 200
    kind: str = "application/json"
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    pause_after: int | None = None
    go_on: threading.Event = field(default_factory=threading.Event)

    def says(self, api: Api, draft: Draft, *, stream: bool) -> None:
        """Answer with one reply, whole or streamed."""
        codec = codec_for(api)
        if not stream:
            self.body = json.dumps(codec.encode_whole(draft)).encode()
            return
        events = codec.encode_events(draft)
        if api is Api.OPENAI_CHAT:  # every binding asks for it
            events.insert(-1, Event(None, usage_chunk(draft)))
        self.kind = "text/event-stream"
        self.body = encode(events, line_end=codec.LINE_END)


@pytest.fixture(scope="module", autouse=True)
def event_loop_of_the_thread() -> Iterator[None]:
    """LiteLLM's synchronous calls run their logging on the thread's event loop, and leave open the one they make."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Vendor]:
    """One loopback server for the file, a connection a request."""
    vendor = Vendor()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("content-length", 0))
            vendor.asked.append((self.path, json.loads(self.rfile.read(size))))
            self.send_response(vendor.status)
            self.send_header("content-type", vendor.kind)
            for name, value in vendor.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(vendor.body[: vendor.pause_after])
            if vendor.pause_after is not None:
                vendor.go_on.wait(5)
                with suppress(OSError):  # the client that timed out is gone
                    self.wfile.write(vendor.body[vendor.pause_after :])

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        vendor.url = f"http://127.0.0.1:{http.server_port}/root"
        yield vendor
        http.shutdown()
        thread.join()


@pytest.fixture
def vendor(server: Vendor) -> Vendor:
    server.status, server.kind, server.body = 200, "application/json", b""
    server.pause_after, server.headers = None, {}
    server.asked.clear()
    server.go_on.clear()
    return server


@pytest.fixture(scope="module")
def built() -> dict[str, Adapter]:
    """The adapters built so far: one client each for the file."""
    return {}


@pytest.fixture
def adapter(name: str, built: dict[str, Adapter]) -> Adapter:
    pytest.importorskip(LIBRARIES[name])
    if name not in built:
        built[name] = load(name)
    return built[name]


def a_call(api: Api, vendor: Vendor, **asked: Any) -> Call:
    return Call(api, vendor.url, "dummy", MODELS[api], "Count to three.", **{"timeout": 5.0, **asked})


def a_draft(api: Api, *blocks: Text | ToolUse, reason: str | None = None) -> Draft:
    blocks = blocks or (Text(("one ", "two ", "three")),)
    return Draft("bindings", MODELS[api], blocks, reason or NATURAL_END[api])


def stops_on_the_wire(api: Api, body: dict[str, Any]) -> Any:
    """What arrived at the API's place, or None where the key is absent. Google's JSON has two spellings of a key."""
    match api:
        case Api.OPENAI_CHAT:
            return body.get("stop")
        case Api.ANTHROPIC_MESSAGES:
            return body.get("stop_sequences")
        case _:
            config = body.get("generationConfig", {})
            return config.get("stopSequences", config.get("stop_sequences"))


def streamed(adapter: Adapter, call: Call) -> list[Part]:
    """What the suite takes down of a stream: every shipped binding is synchronous, and some hand out Chunks."""
    reader = ChunkReader()
    parts: Iterable[Part] = adapter.stream(call)  # type: ignore[assignment]
    return [read for part in parts for read in reader.take(part)]


def cells(*apis: Api) -> pytest.MarkDecorator:
    """Every binding with each of these APIs that it speaks."""
    chosen = [cell for cell in CELLS if cell[1] in apis]
    return pytest.mark.parametrize(("name", "api"), chosen, ids=["/".join(cell) for cell in chosen])


STOPPING = (Api.OPENAI_CHAT, Api.ANTHROPIC_MESSAGES, Api.GEMINI)


@cells(*Api)
def test_a_whole_reply_comes_back(adapter: Adapter, api: Api, vendor: Vendor) -> None:
    vendor.says(api, a_draft(api), stream=False)
    reply = adapter.complete(a_call(api, vendor))
    assert isinstance(reply, Reply)
    assert reply.text == "one two three"
    assert reply.usage == Usage(21, 19)
    assert class_of(adapter, api, reply.reason) is Stop.COMPLETE
    assert [path for path, _ in vendor.asked] == [PATHS[api][0]]
    assert vendor.asked[0][1].get("model", MODELS[api]) == MODELS[api]
    assert "Count to three." in json.dumps(vendor.asked[0][1])


@cells(*Api)
def test_a_stream_comes_back_in_pieces(adapter: Adapter, api: Api, vendor: Vendor) -> None:
    vendor.says(api, a_draft(api), stream=True)
    parts = streamed(adapter, a_call(api, vendor))
    assert [part.text for part in parts if isinstance(part, TextDelta) and part.text] == ["one ", "two ", "three"]
    reply = Reply.from_parts(parts)
    assert class_of(adapter, api, reply.reason) is Stop.COMPLETE
    assert reply.usage is not None
    assert reply.usage.output_tokens == 19
    assert len([part for part in parts if isinstance(part, End) and part.reason is not None]) == 1
    for part in parts:
        if isinstance(part, End) and part.final is not None:
            assert (part.final.text, part.final.reason) == (reply.text, reply.reason)
    assert [path for path, _ in vendor.asked] == [PATHS[api][1]]


@cells(*STOPPING)
@pytest.mark.parametrize(
    ("stop", "arrives"),
    [(None, [None]), (["END", "\n\nHuman:"], [["END", "\n\nHuman:"]]), ("END", ["END", ["END"]]), ([], [None, []])],
    ids=["none", "list", "string", "empty"],
)
def test_stop_strings_arrive_at_the_place_of_the_api(
    adapter: Adapter, api: Api, vendor: Vendor, stop: Any, arrives: list[Any]
) -> None:
    call = a_call(api, vendor, stop=stop)
    vendor.says(api, a_draft(api), stream=False)
    adapter.complete(call)
    vendor.says(api, a_draft(api), stream=True)
    streamed(adapter, call)
    assert [stops_on_the_wire(api, body) in arrives for _, body in vendor.asked] == [True, True]


@cells(*Api)
@pytest.mark.parametrize("stream", [False, True], ids=["buffered", "streamed"])
def test_tools_and_the_cap_are_asked_for_and_a_call_comes_back(
    adapter: Adapter, api: Api, vendor: Vendor, stream: bool
) -> None:
    reason = {Api.OPENAI_CHAT: "tool_calls", Api.ANTHROPIC_MESSAGES: "tool_use"}.get(api)
    vendor.says(api, a_draft(api, ToolUse("look_up", ('{"word":', '"tea"}')), reason=reason), stream=stream)
    call = a_call(api, vendor, tools=(LOOK_UP,), tool_choice="look_up", max_tokens=77)
    reply = Reply.from_parts(streamed(adapter, call)) if stream else adapter.complete(call)
    assert isinstance(reply, Reply)
    (one,) = reply.tool_calls
    arguments = json.loads(one.arguments) if isinstance(one.arguments, str) else one.arguments
    assert (one.name, arguments) == ("look_up", {"word": "tea"})
    body = vendor.asked[0][1]
    flat = json.dumps({key: value for key, value in body.items() if key not in {"tools", "messages", "input"}})
    assert "look_up" in flat, "the forced tool is named outside of the declarations"
    assert "77" in flat
    assert "Looks a word up." in json.dumps(body["tools"])


@cells(*Api)
@pytest.mark.parametrize("stream", [False, True], ids=["buffered", "streamed"])
def test_an_error_is_raised_as_the_library_raises_it(adapter: Adapter, api: Api, vendor: Vendor, stream: bool) -> None:
    vendor.status = 400
    vendor.body = json.dumps(
        {"type": "error", "error": {"type": "invalid_request_error", "message": "no such thing", "code": 400}}
    ).encode()
    call = a_call(api, vendor)
    with pytest.raises(Exception, match="no such thing"):
        streamed(adapter, call) if stream else adapter.complete(call)


@pytest.mark.parametrize("name", ["openai-sdk"])
def test_a_stop_that_responses_does_not_have_is_refused_by_the_sdk(adapter: Adapter, vendor: Vendor) -> None:
    with pytest.raises(TypeError, match="stop"):
        adapter.complete(a_call(Api.OPENAI_RESPONSES, vendor, stop=["END"]))
    assert vendor.asked == []


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_binding_says_its_version(adapter: Adapter) -> None:
    assert version_of(adapter)


@pytest.fixture
def reference() -> Reference:
    return Reference()


@pytest.mark.parametrize("api", Api)
def test_the_reference_hands_out_parts_and_raises_where_the_stream_is_cut(
    reference: Reference, api: Api, vendor: Vendor
) -> None:
    vendor.says(api, a_draft(api), stream=True)
    vendor.body = vendor.body[: vendor.body.index(b"three")]
    parts = reference.stream(a_call(api, vendor))
    seen: list[Part] = []
    with pytest.raises(CutStream):
        seen.extend(parts)
    assert "".join(part.text for part in seen if isinstance(part, TextDelta)) == "one two "


def test_the_reference_hands_out_a_part_while_the_wire_is_open(reference: Reference, vendor: Vendor) -> None:
    vendor.says(Api.ANTHROPIC_MESSAGES, a_draft(Api.ANTHROPIC_MESSAGES), stream=True)
    vendor.pause_after = vendor.body.index(b"two")
    parts = reference.stream(a_call(Api.ANTHROPIC_MESSAGES, vendor))
    assert next(part for part in parts if isinstance(part, TextDelta)).text == "one "
    vendor.go_on.set()
    assert isinstance(list(parts)[-1], End)


@pytest.mark.parametrize("stream", [False, True], ids=["buffered", "streamed"])
def test_the_reference_keeps_status_type_and_message(reference: Reference, vendor: Vendor, stream: bool) -> None:
    vendor.status = 529
    vendor.body = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    call = a_call(Api.ANTHROPIC_MESSAGES, vendor)
    with pytest.raises(ProviderError) as caught:
        streamed(reference, call) if stream else reference.complete(call)
    assert (caught.value.status, caught.value.type, caught.value.message) == (529, "overloaded_error", "Overloaded")


def test_the_reference_raises_an_error_that_comes_inside_a_stream(reference: Reference, vendor: Vendor) -> None:
    vendor.kind = "text/event-stream"
    vendor.body = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    with pytest.raises(ProviderError, match="Overloaded"):
        streamed(reference, a_call(Api.ANTHROPIC_MESSAGES, vendor))


@pytest.mark.parametrize("stream", [False, True], ids=["buffered", "streamed"])
@pytest.mark.parametrize("body", [b"<html>", b"", b'{"content": [', b"[]"], ids=["html", "empty", "cut", "array"])
def test_the_reference_raises_what_is_no_reply(reference: Reference, vendor: Vendor, stream: bool, body: bytes) -> None:
    vendor.body = body
    call = a_call(Api.ANTHROPIC_MESSAGES, vendor)
    with pytest.raises(ProviderError):
        streamed(reference, call) if stream else reference.complete(call)


def test_the_reference_follows_no_redirect(reference: Reference, vendor: Vendor) -> None:
    vendor.status, vendor.headers = 307, {"location": "http://127.0.0.1:9/elsewhere"}
    with pytest.raises(ProviderError, match="elsewhere"):
        reference.complete(a_call(Api.GEMINI, vendor))


def test_the_reference_sends_no_stop_where_the_api_has_none(reference: Reference, vendor: Vendor) -> None:
    with pytest.raises(StopNotSupported):
        reference.complete(a_call(Api.OPENAI_RESPONSES, vendor, stop="END"))
    assert vendor.asked == []


def test_the_reference_raises_its_own_error_where_nobody_listens(reference: Reference) -> None:
    with pytest.raises(TransportFailed):
        reference.complete(a_call(Api.GEMINI, Vendor("http://127.0.0.1:9")))


def test_the_reference_ends_a_stall_at_its_timeout(reference: Reference, vendor: Vendor) -> None:
    vendor.says(Api.GEMINI, a_draft(Api.GEMINI), stream=True)
    vendor.pause_after = 10
    with pytest.raises(CutStream, match="timed out"):
        streamed(reference, a_call(Api.GEMINI, vendor, timeout=0.1))
    vendor.go_on.set()


@pytest.mark.parametrize("stream", [False, True], ids=["buffered", "streamed"])
def test_the_reference_reads_a_compressed_body(reference: Reference, vendor: Vendor, stream: bool) -> None:
    vendor.says(Api.GEMINI, a_draft(Api.GEMINI), stream=stream)
    vendor.body, vendor.headers = gzip.compress(vendor.body), {"content-encoding": "gzip"}
    call = a_call(Api.GEMINI, vendor)
    reply = Reply.from_parts(streamed(reference, call)) if stream else reference.complete(call)
    assert reply.text == "one two three"


def test_the_reference_hands_out_a_cut_call_as_the_raw_text(reference: Reference, vendor: Vendor) -> None:
    draft = a_draft(Api.OPENAI_CHAT, ToolUse("look_up", ('{"word":', '"te')), reason="length")
    vendor.says(Api.OPENAI_CHAT, draft, stream=False)
    reply = reference.complete(a_call(Api.OPENAI_CHAT, vendor, tools=(LOOK_UP,)))
    assert (reply.reason, reply.tool_calls[0].arguments) == ("truncated", '{"word":"te')


@pytest.mark.parametrize("stream", [False, True], ids=["buffered", "streamed"])
def test_the_reference_is_played_to_in_process(reference: Reference, tmp_path: Path, stream: bool) -> None:
    vcr = pytest.importorskip("vcr")
    vendor, api = Vendor("https://api.anthropic.com"), Api.ANTHROPIC_MESSAGES
    vendor.says(api, a_draft(api), stream=stream)
    exchange = {
        "request": {"method": "POST", "uri": "https://api.anthropic.com/v1/messages", "body": "", "headers": {}},
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": [vendor.kind]},
            "body": {"string": vendor.body.decode()},
        },
    }
    cassette = tmp_path / "cassette.yaml"
    cassette.write_text(json.dumps({"version": 1, "interactions": [exchange]}))  # JSON is YAML
    with vcr.VCR(record_mode="none", match_on=["method", "uri"]).use_cassette(str(cassette)):
        call = a_call(api, vendor)
        reply = Reply.from_parts(streamed(reference, call)) if stream else reference.complete(call)
    assert (reply.text, reply.reason, reply.raw_reason) == ("one two three", "complete", "end_turn")


def class_of(adapter: Adapter, api: Api, reason: str | None) -> Stop:
    """The class of a public value, by the vocabulary of the adapter."""
    if adapter.vocabulary.members is not None:
        return adapter.vocabulary.members[str(reason)]
    shape = api if adapter.name != "litellm" or api is Api.OPENAI_RESPONSES else Api.OPENAI_CHAT
    return codec_for(shape).stop_of(reason)

"""The reference engine: a scripted token source behind HTTP that matches stop strings itself, for all four APIs.

Its steps are methods, so that a faulty engine replaces one. What an API's bytes look like is `conformance.wire`'s.
"""

from __future__ import annotations

import json
import random
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

from conformance.contract import Part, Reply, TextDelta, ToolCall, ToolCallDelta, Usage
from conformance.servers.asking import PROMPTS
from conformance.vocabulary import Api, Stop
from conformance.wire import codec_for
from conformance.wire.emit import Ending, emitter_for
from conformance.wire.sse import Event, encode
from tests.servers.matcher import Matcher

MODEL = "scripted-1"
KEY = "engine-key-for-tests"
WINDOW = 4_000
"""Words that a prompt may have."""

_PARAGRAPHS = (
    "The harbour keeps a calendar of its own; every tide is written in it, high and low.\n\n"
    "In the café on the quay they pour coffee “as strong as the east wind”, and nobody pays at once.\n"
    "— Good morning, says the pilot. — Good, says the cook, if you say so… \U0001f6a2 and both laugh.\n"
    "Then the ferry comes in, the end of the line, and the gulls rise like paper from the stones.",
    "1. Leave the station by the north door.\n2. Follow the tram rails to the fish market, 400 m.\n"
    "3. Turn left where the bakery stands; mind the cobbles.\n4. Walk up the dunes until you see the lamp.\n"
    "5. The keeper, Mr. Øvrebø, opens at ten.\n6. Climb the stairs slowly, there are two hundred and eleven.",
    "Zoë mended clocks, and one evening a naïve robot knocked: its left hand struck thirteen. She laughed, "
    "took the spring out, oiled it, and put it back the wrong way round on purpose, so that it would come again. "
    "By March the robot knew every tick in the shop by name, and called the pendulum “uncle”.",
    "Rain takes tiny bits of stone with it, and a part of every stone is salt. Rivers carry it down to the sea. "
    "The sun drinks the water up again, but it leaves the salt behind, year after year after year. "
    "So the sea is a soup that never stops cooking; that is why it tastes the way it does, little one.",
)

_CAPS = ("max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, whatever its API."""

    api: Api
    body: dict[str, Any]
    config: dict[str, Any]
    prompt: str
    stream: bool
    stops: list[str]
    cap: int
    model: str
    tool: str | None = None


class Refused(Exception):
    """The request cannot be answered: the status, and a sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Engine:
    """A right engine. One method a step; a faulty engine overrides one."""

    name: ClassVar[str] = "reference"
    limits: ClassVar[dict[Api, int]] = {Api.OPENAI_CHAT: 4, Api.GEMINI: 5}

    # The request.

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        """Read a request, or refuse it."""
        api = api_of(path)
        if api is None:
            raise Refused(404, f"no endpoint {path}")
        self.check_key(api, headers)
        try:
            told = json.loads(body)
        except ValueError:
            raise Refused(400, "the body is not JSON") from None
        if not isinstance(told, dict):
            raise Refused(400, "the body is not an object")
        model = path.rpartition("/")[2].partition(":")[0] if api is Api.GEMINI else told.get("model")
        if model != MODEL:
            raise Refused(404, f"no model {model!r}")
        config = told.get("generationConfig") or {} if api is Api.GEMINI else told
        prompt = self.prompt(prompt_of(api, told))
        cap = self.cap(config)
        return Asked(
            api, told, config, prompt, codec_for(api).asks_stream(path, told), self.stops(api, config), cap, MODEL,
            tool_of(told),
        )  # fmt: skip

    def check_key(self, api: Api, headers: dict[str, str]) -> None:
        """A key that is sent has to be right; none is asked for."""
        name = {Api.ANTHROPIC_MESSAGES: "x-api-key", Api.GEMINI: "x-goog-api-key"}.get(api, "authorization")
        given = headers.get(name)
        if given is not None and given.removeprefix("Bearer ") != KEY:
            raise Refused(401, "wrong key")

    def prompt(self, text: str) -> str:
        """The prompt as the model gets it."""
        if len(text.split()) > WINDOW:
            raise Refused(400, f"the prompt is longer than {WINDOW} tokens")
        return text

    def cap(self, config: dict[str, Any]) -> int:
        """The cap on tokens."""
        return min((int(config[name]) for name in _CAPS if name in config), default=512)

    def stops(self, api: Api, config: dict[str, Any]) -> list[str]:
        """The stop strings of a request."""
        name = {Api.ANTHROPIC_MESSAGES: "stop_sequences", Api.GEMINI: "stopSequences"}.get(api, "stop")
        value = config.get(name)
        if isinstance(value, str):
            value = [value]
        if value is not None and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise Refused(400, f"{name}: expected a list of strings")
        stops = list(value or [])
        if api is Api.ANTHROPIC_MESSAGES and any(not stop.strip() for stop in stops):
            raise Refused(400, "stop_sequences: each stop sequence must contain non-whitespace")
        self.check_count(api, stops)
        return [stop for stop in stops if stop]

    def check_count(self, api: Api, stops: list[str]) -> None:
        """No API's list may be longer than it says."""
        limit = self.limits.get(api, 64)
        if len(stops) > limit:
            raise Refused(400, f"array too long: expected at most {limit} stop strings, got {len(stops)}")

    # Generation.

    def tokens(self, asked: Asked) -> list[bytes]:
        """The tokens of a reply: bytes of one to six, wherever that cuts words and characters."""
        number = PROMPTS.index(asked.prompt) if asked.prompt in PROMPTS else 0
        text = _PARAGRAPHS[number].encode()
        sizes = random.Random(len(text))  # noqa: S311 -- the same cuts every time
        out, at = [], 0
        while at < len(text):
            size = sizes.choice((1, 2, 3, 3, 4, 5, 6))
            out.append(text[at : at + size])
            at += size
        return out

    def matcher(self, asked: Asked) -> Matcher:
        """What finds the stop strings."""
        return Matcher(asked.stops)

    def pieces(self, asked: Asked, told: dict[str, Any]) -> Iterator[str]:
        """The text as it may be shown; what is known at the end goes into `told`."""
        matcher = self.matcher(asked)
        decoder = getincrementaldecoder("utf-8")("ignore")
        count, tokens = 0, self.tokens(asked)
        for token in tokens[: asked.cap]:
            count += 1
            shown = matcher.feed(decoder.decode(token))
            if shown:
                yield shown
            if matcher.fired is not None:
                break
        capped = matcher.fired is None and count < len(tokens)
        if matcher.fired is None and (rest := self.rest(matcher)):
            yield rest
        told |= {"count": count, "fired": matcher.fired, "stop": Stop.TRUNCATED if capped else Stop.COMPLETE}

    def rest(self, matcher: Matcher) -> str:
        """What was held back when the text is over."""
        return matcher.flush()

    # The reply.

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        """The API's value for the ending."""
        if asked.tool:
            return {
                Api.OPENAI_CHAT: "tool_calls", Api.OPENAI_RESPONSES: "completed",
                Api.ANTHROPIC_MESSAGES: "tool_use", Api.GEMINI: "STOP",
            }[asked.api]  # fmt: skip
        capped = told["stop"] is Stop.TRUNCATED
        if asked.api is Api.ANTHROPIC_MESSAGES and told["fired"] is not None:
            return "stop_sequence"
        return {
            Api.OPENAI_CHAT: ("stop", "length"),
            Api.OPENAI_RESPONSES: ("completed", "incomplete/max_output_tokens"),
            Api.ANTHROPIC_MESSAGES: ("end_turn", "max_tokens"),
            Api.GEMINI: ("STOP", "MAX_TOKENS"),
        }[asked.api][capped]

    def named(self, asked: Asked, told: dict[str, Any]) -> str | None:
        """The matched string, where the API has a place for it."""
        fired: str | None = told["fired"]
        return fired if asked.api is Api.ANTHROPIC_MESSAGES else None

    def usage(self, asked: Asked, told: dict[str, Any]) -> Usage | None:
        """The counts."""
        return Usage(len(asked.prompt.split()), told["count"])

    def parts(self, asked: Asked, told: dict[str, Any]) -> Iterator[Part]:
        """The content of a reply as it comes."""
        if asked.tool:
            told |= {"count": 9, "fired": None, "stop": Stop.TOOL_CALL}
            yield ToolCallDelta(0, "call_1", asked.tool, "")
            yield ToolCallDelta(0, None, None, '{"city": "Lisbon"}')
            return
        yield from map(TextDelta, self.pieces(asked, told))

    def ending(self, asked: Asked, text: str, told: dict[str, Any]) -> Ending:
        """What is known at the end, for the writer of the API."""
        calls = (ToolCall(asked.tool, '{"city": "Lisbon"}', "call_1"),) if asked.tool else ()
        reply = Reply(text, stop_sequence=self.named(asked, told), usage=self.usage(asked, told), tool_calls=calls)
        return Ending(self.reason(asked, told), told["stop"], reply)

    def whole(self, asked: Asked) -> dict[str, Any]:
        """A buffered reply."""
        told: dict[str, Any] = {}
        text = "".join(part.text for part in self.parts(asked, told) if isinstance(part, TextDelta))
        return emitter_for(asked.api, asked.model).whole(self.ending(asked, text, told))

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        """The events of a streamed one."""
        emitter, told, texts = emitter_for(asked.api, asked.model), {}, []
        for part in self.parts(asked, told):
            texts.append(part.text if isinstance(part, TextDelta) else "")
            yield from emitter.take(part)
        yield from emitter.end(self.ending(asked, "".join(texts), told))

    def error(self, api: Api | None, refused: Refused) -> tuple[int, bytes]:
        """Status and body of an error."""
        kind = "not_found_error" if refused.status == 404 else "invalid_request_error"
        if api is Api.GEMINI:
            told: dict[str, Any] = {
                "error": {"code": refused.status, "message": refused.message, "status": "INVALID_ARGUMENT"}
            }
        elif api is Api.ANTHROPIC_MESSAGES:
            told = {"type": "error", "error": {"type": kind, "message": refused.message}}
        else:
            told = {"error": {"message": refused.message, "type": kind, "param": None, "code": None}}
        return refused.status, json.dumps(told).encode()

    # The connection.

    def serve(self, handler: Handler, body: bytes) -> None:
        """Answer one request."""
        headers = {name.lower(): value for name, value in handler.headers.items()}
        try:
            asked = self.asked(handler.path, headers, body)
            if asked.stream:
                handler.stream(self, asked)
            else:
                handler.whole(200, json.dumps(self.whole(asked)).encode())
        except Refused as refused:
            handler.whole(*self.error(api_of(handler.path), refused))


def api_of(path: str) -> Api | None:
    """The API of a path."""
    path = path.partition("?")[0]
    return next((api for api in Api if path.endswith(codec_for(api).ENDPOINTS)), None)


def prompt_of(api: Api, told: dict[str, Any]) -> str:
    """The user's message."""
    try:
        if api is Api.GEMINI:
            return str(told["contents"][0]["parts"][0]["text"])
        if api is Api.OPENAI_RESPONSES:
            if not isinstance(told["input"], str | list):
                raise TypeError
            return str(told["input"])
        return str(told["messages"][0]["content"])
    except (KeyError, IndexError, TypeError):
        raise Refused(400, "the messages are not of the API's form") from None


def tool_of(told: dict[str, Any]) -> str | None:
    """The first declared tool's name."""
    for tool in told.get("tools") or ():
        inner = tool.get("function") or (tool.get("functionDeclarations") or [tool])[0]
        return str(inner["name"])
    return None


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    engine: Engine

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.engine.serve(self, body)

    def whole(self, status: int, body: bytes, content_type: str = "application/json") -> None:
        """Answer with a whole body."""
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, engine: Engine, asked: Asked) -> None:
        """Answer with a stream, an HTTP chunk an event."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for payload in engine.events(asked):
            named = isinstance(payload, dict) and asked.api in (Api.ANTHROPIC_MESSAGES, Api.OPENAI_RESPONSES)
            data = encode([Event(payload["type"] if named else None, payload)])  # type: ignore[index, call-overload]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class calls it so
        """Nothing on stderr."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no matter of the tests."""


@contextmanager
def running(engine: Engine) -> Iterator[str]:
    """The address of an engine that runs while the block does."""
    handler = type("Bound", (Handler,), {"engine": engine})
    server = _Server(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

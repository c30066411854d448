"""The reference adapter: plain HTTP on the suite's own codecs, faithful everywhere. No library, retry or redirect.

What it cannot tell its caller truly it raises: a provider's error, a stream that was cut, a stop
string that the API has no place for.
"""

from __future__ import annotations

import http.client
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from conformance.adapters import installed
from conformance.contract import Call, End, ErrorPart, Part, Reply, ToolCall
from conformance.errors import BadWire
from conformance.vocabulary import Api, Gap, Stop, Vocabulary
from conformance.wire import Reading, codec_for
from conformance.wire.codec import HTTP_ERROR

_HTTP_REDIRECT = 300
_READ_AT_MOST = 65536
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_BROKEN_PIPE = (OSError, http.client.HTTPException, zlib.error)
"""What the transport raises: refused, reset, timed out, cut inside a chunk, compressed bytes that are none."""


class ReferenceFailed(Exception):
    """Root of the errors of this adapter."""


class StopNotSupported(ReferenceFailed):
    """The API has no parameter for stop strings; nothing was sent."""


class TransportFailed(ReferenceFailed):
    """No answer arrived, or not all of a whole one."""


class CutStream(ReferenceFailed):
    """The stream ended before it said why the reply ended; the parts so far were handed out."""


class ProviderError(ReferenceFailed):
    """The provider answered with an error, over HTTP or inside a stream, or with what is no reply."""

    def __init__(self, status: int | None, kind: str | None, message: str) -> None:
        super().__init__(f"{status} {kind}: {message}")
        self.status = status
        self.type = kind
        self.message = message


class Reference:
    """Builds the request from the Call and hands out what the codec reads, classified."""

    name = "reference"
    apis = frozenset(Api)
    vocabulary = Vocabulary({stop.value: stop for stop in Stop})
    lacks: frozenset[Gap] = frozenset()
    version = installed("llm-adapter-conformance")

    def complete(self, call: Call) -> Reply:
        with _post(call, stream=False) as response:
            return _whole(call.api, response)

    def stream(self, call: Call) -> Iterator[Part]:
        reader = codec_for(call.api).stream()
        with _post(call, stream=True) as response:
            if response.getheader("content-type", "").startswith(("application/json", "text/html")):
                _whole(call.api, response)  # raises where the body is an error, as it is on every known host
                raise ProviderError(response.status, "not_a_stream", "a whole reply where a stream was asked")
            try:
                for piece in _pieces(response):
                    yield from _live(reader.feed(piece))
                yield from _live(reader.close())
            except _BROKEN_PIPE as error:
                raise CutStream(f"the stream broke off: {error!r}") from error
            except BadWire as error:
                raise ProviderError(response.status, "not_a_reply", error.problem) from error
        if reader.reading.cut:
            raise CutStream("the stream ended before its reason and before its last frame")
        reply = _reply(reader.reading)
        yield End(reply.reason, reply.raw_reason, reply.stop_sequence, reply.usage, final=reply)


def build() -> Reference:
    """The factory behind `--adapter reference`."""
    return Reference()


def _whole(api: Api, response: http.client.HTTPResponse) -> Reply:
    try:
        body = b"".join(_pieces(response))
    except _BROKEN_PIPE as error:
        raise TransportFailed(f"the body broke off: {error!r}") from error
    reading = codec_for(api).read(response.status, body)
    if reading.error:
        raise _raised(reading.error)
    return _reply(reading)


def _reply(reading: Reading) -> Reply:
    return Reply(
        text=reading.text,
        reason=reading.stop.value,
        raw_reason=reading.raw_reason,
        stop_sequence=reading.stop_sequence,
        # The wire's own text, cut where it was cut: parsing is for who has seen the reason.
        tool_calls=tuple(ToolCall(call.name, call.arguments, call.id) for call in reading.tool_calls),
        thinking=reading.thinking,
        refusal=reading.refusal,
        usage=reading.usage,
    )


def _live(parts: Iterable[Part]) -> Iterator[Part]:
    """Content as it arrives. The reason waits for the end, since only all of the content classifies it."""
    for part in parts:
        if isinstance(part, ErrorPart):
            raise _raised(part)
        if not isinstance(part, End):
            yield part


def _raised(error: ErrorPart) -> ProviderError:
    return ProviderError(error.status, error.type, error.message)


@contextmanager
def _post(call: Call, *, stream: bool) -> Iterator[http.client.HTTPResponse]:
    path, headers, body = _REQUESTS[call.api](call, stream)
    root = urlsplit(call.base_url)
    # Looked up when called: the in-process transport puts its own classes there.
    connect = http.client.HTTPSConnection if root.scheme == "https" else http.client.HTTPConnection
    headers = {"content-type": "application/json", "accept-encoding": "gzip, deflate", **headers}
    with closing(connect(root.netloc, timeout=call.timeout)) as connection:
        try:
            connection.request("POST", root.path.rstrip("/") + path, json.dumps(body).encode(), headers)
            response = connection.getresponse()
        except _BROKEN_PIPE as error:
            raise TransportFailed(f"no answer from {root.netloc}: {error!r}") from error
        with closing(response):
            if response.status >= HTTP_ERROR:
                _whole(call.api, response)
            if response.status >= _HTTP_REDIRECT:
                # Following would send the key to wherever the answer says.
                place = response.getheader("location", "an unnamed place")
                raise ProviderError(response.status, "redirect", f"not followed to {place}")
            yield response


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body as it arrives, decompressed: one piece for each read of the socket."""
    packed = response.getheader("content-encoding", "identity") in {"gzip", "deflate"}
    inflate = zlib.decompressobj(_GZIP_OR_ZLIB) if packed else None
    while piece := response.read1(_READ_AT_MOST):
        yield inflate.decompress(piece) if inflate else piece


class _Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


def _stops(call: Call) -> list[str] | None:
    """The stop strings as a list; an empty list is not sent, since one vendor refuses it."""
    return [call.stop] if isinstance(call.stop, str) else call.stop or None


def _given(**keys: Any) -> dict[str, Any]:
    """The keys that say something; a zero and an empty string do."""
    return {key: value for key, value in keys.items() if value or (value in (0, "") and value is not False)}


def _chat(call: Call, stream: bool) -> _Request:
    body = _given(
        model=call.model,
        messages=[{"role": "user", "content": call.prompt}],
        stop=call.stop if isinstance(call.stop, str) else _stops(call),
        max_completion_tokens=call.max_tokens,
        tools=[{"type": "function", "function": _openai_tool(tool)} for tool in call.tools],
        tool_choice=call.tool_choice and {"type": "function", "function": {"name": call.tool_choice}},
        stream=stream,
        stream_options=_given(include_usage=stream),
    )
    return _Request("/v1/chat/completions", _bearer(call), body)


def _responses(call: Call, stream: bool) -> _Request:
    if _stops(call):
        raise StopNotSupported("OpenAI Responses has no stop parameter")
    body = _given(
        model=call.model,
        input=call.prompt,
        max_output_tokens=call.max_tokens,
        tools=[{"type": "function", **_openai_tool(tool)} for tool in call.tools],
        tool_choice=call.tool_choice and {"type": "function", "name": call.tool_choice},
        stream=stream,
    )
    return _Request("/v1/responses", _bearer(call), body)


def _anthropic(call: Call, stream: bool) -> _Request:
    tools = [{"name": t.name, "description": t.description, "input_schema": t.parameters} for t in call.tools]
    body = _given(
        model=call.model,
        messages=[{"role": "user", "content": call.prompt}],
        max_tokens=1024 if call.max_tokens is None else call.max_tokens,  # the API refuses a request without a cap
        stop_sequences=_stops(call),
        tools=tools,
        tool_choice=call.tool_choice and {"type": "tool", "name": call.tool_choice},
        stream=stream,
    )
    return _Request("/v1/messages", {"x-api-key": call.api_key, "anthropic-version": "2023-06-01"}, body)


def _gemini(call: Call, stream: bool) -> _Request:
    functions = [
        {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
        for tool in call.tools
    ]
    forced = {"mode": "ANY", "allowedFunctionNames": [call.tool_choice]}
    body = _given(
        contents=[{"role": "user", "parts": [{"text": call.prompt}]}],
        generationConfig=_given(stopSequences=_stops(call), maxOutputTokens=call.max_tokens),
        tools=[{"functionDeclarations": functions}] if functions else None,
        toolConfig=call.tool_choice and {"functionCallingConfig": forced},
    )
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return _Request(f"/v1beta/models/{quote(call.model)}:{method}", {"x-goog-api-key": call.api_key}, body)


_REQUESTS: dict[Api, Callable[[Call, bool], _Request]] = {
    Api.OPENAI_CHAT: _chat,
    Api.OPENAI_RESPONSES: _responses,
    Api.ANTHROPIC_MESSAGES: _anthropic,
    Api.GEMINI: _gemini,
}


def _bearer(call: Call) -> dict[str, str]:
    return {"authorization": f"Bearer {call.api_key}"}


def _openai_tool(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}

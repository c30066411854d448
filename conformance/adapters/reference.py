"""The reference adapter: plain HTTP on the suite's own codecs, faithful everywhere. No library, retry or redirect.

What it cannot tell its caller truly it raises: a provider's error, a stream that was cut, a stop
string that the API has no place for.
"""

from __future__ import annotations

import http.client
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from conformance.adapters import installed
from conformance.contract import Call, End, ErrorPart, Part, Reply, ToolCall
from conformance.errors import BadWire
from conformance.vocabulary import Api, Gap, Stop, Vocabulary
from conformance.wire import Reading, codec_for
from conformance.wire.codec import HTTP_ERROR
from conformance.wire.request import request_for

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

    def __init__(self, stop: list[str] | None = None) -> None:
        self._stop = stop

    def configured(self, stop: list[str]) -> Reference:
        """A reference that sends these stop strings where the call asks for none."""
        return Reference(stop)

    def complete(self, call: Call) -> Reply:
        call = replace(call, stop=call.stop or self._stop)
        with _post(call, stream=False) as response:
            return _whole(call.api, response)

    def stream(self, call: Call) -> Iterator[Part]:
        call = replace(call, stop=call.stop or self._stop)
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
    if call.stop and not codec_for(call.api).STOP_PATHS:
        raise StopNotSupported(f"{call.api} has no stop parameter")
    path, headers, body = request_for(call, stream=stream)
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

"""The adapter behind `--adapter gateway:API@URL`: a client of whatever serves an API there and calls another upstream.

The replay server is that upstream, at a port of its own: a gateway's upstream address is fixed in its configuration, so
the scenario cannot be in the address. The one play that is open is meant (`conformance/replay/behind.py`).

    gateway:openai-chat@http://127.0.0.1:4000?model={api}/{model}&upstream=8788&name=my-gateway

`model` is what the gateway is asked for, `{api}` and `{model}` being the scenario's; `upstream` the port that the
gateway calls; `apis` the upstream APIs that it is configured for; `lacks` its declared gaps. All of them may be left
out. A key, where the gateway wants one, is read from the environment variable CONFORMANCE_GATEWAY_KEY.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from conformance.contract import Call, Chunk, Part, Reply
from conformance.errors import AdapterNotFound, BadWire
from conformance.vocabulary import Api, Gap, Vocabulary
from conformance.wire import codec_for
from conformance.wire.codec import HTTP_ERROR
from conformance.wire.request import request_for
from conformance.wire.sse import SseReader

KEY = "CONFORMANCE_GATEWAY_KEY"
UPSTREAM_PORT = 8788

_READ_AT_MOST = 65536
_BROKEN_PIPE = (OSError, http.client.HTTPException)
_WORDS = ("model", "upstream", "apis", "lacks", "name")
_HOW = "gateway:API@URL, for example gateway:openai-chat@http://127.0.0.1:4000?model={api}/{model}"

_LACKS: dict[Api, frozenset[Gap]] = {
    Api.OPENAI_CHAT: frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON}),
    Api.OPENAI_RESPONSES: frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON}),
    Api.ANTHROPIC_MESSAGES: frozenset({Gap.RAW_REASON}),
    Api.GEMINI: frozenset({Gap.STOP_SEQUENCE, Gap.RAW_REASON}),
}
"""What each shape has no place for, where the upstream is another one."""


class GatewayFailed(Exception):
    """Root of what a client of the gateway meets."""


class GatewayError(GatewayFailed):
    """The gateway answered with an error, or with what is no reply."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class GatewayBroke(GatewayFailed):
    """No answer came, or the connection broke off in the middle of one."""


class StopNotSupported(GatewayFailed):
    """The API that the gateway serves has no parameter for stop strings; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gateway is and how it is asked: what stands behind `gateway:`."""

    api: Api
    url: str
    model: str = "{model}"
    upstream: int = UPSTREAM_PORT
    apis: frozenset[Api] = frozenset(Api)
    lacks: frozenset[Gap] = frozenset()
    name: str = ""


class Gateway:
    """A client that reads nothing but what the gateway hands out.

    Attributes:
        upstream_port: where the replay server is to listen.
    """

    version: str | None = None

    def __init__(self, place: Place) -> None:
        self.name = place.name or f"gateway-{place.api}"
        self.apis = place.apis
        self.vocabulary = Vocabulary.of(place.api)
        self.lacks = place.lacks
        self.upstream_port = place.upstream
        self._place = place

    def complete(self, call: Call) -> Reply:
        with self._post(call, stream=False) as response:
            return Reply.from_wire(self._place.api, _object(response))

    def stream(self, call: Call) -> Iterator[Part]:
        reader = SseReader()
        with self._post(call, stream=True) as response:
            if response.getheader("content-type", "").startswith(("application/json", "text/html")):
                _object(response)  # raises where it is none
                raise GatewayError(response.status, "a whole body where a stream was asked")
            try:
                while piece := response.read1(_READ_AT_MOST):
                    for frame in reader.feed(piece):
                        if frame.data:
                            yield Chunk(self._place.api, _event(frame.data))
            except _BROKEN_PIPE as error:
                raise GatewayBroke(f"the stream broke off: {error!r}") from error

    @contextmanager
    def _post(self, call: Call, *, stream: bool) -> Iterator[http.client.HTTPResponse]:
        place = self._place
        if call.stop and not codec_for(place.api).STOP_PATHS:
            raise StopNotSupported(f"{place.api} has no stop parameter")
        model = place.model.replace("{api}", call.api).replace("{model}", call.model)
        asked = replace(call, api=place.api, model=model, api_key=os.environ.get(KEY, call.api_key))
        path, headers, body = request_for(asked, stream=stream)
        root = urlsplit(place.url)
        connect = http.client.HTTPSConnection if root.scheme == "https" else http.client.HTTPConnection
        with closing(connect(root.netloc, timeout=call.timeout)) as connection:
            try:
                headers = {"content-type": "application/json", **headers}
                connection.request("POST", root.path.rstrip("/") + path, json.dumps(body).encode(), headers)
                response = connection.getresponse()
            except _BROKEN_PIPE as error:
                raise GatewayBroke(f"no answer from {root.netloc}: {error!r}") from error
            with closing(response):
                if response.status >= HTTP_ERROR:
                    raise GatewayError(response.status, _read(response).decode("utf-8", "replace")[:1000])
                yield response


def build(spec: str) -> Gateway:
    """The factory behind `--adapter gateway:SPEC`.

    Raises:
        AdapterNotFound: the words behind `gateway:` are not of the form, or nobody listens there.
    """
    place = parse(spec)
    root = urlsplit(place.url)
    try:
        socket.create_connection((root.hostname or "", root.port or 80), timeout=5).close()
    except OSError as error:
        raise AdapterNotFound(f"nobody listens at {place.url}: {error}", "start the gateway first") from error
    return Gateway(place)


def parse(spec: str) -> Place:
    """The words behind `gateway:`.

    Raises:
        AdapterNotFound: they are not of the form; the message says which.
    """
    name, at, address = spec.partition("@")
    if not at or name not in list(Api):
        raise AdapterNotFound(f"gateway: {name!r} is no API that a gateway could serve", f"{_HOW}; {', '.join(Api)}")
    url, _, query = address.partition("?")
    root = urlsplit(url)
    if root.scheme not in {"http", "https"} or not root.hostname:
        raise AdapterNotFound(f"gateway: {url!r} is no http address", _HOW)
    said = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := [word for word in said if word not in _WORDS]:
        raise AdapterNotFound(f"gateway: no setting {unknown[0]!r}", f"settings are {', '.join(_WORDS)}")
    port = said.get("upstream", str(UPSTREAM_PORT))
    if not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise AdapterNotFound(f"gateway: upstream {port!r} is no port", "the port that the gateway calls, e.g. 8788")
    return Place(
        Api(name),
        url,
        model=said.get("model", "{model}"),
        upstream=int(port),
        apis=frozenset(_members(Api, "apis", said["apis"])) if "apis" in said else frozenset(Api),
        lacks=frozenset(_members(Gap, "lacks", said["lacks"])) if "lacks" in said else _LACKS[Api(name)],
        name=said.get("name", ""),
    )


def _members(kind: Any, word: str, text: str) -> Iterator[Any]:
    for name in filter(None, text.split(",")):
        if name not in list(kind):
            raise AdapterNotFound(f"gateway: {word} has no member {name!r}", f"members are {', '.join(kind)}")
        yield kind(name)


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read()
    except _BROKEN_PIPE as error:
        raise GatewayBroke(f"the body broke off: {error!r}") from error


def _object(response: http.client.HTTPResponse) -> dict[str, Any]:
    body = _read(response)
    try:
        payload = json.loads(body)
    except ValueError as error:
        raise GatewayError(response.status, f"a body that is not JSON: {body[:200]!r}") from error
    if not isinstance(payload, dict):
        raise GatewayError(response.status, f"a body that is no JSON object: {body[:200]!r}")
    return payload


def _event(data: str) -> dict[str, Any] | str:
    """The JSON of an event; the text of one that is none."""
    try:
        payload = json.loads(data)
    except ValueError:
        return data
    if not isinstance(payload, dict):
        raise BadWire(f"an event that is no JSON object: {data[:200]!r}")
    return payload

"""Reads a request as the suite logs it, and says whether it went to its API's address. No state, no socket, no play.

Two requests that a provider would route alike have the same address here: the Gemini API version
and model may differ, the query (`?beta=true`, `?alt=sse`) is nobody's concern.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from conformance.vocabulary import Api, Mode
from conformance.wire import codec_for

_GEMINI = re.compile(r"/v1(?:alpha|beta|beta1)?/models/[^/:]+:(?:generateContent|streamGenerateContent)")


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as the adapter sent it.

    Attributes:
        path: without the first segment that names the play.
        headers: names in lower case.
        json: the body where it is a JSON object.
        mode: how the reply was asked for, as the API's codec reads it.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    json: Mapping[str, Any] | None
    mode: Mode


def read_request(
    api: Api, method: str, path: str, query: str, *, headers: Iterable[tuple[str, str]], body: bytes
) -> Sent:
    """The request in the suite's own form. A body that is no JSON object is kept as bytes only."""
    payload = _object(body)
    streamed = codec_for(api).asks_stream(path, payload or {})
    return Sent(
        method=method,
        path=path,
        query=query,
        headers={name.lower(): value for name, value in headers},
        body=body,
        json=payload,
        mode=Mode.STREAMED if streamed else Mode.BUFFERED,
    )


def same_address(api: Api, sent: Sent, method: str, uri: str) -> bool:
    """Whether a request went where a cassette's request (`method`, `uri`) went. The mode is not compared."""
    return sent.method == method and _canonical(api, sent.path) == _canonical(api, path_of(uri))


def path_of(uri: str) -> str:
    """The path of an address."""
    return urlsplit(uri).path


def query_of(uri: str) -> str:
    """The query of an address, as it was written."""
    return urlsplit(uri).query


def origin_of(uri: str) -> str:
    """Scheme and host of an address, with the port where one is written that the scheme does not imply."""
    parts = urlsplit(uri)
    implied = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return f"{parts.scheme}://{parts.netloc.removesuffix(implied) if implied else parts.netloc}"


def _canonical(api: Api, path: str) -> str:
    path = unquote(path)
    # The method name says the mode, which is compared apart; so both spellings are one address.
    return "generateContent" if api is Api.GEMINI and _GEMINI.fullmatch(path) else path


def _object(body: bytes) -> Mapping[str, Any] | None:
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None

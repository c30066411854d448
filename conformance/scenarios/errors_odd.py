"""Answers that are no answer: an HTML page, nothing, an error under HTTP 200 (section E). Envelopes: `errors_http`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.scenarios.common import ALL, CHAT, GEMINI, RESPONSES, bug, doc
from conformance.scenarios.model import BUFFERED, STREAMED, Ask, Scenario, Wire
from conformance.scenarios.premises import Bytes, Empty, HasKey, Status
from conformance.vocabulary import Api, Standing

_ASK = Ask("Describe the path.", max_tokens=200)
_HTML = {"content-type": "text/html; charset=UTF-8"}
_BAD_GATEWAY = (
    "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n"
    "<center><h1>502 Bad Gateway</h1></center>\n<hr><center>cloudflare</center>\n</body>\n</html>\n"
)
_SIGN_IN = "<!DOCTYPE html>\n<html>\n<head><title>Sign in to the network</title></head>\n<body></body>\n</html>\n"


def _html_error(api: Api) -> Scenario:
    observed = api in (CHAT, RESPONSES)
    return Scenario(
        api,
        "error-not-json-html",
        "HTTP 502 with an HTML page of a proxy.",
        "an error that keeps the status",
        _ASK,
        Wire(status=502, body=_BAD_GATEWAY, headers=_HTML),
        (Status(502), Bytes(b"<html>")),
        (
            bug("yoheinakajima/babyagi#64: api.openai.com behind Cloudflare")
            if observed
            else doc("RFC 9110 section 15.6: any 5xx is an error, whatever its body"),
        ),
        standing=Standing.OBSERVED if observed else Standing.PERMITTED,
    )


def _empty(api: Api) -> Scenario:
    return Scenario(
        api,
        "error-not-json-empty",
        "HTTP 200 with an empty body.",
        "an error",
        _ASK,
        Wire(body=""),
        (Status(200), Empty()),
        (doc("RFC 9110 section 8.6: a body of no bytes is a body"),),
        standing=Standing.PERMITTED,
    )


def _html_reply(api: Api) -> Scenario:
    return Scenario(
        api,
        "error-not-json-200-html",
        "HTTP 200 with an HTML page: a captive portal, or a proxy's sign-in.",
        "an error",
        _ASK,
        Wire(body=_SIGN_IN, headers=_HTML),
        (Status(200), Bytes(b"<html>")),
        (doc("RFC 6585 section 6 and appendix B: network portals intercept requests"),),
        standing=Standing.PERMITTED,
    )


def _error_reply(api: Api, suffix: str = "", *, observed: bool = False, **more: Any) -> Scenario:
    error: dict[str, Any] = {"error": {"message": "Provider returned error", "code": 502}}
    if api is GEMINI:
        error = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    elif api not in (CHAT, RESPONSES):
        error = {"type": "error", "error": {"type": "api_error", "message": "Internal server error"}}
    return Scenario(
        api,
        f"error-not-json-200-object{suffix}",
        "HTTP 200 with an error object in place of the reply.",
        "an error; never complete",
        _ASK,
        Wire(body=error),
        (Status(200), HasKey("error.message")),
        (
            doc("openrouter.ai/docs errors: an error while a provider generates comes under HTTP 200")
            if observed
            else doc("the vendor's envelope under a status that a proxy changed"),
        ),
        standing=Standing.OBSERVED if observed else Standing.PERMITTED,
        **more,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield _html_error(api)
        yield _empty(api)
        yield _html_reply(api)
        if api is CHAT:
            # What OpenRouter documents for whole replies; to a stream it sends the error as a chunk.
            yield _error_reply(api, observed=True, modes=BUFFERED)
            yield _error_reply(api, "-for-stream", modes=STREAMED)
        else:
            yield _error_reply(api)

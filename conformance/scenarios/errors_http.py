"""HTTP errors by status, each vendor's envelope; retries and redirects (section E). What is no JSON: `errors_odd`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from conformance.scenarios.common import ALL, ANTHROPIC, CHAT, GEMINI, NATURAL, RESPONSES, bug, doc, draft, rec, text
from conformance.scenarios.model import Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Earlier, HasKey, Reason, Status, TextIs
from conformance.vocabulary import Api, Standing
from conformance.wire.draft import mint

_ASK = Ask("Describe the path.", max_tokens=200)
_PIECES = ("The path follows ", "the ridge ", "to the old mill.")
_NO_RETRY, _RETRY = {"x-should-retry": "false"}, {"x-should-retry": "true"}
_SOON = {"retry-after": "1"}


class _Error(NamedTuple):
    """One error of a vendor: its status, the inner part of the envelope, and what stands beside it."""

    status: int
    inner: Mapping[str, Any]
    evidence: Evidence
    standing: Standing = Standing.PROMISED
    headers: Mapping[str, str] = {}


def _openai(message: str, kind: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    return {"message": message, "type": kind, "param": param, "code": code}


_SDK = doc("openai==3.57.0 _client.py maps the status; openai/openai-openapi@f85dbe2 ErrorResponse")
_OPENAI_RECORDED = rec("errors of api.openai.com in the public recordings: the envelope")
_INVALID = "invalid_request_error"
_OPENAI = (
    _Error(
        400,
        _openai(
            "This model's maximum context length is 1047576 tokens. However, your messages resulted in 1200031 tokens.",
            _INVALID,
            "context_length_exceeded",
            "messages",
        ),
        _OPENAI_RECORDED,
        Standing.OBSERVED,
    ),
    _Error(
        401,
        _openai("Incorrect API key provided: conforma*******-key.", _INVALID, "invalid_api_key"),
        _OPENAI_RECORDED,
        Standing.OBSERVED,
    ),
    _Error(
        403,
        _openai(
            "Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"
        ),
        _SDK,
    ),
    _Error(
        404,
        _openai(
            "The model `gpt-4.1-mini` does not exist or you do not have access to it.", _INVALID, "model_not_found"
        ),
        _OPENAI_RECORDED,
        Standing.OBSERVED,
    ),
    _Error(
        429,
        _openai("Rate limit reached for gpt-4.1-mini on tokens per min (TPM).", "tokens", "rate_limit_exceeded"),
        doc("openai/openai-openapi@f85dbe2: 429 on every endpoint; retry-after is read by the SDK"),
        headers=_SOON,
    ),
    _Error(
        500,
        _openai("The server had an error while processing your request. Sorry about that!", "server_error"),
        _SDK,
    ),
    _Error(
        503,
        _openai("The engine is currently overloaded, please try again later", "server_error"),
        _SDK,
    ),
)

_ANTHROPIC_DOC = doc("platform.claude.com/docs/en/api/errors")
_ANTHROPIC = (
    _Error(
        400,
        {"type": _INVALID, "message": "prompt is too long: 208310 tokens > 200000 maximum"},
        rec("20 recordings with x-should-retry false"),
        Standing.OBSERVED,
        _NO_RETRY,
    ),
    _Error(
        401,
        {"type": "authentication_error", "message": "invalid x-api-key"},
        rec("9 recordings with x-should-retry false"),
        Standing.OBSERVED,
        _NO_RETRY,
    ),
    _Error(
        403,
        {"type": "permission_error", "message": "Your API key does not have permission to use this resource."},
        _ANTHROPIC_DOC,
    ),
    _Error(
        404,
        {"type": "not_found_error", "message": "model: claude-sonnet-4-5"},
        rec("6 recordings with x-should-retry false"),
        Standing.OBSERVED,
        _NO_RETRY,
    ),
    _Error(
        413,
        {"type": "request_too_large", "message": "Request exceeds the maximum size"},
        _ANTHROPIC_DOC,
    ),
    _Error(
        429,
        {"type": "rate_limit_error", "message": "This request would exceed your organization's rate limit."},
        rec("4 recordings with x-should-retry true"),
        Standing.OBSERVED,
        {**_RETRY, **_SOON},
    ),
    _Error(500, {"type": "api_error", "message": "Internal server error"}, _ANTHROPIC_DOC),
    _Error(529, {"type": "overloaded_error", "message": "Overloaded"}, _ANTHROPIC_DOC),
)


def _google(
    status: int, name: str, message: str, evidence: Evidence, standing: Standing = Standing.PROMISED, **details: str
) -> _Error:
    inner: dict[str, Any] = {"code": status, "message": message, "status": name}
    if details:
        inner["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", **details}]
    return _Error(status, inner, evidence, standing)


_GEMINI_DOC = doc("ai.google.dev/gemini-api/docs/generate-content/api-errors and /troubleshooting")
_GEMINI_RECORDED = rec("errors 400, 404 and 429 in the public recordings: the envelope")
_GEMINI = (
    _google(
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
        _GEMINI_RECORDED,
        Standing.OBSERVED,
        reason="API_KEY_INVALID",
        domain="googleapis.com",
    ),
    _google(403, "PERMISSION_DENIED", "The caller does not have permission", _GEMINI_DOC),
    _google(
        404,
        "NOT_FOUND",
        "models/gemini-2.5-flash is not found for API version v1beta.",
        _GEMINI_RECORDED,
        Standing.OBSERVED,
    ),
    _google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", _GEMINI_RECORDED, Standing.OBSERVED),
    _google(500, "INTERNAL", "An internal error has occurred.", _GEMINI_DOC),
    _google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", _GEMINI_DOC),
)

_ERRORS: Mapping[Api, tuple[_Error, ...]] = {
    CHAT: _OPENAI,
    RESPONSES: _OPENAI,
    ANTHROPIC: _ANTHROPIC,
    GEMINI: _GEMINI,
}


def _answer(api: Api, error: _Error, slug: str) -> Wire:
    body: dict[str, Any] = {"error": dict(error.inner)}
    if api is ANTHROPIC:
        body = {"type": "error", **body, "request_id": mint("req_011C", f"{api}/{slug}", 20)}
    elif api is RESPONSES and error.inner.get("param") == "messages":
        body["error"]["param"] = "input"
    return Wire(status=error.status, body=body, headers=error.headers)


def _http(api: Api, error: _Error) -> Scenario:
    slug = f"error-http-{error.status}"
    return Scenario(
        api,
        slug,
        f"HTTP {error.status} with the vendor's envelope.",
        "an error that keeps status and message",
        _ASK,
        _answer(api, error, slug),
        (Status(error.status), HasKey("error.message")),
        (error.evidence,),
        standing=error.standing,
    )


def _retried(api: Api, status: int) -> Scenario:
    slug = f"retry-hidden-{status}"
    error = next(each for each in _ERRORS[api] if each.status == status)
    return Scenario(
        api,
        slug,
        f"The first request is answered {status}, the next with a reply.",
        "one reply, and the number of requests is reported; or the error",
        _ASK,
        Wire(draft(api, slug, NATURAL[api], text(*_PIECES)), before=(_answer(api, error, slug),)),
        (Earlier((status,)), Reason(NATURAL[api]), TextIs("".join(_PIECES))),
        (doc("openai==3.57.0 and anthropic==2.14.0: two retries by default"), error.evidence),
        standing=error.standing,
    )


_MOVED = "<html><head><title>307 Temporary Redirect</title></head><body></body></html>\n"


def _redirect(api: Api) -> Scenario:
    return Scenario(
        api,
        "redirect-out",
        "HTTP 307 sends the client to another host.",
        "not followed, or without the key",
        _ASK,
        Wire(
            status=307,
            body=_MOVED,
            headers={"content-type": "text/html", "location": "https://other-host.invalid/"},
        ),
        (Status(307),),
        (
            doc("RFC 9110 section 15.4: authorization and like fields are for the first host"),
            bug("openai/openai-python#3516, NVIDIA-NeMo/Switchyard#543, alpha-omega-security/scrutineer#670"),
        ),
        # No vendor is known to do so; a proxy between may.
        standing=Standing.PERMITTED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        for error in _ERRORS[api]:
            yield _http(api, error)
        yield _retried(api, 429)
        yield _retried(api, 500)
        yield _redirect(api)

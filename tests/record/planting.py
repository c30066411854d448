"""Secrets of every vendor's form, fresh by the thousand, and the places of an exchange to plant them in. No tests."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"

Make = Callable[[random.Random], tuple[str, str]]
"""A secret, and the piece of it that tells: what must not survive."""


def _of(prefix: str, alphabet: str, length: int) -> Make:
    def make(rng: random.Random) -> tuple[str, str]:
        tail = "".join(rng.choices(alphabet, k=length))
        return prefix + tail, tail

    return make


def _whole(prefix: str, alphabet: str, length: int) -> Make:
    def make(rng: random.Random) -> tuple[str, str]:
        text = prefix + "".join(rng.choices(alphabet, k=length))
        return text, text

    return make


def _uuid(rng: random.Random) -> str:
    return "-".join("".join(rng.choices(HEX, k=size)) for size in (8, 4, 4, 4, 12))


def _address(rng: random.Random) -> tuple[str, str]:
    text = ".".join(str(rng.randint(11, 99) if place else 51) for place in range(4))
    return text, text


def _address_6(rng: random.Random) -> tuple[str, str]:
    text = ":".join(["2a02", *("".join(rng.choices(HEX[1:], k=4)) for _ in range(7))])
    return text, text


def _masked(rng: random.Random) -> tuple[str, str]:
    tail = "".join(rng.choices(ALNUM, k=8))
    return f"sk-{tail}****************{tail[:4]}", tail


def _token(rng: random.Random) -> tuple[str, str]:
    parts = ["eyJ" + "".join(rng.choices(ALNUM, k=20)) for _ in range(2)] + ["".join(rng.choices(ALNUM, k=40))]
    return ".".join(parts), parts[1]


def _private(rng: random.Random) -> tuple[str, str]:
    lines = ["".join(rng.choices(ALNUM + "+/", k=64)) for _ in range(3)]
    return f"-----BEGIN {'PRIVATE'} KEY-----\n" + "\n".join(lines), lines[1]


def _account(rng: random.Random) -> tuple[str, str]:
    text = _uuid(rng)
    return f"organization {text}", text


def _project(rng: random.Random) -> tuple[str, str]:
    text = str(rng.randint(10**10, 10**11))
    return f"projects/{text}", text


# Each prefix is put together from pieces, so that no file of ours holds what looks like a key.
FORMED: Mapping[str, Make] = {
    "openai": _of("sk-" + "proj-", ALNUM + "_-", 48),
    "openai old": _of("sk" + "-", ALNUM, 48),
    "openai service": _of("sk-" + "svcacct-", ALNUM, 60),
    "openai admin": _of("sk-" + "admin-", ALNUM, 60),
    "openai session": _of("sess" + "-", ALNUM, 40),
    "anthropic": _of("sk-" + "ant-api03-", ALNUM + "_-", 93),
    "anthropic admin": _of("sk-" + "ant-admin01-", ALNUM, 80),
    "google": _of("AI" + "zaSy", ALNUM + "_-", 33),
    "google new": _of("A" + "Q.", ALNUM, 50),
    "google oauth": _of("ya" + "29.", ALNUM, 60),
    "google client": _of("GOC" + "SPX-", ALNUM, 28),
    "openrouter": _of("sk-" + "or-v1-", HEX, 64),
    "xai": _of("xa" + "i-", ALNUM, 80),
    "groq": _of("gs" + "k_", ALNUM, 52),
    "hugging face": _of("h" + "f_", ALNUM, 34),
    "perplexity": _of("ppl" + "x-", ALNUM, 48),
    "replicate": _of("r" + "8_", ALNUM, 37),
    "aws": _of("AK" + "IA", string.ascii_uppercase + string.digits, 16),
    "github": _of("gh" + "p_", ALNUM, 36),
    "bearer": _of("Bearer" + " ", ALNUM, 40),
    "key in an address": _of("https://example.com/v1?key" + "=", ALNUM, 39),
    "cookie": _of("__cf" + "_bm=", ALNUM, 43),
    "organisation": _of("org" + "-", ALNUM, 24),
    "project": _of("proj" + "_", ALNUM, 24),
    "user": _of("user" + "-", ALNUM, 24),
    "service account": lambda rng: (
        (tail := "".join(rng.choices(HEX, k=12))) + "@tides.iam.gservice" + "account.com",
        tail,
    ),
    "account id": _account,
    "google project": _project,
    "address": _address,
    "address 6": _address_6,
    "masked key": _masked,
    "token": _token,
    "private key": _private,
}
"""What can be told by its form, wherever it stands."""

HEADERS: Mapping[str, Make] = {
    "openai-organization": lambda rng: ((name := "guild-" + "".join(rng.choices(HEX, k=10))), name),
    "openai-project": _of("", ALNUM, 20),
    "anthropic-organization-id": lambda rng: ((name := _uuid(rng)), name),
    "anthropic-workspace-id": _of("", ALNUM, 20),
    "x-goog-user-project": _of("", string.digits, 12),
    "x-request-id": _whole("req_", HEX, 32),
    "request-id": _whole("req_011C", ALNUM, 20),
    "set-cookie": lambda rng: (f"sid={(tail := ''.join(rng.choices(ALNUM, k=30)))}; Path=/; Secure", tail),
    "cf-ray": lambda rng: (f"{(ray := ''.join(rng.choices(HEX, k=16)))}-LIS", ray),
    "x-forwarded-for": _address,
    "x-client-id": _of("", ALNUM, 18),
    "x-cloud-trace-context": _of("", HEX, 32),
}
"""What stands in a header, may be met again in the body, and has no form of its own."""

KEYED: Mapping[str, Make] = {
    "request_id": _of("req_011C", ALNUM, 20),
    "organization_id": _of("", ALNUM, 16),
    "project_id": _of("", ALNUM, 16),
    "account": _of("", ALNUM, 16),
    "user": _of("", ALNUM, 16),
    "api_key": _of("", ALNUM, 40),
    "client_ip": _address,
    "consumer": _project,
}
"""What is told by the key that it stands under."""

CODED: Mapping[str, Callable[[str], str]] = {
    "as it is": lambda key: key,
    "percent-encoded": lambda key: quote(key, safe="").replace("-", "%2D").replace("_", "%5F"),
    "percent-encoded twice": lambda key: quote("".join(f"%{ord(char):02x}" for char in key)),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 behind a user": lambda key: base64.b64encode(f"me:{key}".encode()).decode(),
    "base64 url": lambda key: base64.urlsafe_b64encode(f"x{key}y".encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex().upper(),
    "escaped": lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
    "HTML": lambda key: "".join(f"&#{ord(char)};" for char in key),
    "a piece": lambda key: key[3:23],
}
"""The ways in which a server could send our own key back."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a body something is planted: `stream` and `whole` are bodies with `%s` in the place."""

    name: str
    whole: str
    stream: str
    raw: bool = False
    """Planted as it is, and not as a JSON string's inside."""


_DELTA = '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}'
_EVENT = f"event: message_delta\ndata: {_DELTA}\n\n"
_TEXT = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"see %s there"}}'
_ERROR = '{"type":"error","error":{"type":"api_error","message":"not for %s, sorry"}}'


def _whole_with(member: str) -> str:
    return f'{{"type":"message","content":[],"stop_reason":"end_turn",{member}}}'


def _seen(member: str) -> str:
    return f'data: {{"type":"seen",{member}}}\n\n{_EVENT}'


PLACES = (
    Place("text", _whole_with('"content":[{"type":"text","text":"see %s there"}]'), f"data: {_TEXT}\n\n{_EVENT}"),
    Place("a new key", _whole_with('"seen":{"by":["%s"]}'), _seen('"by":"%s"')),
    Place("a key's name", _whole_with('"(%s)":1'), _seen('"(%s)":1')),
    Place("an error", _ERROR, f"event: error\ndata: {_ERROR}\n\n"),
    Place("JSON in JSON", _whole_with('"seen":"{\\"a\\": \\"%s\\"}"'), _seen('"by":"{\\"a\\": \\"%s\\"}"')),
    Place("outside", "<html><body>Your visit: %s</body></html>", f": seen %s\n\n{_EVENT}", raw=True),
)


def inside(place: Place, secret: str) -> str:
    """A secret as it is written in a place."""
    if place.raw:
        return secret.replace("\n", " ")
    text = json.dumps(secret)[1:-1]
    return json.dumps(text)[1:-1] if place.name == "JSON in JSON" else text

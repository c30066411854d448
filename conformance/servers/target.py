"""What `--server API@URL` names: addresses and headers of one API of one server. Sends nothing."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from conformance.errors import BadOption
from conformance.vocabulary import Api

_FORM = "api@url, such as openai-chat@http://127.0.0.1:8080/v1"
_VERSION = re.compile(r"/v\d+[a-z0-9]*$")
_KEY_HEADERS: Mapping[Api, tuple[str, str]] = {
    Api.OPENAI_CHAT: ("authorization", "Bearer {}"),
    Api.OPENAI_RESPONSES: ("authorization", "Bearer {}"),
    Api.ANTHROPIC_MESSAGES: ("x-api-key", "{}"),
    Api.GEMINI: ("x-goog-api-key", "{}"),
}


@dataclass(frozen=True, slots=True)
class Target:
    """One API of one server.

    Attributes:
        api: what it is to speak.
        url: as given.
        model: the model to ask for.
        key_name: environment variable of the key, or None. The key itself is never shown.
        key: its value.
    """

    api: Api
    url: str
    model: str
    key_name: str | None = None
    key: str | None = field(default=None, repr=False)

    @property
    def host(self) -> tuple[str, int]:
        """Where to connect."""
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or (443 if self.secure else 80)

    @property
    def secure(self) -> bool:
        """Whether the address asks for TLS."""
        return urlsplit(self.url).scheme == "https"

    def path(self, usual: str) -> str:
        """A path of the API below this address; an address that ends in a version (`/v1`) keeps its own."""
        base = urlsplit(self.url).path.rstrip("/")
        if _VERSION.search(base):
            return base + re.sub(r"^/v\d+[a-z0-9]*", "", usual)
        return base + usual

    def headers(self, key: str | None = None) -> dict[str, str]:
        """The headers of a request; `key` in the place of the run's own."""
        out = {"content-type": "application/json"}
        if self.api is Api.ANTHROPIC_MESSAGES:
            out["anthropic-version"] = "2023-06-01"
        key = key or self.key
        if key is not None:
            name, form = _KEY_HEADERS[self.api]
            out[name] = form.format(key)
        return out

    def curl(self, path: str, body: Mapping[str, Any] | bytes, *, key: str | None = None) -> str:
        """The command line that sends a request; the key by the name of its variable."""
        lines = []
        for name, value in self.headers(key).items():
            shown = value.replace(self.key, f"${self.key_name}") if self.key and not key else value
            quoted = f'"{name}: {shown}"' if shown != value else shlex.quote(f"{name}: {value}")
            lines.append(f"-H {quoted}")
        data = body.decode("utf-8", "replace") if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False)
        parts = urlsplit(self.url)
        address = shlex.quote(f"{parts.scheme}://{parts.netloc}{path}")
        return f"curl -sN {address} {' '.join(lines)} -d {shlex.quote(data)}"


def parse(text: str, model: str, key_name: str | None = None) -> Target:
    """Read what `--server` was given.

    Raises:
        BadOption: it is not of the form, or the key's variable is not set.
    """
    name, separator, url = text.partition("@")
    if not separator or name not in list(Api):
        raise BadOption(f"--server: {text!r} names no API", f"{_FORM}; APIs are {', '.join(Api)}")
    parts = urlsplit(url)
    try:
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:  # a port that is no number
        good = False
    if not good or parts.query or parts.fragment:
        raise BadOption(f"--server: {url!r} is no base URL", _FORM)
    if parts.username or parts.password:
        raise BadOption("--server: the URL holds a user or a password", "name a variable: --api-key-env NAME")
    key = None
    if key_name is not None:
        key = os.environ.get(key_name)
        if not key:
            raise BadOption(f"--api-key-env: {key_name} is not set", "export it, or leave the option out")
    return Target(Api(name), url, model, key_name, key)

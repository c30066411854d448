"""Makes tiny archives, cassettes and exchanges for these tests. No test here, nothing recorded."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from conformance.vocabulary import Api
from tools.published.cassettes import Recorded
from tools.published.classify import classify, mode_of
from tools.published.pins import Pin
from tools.published.recordings import Exchange

TOP = "tiny-1.0"
PKG_INFO = b"Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
PYPROJECT = b'[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'


def tarball(files: Mapping[str, bytes], *others: tarfile.TarInfo) -> bytes:
    """A `.tar.gz` of files below one top folder, then any other members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name if name.startswith(("/", "..")) else f"{TOP}/{name}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in others:
            tar.addfile(info)
    return out.getvalue()


def sdist(files: Mapping[str, bytes]) -> bytes:
    """A source distribution that pip takes."""
    return tarball({"PKG-INFO": PKG_INFO, "pyproject.toml": PYPROJECT, **files})


def pin_of(data: bytes, name: str = "tiny") -> Pin:
    """The pin of these bytes."""
    return Pin(name, "1.0", hashlib.sha256(data).hexdigest())


def put(folder: Path, data: bytes) -> Path:
    """A file of the name that the pin has."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / pin_of(data).filename
    path.write_bytes(data)
    return path


def interaction(stored: Any, *, headers: Mapping[str, str] | None = None, key: str = "string", **request: Any) -> Any:
    """One exchange of vcrpy's form; `key` is where the body lies."""
    asked = {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "body": "{}", **request}
    answer: dict[str, Any] = {
        "status": {"code": 200, "message": "OK"},
        "headers": {name: [value] for name, value in (headers or {}).items()},
    }
    answer |= {"parsed_body": stored} if key == "parsed_body" else {"body": {key: stored}}
    return {"request": asked, "response": answer}


def cassette(*interactions: Any, comment: str = "") -> bytes:
    """A cassette of these exchanges."""
    return comment.encode() + yaml.safe_dump({"interactions": list(interactions), "version": 1}).encode()


def sse(*payloads: Any, line_end: str = "\n", done: bool = False) -> bytes:
    """A stream of data frames."""
    frames = [*(json.dumps(payload) for payload in payloads), *(["[DONE]"] if done else [])]
    return "".join(f"data: {frame}{line_end * 2}" for frame in frames).encode()


def packed(data: bytes) -> bytes:
    """Gzip, the same bytes each time."""
    return gzip.compress(data, mtime=0)


def recorded(body: Any, **fields: Any) -> Recorded:
    """An exchange with the Chat API of the vendor itself, where nothing else is said."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {name: (value,) for name, value in fields.pop("headers", {}).items()}
    values: dict[str, Any] = {
        "package": "tiny==1.0",
        "file": "a.yaml",
        "index": 0,
        "method": "POST",
        "host": "api.openai.com",
        "path": "/v1/chat/completions",
        "query": "",
        "request": {},
        "status": 200,
        "stored": len(data),
        "streamed": data.startswith(b"data:"),
    }
    return Recorded(headers=headers, body=data, **{**values, **fields})


PLACES = {
    Api.OPENAI_CHAT: ("api.openai.com", "/v1/chat/completions"),
    Api.OPENAI_RESPONSES: ("api.openai.com", "/v1/responses"),
    Api.ANTHROPIC_MESSAGES: ("api.anthropic.com", "/v1/messages"),
    Api.GEMINI: ("generativelanguage.googleapis.com", "/v1beta/models/m:generateContent"),
}


def exchange(api: Api, body: Any, **fields: Any) -> Exchange:
    """A believable exchange with an API."""
    host, path = PLACES[api]
    one = recorded(body, **{"host": host, "path": path, **fields})
    kind = classify(one)
    assert kind is not None
    return Exchange(kind, mode_of(one), one, verified=True)


def completion(text: str = "Hello", reason: str = "stop", **message: Any) -> dict[str, Any]:
    """A whole Chat reply."""
    return {
        "id": "chatcmpl-" + "A" * 29,
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": reason}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }


def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    """A Chat chunk."""
    return {
        "id": "chatcmpl-" + "A" * 29,
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }

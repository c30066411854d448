"""Writes cassettes in vcrpy's YAML so that a person can read them in a diff: one frame a line. Reads nothing.

Text goes into a literal block where YAML can hold it verbatim. What it cannot (CR, control
characters, U+0085, U+2028, U+2029) goes into a double-quoted scalar that is broken after each line end.
"""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path

import yaml

from conformance.corpus import Exchange

_VERBATIM = re.compile(r"[\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_ESCAPED = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\"\\]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def dump(exchanges: Iterable[Exchange]) -> str:
    """The YAML text of a cassette. Loading it with a safe loader gives the same exchanges."""
    lines = ["interactions:"]
    for exchange in exchanges:
        lines += [
            "- request:",
            f"    method: {exchange.method}",
            f"    uri: {exchange.uri}",
            "    headers:",
            "      content-type:",
            "      - application/json",
            f"    body: {_scalar(json.dumps(exchange.request, ensure_ascii=False, indent=2), 6)}",
            "  response:",
            "    status:",
            f"      code: {exchange.status}",
            f"      message: {_reason(exchange.status)}",
            "    headers:",
        ]
        for name, value in exchange.headers.items():
            lines += [f"      {name}:", f"      - {_flow(value)}"]
        lines += ["    body:", f"      string: {_body(exchange.body, 8)}"]
    lines.append("version: 1")
    return "\n".join(lines) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: beside it first, then renamed over it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Overloaded" if status == 529 else "Unknown"  # 529 is Anthropic's own


def _flow(value: str) -> str:
    """A short value on one line, quoted where YAML would read it as something else than text."""
    return yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10_000).split("\n")[0]


def _body(body: bytes, indent: int) -> str:
    try:
        return _scalar(body.decode(), indent)
    except UnicodeDecodeError:
        return f'!!binary "{base64.b64encode(body).decode()}"'


def _scalar(text: str, indent: int) -> str:
    if not text or text[0] in " \n" or not _VERBATIM.fullmatch(text):
        return _quoted(text, indent)
    chomp = "-" if not text.endswith("\n") else "+"
    pad = " " * indent
    lines = text.removesuffix("\n").split("\n")
    return f"|{chomp}\n" + "\n".join(pad + line if line else "" for line in lines)


def _quoted(text: str, indent: int) -> str:
    pieces = re.findall(r"[^\n]*\n|[^\n]+", text)
    lines = [_ESCAPED.sub(lambda match: _escape(match[0]), piece) for piece in pieces]
    # White space at the start of a continued line would be folded away.
    lines = [lines[0], *("\\" + line if line.startswith(" ") else line for line in lines[1:])] if lines else [""]
    return '"' + f"\\\n{' ' * indent}".join(lines) + '"'


def _escape(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

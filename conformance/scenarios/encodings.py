"""The same reply in other bytes: line ends, framing, content codings (section D). Where bytes are cut: Chunking."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from conformance.scenarios.common import ALL, CHAT, GEMINI, NATURAL, RESPONSES, bug, doc, draft, text
from conformance.scenarios.model import BUFFERED, STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Bytes, NoBytes, Premise, Reason, TextIs
from conformance.vocabulary import Api, Framing, Packing, Standing
from conformance.wire.sse import SseReader

_ASK = Ask("When is low tide?", max_tokens=200)
_PIECES = ("Low tide ", "is at noon, ", "high tide at six.")
_SEPARATORS = ("One line\u2028", "and a paragraph\u2029", "and a next line\u0085 to end.")

_STANDARD = doc("https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream")


def _stream(
    api: Api,
    slug: str,
    claim: str,
    tolerates: str,
    raw: Callable[[bytes], bytes],
    *premise: Premise,
    evidence: Evidence = _STANDARD,
    standing: Standing = Standing.PERMITTED,
    pieces: tuple[str, ...] = _PIECES,
) -> Scenario:
    return Scenario(
        api,
        slug,
        claim,
        "unchanged",
        _ASK,
        Wire(draft(api, slug, NATURAL[api], text(*pieces)), raw=raw),
        (Reason(NATURAL[api]), TextIs("".join(pieces)), *premise),
        (evidence,),
        modes=STREAMED,
        standing=standing,
        tolerates=tolerates,
    )


def _line_ends(new: bytes) -> Callable[[bytes], bytes]:
    return lambda body: body.replace(b"\r\n", b"\n").replace(b"\n", new)


def _indented(body: bytes) -> bytes:
    """Each document over many lines, every one a `data:` line of its own; the standard joins them by LF."""
    line_end = b"\r\n" if b"\r\n" in body else b"\n"
    out: list[bytes] = []
    for frame in SseReader().feed(body):
        if frame.data is None or not frame.data.startswith("{"):
            out.append(frame.raw)
            continue
        document = json.dumps(json.loads(frame.data), ensure_ascii=False, indent=1)
        lines = [*([f"event: {frame.event}"] if frame.event else []), *(f"data: {ln}" for ln in document.split("\n"))]
        out.append(b"".join(line.encode() + line_end for line in lines) + line_end)
    return b"".join(out)


def _streams(api: Api) -> Iterator[Scenario]:
    if api is GEMINI:
        yield _stream(api, "sse-lf", "Line ends are LF.", "LF line ends", _line_ends(b"\n"), NoBytes(b"\r"))
    else:
        seen = api is CHAT
        yield _stream(
            api,
            "sse-crlf",
            "Line ends are CRLF.",
            "CRLF line ends",
            _line_ends(b"\r\n"),
            Bytes(b"\r\n\r\n"),
            evidence=bug("family sse-framing: miruamel/xuan#194, an OpenAI-compatible host") if seen else _STANDARD,
            standing=Standing.OBSERVED if seen else Standing.PERMITTED,
        )
    yield _stream(api, "sse-cr", "Line ends are CR.", "CR line ends", _line_ends(b"\r"), Bytes(b"\r\r"), NoBytes(b"\n"))
    yield _stream(
        api,
        "sse-bom",
        "The stream starts with a byte order mark.",
        "a byte order mark",
        lambda body: b"\xef\xbb\xbf" + body,
        Bytes(b"\xef\xbb\xbf"),
    )
    yield _stream(
        api,
        "sse-no-space",
        "No space stands after `data:` and `event:`.",
        "`data:` without the space",
        lambda body: body.replace(b"data: ", b"data:").replace(b"event: ", b"event:"),
        NoBytes(b"data: "),
    )
    yield _stream(
        api,
        "sse-multi-line",
        "The JSON of each frame stands on several data lines.",
        "several data lines in a frame",
        _indented,
        Bytes(b'data:  "'),
    )
    yield _separators(api)


def _separators(api: Api) -> Scenario:
    # A model's text, sent as it is like every other letter: JSON needs no escape for these.
    seen = {CHAT: "langgenius/dify#39008", RESPONSES: "Soju06/codex-lb#1010"}
    source = bug(f"family sse-framing: {seen[api]}") if api in seen else doc("RFC 8259 section 7: only C0 is escaped")
    return _stream(
        api,
        "sse-separators",
        "The text has U+2028, U+2029 and U+0085, sent unescaped inside JSON strings: they end no line.",
        "line separators of Unicode inside a string",
        lambda body: body,
        Bytes("\u2028".encode()),
        Bytes("\u0085".encode()),
        evidence=source,
        standing=Standing.OBSERVED if api in seen else Standing.PERMITTED,
        pieces=_SEPARATORS,
    )


def _delivered(api: Api, slug: str, claim: str, tolerates: str, source: str, **more: Any) -> Scenario:
    return Scenario(
        api,
        slug,
        claim,
        "unchanged",
        _ASK,
        Wire(draft(api, slug, NATURAL[api], text(*_PIECES))),
        (Reason(NATURAL[api]), TextIs("".join(_PIECES))),
        (doc(source),),
        standing=Standing.PERMITTED,
        tolerates=tolerates,
        **more,
    )


def _deliveries(api: Api) -> Iterator[Scenario]:
    for packing in Packing:
        yield _delivered(
            api,
            f"packed-{packing}",
            f"The body is packed with {packing}, which the client's accept-encoding offers.",
            f"a body packed with {packing}",
            "RFC 9110 section 8.4.1",
            packing=packing,
        )
    yield _delivered(
        api,
        "framed-chunked",
        "A whole reply comes in HTTP chunks, without content-length.",
        "a whole reply in chunks",
        "RFC 9112 section 7.1",
        modes=BUFFERED,
        framing=Framing.CHUNKED,
    )
    yield _delivered(
        api,
        "framed-until-close",
        "The body has neither content-length nor chunks: it lasts until the connection closes.",
        "a body that lasts until the connection closes",
        "RFC 9112 section 6.3, rule 8",
        framing=Framing.CLOSE,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for api in ALL:
        yield from _streams(api)
        yield from _deliveries(api)

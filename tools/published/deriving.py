"""Cassettes that follow a recorded exchange: made, written, held against it again. Which ones: `derivations`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.corpus import Exchange as OurExchange
from conformance.corpus import Origin, cassette_path, manifest, root
from conformance.vocabulary import Mode, Provenance
from conformance.wire import Reading
from tools.author.build import call_of
from tools.author.build import exchanges as documented
from tools.cassette_file import dump, write_whole
from tools.published import cassettes, evidence
from tools.published.cassettes import Recorded
from tools.published.derivations import Derivation
from tools.published.derive import Ours, derive
from tools.published.errors import Underivable
from tools.published.recordings import Exchange
from tools.published.structure import difference, structure, survivors

_SHORT = 6
"""Header values below this length may coincide."""


def derived(row: Derivation, exchange: Exchange) -> OurExchange:
    """The cell's exchange: our request, the recorded status and content type, a body of our own.

    Raises:
        Underivable: something in the recorded body is not understood.
    """
    recorded = exchange.recorded
    own = documented(row.scenario, row.mode)[-1]
    body = derive(row.scenario.api, recorded.body, streamed=_streamed(exchange), ours=_ours(row))
    content_type = recorded.header("content-type")
    # Some packages redact headers; what is left is no media type.
    headers = {**own.headers, "content-type": content_type} if "/" in content_type else own.headers
    return replace(own, status=recorded.status, headers=headers, body=body)


def _ours(row: Derivation) -> Ours:
    return Ours(row.seed or row.scenario.id, tuple(call_of(row.scenario, "").tools), row.matched)


def _streamed(exchange: Exchange) -> bool:
    return exchange.mode is Mode.STREAMED and exchange.recorded.status < 400


def differences(row: Derivation, exchange: Exchange) -> list[str]:
    """Everything in which the committed cassette is not what the recording asks for; empty where it is right."""
    path = cassette_path(row.scenario.id, row.mode)
    if not path.is_file():
        return [f"no cassette at {path.name}"]
    try:
        ours = derived(row, exchange)
    except Underivable as error:
        return [error.problem]
    told = [] if path.read_text(encoding="utf-8") == dump([ours]) else ["the cassette is not what derive writes"]
    told += compare(row, exchange, _body(path))
    told += _surviving_headers(exchange, ours)
    origin = manifest().get(row.cell)
    if origin is None or origin != Origin(Provenance.PUBLISHED, row.source):
        told.append("the manifest does not name this exchange as its source")
    return told


def compare(row: Derivation, exchange: Exchange, body: bytes) -> list[str]:
    """How a body of ours differs from the recorded one in structure and reading, and what of it survives in ours."""
    api, streamed, recorded = row.scenario.api, _streamed(exchange), exchange.recorded
    options = {"streamed": streamed, "matched_may_differ": row.matched is not None}
    try:
        theirs = structure(api, recorded.body, **options)
        mine = structure(api, body, **options)
    except Underivable as error:
        return [error.problem]
    told = [found] if (found := difference(theirs, mine)) else []
    told += survivors(api, recorded.body, body, streamed=streamed)
    fresh = replace(exchange, recorded=replace(recorded, body=body))
    if _outline(evidence.read(exchange, api)) != _outline(evidence.read(fresh, api)):
        told.append("the codec reads another ending, other lengths or other calls")
    return told


def _body(path: Path) -> bytes:
    document = cassettes.read("", path.name, path.read_bytes())
    (only,) = [item for item in document if isinstance(item, Recorded)]
    return only.body


def _outline(reading: Reading) -> dict[str, Any]:
    """What both readings must have in common."""
    data = reading.to_json()
    for name in ("text", "thinking", "refusal"):
        data[name] = len(data[name])
    data["tool_calls"] = [(len(call.name), len(call.arguments), call.whole) for call in reading.tool_calls]
    data["stop_sequence"] = reading.stop_sequence is not None
    data["error"] = reading.error and (len(reading.error.message), reading.error.type)
    return data


def _surviving_headers(exchange: Exchange, ours: OurExchange) -> list[str]:
    """Names of our headers whose value was recorded; the media type is a fact."""
    known = {value for values in exchange.recorded.headers.values() for value in values if len(value) >= _SHORT}
    return [
        f"the header {name} has a recorded value"
        for name, value in ours.headers.items()
        if value in known and name != "content-type"
    ]


def write(row: Derivation, exchange: Exchange) -> bool:
    """Write the cassette of a cell; whether it changed.

    Raises:
        Underivable: nothing can be derived, or what was derived does not agree with the recording.
    """
    ours = derived(row, exchange)
    if told := compare(row, exchange, ours.body):
        raise Underivable(f"{row.cell}: {told[0]}", "mend tools/published, or choose another exchange")
    path, text = cassette_path(row.scenario.id, row.mode), dump([ours])
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    write_whole(path, text)
    return True


def write_manifest(rows: Sequence[Derivation]) -> None:
    """Name the exchanges as the sources of their cells; other rows stay as they are."""
    path = root() / "cassettes" / "provenance.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data |= {row.cell: {"provenance": Provenance.PUBLISHED.value, "source": row.source} for row in rows}
    write_whole(path, json.dumps(dict(sorted(data.items())), ensure_ascii=False, indent=1) + "\n")
    manifest.cache_clear()

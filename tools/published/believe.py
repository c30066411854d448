"""The rules by which a cassette is no recording. Reads exchanges, never a codec; counts what it set aside, by rule."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from conformance.vocabulary import Api
from tools.published.cassettes import Recorded
from tools.published.classify import Kind, first_object


class Rule(StrEnum):
    """Why an exchange is set aside."""

    GENERATED = "a comment says that it was generated and not recorded"
    CLONED_ID = "its request id stands on another body too: one of them was edited"
    LENGTH = "content-length does not fit the body: edited"
    FOREIGN_ID = "its id is not of a form that the vendor mints: made by hand"
    FOREIGN_STATUS = "its status is not one that the vendor sends: made by hand"


# Ids as the vendors mint them. Anthropic's are base58 behind a version, with a prefix for resellers.
_IDS = {
    Api.OPENAI_CHAT: re.compile(r"chatcmpl-[0-9A-Za-z]{20,40}"),
    Api.OPENAI_RESPONSES: re.compile(r"resp_(?:[0-9a-f]{48}|[0-9a-f]{50})"),
    Api.ANTHROPIC_MESSAGES: re.compile(r"msg_(?:bdrk_|vrtx_)?01[1-9A-HJ-NP-Za-km-z]{22}"),
    Api.GEMINI: re.compile(r"[0-9A-Za-z_-]{18,24}"),
}

_STATUSES = frozenset({"completed", "failed", "in_progress", "cancelled", "queued", "incomplete"})

# Headers that carry one value per request, with the form of a real value: a scrubber's placeholder is no clone.
_REQUEST_IDS = {
    "cf-ray": re.compile(r"[0-9a-f]{16}-[A-Z]{3}"),
    "request-id": re.compile(r"req_[0-9A-Za-z]{24}"),
    "x-request-id": re.compile(r"req_(?:[0-9a-f]{32}|[0-9A-Za-z]{24,26})|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "apim-request-id": re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
}

_VENDOR_HEADERS = frozenset(
    {*_REQUEST_IDS, "openai-processing-ms", "server-timing", "x-amzn-requestid", "x-goog-api-version"}
)


def body_hash(exchange: Recorded) -> str:
    """What makes two exchanges the same: their body's bytes."""
    return hashlib.sha256(exchange.body).hexdigest()


def reply_id(exchange: Recorded) -> str | None:
    """The id of the reply, from the body or from the first event of a stream."""
    envelope = _envelope(first_object(exchange))
    found = envelope.get("id", envelope.get("responseId"))
    return found if isinstance(found, str) else None


def verified(exchange: Recorded, kind: Kind) -> bool:
    """Whether anything shows that the vendor answered: an id of its form, or a header that only it sends."""
    found = reply_id(exchange)
    if kind.api and found and _IDS[kind.api].fullmatch(found):
        return True
    return not _VENDOR_HEADERS.isdisjoint(exchange.headers)


def judge(rows: Iterable[tuple[Recorded, Kind]]) -> dict[str, Rule]:
    """The exchanges not to be believed, by their place, each with the first rule that it breaks."""
    rows = list(rows)
    cloned = _cloned([exchange for exchange, _ in rows])
    aside: dict[str, Rule] = {}
    for exchange, kind in rows:
        if rule := _broken(exchange, kind, cloned):
            aside[exchange.place] = rule
    return aside


def _broken(exchange: Recorded, kind: Kind, cloned: frozenset[str]) -> Rule | None:
    if exchange.generated:
        return Rule.GENERATED
    if _does_not_fit(exchange):
        return Rule.LENGTH
    if exchange.place in cloned:
        return Rule.CLONED_ID
    if exchange.status < 400:
        found = reply_id(exchange)
        if kind.api and found and not _IDS[kind.api].fullmatch(found):
            return Rule.FOREIGN_ID
        if kind.protocol == Api.OPENAI_RESPONSES and _foreign_status(exchange):
            return Rule.FOREIGN_STATUS
    return None


def _does_not_fit(exchange: Recorded) -> bool:
    length = exchange.header("content-length")
    # A recorder that re-serialises JSON keeps the old length: there the header says nothing.
    if exchange.form == "parsed" or not length.isdigit():
        return False
    return int(length) not in (exchange.stored, len(exchange.body))


def _foreign_status(exchange: Recorded) -> bool:
    status = _envelope(first_object(exchange)).get("status")
    return status is not None and status not in _STATUSES


def _cloned(exchanges: Sequence[Recorded]) -> frozenset[str]:
    seen: defaultdict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for exchange in exchanges:
        for name, form in _REQUEST_IDS.items():
            if (value := exchange.header(name)) and form.fullmatch(value):
                seen[name, value][body_hash(exchange)].append(exchange.place)
    return frozenset(
        place for bodies in seen.values() if len(bodies) > 1 for places in bodies.values() for place in places
    )


def _envelope(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The reply's own object: an event that opens a stream carries it one level down."""
    for key in ("message", "response"):
        if isinstance(inner := value.get(key), dict) and "type" in value:
            return inner
    return value

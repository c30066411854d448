"""Is a request meant for a play, where its address cannot say so: behind a gateway. A pure function on JSON.

A gateway may try again long after its client has given up, when the next play is open. Such a late request asks
something else, which tells it apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from conformance.replay.delivery import Delivery

_ASKED = ("messages", "input", "contents")


def is_for(delivery: Delivery, body: bytes) -> bool:
    """Whether the body asks what the cassette's request asks; True where that cannot be told."""
    try:
        sent = set(_texts(json.loads(body)))
    except (ValueError, RecursionError):
        return True
    for turns in delivery.exchanges.values():
        for exchange in turns[:1]:
            asked = [text for key in _ASKED for text in _texts(exchange.request.get(key))]
            return not asked or max(asked, key=len) in sent
    return True


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)

"""Fresh ids, signatures and times of the form of recorded ones. Which value is one is decided in `roles`."""

from __future__ import annotations

import re
import string
from itertools import cycle

from conformance.wire.draft import HEX, mint

_BASE62 = string.digits + string.ascii_letters
_BASE64 = _BASE62 + "+/"
_BASE64_URL = _BASE62 + "-_"

# Base64 whose length is not a multiple of four ends in a character whose unused bits are zero: readers check it.
_LAST = {2: "AQgw", 3: "AEIMQUYcgkosw048"}
_ENCODED = 16
"""Below this length it is padding of random characters and no Base64."""

# What an id begins with: the vendor's name for the kind of thing, and Anthropic's version.
_PREFIX = re.compile(r"(?:(?:msg|toolu|srvtoolu)_01(?=[0-9A-Za-z]{22}$))|(?:[a-z]+[_-])+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NOW = "17600000009999999"
"""A time that nothing was recorded at; as many digits as are wanted."""


def fresh_id(recorded: str, seed: str) -> str:
    """An id of the same form and length."""
    if _UUID.fullmatch(recorded):
        groups = [mint("", f"{seed}|{place}", len(group), HEX) for place, group in enumerate(recorded.split("-"))]
        return "-".join(groups)
    prefix = prefix_of(recorded)
    return _of_length(prefix, recorded.removeprefix(prefix), seed)


def fresh_secret(recorded: str, seed: str) -> str:
    """A signature, a ciphertext or padding of the same length and alphabet."""
    body = recorded.rstrip("=")
    fresh = _of_length("", body, seed)
    if last := _LAST.get(len(body) % 4) if len(body) >= _ENCODED else None:
        fresh = fresh[:-1] + last[ord(fresh[-1]) % len(last)]
    return fresh + "=" * (len(recorded) - len(body))


def fresh_time(recorded: str) -> str:
    """A time literal of the same form, always the same one; 0 says that there is none."""
    if recorded.strip("0.") == "":
        return recorded
    digits = cycle(_NOW)
    return "".join(next(digits) if char.isdigit() else char for char in recorded)


def prefix_of(recorded: str) -> str:
    """What an id keeps: `msg_01`, `chatcmpl-`, `resp_`; nothing where it is of random characters throughout."""
    match = _PREFIX.match(recorded)
    return match[0] if match else ""


def alphabet_of(text: str) -> str:
    """The smallest alphabet known here that holds the text."""
    for alphabet in (string.digits, HEX, _BASE62, _BASE64, _BASE64_URL):
        if set(text) <= set(alphabet):
            return alphabet
    return _BASE62 + "".join(sorted(set(text) - set(_BASE62)))


def _of_length(prefix: str, random: str, seed: str) -> str:
    """`mint` is good for some eighty characters; a longer one is minted piece by piece."""
    alphabet = alphabet_of(random)
    pieces = range(0, len(random), 64)
    return prefix + "".join(mint("", f"{seed}|{at}", min(64, len(random) - at), alphabet) for at in pieces)

"""Wire codecs, sans-IO: bytes in, Parts and a Reading out, and back. Never sees a scenario, a socket or a file."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from conformance.vocabulary import Api
from conformance.wire.codec import OURS, Codec, StreamReader
from conformance.wire.reading import Reading, WireCall

__all__ = ["OURS", "Codec", "Reading", "StreamReader", "WireCall", "codec_for"]


@cache
def codec_for(api: Api) -> Codec:
    """The codec of an API. Imported when first asked for, so that one API's run loads one codec."""
    codec: Codec = import_module(f"conformance.wire.{api.replace('-', '_')}").CODEC
    return codec

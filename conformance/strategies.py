"""Hypothesis strategies for replies as vendors would send them, for this suite and for adapter authors. No assertion.

Everything is made of `Draft`s, which print as code: a failing example can be pasted into a scenario.

    @given(drafts(Api.OPENAI_CHAT), st.data())
    def test_my_reader(draft, data):
        body = stream_of(draft)
        pieces = cut_at(body, data.draw(cuts(body)))
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

from conformance.contract import Usage
from conformance.vocabulary import Api
from conformance.wire import codec_for
from conformance.wire.draft import Block, Draft, Refusal, Text, Thinking, ToolUse
from conformance.wire.sse import compact, encode

__all__ = ["body_of", "cuts", "drafts", "fired", "json_objects", "reasons", "stop_lists", "stream_of", "texts"]

_CHARACTERS = st.characters(codec="utf-8")
_AWKWARD = st.sampled_from(
    ("\u2028", "\u2029", "\u0085", "\n", "\r\n", "\n\n", "data: ", "[DONE]", "é", "日本", "👩‍🚀", '"', "\\")
)
_NAMES = st.from_regex(r"[a-z][a-z_]{0,15}", fullmatch=True)
_NO_REFUSAL = frozenset({Api.ANTHROPIC_MESSAGES, Api.GEMINI})
"""APIs that have no place of its own for the text of a refusal."""
_NO_THINKING = frozenset({Api.OPENAI_CHAT})
_LEGACY = "function_call"
_FAILED = frozenset({"failed", "cancelled", "queued", "in_progress"})
"""Statuses of a response that is an error, or has not ended."""


_PLACES = st.lists(st.integers(0, 2**12), max_size=4)


# Cached, since building a strategy costs more than drawing from it.


@cache
def texts() -> st.SearchStrategy[str]:
    """Any text, with more than its share of what readers stumble over."""
    return st.lists(st.text(_CHARACTERS, max_size=8) | _AWKWARD, max_size=6).map("".join)


@cache
def json_objects() -> st.SearchStrategy[dict[str, Any]]:
    """Any JSON object, as the arguments of a tool call."""
    scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | texts()
    values = st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3), max_leaves=5
    )
    # Infinity is no JSON.
    return st.dictionaries(texts(), values, max_size=4).filter(lambda value: "Infinity" not in json.dumps(value))


@st.composite
def pieces(draw: st.DrawFn, text: str) -> tuple[str, ...]:
    """The text in the pieces in which a stream might send it."""
    places = sorted(place % (len(text) + 1) for place in draw(_PLACES))
    return tuple(text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True))


@st.composite
def _tool_uses(draw: st.DrawFn) -> ToolUse:
    return ToolUse(draw(_NAMES), draw(pieces(compact(draw(json_objects())))))


@cache
def _worded(kind: type[Text]) -> st.SearchStrategy[Text]:
    return texts().filter(bool).flatmap(pieces).map(kind)


@cache
def reasons(api: Api) -> st.SearchStrategy[str]:
    """Every reason in the API's table that ends a reply, and some that nobody knows."""
    known = [reason for reason in codec_for(api).STOPS if reason != _LEGACY and reason not in _FAILED]
    new = _NAMES.map(lambda name: f"incomplete/x_{name}" if api is Api.OPENAI_RESPONSES else f"x_{name}")
    return st.sampled_from(known) | new


@cache
def stop_lists() -> st.SearchStrategy[tuple[str, ...]]:
    """Stop strings that an API takes: none is empty or white space alone."""
    return st.lists(texts().filter(lambda text: bool(text.strip())), min_size=1, max_size=4, unique=True).map(tuple)


@cache
def _blocks(api: Api) -> st.SearchStrategy[tuple[Block, ...]]:
    kinds: list[st.SearchStrategy[Block]] = [_worded(Text), _tool_uses()]
    if api not in _NO_REFUSAL:
        kinds.append(_worded(Refusal))
    thinking = st.just([]) if api in _NO_THINKING else st.lists(_worded(Thinking), max_size=1)
    return st.tuples(thinking, st.lists(st.one_of(kinds), max_size=3)).map(lambda both: (*both[0], *both[1]))


@st.composite
def drafts(draw: st.DrawFn, api: Api) -> Draft:
    """Any reply of thinking, text, refusal and tool calls, with any ending."""
    blocks = draw(_blocks(api))
    reason = draw(reasons(api))
    which = draw(stop_lists())[0] if reason == "stop_sequence" else None
    return _draft(api, blocks, reason, which, draw(st.integers(1, 10_000)))


@st.composite
def fired(draw: st.DrawFn, api: Api) -> tuple[Draft, tuple[str, ...]]:
    """A reply that one of the stop strings ended, and the strings: no piece of it holds any of them, nor do all joined.

    Only for APIs that have a stop parameter.
    """
    stops = draw(stop_lists())
    # Text that comes as near to a match as it can without being one.
    near = st.sampled_from(stops).flatmap(lambda stop: st.integers(0, len(stop) - 1).map(lambda end: stop[:end]))
    text = "".join(draw(st.lists(texts() | near, max_size=4)))
    while found := next((stop for stop in stops if stop in text), None):
        text = text.partition(found)[0]
    which = draw(st.sampled_from(stops))
    blocks: tuple[Block, ...] = (Text(draw(pieces(text))),) if text else ()
    if api is Api.ANTHROPIC_MESSAGES:
        return _draft(api, blocks, "stop_sequence", which, 7), stops
    return _draft(api, blocks, "stop" if api is Api.OPENAI_CHAT else "STOP", None, 7), stops


def cuts(body: bytes) -> st.SearchStrategy[tuple[int, ...]]:
    """Places at which a body might be cut on the wire; they shrink to as few as will do."""
    places = st.lists(st.integers(1, max(1, len(body) - 1)), max_size=12, unique=True)
    return places.map(lambda found: tuple(sorted(found)))


def body_of(draft: Draft) -> bytes:
    """The bytes of a reply sent whole."""
    return compact(_codec(draft).encode_whole(draft)).encode()


def stream_of(draft: Draft) -> bytes:
    """The bytes of the same reply streamed."""
    codec = _codec(draft)
    return encode(codec.encode_events(draft), line_end=codec.LINE_END)


def _draft(api: Api, blocks: tuple[Block, ...], reason: str, which: str | None, tokens: int) -> Draft:
    return Draft(f"{api}/generated", "model", blocks, reason, which, Usage(11, tokens))


def _codec(draft: Draft) -> Any:
    return codec_for(Api(draft.seed.partition("/")[0]))

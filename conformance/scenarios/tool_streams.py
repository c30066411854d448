"""How a stream cuts the arguments of a tool call (section C). Calls that end early: `endings`, `chat_hosts`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from conformance.scenarios.common import ANTHROPIC, CHAT, RESPONSES, TOOL, WEATHER, bug, call, doc, draft
from conformance.scenarios.model import STREAMED, Ask, Evidence, Scenario, Wire
from conformance.scenarios.premises import Calls, Reason
from conformance.scenarios.premises_order import Values
from conformance.vocabulary import Api, Standing


class _Split(NamedTuple):
    slug: str
    claim: str
    pieces: tuple[str, ...]


_SPLITS = (
    _Split(
        "tool-json-split-characters",
        "Each delta brings one character of the tool arguments.",
        tuple('{"city": "São Paulo"}'),
    ),
    _Split(
        "tool-json-split-escape",
        "The tool arguments are cut inside escapes: after a backslash, and between the digits of a code.",
        ('{"city": "Saint-Malo \\', '"intra\\"\\', "n\\u0", '0cele"}'),
    ),
    _Split(
        "tool-json-split-surrogate",
        "The tool arguments are cut between and inside the two escapes that make one character.",
        ('{"city": "Kyoto \\ud83c', "\\udf38\\ud8", "3d\\ud", 'e82"}'),
    ),
)

_DELTA: Mapping[Api, tuple[str, tuple[str, ...]]] = {
    CHAT: ("choices[].delta.tool_calls[].function.arguments", ("",)),
    ANTHROPIC: ("delta.partial_json", ("",)),
    RESPONSES: ("delta", ()),
}
"""Where each API streams arguments, and what comes before the first piece of them."""

_PROMISE: Mapping[Api, Evidence] = {
    CHAT: doc("openai==3.57.0 types/chat/chat_completion_chunk.py: arguments come in pieces, not always valid JSON"),
    ANTHROPIC: doc("platform.claude.com/docs/en/build-with-claude/streaming: the deltas are partial JSON strings"),
    RESPONSES: doc("openai==3.57.0 types/responses/response_function_call_arguments_delta_event.py"),
}


def _split(api: Api, split: _Split) -> Scenario:
    path, opening = _DELTA[api]
    return Scenario(
        api,
        split.slug,
        split.claim,
        "tool_call, with the arguments that the joined text says",
        Ask("How warm is it there?", max_tokens=200, tools=(WEATHER,)),
        Wire(draft(api, split.slug, TOOL[api], call("get_weather", *split.pieces))),
        (Reason(TOOL[api]), Calls(("get_weather",)), Values(path, (*opening, *split.pieces))),
        (_PROMISE[api], bug("family sse-framing: graniet/llm#90, Th0rgal/sandboxed.sh#494, of the same kind")),
        modes=STREAMED,
        standing=Standing.PROMISED,
    )


def scenarios() -> Iterator[Scenario]:
    """Every scenario of this theme."""
    for split in _SPLITS:
        for api in _DELTA:
            yield _split(api, split)

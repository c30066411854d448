"""Which reason of one API may honestly stand for a reason of another: tables, and nothing that reads or writes a wire.

There is no default. Where the target has no word for a class, a translator says so loudly: it raises. A value
that the source's table does not know it passes on as it is, which no client of the target can take for an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from conformance.contract import Reply
from conformance.vocabulary import Api, Stop
from conformance.wire import codec_for

_CHAT, _RESPONSES = Api.OPENAI_CHAT, Api.OPENAI_RESPONSES
_ANTHROPIC, _GEMINI = Api.ANTHROPIC_MESSAGES, Api.GEMINI


class Sign(StrEnum):
    """An outcome that is no value of the target."""

    LOUD = "loud"
    """An error that names the source's value, after whatever content there was."""
    REFUSAL = "refusal"
    """The target's `complete` with the refusal in its own place beside it."""


LOUD, REFUSAL = Sign.LOUD, Sign.REFUSAL

NEAREST: Mapping[Api, Mapping[Stop, str | None]] = {
    _CHAT: {
        Stop.COMPLETE: "stop",  # a stop sequence too: which one is lost, and that is to be declared
        Stop.TRUNCATED: "length",  # of a context window as well: vendor compatibility layers all do so
        Stop.TOOL_CALL: "tool_calls",
        Stop.CONTINUE: None,  # "stop" would end an agent's loop in the middle of its work (vercel/ai#8422)
        Stop.BLOCKED: "content_filter",
        Stop.FAILED: None,  # "content_filter" would look like policy (envoyproxy/ai-gateway#2118), "stop" like success
        Stop.UNKNOWN: None,
    },
    _RESPONSES: {
        Stop.COMPLETE: "completed",
        Stop.TRUNCATED: "incomplete/max_output_tokens",
        Stop.TOOL_CALL: "completed",  # told by the function_call items
        Stop.CONTINUE: None,  # `incomplete` without a detail says that something is missing, not that one may go on
        Stop.BLOCKED: "incomplete/content_filter",
        Stop.FAILED: "failed",  # with an error object, as the API has it
        Stop.UNKNOWN: "incomplete",  # without a detail: not known to be whole
    },
    _ANTHROPIC: {
        Stop.COMPLETE: "end_turn",  # never stop_sequence: no other API says that one matched, let alone which
        Stop.TRUNCATED: "max_tokens",
        Stop.TOOL_CALL: "tool_use",
        Stop.CONTINUE: "pause_turn",  # invoke again; Gemini's continuationToken has no place and is lost
        Stop.BLOCKED: "refusal",  # what the documentation gives for streaming classifiers
        Stop.FAILED: None,  # the API has an error event for it, and no reason
        Stop.UNKNOWN: None,
    },
    _GEMINI: {
        Stop.COMPLETE: "STOP",
        Stop.TRUNCATED: "MAX_TOKENS",
        Stop.TOOL_CALL: "STOP",  # told by the functionCall parts
        Stop.CONTINUE: "CONTINUATION",  # google-genai goes on by itself only where there is a continuationToken
        Stop.BLOCKED: "SAFETY",
        Stop.FAILED: None,  # each of its failures names a cause, and that of another API is none of them
        Stop.UNKNOWN: "FINISH_REASON_UNSPECIFIED",  # OTHER is a reason that the vendor knows and does not tell
    },
}
"""The value of the output API for each class of an ending; None where it has no honest one."""

_NOT_FOR_OTHERS = frozenset({(_ANTHROPIC, "stop_sequence"), (_CHAT, "function_call")})
"""Values of a target that no other API's reason may become: one claims a match, one another place for the call."""

_MUST_ARRIVE = frozenset({Stop.COMPLETE, Stop.TOOL_CALL})
"""Classes of good replies: an error in their place breaks the caller."""


def class_of(api: Api, raw_reason: str, *, called: bool = False) -> Stop:
    """The class of a source's value by its table; `called` where tool calls stand beside it."""
    stop = codec_for(api).stop_of(raw_reason)
    return Stop.TOOL_CALL if called and stop is Stop.COMPLETE else stop


def honest(source: Api, raw_reason: str, target: Api, *, called: bool = False, refused: bool = False) -> frozenset[str]:
    """Every honest outcome of a reason on its way from one API to another: values of the target, and Signs.

    Args:
        source: the upstream API.
        raw_reason: its value (a Responses status with its detail after a slash).
        target: the API whose shape the output has.
        called: tool calls stand beside the reason.
        refused: a refusal stands beside it.
    """
    stop = Stop.BLOCKED if refused else class_of(source, raw_reason, called=called)
    if source is target:
        return frozenset({raw_reason} if stop in _MUST_ARRIVE else {raw_reason, LOUD})
    codec = codec_for(target)
    unknown = stop is Stop.UNKNOWN
    words = {word for word, row in codec.STOPS.items() if row.stop is stop and not unknown}
    if (word := NEAREST[target][stop]) is not None:
        words.add(word)
    words -= {word for api, word in _NOT_FOR_OTHERS if api is target}
    if refused and target in (_CHAT, _RESPONSES):
        words.add(REFUSAL)
    if not words or unknown:
        # No word for the truth. `truncated` makes a caller look; a value that the target does not know does as well.
        words |= {LOUD, str(NEAREST[target][Stop.TRUNCATED])}
        words |= {_passed_on(raw_reason, target)} if _foreign(raw_reason, target) else set()
    elif stop not in _MUST_ARRIVE:
        words.add(LOUD)
    return frozenset(words)


def word_for(source: Api, ending: Reply, stop: Stop, target: Api) -> str | None:
    """The value to write, or None where only an error is honest.

    Args:
        source: the upstream API.
        ending: its reply, with `raw_reason`.
        stop: the class of the ending, content considered.
        target: the API to write.
    """
    raw = ending.raw_reason
    if source is target and raw is not None and _stands(raw, ending, stop, target):
        return raw
    if stop is Stop.UNKNOWN and raw is not None and _foreign(raw, target):
        return _passed_on(raw, target)
    return NEAREST[target][stop]


def _stands(raw: str, ending: Reply, stop: Stop, api: Api) -> bool:
    """Whether the source's own value says in its own API what the ending was.

    Not so for a blocked prompt's OTHER, which means less on a candidate, for numbers in place of Gemini's
    names, and for the place of a legacy call.
    """
    codec = codec_for(api)
    if (api, raw) == (_CHAT, "function_call") or (raw not in codec.STOPS and stop is not Stop.UNKNOWN):
        return False
    return stop in (codec.stop_of(raw), codec.classify(raw, ending))


def _foreign(raw: str, target: Api) -> bool:
    """Whether the target's clients know nothing of this value, so that passing it on claims nothing."""
    codec = codec_for(target)
    return raw not in codec.STOPS and codec.stop_of(raw) is Stop.UNKNOWN


def _passed_on(raw: str, target: Api) -> str:
    """The source's own value in the target's place: what no client can take for an answer."""
    return f"incomplete/{raw}" if target is _RESPONSES else raw

"""What each string and number of a recorded body is: wording, a name, an id, a fact. Changes nothing.

A key that is not listed is an error, so that nothing recorded passes because nobody thought of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

from conformance.vocabulary import Api
from tools.published.errors import Underivable
from tools.published.jsontext import Path


class Role(Enum):
    """What is done with a value."""

    FACT = auto()
    """An enumeration, a number, a model: kept."""
    WORDING = auto()
    """Text: other words of the same shape."""
    ARGUMENTS = auto()
    """JSON text that may be cut: other words inside its strings, other names for its keys."""
    OPAQUE = auto()
    """A value below a tool's arguments: other words, other digits."""
    NAME = auto()
    """A tool's name: one of the names that the scenario's request declares."""
    PROPERTY = auto()
    """The name of an argument, where it stands as a value."""
    ID = auto()
    SECRET = auto()
    """A signature, ciphertext or padding: random characters."""
    TIME = auto()
    MATCHED = auto()
    """The stop string that the wire names: the scenario's own."""


class Place(NamedTuple):
    """The role of one value; pieces of one text have the same group."""

    role: Role
    group: tuple[Any, ...] | None = None


_FACTS = (
    "type object role status finish_reason stop_reason finishReason blockReason reason service_tier model modelVersion"
    " truncation verbosity effort modality inference_geo phase summary tool_choice mode logprob prompt_cache_retention"
    " speed payer context cyber execution language outcome category probability severity trafficType serviceTier"
    " code param domain service locale @type"
)
_WORDINGS = (
    "content text refusal thinking reasoning_content instructions description message title explanation delta"
    " output query"
)
_IDS = (
    "id item_id call_id responseId response_id system_fingerprint previous_response_id request_id tool_use_id"
    " prompt_cache_key safety_identifier user"
)
_SECRETS = "signature encrypted_content obfuscation thoughtSignature data"

_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(_FACTS.split(), Role.FACT),
    **dict.fromkeys(_WORDINGS.split(), Role.WORDING),
    **dict.fromkeys(_IDS.split(), Role.ID),
    **dict.fromkeys(_SECRETS.split(), Role.SECRET),
    "arguments": Role.ARGUMENTS,
    "partial_json": Role.ARGUMENTS,
    "name": Role.NAME,
    "required": Role.PROPERTY,
    "stop_sequence": Role.MATCHED,
    # What Gemini writes beside every call: the vendor's phrase, and not the model's.
    "finishMessage": Role.FACT,
}

_TIMES = frozenset({"created", "created_at", "completed_at"})
_FIXED_PHRASES = {"finishMessage": frozenset({"Model generated function call(s)."})}

_MEMBER = re.compile(r"[A-Za-z0-9][\w.:/\-\[\]]{0,60}|")

# Below these keys lie the user's own arguments and schemas.
_ARGUMENT_KEYS = frozenset({"args", "input"})
_SCHEMA_KEYS = frozenset({"parameters", "schema", "input_schema"})

_DELTA_ARGUMENTS = frozenset({"response.function_call_arguments.delta"})


def of_string(api: Api, document: Any, path: Path, value: str, number: int) -> Place:
    """The role of a string.

    Args:
        api: whose body it is.
        document: the JSON document that holds it.
        path: where it stands there.
        value: what it says.
        number: which document of the body this is.

    Raises:
        Underivable: nobody has decided what stands there.
    """
    own = (number, *path)
    if in_arguments(path):
        return Place(Role.OPAQUE, own)
    if in_schema(path):
        return _in_schema(path, own)
    key = _key(path)
    role = _ROLES.get(key)
    if role is None or (role is Role.FACT and not _is_fact(key, value)):
        raise Underivable(f"nobody has decided what {dotted(path)} is", "add the key to tools/published/roles.py")
    if key == "delta" and document.get("type") in _DELTA_ARGUMENTS:
        role = Role.ARGUMENTS
    if role in (Role.WORDING, Role.ARGUMENTS):
        return Place(role, _GROUPS[api](document, path) or own)
    return Place(role, own)


def _is_fact(key: str, value: str) -> bool:
    """Whether a value looks like a member of an enumeration: one word, and never a sentence."""
    phrases = _FIXED_PHRASES.get(key)
    return value in phrases if phrases is not None else _MEMBER.fullmatch(value) is not None


def of_number(path: Path) -> Role:
    """The role of a number."""
    if in_arguments(path):
        return Role.OPAQUE
    return Role.TIME if _key(path) in _TIMES else Role.FACT


def key_is_a_name(path: Path) -> bool:
    """Whether the last step of a path is the user's own: the name of an argument."""
    if in_arguments(path):
        return True
    return in_schema(path) and len(path) > 1 and path[-2] == "properties"


def in_arguments(path: Path) -> bool:
    """Whether a place lies inside a tool's arguments, sent as an object."""
    return any(step in _ARGUMENT_KEYS for step in path[:-1])


def in_format(path: Path) -> bool:
    """Whether a place lies inside the format of a structured output, whose names no request of ours declares."""
    return "format" in path[:-1]


def in_schema(path: Path) -> bool:
    """Whether a place lies inside a tool's JSON schema."""
    return any(step in _SCHEMA_KEYS for step in path[:-1])


def dotted(path: Path) -> str:
    """A path as people write it."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _in_schema(path: Path, own: tuple[Any, ...]) -> Place:
    key = _key(path)
    named = len(path) > 1 and path[-2] == "properties"
    if key == "type" and not named:
        return Place(Role.FACT, own)
    return Place(Role.PROPERTY if key == "required" else Role.WORDING, own)


def _key(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _chat_group(document: Any, path: Path) -> tuple[Any, ...] | None:
    if document.get("object") != "chat.completion.chunk" or path[0] != "choices":
        return None
    choice = document["choices"][path[1]]
    call = choice["delta"]["tool_calls"][path[4]].get("index", path[4]) if "tool_calls" in path else None
    return ("choice", choice.get("index"), call, _key(path))


def _responses_group(document: Any, path: Path) -> tuple[Any, ...] | None:
    if path != ("delta",):
        return None
    inner = document.get("content_index", document.get("summary_index"))
    return (document["type"], document.get("item_id"), document.get("output_index"), inner)


def _anthropic_group(document: Any, path: Path) -> tuple[Any, ...] | None:
    if document.get("type") not in ("content_block_start", "content_block_delta"):
        return None
    return ("block", document["index"], _key(path))


def _gemini_group(document: Any, path: Path) -> tuple[Any, ...] | None:
    if path[0] != "candidates" or path[-1] != "text":
        return None
    candidate = document["candidates"][path[1]]
    part = candidate["content"]["parts"][path[4]]
    return ("candidate", candidate.get("index", 0), bool(part.get("thought")))


_GROUPS = {
    Api.OPENAI_CHAT: _chat_group,
    Api.OPENAI_RESPONSES: _responses_group,
    Api.ANTHROPIC_MESSAGES: _anthropic_group,
    Api.GEMINI: _gemini_group,
}

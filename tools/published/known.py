"""Which event, item, block, delta and part types the codecs read, and which they pass over and why. Data only.

A type that is in neither list is what `evidence` calls unknown: someone must decide about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.vocabulary import Api

_READ = "read"
_REPEATS = "repeats what its deltas said"
_FRAME = "opens or closes, says nothing"
_SERVER = "a tool that the vendor runs itself: not the caller's to run, not text"
_AROUND = "about the text (citations, signatures), not text"
_STATE = "state to be sent back with the next request, not text"
CALLER = "the caller's to act on, as a tool call is"

TYPES: dict[Api, dict[str, str]] = {
    Api.OPENAI_CHAT: {
        "choice:message": _READ,
        "choice:delta": _READ,
        "call:function": _READ,
        "call:custom": _READ,
        "call:": _READ,  # only the first delta of a call names its type
    },
    Api.OPENAI_RESPONSES: {
        "response.created": _FRAME,
        "response.queued": _FRAME,
        "response.in_progress": _FRAME,
        "keepalive": _FRAME,
        "response.completed": _READ,
        "response.incomplete": _READ,
        "response.failed": _READ,
        "error": _READ,
        "response.output_item.added": _READ,
        "response.output_item.done": _READ,
        "response.content_part.added": _FRAME,
        "response.content_part.done": _REPEATS,
        "response.output_text.delta": _READ,
        "response.output_text.done": _REPEATS,
        "response.output_text.annotation.added": _AROUND,
        "response.refusal.delta": _READ,
        "response.refusal.done": _REPEATS,
        "response.reasoning_text.delta": _READ,
        "response.reasoning_text.done": _REPEATS,
        "response.reasoning_summary_part.added": _FRAME,
        "response.reasoning_summary_part.done": _REPEATS,
        "response.reasoning_summary_text.delta": _READ,
        "response.reasoning_summary_text.done": _REPEATS,
        "response.function_call_arguments.delta": _READ,
        "response.function_call_arguments.done": _READ,
        "response.custom_tool_call_input.delta": _READ,
        "response.custom_tool_call_input.done": _READ,
        "item:message": _READ,
        "item:reasoning": _READ,
        "item:function_call": _READ,
        "item:custom_tool_call": _READ,
        "part:output_text": _READ,
        "part:refusal": _READ,
        "part:summary_text": _READ,
        "part:reasoning_text": _READ,
        "item:apply_patch_call": CALLER,
        "item:mcp_approval_request": CALLER,
        "item:tool_search_call:client": CALLER,
        "item:tool_search_call:server": _SERVER,
        "item:tool_search_output": _SERVER,
        "item:code_interpreter_call": _SERVER,
        "item:file_search_call": _SERVER,
        "item:image_generation_call": _SERVER,
        "item:mcp_call": _SERVER,
        "item:mcp_list_tools": _SERVER,
        "item:web_search_call": _SERVER,
        "item:compaction": _STATE,
        "response.apply_patch_call_operation_diff.delta": CALLER,
        "response.apply_patch_call_operation_diff.done": CALLER,
        "response.code_interpreter_call.in_progress": _SERVER,
        "response.code_interpreter_call.interpreting": _SERVER,
        "response.code_interpreter_call.completed": _SERVER,
        "response.code_interpreter_call_code.delta": _SERVER,
        "response.code_interpreter_call_code.done": _SERVER,
        "response.file_search_call.in_progress": _SERVER,
        "response.file_search_call.searching": _SERVER,
        "response.file_search_call.completed": _SERVER,
        "response.image_generation_call.in_progress": _SERVER,
        "response.image_generation_call.generating": _SERVER,
        "response.image_generation_call.partial_image": _SERVER,
        "response.image_generation_call.completed": _SERVER,
        "response.mcp_list_tools.in_progress": _SERVER,
        "response.mcp_list_tools.completed": _SERVER,
        "response.web_search_call.in_progress": _SERVER,
        "response.web_search_call.searching": _SERVER,
        "response.web_search_call.completed": _SERVER,
    },
    Api.ANTHROPIC_MESSAGES: {
        "message_start": _READ,
        "content_block_start": _READ,
        "content_block_delta": _READ,
        "content_block_stop": _READ,
        "message_delta": _READ,
        "message_stop": _READ,
        "ping": _FRAME,
        "error": _READ,
        "block:text": _READ,
        "block:thinking": _READ,
        "block:tool_use": _READ,
        "delta:text_delta": _READ,
        "delta:thinking_delta": _READ,
        "delta:input_json_delta": _READ,
        "delta:signature_delta": _AROUND,
        "delta:citations_delta": _AROUND,
        "delta:compaction_delta": _STATE,
        "block:compaction": _STATE,
        "block:redacted_thinking": _STATE,
        "block:server_tool_use": _SERVER,
        "block:bash_code_execution_tool_result": _SERVER,
        "block:code_execution_tool_result": _SERVER,
        "block:mcp_tool_use": _SERVER,
        "block:mcp_tool_result": _SERVER,
        "block:text_editor_code_execution_tool_result": _SERVER,
        "block:tool_search_tool_result": _SERVER,
        "block:web_fetch_tool_result": _SERVER,
        "block:web_search_tool_result": _SERVER,
    },
    Api.GEMINI: {
        "part:text": _READ,
        "part:functionCall": _READ,
        "part:inlineData": _AROUND,
        "part:thoughtSignature": _AROUND,  # a part that holds nothing else
    },
}


def is_known(api: Api, kind: str) -> bool:
    """Whether someone has decided about a type."""
    return kind in TYPES[api]


def asks_the_caller(api: Api, kind: str) -> bool:
    """Whether a type is an item that the caller must act on without it being a tool call of his own."""
    return kind.startswith("item:") and TYPES[api].get(kind) == CALLER


def types_in(api: Api, payload: Mapping[str, Any]) -> Iterator[str]:
    """The types that occur in one body or one event."""
    match api:
        case Api.OPENAI_CHAT:
            yield from _chat(payload)
        case Api.OPENAI_RESPONSES:
            yield from _responses(payload)
        case Api.ANTHROPIC_MESSAGES:
            yield from _anthropic(payload)
        case Api.GEMINI:
            yield from _gemini(payload)


def _chat(payload: Mapping[str, Any]) -> Iterator[str]:
    for choice in payload.get("choices") or ():
        for key in ("message", "delta"):
            message = choice.get(key)
            if message is None:
                continue
            yield f"choice:{key}"
            yield from (f"call:{call.get('type') or ''}" for call in message.get("tool_calls") or ())
            content = message.get("content")
            if isinstance(content, list):
                yield from (f"content:{part.get('type')}" for part in content)


def _responses(payload: Mapping[str, Any]) -> Iterator[str]:
    kind = payload.get("type")
    if kind is not None:
        yield kind
    if item := payload.get("item"):
        yield _item(item)
    if part := payload.get("part"):
        yield f"part:{part['type']}"
    response = payload.get("response") or (payload if kind is None else {})
    for item in response.get("output") or ():
        yield _item(item)
        if item["type"] in ("message", "reasoning"):
            for part in (*(item.get("summary") or ()), *(item.get("content") or ())):
                yield f"part:{part['type']}"


def _item(item: Mapping[str, Any]) -> str:
    kind = item["type"]
    # The one item that says itself whose it is to run.
    return f"item:{kind}:{item.get('execution')}" if kind == "tool_search_call" else f"item:{kind}"


def _anthropic(payload: Mapping[str, Any]) -> Iterator[str]:
    kind = payload.get("type")
    if kind == "message":
        yield from (f"block:{block['type']}" for block in payload.get("content") or ())
        return
    yield str(kind)
    if block := payload.get("content_block"):
        yield f"block:{block['type']}"
    if kind == "content_block_delta":
        yield f"delta:{payload['delta']['type']}"


def _gemini(payload: Mapping[str, Any]) -> Iterator[str]:
    for candidate in payload.get("candidates") or ():
        for part in (candidate.get("content") or {}).get("parts") or ():
            # A part is a union by key; its other keys say something about it.
            keys = [key for key in part if key not in ("thought", "thoughtSignature", "videoMetadata")]
            yield from (f"part:{key}" for key in keys or ["thoughtSignature"])

"""Mutants that spoil tool calls. Their text and their endings are right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.contract import Call, End, Part, Reply, ToolCall, ToolCallDelta
from conformance.wire.reading import is_json_object
from tests.mutants.base import Mutant, mutant


class ChangesCalls(Mutant):
    """Base of those that spoil each call when it is whole: streamed arguments are handed out at the end."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, tool_calls=tuple(map(self.changed, reply.tool_calls)))

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in super().live(parts):
            if not isinstance(part, ToolCallDelta):
                yield part

    def end(self, reply: Reply) -> Iterator[Part]:
        for index, call in enumerate(reply.tool_calls):
            yield ToolCallDelta(index, call.id, call.name, call.arguments)
        yield from super().end(reply)

    def changed(self, call: ToolCall) -> ToolCall:
        raise NotImplementedError


def closed(text: str) -> str:
    """Cut JSON of an object, closed so that it parses."""
    for tail in ("}", '"}', "null}", '": null}', ": null}"):
        if is_json_object(text + tail):
            return text + tail
    return text


@mutant("openai-chat/tool-json-cut", "anthropic-messages/stop-in-tool-json", fails="tool.cut-not-repaired")
class RepairsCutCall(ChangesCalls):
    """Closes the JSON of a call that was cut, and hands out a call that the model never made (truncated-tool-json)."""

    def changed(self, call: ToolCall) -> ToolCall:
        return replace(call, arguments=closed(str(call.arguments)))


@mutant("openai-responses/tool-json-cut", "anthropic-messages/tool-json-cut", fails="tool.cut-not-repaired")
class CutCallIsEmpty(ChangesCalls):
    """Hands out `{}` where the arguments do not parse (families truncated-tool-json, tool-args-shape)."""

    def changed(self, call: ToolCall) -> ToolCall:
        return call if is_json_object(str(call.arguments)) else replace(call, arguments={})


@mutant("openai-chat/tool-json-cut:buffered", fails="tool.cut-not-repaired", loud=True)
class WrapsCutCall(ChangesCalls):
    """Hands the cut text out whole, in an object under a name that no tool asked for (tool-args-shape)."""

    def changed(self, call: ToolCall) -> ToolCall:
        return replace(call, arguments={"partial_json": call.arguments})


@mutant("openai-chat/tool-json-cut", "anthropic-messages/tool-json-cut", fails="tool.cut-not-repaired")
class FinalRepairsCutCall(Mutant):
    """Streams the cut text as it came and repairs it in the accumulated object alone (truncated-tool-json)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        calls = tuple(replace(call, arguments=closed(str(call.arguments))) for call in reply.tool_calls)
        for part in super().end(reply):
            yield replace(part, final=replace(reply, tool_calls=calls)) if isinstance(part, End) else part


@mutant("anthropic-messages/tool-call", "gemini/gem-tool-split", fails="tool.calls")
class DropsCalls(Mutant):
    """Tells that a tool is to be run and does not hand out the call (no-counterpart-reason: the block is discarded)."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, tool_calls=())

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in super().live(parts):
            if not isinstance(part, ToolCallDelta):
                yield part


@mutant("openai-chat/tool-call", "gemini/tool-call", fails="tool.calls")
class EncodesArgumentsTwice(ChangesCalls):
    """Encodes arguments that were JSON text already (family tool-args-shape)."""

    def changed(self, call: ToolCall) -> ToolCall:
        return replace(call, arguments=json.dumps(call.arguments))


@mutant("openai-chat/tool-call", "anthropic-messages/tool-call", fails="tool.calls")
class MintsCallIds(ChangesCalls):
    """Gives calls ids of its own, so that the result of the tool goes back to a call that nobody made."""

    def changed(self, call: ToolCall) -> ToolCall:
        return replace(call, id="call_0")


@mutant("openai-chat/tool-calls-parallel", "gemini/tool-calls-parallel", fails="tool.calls")
class DropsSecondCall(Mutant):
    """Hands out the first of parallel calls alone."""

    def told(self, call: Call, reply: Reply) -> Reply:
        return replace(reply, tool_calls=reply.tool_calls[:1])

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in super().live(parts):
            if not (isinstance(part, ToolCallDelta) and part.index):
                yield part


@mutant(
    "openai-chat/tool-calls-parallel", "anthropic-messages/tool-calls-parallel", fails="tool.calls text.stream-agrees"
)
class MergesParallelCalls(Mutant):
    """Appends every piece of arguments to one call, whatever its index (family tool-args-shape)."""

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in super().live(parts):
            yield replace(part, index=0) if isinstance(part, ToolCallDelta) else part

"""Stream grammar of Anthropic Messages. Counts are over 440 streams, 439 of which keep every rule here.

message_start, (content_block_start, content_block_delta*, content_block_stop)*, message_delta+,
message_stop; `ping` and unknown events anywhere.
"""

from __future__ import annotations

from typing import Any

from conformance.wire.grammar.base import Grammar, Json, as_object

_ORDERED = ("content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop")

_HELD_BY = {
    "text_delta": ("text",),
    "thinking_delta": ("thinking",),
    "input_json_delta": ("tool_use", "server_tool_use", "mcp_tool_use"),
}
"""Delta type -> the blocks into which anthropic==2.14.0 lib/streaming/_messages.py puts it; elsewhere it is dropped."""

_KNOWN_BLOCKS = ("text", "thinking", "tool_use")
"""Of other blocks nobody knows which deltas they take."""


class AnthropicGrammar(Grammar):
    """One message: blocks in turn, then the reason, then message_stop."""

    def __init__(self) -> None:
        super().__init__()
        self._started = False
        self._stopped = False
        self._blocks = 0
        self._open: dict[Any, str] = {}
        self._reason: str | None = None

    def event(self, event: Json) -> None:
        kind = event.get("type")
        if kind == "error":
            self.failed = True
        elif kind == "message_start":
            self._start(as_object(event.get("message")))
        elif kind in _ORDERED:
            self._ordered(str(kind), event)

    def sentinel(self) -> None:
        # 440/440 have none. OpenRouter appends one; parsers have crashed on it (earendil-works/pi#3708).
        self.departs("[DONE] is no part of this API")

    def no_sentinel(self) -> None:
        """Nothing: as it should be."""

    def lacks(self) -> None:
        if not self._started:
            self.breaks("the stream ends without message_start")
        elif self._reason is None and not self._stopped:
            self.breaks("the stream ends without a stop_reason")
        if self._started and not self._stopped:
            # 440/440; clients wait for it (QuantumNous/new-api#5345).
            self.breaks("the stream ends without message_stop")

    def _start(self, message: Json) -> None:
        if self._started:
            # The TypeScript SDK raises; the Python SDK mixes the two messages.
            self.breaks("message_start comes twice")
        self._started = True
        if not as_object(message.get("usage")):
            # anthropic==2.14.0: message_delta's count is written into it, an AttributeError where it is not.
            self.breaks("message_start has no usage")
        if message.get("role") != "assistant":
            self.departs("message_start has no role")
        if message.get("stop_reason") is not None:
            # 13 messages of one fixture (programmatic tool calling), null in every HTTP recording.
            self._reason = str(message["stop_reason"])
            self.departs("the stop_reason stands in message_start")

    def _ordered(self, kind: str, event: Json) -> None:
        if not self._started:
            # Both official SDKs raise "Unexpected event order".
            self.breaks(f"{kind} comes before message_start")
            self._started = True
        if self._stopped:
            self.breaks(f"{kind} comes after message_stop")
            return
        match kind:
            case "content_block_start":
                self._block(event.get("index"), as_object(event.get("content_block")))
            case "content_block_delta":
                self._delta(event.get("index"), as_object(event.get("delta")))
            case "content_block_stop":
                if self._open.pop(event.get("index"), None) is None:
                    self.breaks("content_block_stop closes no open block")
            case "message_delta":
                self._end(event)
            case _:
                self._stop()

    def _block(self, index: Any, block: Json) -> None:
        if self._reason is not None:
            self.breaks("a content block comes after the stop_reason")
        if self._open:
            # 439/440 have one block open at a time; the SDKs tell blocks apart by index, so this is survived.
            self.departs("a content block opens while another is open")
        if index != self._blocks:
            # The SDKs append the block and then look for it at its index.
            self.breaks(f"the content block number {self._blocks} has the index {index!r}")
        self._blocks += 1
        kind = str(block.get("type"))
        self._open[index] = kind
        if kind == "tool_use":
            if not block.get("id") or not block.get("name"):
                self.breaks("a tool_use block lacks its id or its name")
            if block.get("input"):
                # Clients that join the deltas get no arguments (BerriAI/litellm#25561).
                self.departs("the arguments of a tool_use block stand in content_block_start")

    def _delta(self, index: Any, delta: Json) -> None:
        block = self._open.get(index)
        if block is None:
            self.breaks("content_block_delta comes for no open block")
            return
        kind = str(delta.get("type"))
        if block in _KNOWN_BLOCKS and block not in _HELD_BY.get(kind, (block,)):
            self.breaks(f"{kind} comes for a {block} block")

    def _end(self, event: Json) -> None:
        if self._open:
            # Clients hand a block out when it closes; 0 of 440.
            self.breaks("message_delta comes while a content block is open")
        if not as_object(event.get("usage")):
            self.breaks("message_delta has no usage")  # as for message_start; 440/440 have it
        reason = as_object(event.get("delta")).get("stop_reason")
        if reason is None:
            return
        if self._reason is not None and self._reason != reason:
            self.breaks(f"a second stop_reason differs from the first ({self._reason!r}, then {reason!r})")
        elif self._reason is not None:
            self.departs("the stop_reason comes twice")  # "one or more" message_delta: not forbidden, never seen
        self._reason = str(reason)

    def _stop(self) -> None:
        self._stopped = True
        if self._open:
            self.breaks("message_stop comes while a content block is open")
        if self._reason is None:
            self.breaks("message_stop comes without a stop_reason before it")

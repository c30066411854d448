"""A conformance test suite for LLM adapters: what providers really send, and what a right reader makes of it."""

from conformance.contract import (
    Adapter,
    Call,
    Chunk,
    End,
    ErrorPart,
    Part,
    RefusalDelta,
    Reply,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from conformance.vocabulary import PASSTHROUGH, Api, Gap, Stop, Vocabulary

__all__ = [
    "PASSTHROUGH",
    "Adapter",
    "Api",
    "Call",
    "Chunk",
    "End",
    "ErrorPart",
    "Gap",
    "Part",
    "RefusalDelta",
    "Reply",
    "Stop",
    "TextDelta",
    "ThinkingDelta",
    "ToolCall",
    "ToolCallDelta",
    "Usage",
    "Vocabulary",
]

"""A conformance test suite for LLM adapters: what providers really send, and what a right reader makes of it.

The names below are imported when they are first asked for: pytest imports this package in every run of
an environment in which it is installed, and a run that judges no adapter pays nothing for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "vocabulary" if name in {"PASSTHROUGH", "Api", "Gap", "Stop", "Vocabulary"} else "contract"
    return getattr(import_module(f"{__name__}.{home}"), name)

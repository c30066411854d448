"""Makes small wheels and recordings for the tests of drift. No test is here."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.corpus import Exchange, cassette
from conformance.vocabulary import Api, Mode
from tools.cassette_file import dump
from tools.drift.tables import known

HEAD = "from typing import *\nfrom typing_extensions import *\n"


def wheel(folder: Path, package: str, version: str, files: Mapping[str, str | bytes]) -> Path:
    """A wheel with these files."""
    path = folder / f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def literal(values: Iterable[str]) -> str:
    return f"Literal[{', '.join(map(repr, values))}]"


def mistral(values: Iterable[str]) -> dict[str, str]:
    """The files of a mistralai with these finish reasons."""
    body = f"{HEAD}\nclass Base: ...\n\nReason = Union[{literal(values)}, Open]\n\n"
    folder = "mistralai/client/models"
    return {
        f"{folder}/chatcompletionchoice.py": f"{body}class ChatCompletionChoice(Base):\n    finish_reason: Reason\n",
        f"{folder}/completionresponsestreamchoice.py": (
            f"{body}class CompletionResponseStreamChoice(Base):\n    finish_reason: Nullable[Reason]\n"
        ),
    }


def genai(
    reasons: Iterable[str] | None = None, blocks: Iterable[str] | None = None, **candidate: str
) -> dict[str, str]:
    """The file of a google-genai that says just what this project's tables know; `candidate` adds fields to that."""
    gemini = Api.GEMINI
    reasons = known(gemini, "stops") if reasons is None else reasons
    blocks = known(gemini, "blocks") if blocks is None else blocks
    paths = {name: "Any" for name in known(gemini, "paths:$.candidates[]") if name != "finishReason"}
    response = {name: "Any" for name in known(gemini, "paths:$") if name != "usageMetadata"}
    fields = {**paths, "finish_reason": "Optional[FinishReason]", **candidate}
    return {
        "google/genai/_common.py": "import enum\n\nclass CaseInSensitiveEnum(str, enum.Enum): ...\n\nclass Base: ...\n",
        "google/genai/types.py": "\n".join(
            [
                "from . import _common",
                HEAD,
                _enum("FinishReason", reasons),
                _enum("BlockedReason", blocks),
                _class("GenerateContentResponsePromptFeedback", {"block_reason": "Optional['BlockedReason']"}),
                _class("Part", dict.fromkeys(known(gemini, "parts"), "Optional[dict[str, Any]]")),
                _class("Candidate", fields),
                _class("Usage", dict.fromkeys(known(gemini, "paths:$.usageMetadata"), "Any")),
                _class("GenerateContentResponse", {**response, "usage_metadata": "Optional['Usage']"}),
            ]
        ),
    }


def _enum(name: str, values: Iterable[str]) -> str:
    return _body(f"class {name}(_common.CaseInSensitiveEnum):", (f"{value} = {value!r}" for value in values))


def _class(name: str, fields: Mapping[str, str]) -> str:
    return _body(f"class {name}(_common.Base):", (f"{field}: {kind} = None" for field, kind in fields.items()))


def _body(head: str, lines: Iterable[str]) -> str:
    return "\n".join([head, '  """It is one."""', *(f"  {line}" for line in lines), ""])


Edit = Callable[[Exchange], Exchange]


def recorded(folder: Path, cell: str, *edits: Edit, chunks: Iterable[int] | None = None) -> Path:
    """A cell of the corpus as a recording below a folder, its last exchange edited; and where its chunks ended."""
    scenario, _, mode = cell.partition(":")
    *before, last = cassette(scenario, Mode(mode))
    for edit in edits:
        last = edit(last)
    path = folder / scenario / f"{mode}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump([*before, last]), encoding="utf-8", newline="")
    if chunks is not None:
        beside = path.with_name(f"{mode}.chunks.json")
        beside.write_text(json.dumps({"framing": "chunked", "chunks": [[end, 1] for end in chunks]}), encoding="utf-8")
    return path


def swapped(old: str, new: str) -> Edit:
    """Replace a text in the body."""

    def edit(exchange: Exchange) -> Exchange:
        assert old.encode() in exchange.body, old
        return replace(exchange, body=exchange.body.replace(old.encode(), new.encode()))

    return edit


def answered(**changes: Any) -> Edit:
    """Change the exchange itself."""
    return lambda exchange: replace(exchange, **changes)


def headed(**headers: str | None) -> Edit:
    """Set headers, `_` for `-`; None takes one away."""

    def edit(exchange: Exchange) -> Exchange:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        kept = {**exchange.headers, **named}
        return replace(exchange, headers={name: value for name, value in kept.items() if value is not None})

    return edit

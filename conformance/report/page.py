"""The page of one run or many: one file, no assets, no network. Its look is in assets/, its data in page_data.py."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template

from conformance.report.page_data import page_data
from conformance.report.results import Run, write_whole

_ASSETS = Path(__file__).with_name("assets")


def write_html(run: Run, path: Path) -> None:
    """Write the page of one run.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, page([run]))


def page(runs: Sequence[Run], notes: Iterable[str] = ()) -> str:
    """The whole page; `notes` are texts to show above the matrix (adapters without a result, what changed)."""
    data = page_data(runs, notes)
    # Packed, since the frames of some hundred cassettes go in; base64 holds nothing that HTML could take for markup.
    packed = zlib.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"), 9)
    name = runs[0].label if len(runs) == 1 else f"{len(runs)} adapters"
    return Template(_asset("page.html")).substitute(
        title=escape(f"{name} · LLM adapter conformance"),
        heading=escape(runs[0].label if len(runs) == 1 else "LLM adapter conformance"),
        cells=sum(len(run.results) for run in runs),
        style=_asset("page.css"),
        script=_asset("page.js"),
        data=base64.b64encode(packed).decode("ascii"),
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8").rstrip("\n")

"""The shape inventory: for each API and mode the paths, values, event orders and header names recorded, with counts.

Facts only: no text, no id, no header value of a recording enters it. A cassette that is built from
documentation may use what stands here, or what it cites.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from conformance.vocabulary import Api, Mode
from tools.published.evidence import codec_api
from tools.published.naive import events_of, payloads_of
from tools.published.recordings import Exchange, Recordings
from tools.published.shape import leaves, order

FOLDER = Path(__file__).with_name("inventory")
_MOST_VALUES = 40


@dataclass(slots=True)
class Shape:
    """What all exchanges of one kind and mode hold, each counted once an exchange."""

    exchanges: int = 0
    dates: list[date] = field(default_factory=list)
    headers: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)
    types: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    values: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, exchange: Exchange, api: Api) -> None:
        """Take one exchange."""
        recorded = exchange.recorded
        self.exchanges += 1
        if dated := _date(recorded.header("date")):
            self.dates.append(dated)
        self.headers.update(recorded.headers.keys())
        streamed = exchange.mode is Mode.STREAMED
        if streamed and recorded.status < 400:
            self.orders[order(api, events_of(recorded.body))] += 1
        found = {leaf for payload in payloads_of(recorded.body, streamed=streamed) for leaf in leaves(payload)}
        for path, kind in {(leaf.path, leaf.type) for leaf in found}:
            self.types[path][kind] += 1
        for leaf in found:
            if leaf.value is not None:
                self.values[leaf.path][leaf.value] += 1

    def to_json(self) -> dict[str, Any]:
        """Plain data, in a stable order."""
        return {
            "exchanges": self.exchanges,
            "dated": len(self.dates),
            "first": str(min(self.dates)) if self.dates else None,
            "last": str(max(self.dates)) if self.dates else None,
            "headers": dict(sorted(self.headers.items())),
            "orders": dict(sorted(self.orders.items())),
            "paths": {path: self._path(path) for path in sorted(self.types)},
        }

    def _path(self, path: str) -> dict[str, Any]:
        entry: dict[str, Any] = dict(sorted(self.types[path].items()))
        values = self.values.get(path)
        if values and len(values) <= _MOST_VALUES:
            entry["values"] = dict(sorted(values.items()))
        return entry


def gather(recordings: Recordings, say: Callable[[str], None] = lambda _: None) -> dict[str, Shape]:
    """The shapes by the name of their file. HTTP errors of an API have one of their own."""
    shapes: defaultdict[str, Shape] = defaultdict(Shape)
    total = len(recordings.exchanges)
    for number, exchange in enumerate(recordings.exchanges, 1):
        if number % 500 == 0 or number == total:
            say(f"{number}/{total} exchanges measured")
        if api := codec_api(exchange.kind):
            mode = exchange.mode if exchange.recorded.status < 400 else "error"
            shapes[f"{exchange.kind}-{mode}"].add(exchange, api)
    return dict(sorted(shapes.items()))


def render(shape: Shape) -> str:
    """One fact a line, so that a change is one line of a diff."""
    data = shape.to_json()
    lines = [f" {json.dumps(key)}: {json.dumps(data[key])}" for key in ("exchanges", "dated", "first", "last")]
    for key in ("headers", "orders", "paths"):
        rows = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in data[key].items()]
        inner = ",\n".join(rows)
        lines.append(f" {json.dumps(key)}: {{\n{inner}\n }}" if rows else f" {json.dumps(key)}: {{}}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(shapes: dict[str, Shape], folder: Path = FOLDER) -> list[str]:
    """Write all files and remove what no exchange shows any more; the names that changed."""
    folder.mkdir(exist_ok=True)
    changed = difference(shapes, folder)
    for name, shape in shapes.items():
        (folder / f"{name}.json").write_text(render(shape), encoding="utf-8")
    for path in folder.glob("*.json"):
        if path.stem not in shapes:
            path.unlink()
    return changed


def difference(shapes: dict[str, Shape], folder: Path = FOLDER) -> list[str]:
    """The names of files that do not hold what was measured, missing and left-over ones included."""
    wanted = {f"{name}.json": render(shape) for name, shape in shapes.items()}
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def paths(api: Api, mode: Mode | str, folder: Path = FOLDER) -> frozenset[str]:
    """The paths recorded for an API and a mode (or `error`), for comparison with `shape.leaves` of a cassette."""
    return paths_of(str(api), mode, folder)


def paths_of(kind: str, mode: Mode | str, folder: Path = FOLDER) -> frozenset[str]:
    """The same for a kind as the evidence names it, such as `openai-chat@azure`."""
    data = json.loads((folder / f"{kind}-{mode}.json").read_text(encoding="utf-8"))
    return frozenset(data["paths"])


def _date(header: str) -> date | None:
    try:
        return parsedate_to_datetime(header).astimezone(UTC).date()
    except ValueError:
        return None

"""Tools whose names and arguments are as long as those of the recorded calls that cassettes follow. Others: `common`.

A derived cassette keeps every length, so the request must declare a tool of the length that was called.
"""

from __future__ import annotations

from conformance.contract import Tool


def _tool(name: str, description: str, argument: str, kind: str | list[str] = "string") -> Tool:
    schema = {"type": "object", "properties": {argument: {"type": kind}}, "required": [argument]}
    return Tool(name, description, schema)


TIDES = _tool("harbour_tides", "High and low tide of a port.", "port")
LOGBOOK = _tool("read_harbour_logbooks", "The logbook of a headland's station.", "headland")
BEACON = _tool("find_beacon", "The beacon of a headland.", "headland")
LANTERN = _tool("set_lantern", "Trim the lantern.", "level", ["boolean", "integer"])
SWELL = _tool("read_harbour_swells", "Height and period of the swell at a headland.", "headland")
MARK = _tool("tide_mark", "The highest mark that a tide has left in a port.", "port")

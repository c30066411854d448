"""Stands in for any build backend while pip downloads an sdist, so that nothing is built. Imports nothing of ours.

pip asks for an sdist's metadata before it saves the file. `fetch` puts this module in front of the
real backends; it answers from the PKG-INFO that every sdist carries.
"""

from __future__ import annotations

import email
import re
from pathlib import Path
from typing import Any


def prepare_metadata_for_build_wheel(
    metadata_directory: str,
    config_settings: Any = None,  # noqa: ARG001 -- PEP 517 passes it by this name
) -> str:
    """PEP 517: the metadata as it lies in the archive."""
    raw = Path("PKG-INFO").read_bytes()
    fields = email.message_from_bytes(raw)
    info = Path(metadata_directory, f"{re.sub(r'[-_.]+', '_', fields['Name'])}-{fields['Version']}.dist-info")
    info.mkdir()
    (info / "METADATA").write_bytes(raw)
    return info.name


def build_wheel(*_: Any) -> str:
    """PEP 517 asks for it; downloading never calls it."""
    raise RuntimeError("nothing is built from a pin")

"""The folder that a recording goes into: the hosts that it takes, the files of one scenario. Writes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conformance import corpus
from conformance.errors import BrokenCassette
from conformance.scenarios import Scenario
from conformance.vocabulary import Api, Provenance
from tools.author.build import HOSTS
from tools.cassette_file import dump
from tools.record.client import Answer
from tools.record.errors import WrongFolder
from tools.record.exchange import Taken

_MANIFEST = "cassettes/provenance.json"
_DERIVATIONS = "tools/published/derivations.toml"


@dataclass(frozen=True, slots=True)
class Target:
    """A folder that holds, or will hold, `cassettes` and `snapshots`."""

    root: Path

    @property
    def shared(self) -> bool:
        """Whether others take what lies here for the vendors' own: the corpus of this suite, or of a copy of it."""
        here = self.root.resolve()
        return (
            here == corpus.root().resolve()
            or here.name == "_corpus"
            or any((here / name).exists() for name in ("conformance/corpus.py", "conformance/scenarios"))
        )

    def admit(self, api: Api, base_url: str) -> None:
        """Make sure that recordings from an address may lie here.

        Raises:
            WrongFolder: it is not the vendor's, and this is no folder of one's own.
        """
        if self.shared and base_url != HOSTS[api]:
            raise WrongFolder(
                f"{self.root} takes recordings of {HOSTS[api]} only, not of {base_url}",
                "name a folder of your own: --corpus DIR",
            )

    def admit_answer(self, answer: Answer) -> None:
        """Make sure that an answer came from where its address says.

        Raises:
            WrongFolder: this machine has answered for the vendor.
        """
        if self.shared and answer.local:
            raise WrongFolder(
                "this machine has answered in the vendor's name", "mend /etc/hosts, or name a folder: --corpus DIR"
            )

    def rows(self) -> dict[str, Any]:
        """The manifest's rows; none where there is no manifest yet.

        Raises:
            BrokenCassette: it is not of its form.
        """
        path = self.root / _MANIFEST
        try:
            rows: dict[str, Any] = json.loads(path.read_bytes())
            if not all(isinstance(row["provenance"], str) for row in rows.values()):
                raise ValueError("a row says no provenance")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BrokenCassette(f"cannot read the manifest {path}: {error!r}", "restore it from git") from error
        return rows

    def provenance(self, scenario: Scenario) -> set[str]:
        """Where the cassettes come from that lie here now."""
        rows = self.rows()
        return {rows[cell]["provenance"] for cell in _cells(scenario) if cell in rows}

    def files(self, scenario: Scenario, takes: Iterable[Taken], base_url: str, day: date) -> dict[str, bytes]:
        """All files of a recording by their paths below the root: cassettes, chunks, snapshot, manifest."""
        takes = list(takes)
        texts = {_MANIFEST: _json_rows(self.rows() | manifest_rows(scenario, takes, base_url, day))}
        for taken in takes:
            folder = f"cassettes/{scenario.id}"
            texts[f"{folder}/{taken.mode}.yaml"] = dump([taken.exchange])
            texts[f"{folder}/{taken.mode}.chunks.json"] = chunks_text(taken.answer)
        texts[f"snapshots/{scenario.id}.json"] = _snapshot_text(takes)
        return {name: text.encode() for name, text in texts.items()}

    def remark(self, scenario: Scenario) -> str | None:
        """What a person has to do by hand after a recording has come in the place of what lay here; before it does."""
        if self.shared and Provenance.PUBLISHED in self.provenance(scenario):
            return f"take its rows out of {_DERIVATIONS}"
        return None


def manifest_rows(scenario: Scenario, takes: Iterable[Taken], base_url: str, day: date) -> dict[str, dict[str, str]]:
    """The rows of a recording: host, date and model."""
    rows = {}
    for taken in takes:
        model = (
            taken.exchange.request.get("model") or urlsplit(taken.exchange.uri).path.rpartition("/")[2].split(":")[0]
        )
        source = f"recorded from {urlsplit(base_url).hostname} on {day.isoformat()}, {model}"
        rows[f"{scenario.id}:{taken.mode}"] = {"provenance": Provenance.LIVE.value, "source": source}
    return rows


def chunks_text(answer: Answer) -> str:
    """Where the chunks of a body ended and when: JSON, one chunk a line.

    `framing` is `chunked` or `whole`; each of `chunks` is the end in bytes of the cassette's body and the
    milliseconds since the request was sent.
    """
    framing = "chunked" if answer.chunked else "whole"
    lines = ",\n".join(f"  [{chunk.end}, {chunk.at}]" for chunk in answer.chunks)
    return f'{{\n "framing": "{framing}",\n "chunks": [\n{lines}\n ]\n}}\n'


def _snapshot_text(takes: Iterable[Taken]) -> str:
    """As the snapshot tests write it; a test holds that they agree."""
    data = {str(taken.mode): taken.reading.to_json() for taken in takes}
    return json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _json_rows(rows: Mapping[str, Any]) -> str:
    return json.dumps(dict(sorted(rows.items())), ensure_ascii=False, indent=1) + "\n"


def _cells(scenario: Scenario) -> list[str]:
    return [f"{scenario.id}:{mode}" for mode in scenario.modes]

"""The corpus agrees with itself: ids, cassettes, snapshots, provenance, premises. Adapters are not here."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter

import pytest

from conformance import corpus
from conformance.corpus import cassette, cassette_path, manifest, root, snapshot
from conformance.replay.faults import delivered
from conformance.scenarios import Scenario, catalogue
from conformance.suite.bench import check_premise, view_of
from conformance.vocabulary import Mode, Provenance, Stop
from conformance.wire import Reading, codec_for
from tools.author.build import exchanges
from tools.cassette_file import dump

SCENARIOS = list(catalogue().values())
CELLS = [pytest.param(scenario, mode, id=f"{scenario.id}:{mode}") for scenario in SCENARIOS for mode in scenario.modes]


def reading_of(scenario: Scenario, mode: Mode) -> Reading:
    """What the codec makes of a cell as it is delivered."""
    last = delivered(cassette(scenario.id, mode)[-1], scenario.fault)
    return corpus.reading_of(scenario.api, mode, last)


@pytest.mark.filterwarnings(r"ignore:\s*Can not relate snapshot:UserWarning")
@pytest.mark.parametrize("scenario", [pytest.param(scenario, id=scenario.id) for scenario in SCENARIOS])
def test_snapshot(scenario: Scenario, corpus_snapshot: object) -> None:
    """A snapshot is what the codec makes of the cassettes, reviewed."""
    data = {str(mode): json.loads(json.dumps(reading_of(scenario, mode).to_json())) for mode in scenario.modes}
    assert data == corpus_snapshot(name=scenario.id)


def test_ids_cassettes_snapshots_and_provenance_agree() -> None:
    """Every cell has its files and its row, and nothing lies there that no scenario names."""
    cells = {f"{scenario.id}:{mode}" for scenario in SCENARIOS for mode in scenario.modes}
    folder = root() / "cassettes"
    found = {f"{path.parent.relative_to(folder).as_posix()}:{path.stem}" for path in folder.glob("*/*/*.yaml")}
    snapshots = {
        path.relative_to(root() / "snapshots").with_suffix("").as_posix()
        for path in (root() / "snapshots").glob("*/*.json")
    }
    assert found == cells
    assert set(manifest()) == cells
    assert snapshots == set(catalogue())


def test_nobody_claims_live() -> None:
    """There are no provider keys here, so no cassette may say that it was recorded live."""
    assert Provenance.LIVE not in {origin.provenance for origin in manifest().values()}


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_premise_holds(scenario: Scenario, mode: Mode) -> None:
    """The bytes show what the scenario claims."""
    check_premise(scenario, mode, cassette(scenario.id, mode))


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_premise_can_fail(scenario: Scenario, mode: Mode) -> None:
    """Every premise fails when the cassette is altered so that the behaviour is gone."""
    view = view_of(scenario, mode, cassette(scenario.id, mode))
    assert scenario.premise
    for premise in scenario.premise:
        assert not premise.holds(premise.spoil(view)), premise.says


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_documented_cassette_is_what_the_definition_writes(scenario: Scenario, mode: Mode) -> None:
    """A documented cassette is never edited by hand."""
    if manifest()[f"{scenario.id}:{mode}"].provenance is Provenance.DOCUMENTED:
        assert cassette_path(scenario.id, mode).read_text(encoding="utf-8") == dump(exchanges(scenario, mode))


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(scenario, id=scenario.id)
        for scenario in SCENARIOS
        if len(scenario.modes) == 2 and not scenario.fault
    ],
)
def test_both_modes_say_the_same(scenario: Scenario) -> None:
    """The two Readings of a scenario have the same class, reason and matched string, and the same content.

    A fault is left out: of a whole reply it leaves an error, of a stream what came before. Where one of
    the cassettes follows a recording, the words are that one's own.
    """
    one, two = (snapshot(scenario.id)[mode] for mode in scenario.modes)
    fields = ("stop", "stop_sequence", "raw_reason")
    assert {name: getattr(one, name) for name in fields} == {name: getattr(two, name) for name in fields}
    assert [call.name for call in one.tool_calls] == [call.name for call in two.tool_calls]
    if {manifest()[f"{scenario.id}:{mode}"].provenance for mode in scenario.modes} != {Provenance.DOCUMENTED}:
        return
    assert (one.text, one.refusal) == (two.text, two.refusal)
    if all(call.whole for call in (*one.tool_calls, *two.tool_calls)):
        assert [(c.name, json.loads(c.arguments or "{}")) for c in one.tool_calls] == [
            (c.name, json.loads(c.arguments or "{}")) for c in two.tool_calls
        ]


@pytest.mark.parametrize(("scenario", "mode"), CELLS)
def test_reading_is_the_same_however_the_bytes_come(scenario: Scenario, mode: Mode) -> None:
    """The codec gives one Reading for a body fed whole and byte by byte."""
    last = delivered(cassette(scenario.id, mode)[-1], scenario.fault)
    if mode is Mode.BUFFERED or not last.headers["content-type"].startswith("text/event-stream"):
        return
    reader = codec_for(scenario.api).stream()
    for place in range(len(last.body)):
        reader.feed(last.body[place : place + 1])
    reader.close()
    assert reader.reading == reading_of(scenario, mode)


def test_every_scenario_says_what_it_is() -> None:
    """Claim, right answer and evidence are there; `accepts` comes with its reason."""
    for scenario in SCENARIOS:
        assert scenario.claim.endswith("."), scenario.id
        assert scenario.right, scenario.id
        assert scenario.evidence, scenario.id
        assert bool(scenario.accepts) == bool(scenario.accepts_why), scenario.id


def test_every_class_is_shown() -> None:
    """The corpus holds every class of ending."""
    shown = Counter(reading.stop for id_ in catalogue() for reading in snapshot(id_).values())
    assert set(shown) == set(Stop)


def test_snapshot_file_reads_back() -> None:
    """A Reading survives its JSON form."""
    for id_ in catalogue():
        for reading in snapshot(id_).values():
            assert Reading.from_json(json.loads(json.dumps(dataclasses.asdict(reading)))) == reading

"""Drift from SDK types, on small wheels: against this project's tables, between versions, and how wheels are got."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.vocabulary import Api
from tests.drift.making import genai, literal, mistral, wheel
from tools.drift import wheels
from tools.drift.__main__ import main
from tools.drift.drifts import Drift
from tools.drift.errors import BadPlaces, NotPulled
from tools.drift.places import Decided, decided, places
from tools.drift.sdk import against_tables
from tools.drift.tables import known
from tools.drift.wheels import Wheel, pull

MISTRAL = ("stop", "length", "tool_calls", "content_filter", "function_call")
"""Values of our table; the package's own are decided."""


@pytest.fixture
def drift(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Run the command on wheels; exit code and what it printed as JSON."""

    def run(*made: Path) -> tuple[int, dict[str, Any]]:
        code = main(["sdk", "--json", *map(str, made)])
        return code, json.loads(capsys.readouterr().out)

    return run


def told(data: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["kind"], one["where"].partition(": ")[2], one["member"]) for one in data["drift"]]


# Against the tables


def test_a_sdk_that_says_what_we_know_has_not_drifted(tmp_path: Path, drift) -> None:
    assert drift(wheel(tmp_path, "google-genai", "9.0", genai())) == (
        0,
        {"wheels": ["google-genai==9.0"], "drift": []},
    )


def test_a_new_reason_is_named_with_package_version_and_place(tmp_path: Path, capsys) -> None:
    made = wheel(tmp_path, "google-genai", "9.1", genai(reasons=[*known(Api.GEMINI, "stops"), "TIRED"]))
    source = genai(reasons=[*known(Api.GEMINI, "stops"), "TIRED"])["google/genai/types.py"]
    line = source[: source.index("TIRED =")].count("\n") + 1
    assert main(["sdk", str(made)]) == 1
    (found, note, *rest) = capsys.readouterr().out.splitlines()
    assert found.split() == [
        *("new", "google-genai==9.1", "gemini:", "finish", "reasons", "TIRED", f"google/genai/types.py:{line}")
    ]
    assert "does not know it" in note
    assert rest[-1] == "1 new in google-genai==9.1"


def test_a_reason_that_is_gone(tmp_path: Path, drift) -> None:
    """Where the package is to say all that the table has; a partial source need not."""
    reasons = [reason for reason in known(Api.GEMINI, "stops") if reason != "SPII"]
    code, data = drift(wheel(tmp_path, "google-genai", "9.2", genai(reasons=reasons)))
    assert (code, told(data)) == (1, [("gone", "finish reasons", "SPII")])
    assert drift(wheel(tmp_path, "mistralai", "9.2", mistral(["stop"])))[0] == 0


def test_a_type_that_moved_is_told_and_is_not_taken_for_empty(tmp_path: Path, drift) -> None:
    files = {name: text.replace("class Part(", "class Piece(") for name, text in genai().items()}
    code, data = drift(wheel(tmp_path, "google-genai", "9.3", files))
    assert (code, told(data)) == (1, [("gone", "parts", "(the type)")])
    assert data["drift"][0]["place"] == "google/genai/types.py:Part"


def test_fields(tmp_path: Path, drift) -> None:
    """A new one; and one whose recorded type the SDK does not allow. The wire's spelling is compared."""
    files = genai(mood_of_model="Optional[str]", finish_message="Optional[int]")
    files["google/genai/types.py"] = files["google/genai/types.py"].replace("  finishMessage: Any = None\n", "")
    code, data = drift(wheel(tmp_path, "google-genai", "9.4", files))
    assert code == 1
    assert sorted(told(data)) == [
        ("changed", "fields of a candidate", "finishMessage"),
        ("new", "fields of a candidate", "moodOfModel"),
    ]
    assert any("recorded as string; the SDK says Optional[int]" in one["note"] for one in data["drift"])


def test_a_decision_covers_its_members_and_is_told_when_idle(tmp_path: Path) -> None:
    made = Wheel(wheel(tmp_path, "mistralai", "9.5", mistral([*MISTRAL, "model_length", "tired"])))
    (place,) = [place for place in places() if place.package == "mistralai"]

    def rows(*decisions: tuple[str, ...], newest: bool = True) -> list[tuple[str, str]]:
        some = [
            Decided(place.package, place.api, place.what, frozenset(members), frozenset(), "why")
            for members in decisions
        ]
        return [(one.kind, one.member) for one in against_tables(made, places(), some, newest=newest)]

    assert rows() == [("new", "model_length"), ("new", "tired")]
    assert rows(("model_length",), ("tired",)) == []
    assert rows(("model_length", "tired", "stop", "gone_since")) == [("stale", "gone_since"), ("stale", "stop")]
    assert rows(("model_length", "tired", "stop", "gone_since"), newest=False) == []


def test_service_models_are_read(tmp_path: Path, drift) -> None:
    import gzip

    stops = [*known(Api.ANTHROPIC_MESSAGES, "stops"), "guardrail_intervened", "struck"]
    model = json.dumps({"shapes": {"StopReason": {"type": "string", "enum": stops}}}).encode()
    name = "botocore/data/bedrock-runtime/2023-09-30/service-2.json.gz"
    code, data = drift(wheel(tmp_path, "botocore", "9.0", {name: gzip.compress(model)}))
    assert (code, told(data)) == (1, [("new", "stop reasons of Bedrock", "struck")])
    assert data["drift"][0]["place"] == f"{name} shape StopReason"


# Between versions


def test_versions_show_when_a_member_came(tmp_path: Path, drift) -> None:
    made = [
        wheel(tmp_path, "mistralai", version, mistral(values))
        for version, values in (("1", ["stop", "old"]), ("2", ["stop", "old", "new"]), ("3", ["stop", "new", "newest"]))
    ]
    code, data = drift(*made)
    assert code == 1
    assert [(one["kind"], one["subject"], one["member"]) for one in data["drift"]] == [
        ("new", "mistralai==2", "new"),
        ("new", "mistralai==3", "newest"),
        ("gone", "mistralai==3", "old"),
    ]
    assert drift(made[0], made[0])[0] == 0


def test_versions_show_a_changed_field(tmp_path: Path, drift) -> None:
    made = [
        wheel(tmp_path, "google-genai", version, genai(finish_reason=kind))
        for version, kind in (("1", "FinishReason"), ("2", "Optional[FinishReason]"))
    ]
    code, data = drift(*made)
    assert (code, told(data)) == (1, [("changed", "fields of a candidate", "finishReason")])
    assert data["drift"][0]["note"] == "FinishReason in google-genai==1, now Optional[FinishReason]"


def test_what_pause_turn_and_refusal_looked_like_when_they_came(tmp_path: Path, drift) -> None:
    """The field had its literal inline before, and has a type of its own in another file since."""
    head = "from typing import *\n"
    before, since = ["end_turn", "max_tokens"], ["end_turn", "max_tokens", "pause_turn", "refusal"]
    old = {"anthropic/types/message.py": f"{head}class Message(Base):\n    stop_reason: Optional[{literal(before)}]\n"}
    new = {
        "anthropic/types/message.py": (
            "from .stop_reason import StopReason\nclass Message(Base):\n    stop_reason: Optional[StopReason] = None\n"
        ),
        "anthropic/types/stop_reason.py": f"{head}StopReason: TypeAlias = {literal(since)}\n",
    }
    code, data = drift(wheel(tmp_path, "anthropic", "1", old), wheel(tmp_path, "anthropic", "2", new))
    assert code == 1
    assert [(one["kind"], one["member"], one["place"]) for one in data["drift"]] == [
        ("new", "pause_turn", "anthropic/types/stop_reason.py:2"),
        ("new", "refusal", "anthropic/types/stop_reason.py:2"),
    ]


# The data files


def test_places_and_decisions_of_the_project_are_whole() -> None:
    assert {place.package for place in places()} >= {"openai", "anthropic", "google-genai", "botocore", "cohere"}
    assert all(known(place.api, place.table) for place in places())
    assert decided()
    assert len({(place.package, place.api, place.what) for place in places()}) == len(places())


@pytest.mark.parametrize(
    "text",
    [
        "place = 7",
        "[[place]]\npackage = 'x'",
        "[[place]]\npackage='x'\napi='gemini'\nwhat='w'\nkind='odd'\nat=['a']\ntable='stops'",
        "[[place]]\npackage='x'\napi='gopher'\nwhat='w'\nkind='values'\nat=['a']\ntable='stops'",
        "[[place",
    ],
)
def test_bad_places(text: str, tmp_path: Path) -> None:
    path = tmp_path / "places.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadPlaces, match=r"places\.toml"):
        places(path)


@pytest.mark.parametrize(
    "text",
    [
        "[[decided]]\npackage = 'x'",
        "[[decided]]\npackage='cohere'\napi='openai-chat'\nwhat='no such place'\nwhy='so'",
        "[[decided]]\npackage='cohere'\napi='openai-chat'\nwhat='finish reasons of Cohere'\nwhy=' '",
    ],
)
def test_bad_decisions(text: str, tmp_path: Path) -> None:
    path = tmp_path / "decided.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadPlaces, match=r"decided\.toml"):
        decided(path)


def test_no_such_table() -> None:
    with pytest.raises(BadPlaces, match="names a table 'stool'"):
        known(Api.GEMINI, "stool")


# Getting wheels


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An index in the place of pip that has mistralai 1.0 and 2.0; what it was asked for."""
    monkeypatch.setenv("CONFORMANCE_CACHE", str(tmp_path / "cache"))
    asked: list[str] = []

    def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        name, target = command[-1], Path(command[command.index("--dest") + 1])
        asked.append(name)
        assert {"--no-deps", "--only-binary"} <= set(command)
        if not name.startswith("mistralai"):
            text = f"ERROR: Could not find a version of {name} (from versions: 1, 2)\nERROR: none"
            return subprocess.CompletedProcess(command, 1, "", text)
        wheel(target, "mistralai", name.partition("==")[2] or "2.0", mistral(MISTRAL))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wheels.subprocess, "run", pip)
    return asked


def test_a_version_is_pulled_once_and_the_newest_is_asked_for(index: list[str], tmp_path: Path) -> None:
    said: list[str] = []
    assert str(pull("mistralai==1.0", said.append)) == "mistralai==1.0"
    assert str(pull("mistralai==1.0", said.append)) == "mistralai==1.0"
    assert str(pull("mistralai", said.append)) == "mistralai==2.0"
    assert str(pull("mistralai", said.append)) == "mistralai==2.0"
    assert index == ["mistralai==1.0", "mistralai", "mistralai"]
    assert "mistralai==1.0: in the cache" in said
    folder = tmp_path / "cache" / "wheels"
    assert sorted(path.name for path in folder.iterdir()) == [
        "mistralai-1.0-py3-none-any.whl",
        "mistralai-2.0-py3-none-any.whl",
    ]


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("asked", ["--index-url=http://example.org", "a b", "../x", "", "x==", "x>=1"])
def test_what_names_no_package_does_not_reach_pip(asked: str, index: list[str]) -> None:
    with pytest.raises(NotPulled, match="names no package"):
        pull(asked, lambda _: None)
    assert index == []


@pytest.mark.usefixtures("index")
def test_what_the_index_does_not_have(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["sdk", "openai==0.0.1"]) == 2
    told = capsys.readouterr().err
    assert "error: pip cannot get a wheel of openai==0.0.1: Could not find a version of openai==0.0.1\n" in told
    assert list((tmp_path / "cache" / "wheels").iterdir()) == []


@pytest.mark.usefixtures("index")
def test_a_slow_index_and_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def slow(command: list[str], **_: object) -> None:
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(wheels.subprocess, "run", slow)
    with pytest.raises(NotPulled, match="did not get openai within"):
        pull("openai", lambda _: None)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("CONFORMANCE_CACHE", str(tmp_path / "file"))
    with pytest.raises(NotPulled, match="cannot write to the cache"):
        pull("openai", lambda _: None)


@pytest.mark.parametrize(("name", "says"), [("gone-1.0-py3-none-any.whl", "is no wheel"), ("odd.whl", "is no wheel")])
def test_bad_files(name: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sdk", str(tmp_path / name)]) == 2
    assert says in capsys.readouterr().err


def test_a_package_without_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sdk", str(wheel(tmp_path, "requests", "1.0", {}))]) == 2
    assert "no place of requests is known" in capsys.readouterr().err


def test_drifts_are_plain_data() -> None:
    assert Drift("new", "s", "w", "m", "p", "n")._asdict()["member"] == "m"

"""From end to end against the stand-in: what is asked, written, printed, and the exit codes. Kills: test_killed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from stand_in import KEYS, TELLING, StandIn, Turn

from conformance.corpus import Exchange, cassette
from conformance.scenarios.view import View
from conformance.vocabulary import Api, Mode
from tools.record.__main__ import main

CHAT, ANTHROPIC = "openai-chat/stop-newline", "anthropic-messages/stop-fired"
EVERY = [
    *(CHAT, "openai-chat/send-stop-5", "openai-chat/error-http-401", "openai-chat/forced-tool-choice"),
    *("openai-responses/tool-call", "openai-responses/natural-end"),
    *(
        ANTHROPIC,
        "anthropic-messages/natural-end",
        "anthropic-messages/length-cap",
        "anthropic-messages/error-http-404",
    ),
    *("gemini/tool-call", "gemini/gem-crlf", "gemini/thinking-then-text"),
]


def run(stand_in: StandIn, corpus: Path, *arguments: str) -> int:
    return main([*arguments, "--corpus", str(corpus), *stand_in.options])


def tree(corpus: Path) -> dict[str, bytes]:
    return {str(path.relative_to(corpus)): path.read_bytes() for path in sorted(corpus.rglob("*")) if path.is_file()}


def steady(corpus: Path) -> dict[str, bytes]:
    """The files without those that hold times."""
    return {name: data for name, data in tree(corpus).items() if not name.endswith(".chunks.json")}


def test_recording_writes_cassettes_chunks_snapshot_and_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with StandIn([ANTHROPIC], pause=0.01) as vendor:
        assert run(vendor, tmp_path, ANTHROPIC) == 0
    assert "[1/1] anthropic-messages/stop-fired  recorded: 2 cassettes, try 1, 69 tokens" in capsys.readouterr().err
    folder = f"cassettes/{ANTHROPIC}"
    assert set(tree(tmp_path)) == {
        f"{folder}/buffered.yaml",
        f"{folder}/buffered.chunks.json",
        f"{folder}/streamed.yaml",
        f"{folder}/streamed.chunks.json",
        f"snapshots/{ANTHROPIC}.json",
        "cassettes/provenance.json",
    }
    rows = json.loads((tmp_path / "cassettes/provenance.json").read_text(encoding="utf-8"))
    assert rows[f"{ANTHROPIC}:streamed"]["provenance"] == "live"
    assert re.fullmatch(
        r"recorded from 127\.0\.0\.1 on \d{4}-\d\d-\d\d, claude-haiku-4-5", rows[f"{ANTHROPIC}:streamed"]["source"]
    )
    # Of a live cassette the words are the provider's: here those of the cassette that the stand-in plays.
    (one,) = yaml.safe_load((tmp_path / folder / "streamed.yaml").read_text(encoding="utf-8"))["interactions"]
    ours = cassette(ANTHROPIC, Mode.STREAMED)[-1].body.decode()
    assert re.sub(r"msg_\w+", "", one["response"]["body"]["string"]) == re.sub(r"msg_\w+", "", ours)
    assert "<answer> 42 </answer>" in one["request"]["body"]
    assert one["request"]["uri"] == "https://api.anthropic.com/v1/messages"


def test_the_chunks_are_those_of_the_wire_with_their_times(tmp_path: Path) -> None:
    with StandIn([ANTHROPIC], pause=0.02) as vendor:
        run(vendor, tmp_path, ANTHROPIC)
    kept = json.loads((tmp_path / f"cassettes/{ANTHROPIC}/streamed.chunks.json").read_text(encoding="utf-8"))
    body = cassette(ANTHROPIC, Mode.STREAMED)[-1].body
    ends = [end for end, _ in kept["chunks"]]
    assert kept["framing"] == "chunked"
    assert ends == [match.end() for match in re.finditer(rb"\n\n", body)]
    times = [at for _, at in kept["chunks"]]
    assert times == sorted(times)
    assert times[-1] - times[0] >= 20 * (len(times) - 1) - len(times)
    whole = json.loads((tmp_path / f"cassettes/{ANTHROPIC}/buffered.chunks.json").read_text(encoding="utf-8"))
    assert whole["framing"] == "whole"
    assert [end for end, _ in whole["chunks"]] == [len(cassette(ANTHROPIC, Mode.BUFFERED)[-1].body)]


@pytest.mark.parametrize("id_", EVERY)
def test_what_is_recorded_reads_as_what_was_played_and_tells_of_nobody(id_: str, tmp_path: Path) -> None:
    """Of every API, streams and errors too: the snapshot is the corpus's, no telling header and no key is kept."""
    with StandIn([id_]) as vendor:
        assert run(vendor, tmp_path, id_) == 0
    ours = json.loads((tmp_path / f"snapshots/{id_}.json").read_text(encoding="utf-8"))
    theirs = json.loads((Path(__file__).parents[2] / f"snapshots/{id_}.json").read_text(encoding="utf-8"))
    told = [_without_ids(data) for data in (ours, theirs)]
    if "error-http-401" not in id_ and "error-http-404" not in id_:  # the stand-in says these in its own words
        assert told[0] == told[1]
    text = b"\n".join(tree(tmp_path).values()).decode()
    for secret in (*TELLING.values(), *KEYS.values(), "harbourmaster", "8f3b1c2d4e5f6a7b", "CVx7Kq2Zr9Wt4"):
        assert secret not in text
    headers = {
        name
        for path in tmp_path.glob("cassettes/*/*/*.yaml")
        for one in yaml.safe_load(path.read_text(encoding="utf-8"))["interactions"]
        for name in one["response"]["headers"]
    }
    assert headers <= {"content-type", "request-id", "x-request-id"}


def _without_ids(data: object) -> object:
    return json.loads(re.sub(r'"id": "[^"]*"', '"id": "-"', json.dumps(data)))


def test_recording_again_gives_the_same_files(tmp_path: Path) -> None:
    """Minted ids depend on the cell alone: what the vendor names anew each time makes no difference."""

    def renamed(exchange: Exchange) -> Exchange:
        return replace(exchange, body=re.sub(rb"msg_01\w{4}", b"msg_01" + b"abcd", exchange.body))

    with StandIn([ANTHROPIC]) as vendor:
        run(vendor, tmp_path, ANTHROPIC)
        before = steady(tmp_path)
        vendor.script["*"] = [Turn(edit=renamed), Turn(edit=renamed)]
        assert run(vendor, tmp_path, ANTHROPIC) == 0
    assert steady(tmp_path) == before


def test_a_packed_body_is_unpacked(tmp_path: Path) -> None:
    with StandIn([ANTHROPIC]) as vendor:
        run(vendor, tmp_path, ANTHROPIC)
        before = steady(tmp_path)
        vendor.script["*"] = [Turn(packed=True), Turn(packed=True)]
        assert run(vendor, tmp_path, ANTHROPIC) == 0
    assert steady(tmp_path) == before


def changed(exchange: Exchange, path: str, value: object) -> Exchange:
    api = Api.ANTHROPIC_MESSAGES
    mode = Mode.STREAMED if b"data:" in exchange.body else Mode.BUFFERED
    view = View(api, mode, exchange.status, exchange.body).change(lambda _: value, path, f"delta.{path}")
    return replace(exchange, body=view.body)


def test_a_premise_that_is_lost_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A vendor that has a new value for the reason is told of, and what was recorded stays."""
    with StandIn([ANTHROPIC]) as vendor:
        run(vendor, tmp_path, ANTHROPIC)
        before = tree(tmp_path)
        vendor.script["*"] = [Turn(edit=lambda exchange: changed(exchange, "stop_reason", "matched"))] * 20
        assert run(vendor, tmp_path, ANTHROPIC) == 1
    err = capsys.readouterr().err
    assert "not provoked: buffered: not so: the reason is 'stop_sequence'" in err
    assert "it was so when it was last recorded: the vendor may have moved (4 tries)" in err
    assert tree(tmp_path) == before


def test_a_new_value_beside_the_premise_is_recorded_and_shows_in_the_diff(tmp_path: Path) -> None:
    """`natural-end` cares for the reason: a field that is new is in the cassette, a new value of usage too."""
    id_ = "anthropic-messages/natural-end"

    def newer(exchange: Exchange) -> Exchange:
        return replace(exchange, body=exchange.body.replace(b'"role":"assistant"', b'"role":"assistant","mood":"calm"'))

    with StandIn([id_]) as vendor:
        run(vendor, tmp_path, id_)
        before = steady(tmp_path)
        vendor.script["*"] = [Turn(edit=newer), Turn(edit=newer)]
        assert run(vendor, tmp_path, id_) == 0
    after = steady(tmp_path)
    assert {name for name in after if after[name] != before[name]} == {
        f"cassettes/{id_}/buffered.yaml",
        f"cassettes/{id_}/streamed.yaml",
    }
    assert all(b'"mood":"calm"' in after[f"cassettes/{id_}/{mode}.yaml"] for mode in Mode)


def test_modes_that_disagree_are_not_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each by itself shows the premise; a snapshot of both would contradict itself."""
    id_ = "anthropic-messages/natural-end"
    block = {"type": "tool_use", "id": "toolu_01A", "name": "look_up", "input": {}}
    frame = {"type": "content_block_start", "index": 7, "content_block": block}
    call = f"event: content_block_start\ndata: {json.dumps(frame)}\n\n".encode()

    def calling(exchange: Exchange) -> Exchange:
        return replace(exchange, body=exchange.body.replace(b"event: message_delta", call + b"event: message_delta"))

    with StandIn([id_]) as vendor:
        vendor.script[f"{id_}:streamed"] = [Turn(edit=calling)] * 9
        assert run(vendor, tmp_path, id_) == 1
    assert "not provoked: the modes disagree on the tools called: [] and ['look_up']" in capsys.readouterr().err
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("api", list(Api))
def test_a_refused_key_ends_the_run_and_names_the_variable(
    api: Api, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = f"{api}/natural-end"
    with StandIn([id_], keys=dict.fromkeys(Api, "another-key-than-ours")) as vendor:
        code = run(vendor, tmp_path, id_)
    err = capsys.readouterr().err
    assert KEYS[api] not in err
    assert KEYS[api][-4:] not in err
    assert tree(tmp_path) == {}
    if api is Api.GEMINI:  # answers 400 to it, as to a bad request
        assert code == 1
        assert "failed: HTTP 400: API key not valid" in err
    else:
        assert code == 2
        assert "refuses the key in" in err
        assert "mend: set " in err


@pytest.mark.parametrize(
    ("status", "headers", "waited"),
    [
        (429, {"retry-after": "7"}, 7.0),
        (429, {"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        (529, {}, None),
        (500, {}, None),
        (503, {"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
def test_too_much_asked_and_overloaded_are_waited_for(
    status: int, headers: dict[str, str], waited: float | None, tmp_path: Path, waits: list[float]
) -> None:
    with StandIn([ANTHROPIC]) as vendor:
        vendor.script[f"{ANTHROPIC}:buffered"] = [Turn(status=status, headers=headers)] * 2
        assert run(vendor, tmp_path, ANTHROPIC) == 0
        assert vendor.asked.count(f"{ANTHROPIC}:buffered") == 3
    if waited is None:
        assert 0.5 <= waits[0] <= 1.0 <= waits[1] <= 2.0
    else:
        assert waits == [waited, waited]


def test_a_provider_that_stays_away_is_given_up(
    tmp_path: Path, waits: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with StandIn([ANTHROPIC]) as vendor:
        vendor.script["*"] = [Turn(status=529)] * 9
        assert run(vendor, tmp_path, ANTHROPIC) == 1
        assert len(vendor.asked) == 5
    assert "failed: HTTP 529: not now" in capsys.readouterr().err
    assert len(waits) == 4
    assert tree(tmp_path) == {}


def test_a_wait_of_an_hour_is_not_waited_for(tmp_path: Path, waits: list[float]) -> None:
    with StandIn([ANTHROPIC]) as vendor:
        vendor.script["*"] = [Turn(status=429, headers={"retry-after": "3600"})]
        assert run(vendor, tmp_path, ANTHROPIC) == 1
    assert waits == []


@pytest.mark.parametrize("kept", [0, 3])
def test_a_stream_that_is_cut_is_asked_for_again_and_never_kept(
    kept: int, tmp_path: Path, waits: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with StandIn([ANTHROPIC]) as vendor:
        vendor.script[f"{ANTHROPIC}:streamed"] = [Turn(cut=kept)]
        assert run(vendor, tmp_path, ANTHROPIC) == 0
        before = tree(tmp_path)
        vendor.script[f"{ANTHROPIC}:streamed"] = [Turn(cut=kept)] * 9
        assert run(vendor, tmp_path, ANTHROPIC) == 1
    assert len(waits) == 5
    assert "failed: no answer from 127.0.0.1" in capsys.readouterr().err
    assert tree(tmp_path) == before


def test_a_stream_that_ends_early_and_cleanly_is_not_kept(tmp_path: Path) -> None:
    id_ = "anthropic-messages/ping"

    def early(exchange: Exchange) -> Exchange:
        return replace(exchange, body=exchange.body.partition(b"event: message_delta")[0])

    with StandIn([id_]) as vendor:
        vendor.script["*"] = [Turn(edit=early)] * 9
        assert run(vendor, tmp_path, id_) == 1
    assert tree(tmp_path) == {}


@pytest.mark.usefixtures("waits")
def test_nobody_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with StandIn([ANTHROPIC]) as vendor:
        options = vendor.options
    assert main([ANTHROPIC, "--corpus", str(tmp_path), *options]) == 1
    assert "failed: no answer from 127.0.0.1" in capsys.readouterr().err


def test_the_budget_counts_what_was_spent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with StandIn([ANTHROPIC, CHAT]) as vendor:
        assert run(vendor, tmp_path, ANTHROPIC, "--max-cost", "100") == 2
        assert vendor.asked == []
    assert "this may cost" in capsys.readouterr().err
    assert tree(tmp_path) == {}


@pytest.mark.usefixtures("waits")
def test_cut_answers_are_paid_for_and_the_budget_ends_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a cut stream has cost nobody says: the most that it may have counts, and there is no second one for free."""
    id_ = "openai-chat/forced-tool-choice"
    with StandIn([id_]) as vendor:
        vendor.script[f"{id_}:streamed"] = [Turn(cut=1)] * 99
        assert run(vendor, tmp_path, id_, "--max-cost", "900") == 2
        assert vendor.asked == [f"{id_}:buffered", f"{id_}:streamed"]
    assert "442 more may be needed, and --max-cost is 900" in capsys.readouterr().err
    assert tree(tmp_path) == {}


def test_a_key_in_the_answer_ends_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = KEYS[Api.ANTHROPIC_MESSAGES]

    def echo(exchange: Exchange) -> Exchange:
        return replace(exchange, body=exchange.body.replace(b'"role"', f'"seen":"{key}","role"'.encode()))

    with StandIn([ANTHROPIC, CHAT]) as vendor:
        assert run(vendor, tmp_path, CHAT) == 0
        before = tree(tmp_path)
        vendor.script[f"{ANTHROPIC}:streamed"] = [Turn(edit=echo)]
        assert run(vendor, tmp_path, ANTHROPIC) == 2
    err = capsys.readouterr().err
    assert "anthropic-messages/stop-fired:streamed: the body holds the key, as it is" in err
    assert key[:24] not in err
    assert tree(tmp_path) == before

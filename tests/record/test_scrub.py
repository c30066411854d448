"""No secret survives in a file that the recorder writes: thousands planted, in every place, of every form."""

from __future__ import annotations

import base64
import json
import random
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from planting import CODED, FORMED, HEADERS, KEYED, PLACES, Place, inside
from stand_in import KEYS

from conformance.scenarios import scenario
from conformance.vocabulary import Api, Mode
from tools.record import scrub as scrubbing
from tools.record.asking import Question, question
from tools.record.client import Answer, Chunk, _Unpack
from tools.record.errors import SecretLeft
from tools.record.exchange import check, take
from tools.record.provocations import Provocation, provocation
from tools.record.target import Target

ID = "anthropic-messages/natural-end"
KEY = KEYS[Api.ANTHROPIC_MESSAGES]
SCENARIO = scenario(ID)
EXCHANGES = 1_000


def asked(mode: Mode, base_url: str = "https://api.anthropic.com") -> Question:
    how = provocation(SCENARIO)
    assert isinstance(how, Provocation)
    return question(SCENARIO, mode, how, base_url=base_url, key=KEY)


def answer(body: bytes, mode: Mode, headers: list[tuple[str, str]] | None = None, packing: str = "") -> Answer:
    """An answer as the client gives it; a packed body goes through the client's own unpacking."""
    if packing:
        packed = zlib.compressobj(wbits=31 if packing == "gzip" else 15)
        unpack = _Unpack(packing)
        body = unpack.feed(packed.compress(body) + packed.flush()) + unpack.end()
    kind = "text/event-stream" if mode is Mode.STREAMED else "application/json"
    lines = [("content-type", kind), *(headers or [])]
    return Answer(200, tuple(lines), body, (Chunk(len(body), 3),), mode is Mode.STREAMED, local=True)


def written(one: Answer, mode: Mode, tmp_path: Path) -> dict[str, str]:
    """The files of a recording, or SecretLeft; the same two steps as the recorder's."""
    taken = take(SCENARIO, asked(mode), one, [KEY])
    files = Target(tmp_path).files(SCENARIO, [taken], "https://api.anthropic.com", date(2026, 1, 2))
    texts = {name: data.decode() for name, data in files.items()}
    check(ID, [KEY], [taken], texts)
    return texts


def everything(texts: dict[str, str]) -> Iterator[str]:
    """All that a reader of the files can get out of them: their text, and each string in them decoded."""
    for name, text in texts.items():
        yield text
        document = yaml.load(text, Loader=yaml.CSafeLoader) if name.endswith(".yaml") else json.loads(text)
        yield from strings(document)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from (str(key), *strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    else:
        yield value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def planted(rng: random.Random) -> tuple[str, bytes, list[tuple[str, str]], list[str]]:
    """What kind, a body, headers, and what must not survive of them."""
    place: Place = rng.choice(PLACES)
    telling, headers = [], []
    for name in rng.sample(sorted(HEADERS), k=3):
        value, tell = HEADERS[name](rng)
        headers.append((name, value))
        telling.append(tell)
    kind = rng.choice(["formed", "header", "keyed"])
    if kind == "formed":
        secret, tell = FORMED[rng.choice(sorted(FORMED))](rng)
        telling.append(tell)
    elif kind == "header":
        secret = telling[0]
    else:
        key = rng.choice(sorted(KEYED))
        value, tell = KEYED[key](rng)
        telling.append(tell)
        template = place.stream if rng.random() < 0.5 else place.whole
        if not place.raw:
            # A further member of the outermost object of the first document.
            at = template.index("{") + 1
            template = f'{template[:at]}"{key}":{json.dumps(value)},{template[at:]}'
            return kind, template.replace("%s", "it").encode(), headers, telling
        secret = telling[0]
    template = place.stream if rng.random() < 0.5 else place.whole
    return kind, template.replace("%s", inside(place, secret)).encode(), headers, telling


def test_nothing_planted_survives_in_a_thousand_exchanges(tmp_path: Path) -> None:
    rng = random.Random(7)  # noqa: S311 -- the same exchanges every time
    ends: Counter[str] = Counter()
    for number in range(EXCHANGES):
        kind, body, headers, telling = planted(rng)
        mode = Mode.STREAMED if body.startswith((b"data:", b"event:", b":")) else Mode.BUFFERED
        packing = rng.choice(["", "", "gzip", "deflate"])
        try:
            texts = written(answer(body, mode, headers, packing), mode, tmp_path)
        except SecretLeft:
            ends[f"{kind} refused"] += 1
            continue
        ends[f"{kind} scrubbed"] += 1
        for text in everything(texts):
            assert [tell for tell in telling if tell in text] == [], f"exchange {number}: {body!r}"
    # It is the scrubbing that takes them out: were everything refused, nothing could be recorded.
    assert sum(ends.values()) == EXCHANGES
    assert ends["formed refused"] + ends["header refused"] + ends["keyed refused"] <= EXCHANGES // 50, ends


@pytest.mark.parametrize("coding", sorted(CODED))
@pytest.mark.parametrize("place", PLACES, ids=[place.name for place in PLACES])
def test_our_own_key_ends_it_in_every_coding_and_place(coding: str, place: Place, tmp_path: Path) -> None:
    for mode, template in ((Mode.BUFFERED, place.whole), (Mode.STREAMED, place.stream)):
        body = template.replace("%s", CODED[coding](KEY)).encode()
        with pytest.raises(SecretLeft, match="holds the key") as caught:
            written(answer(body, mode), mode, tmp_path)
        assert KEY[13:25] not in str(caught.value)


@pytest.mark.parametrize("coding", sorted(CODED))
def test_our_own_key_ends_it_in_a_header_and_in_the_address(coding: str, tmp_path: Path) -> None:
    body = PLACES[0].whole.replace("%s", "it").encode()
    with pytest.raises(SecretLeft, match="the header x-echo holds the key"):
        written(answer(body, Mode.BUFFERED, [("x-echo", CODED[coding](KEY))]), Mode.BUFFERED, tmp_path)
    with pytest.raises(SecretLeft, match="the address holds the key"):
        take(
            SCENARIO,
            asked(Mode.BUFFERED, f"https://example.com/{CODED[coding](KEY)}"),
            answer(body, Mode.BUFFERED),
            [KEY],
        )


def test_a_key_spread_over_deltas_ends_it(tmp_path: Path) -> None:
    """No frame holds it; who joins the deltas has it."""
    for secret in (KEY, FORMED["groq"](random.Random(1))[0]):  # noqa: S311 -- any
        pieces = [secret[at : at + 9] for at in range(0, len(secret), 9)]
        body = "".join(
            PLACES[0].stream.partition("\n\n")[0].replace("see %s there", piece) + "\n\n" for piece in pieces
        )
        with pytest.raises(SecretLeft):
            written(answer(body.encode(), Mode.STREAMED), Mode.STREAMED, tmp_path)


def test_a_body_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SecretLeft, match="no UTF-8 text"):
        written(answer(b"\xff\xfe" + base64.b64encode(b"x" * 40), Mode.BUFFERED), Mode.BUFFERED, tmp_path)


def test_what_the_scrubber_misses_the_last_look_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two do not share their blindness: with no scrubbing at all, nothing is written."""
    monkeypatch.setattr(scrubbing, "masked", lambda text: text)
    monkeypatch.setattr(scrubbing._Fresh, "replace", lambda _self, text: text)
    rng = random.Random(3)  # noqa: S311 -- the same every time
    for make in FORMED.values():
        body = PLACES[0].whole.replace("%s", inside(PLACES[0], make(rng)[0])).encode()
        with pytest.raises(SecretLeft, match="looks like a secret"):
            written(answer(body, Mode.BUFFERED), Mode.BUFFERED, tmp_path)
    for name, make in HEADERS.items():
        value, tell = make(rng)
        body = PLACES[0].whole.replace("%s", tell).encode()
        with pytest.raises(SecretLeft):
            written(answer(body, Mode.BUFFERED, [(name, value)]), Mode.BUFFERED, tmp_path)


def test_lengths_and_frames_stay() -> None:
    """The ends of chunks are told in bytes of the body: scrubbing moves none."""
    rng = random.Random(11)  # noqa: S311 -- the same every time
    for _ in range(100):
        _, body, headers, _ = planted(rng)
        mode = Mode.STREAMED if body.startswith((b"data:", b"event:", b":")) else Mode.BUFFERED
        new = scrubbing.scrub(answer(body, mode, headers), ID, streamed=mode is Mode.STREAMED).body
        assert len(new) == len(body)
        assert [at for at, byte in enumerate(new) if byte == 10] == [at for at, byte in enumerate(body) if byte == 10]


def test_what_is_nobodys_stays() -> None:
    """Models, reasons, texts, usage, a tool's arguments: all that a reader reads."""
    body = (
        b'{"id":"msg_01ABCDEFGHJKLMNPQRSTUVWX","model":"claude-haiku-4-5","service_tier":"standard","content":'
        b'[{"type":"tool_use","id":"toolu_01ABCDEFGHJKLMNPQRSTUVWX","name":"look","input":{"id":"7","user":"ann"}},'
        b'{"type":"text","text":"At 12:30 use 127.0.0.1, version 4.1.2 and a::b."}],"usage":{"output_tokens":12}}'
    )
    new = json.loads(scrubbing.scrub(answer(body, Mode.BUFFERED), ID, streamed=False).body)
    old = json.loads(body)
    assert new.pop("id") != old.pop("id")
    assert new["content"][0].pop("id") != old["content"][0].pop("id")
    assert new == old


def test_times_are_one_day() -> None:
    body = b'{"created":1764460000,"at":"2026-11-29T23:59:59Z","text":"Sun, 29 Nov 2026 23:59:59 GMT"}'
    new = scrubbing.scrub(answer(body, Mode.BUFFERED), ID, streamed=False).body.decode()
    assert "17644" not in new
    assert "2026-11" not in new
    assert "Nov" not in new


def test_one_id_has_one_stand_in_everywhere() -> None:
    id_ = "msg_0f1e2d3c4b5a69788776655443322110"
    body = f'data: {{"item_id":"{id_}"}}\n\ndata: {{"item":{{"id":"{id_}"}},"text":"see {id_}"}}\n\n'.encode()
    new = scrubbing.scrub(answer(body, Mode.STREAMED), ID, streamed=True).body.decode()
    first = json.loads(new.split("\n")[0].removeprefix("data: "))["item_id"]
    assert new.count(first) == 3
    assert first.startswith("msg_")

"""A vcrpy cassette that answers by the suite's rules. Only this module imports vcrpy, and it is itself imported late.

vcrpy's own matchers do not serve: with repeats allowed it plays the first match for ever, where
the nth request is to get the nth reply, and its hooks see each request several times. So the two
methods that every client stub of vcrpy asks are overridden, and the rest of vcrpy is stock.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from vcr.cassette import Cassette
from vcr.errors import UnhandledHTTPRequestError
from vcr.record_mode import RecordMode
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

from conformance.replay.addressing import Sent, origin_of, path_of, query_of, read_request
from conformance.replay.delivery import Play, Turn
from conformance.vocabulary import Mode

Recorded = Mapping[Mode, Sequence[tuple[Any, Any]]]


def interactions(path: Path) -> list[tuple[Any, Any]]:
    """Requests and responses of a cassette file as vcrpy reads them."""
    # Not through vcrpy's persister, which opens the file in the locale's encoding.
    requests, responses, *_ = deserialize(path.read_text(encoding="utf-8"), yamlserializer)
    return list(zip(requests, responses, strict=True))


def playback(play: Play, recorded: Recorded) -> AbstractContextManager[Any]:
    """Patch every HTTP client that vcrpy knows, so that `play` answers it."""
    context: AbstractContextManager[Any] = _Cassette.use(
        path=play.delivery.scenario,
        persister=_Loaded(recorded),
        record_mode=RecordMode.NONE,
        play=play,
        recorded=recorded,
    )
    return context


class _Loaded:
    """Hands vcrpy what has been read already, both modes in one cassette."""

    def __init__(self, recorded: Recorded) -> None:
        self._interactions = [interaction for turns in recorded.values() for interaction in turns]

    def load_cassette(self, _path: str, serializer: Any) -> tuple[list[Any], list[Any]]:
        return [request for request, _ in self._interactions], [response for _, response in self._interactions]


class _Cassette(Cassette):  # type: ignore[misc]  # vcrpy has no types
    """Answers from the play; where nothing does, vcrpy's own refusal follows, and the play knows why."""

    def __init__(self, *, play: Play, recorded: Recorded, **options: Any) -> None:
        super().__init__(**options)
        self._play = play
        self._recorded = recorded
        self._answers: list[tuple[Any, Any]] = []

    def can_play_response_for(self, request: Any) -> bool:
        return self._answer(request) is not None

    def play_response(self, request: Any) -> Any:
        response = self._answer(request)
        if response is None:
            raise UnhandledHTTPRequestError(f"no reply for {request.method} {request.uri}")
        return copy.deepcopy(response)  # vcrpy's stubs edit the headers

    def _answer(self, request: Any) -> Any:
        # A stub asks more than once about one request: the first answer holds, and the log has it once.
        for known, response in self._answers:
            if known is request:
                return response
        try:
            response = self._first_answer(request)
        except Exception as error:  # noqa: BLE001 -- must not reach the adapter as if it were its own
            self._play.fail(f"the vcr transport could not answer {request.method} {request.uri}: {error!r}")
            response = None
        self._answers.append((request, response))
        return response

    def _first_answer(self, request: Any) -> Any:
        sent = _sent(self._play, request)
        if origin_of(request.uri) != self._play.delivery.origin:
            self._play.stray(
                f"the binding asked for {request.method} {request.uri}; "
                f"the cassettes of {self._play.delivery.scenario} are of {self._play.delivery.origin}",
                sent,
            )
            return None
        answer = self._play.answer(sent)
        return self._recorded[answer.mode][answer.place][1] if isinstance(answer, Turn) else None


def _sent(play: Play, request: Any) -> Sent:
    headers = [(name, _text(value)) for name, value in request.headers.items()]
    return read_request(
        play.delivery.api,
        request.method,
        path_of(request.uri),
        query_of(request.uri),
        headers=headers,
        body=_bytes(request.body),
    )


def _bytes(body: Any) -> bytes:
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode()
    return bytes(body) if isinstance(body, bytes | bytearray) else b"".join(body)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)

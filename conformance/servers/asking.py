"""A question as the API's request, and its answer read: the text, its deltas, the events. Judges nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.contract import Call, TextDelta, Tool
from conformance.servers.client import Answer
from conformance.servers.target import Target
from conformance.vocabulary import Api, Mode, Stop
from conformance.wire import OURS, Reading, codec_for
from conformance.wire.codec import HTTP_ERROR
from conformance.wire.request import request_for
from conformance.wire.sse import SseReader

PROMPTS = (
    "Write three short paragraphs about an old harbour: one about its calendar of tides, one about a café on the "
    "quay, one about what people say to each other there. Use line breaks.",
    "Describe the way from a railway station to a lighthouse, step by step, as a list.",
    "Tell a short story about a clockmaker who repairs a naïve robot.",
    "Explain to a child why the sea is salty, in a few sentences.",
)
"""The first is asked again and again; the others are for calls side by side."""

_EXCERPT = 300

MISSING: Any = object()
"""No stop key at all."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request, apart from the API's shape.

    Attributes:
        prompt: the user's message.
        mode: how it is to be delivered.
        stop: the JSON value of the stop key, or MISSING.
        cap: most output tokens.
        cap_name: the name of the cap, where the API has two.
        tools: tools to declare; the first is forced.
    """

    prompt: str
    mode: Mode
    stop: Any = MISSING
    cap: int = 96
    cap_name: str | None = None
    tools: tuple[Tool, ...] = ()

    @property
    def strings(self) -> list[str]:
        """The stop strings that are asked for."""
        if isinstance(self.stop, str):
            return [self.stop]
        return [item for item in self.stop if isinstance(item, str)] if isinstance(self.stop, list) else []

    @property
    def key(self) -> str:
        """Equal for equal questions."""
        stop = "missing" if self.stop is MISSING else json.dumps(self.stop)
        return f"{self.mode}|{self.cap}|{self.cap_name}|{stop}|{bool(self.tools)}|{self.prompt}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What makes a server repeat itself: sampling parameters that it takes.

    Attributes:
        temperature: as sent, or None where it is not sent.
        seed: where the API has one, or None.
        cap_name: how this server wants the cap of OpenAI Chat to be called.
    """

    temperature: float | None = 0
    seed: int | None = 7
    cap_name: str = "max_tokens"

    def __str__(self) -> str:
        told = [f"{name} {value}" for name, value in (("temperature", self.temperature), ("seed", self.seed))]
        return ", ".join(item for item in told if not item.endswith("None")) or "no sampling parameters"


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a question.

    Attributes:
        answer: the exchange.
        reading: what a right reader makes of it.
        deltas: pieces of text, in the order in which a stream sent them.
        events: the JSON of each event of a stream, the text of one that is none.
        curl: the command line that asks it again.
    """

    question: Question
    answer: Answer
    reading: Reading
    curl: str
    deltas: tuple[str, ...] = ()
    events: tuple[Mapping[str, Any] | str, ...] = field(default=(), repr=False)

    @property
    def refused(self) -> bool:
        """The server said no, with an HTTP error or with an error inside the reply."""
        status, error = self.answer.status, self.reading.error
        if status is None or self.answer.hung or error is None:
            return False
        return status >= HTTP_ERROR or error.type is None or error.type not in OURS

    @property
    def replied(self) -> bool:
        """A reply came that can be read."""
        return self.answer.status is not None and not self.answer.hung and self.reading.error is None

    @property
    def excerpt(self) -> str:
        """The end of what arrived, on one line."""
        text = " ".join(self.answer.body.decode("utf-8", "replace").split())
        head = f"HTTP {self.answer.status}" if self.answer.status is not None else "no answer"
        told = f"{head}, {self.answer.broken}" if self.answer.broken else head
        return f"{told}: {text if len(text) <= _EXCERPT else f'{text[:120]} ... {text[-160:]}'}"


def request_of(target: Target, question: Question, settings: Settings) -> tuple[str, dict[str, Any]]:
    """Path and body of a question."""
    call = Call(
        target.api,
        "",
        "",
        target.model,
        question.prompt,
        max_tokens=question.cap,
        tools=question.tools,
        tool_choice=question.tools[0].name if question.tools else None,
    )
    path, _, body = request_for(call, stream=question.mode is Mode.STREAMED)
    place = body.setdefault("generationConfig", {}) if target.api is Api.GEMINI else body
    if target.api is Api.OPENAI_CHAT:
        cap = place.pop("max_completion_tokens")
        place[question.cap_name or settings.cap_name] = cap
    if settings.temperature is not None:
        place["temperature"] = settings.temperature
    if settings.seed is not None and target.api in (Api.OPENAI_CHAT, Api.GEMINI):
        place["seed"] = settings.seed
    if question.stop is not MISSING:
        (*_, name) = (codec_for(target.api).STOP_PATHS or (("stop",),))[0]
        place[name] = question.stop
    return target.path(path), body


def read(target: Target, question: Question, answer: Answer, curl: str) -> Heard:
    """Read an answer as its API says. Never raises: what is no reply is a reading with an error."""
    codec = codec_for(target.api)
    status = answer.status or 0
    if question.mode is Mode.BUFFERED or status >= HTTP_ERROR or answer.status is None:
        return Heard(question, answer, codec.read(status, answer.body), curl)
    if "json" in answer.content_type and answer.body.lstrip()[:1] == b"{":
        return Heard(question, answer, codec.read(status, answer.body), curl)
    reader, deltas = codec.stream(), []
    for _, piece in answer.chunks:
        deltas += [part.text for part in reader.feed(piece) if isinstance(part, TextDelta) and part.text]
    deltas += [part.text for part in reader.close() if isinstance(part, TextDelta) and part.text]
    reading = reader.reading
    if reading.cut and reading.error is None:
        reading = replace(reading, stop=Stop.UNKNOWN)
    return Heard(question, answer, reading, curl, tuple(deltas), tuple(_events(answer.body)))


def _events(body: bytes) -> list[Mapping[str, Any] | str]:
    frames = SseReader()
    found = frames.feed(body)
    tail = frames.close()
    out: list[Mapping[str, Any] | str] = []
    for frame in [*found, *([tail] if tail else [])]:
        if not frame.data:
            continue
        try:
            payload = json.loads(frame.data)
        except ValueError:
            out.append(frame.data)
        else:
            out.append(payload if isinstance(payload, dict) else frame.data)
    return out

"""What every mutant is made of: an adapter in small steps, and the declaration of what fails. No mutant is here."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import urlsplit

from conformance.adapters.reference import CutStream, ProviderError, StopNotSupported
from conformance.contract import Call, End, ErrorPart, Part, Reply
from conformance.vocabulary import Api, Gap, Stop, Vocabulary
from conformance.wire import codec_for
from conformance.wire.codec import Events
from conformance.wire.request import Request, request_for
from conformance.wire.sse import SseReader

Payload = dict[str, Any]

NO_REPLY = 300
"""The first HTTP status that no reply comes with: the reference follows no redirect."""


class Steps:
    """The reference adapter's work, cut into steps that a mutant replaces one at a time. Unaltered it is faithful.

    The reference adapter itself has no such seams: it is to be read, not to be taken apart.
    """

    name = "steps"
    apis = frozenset(Api)
    vocabulary = Vocabulary({stop.value: stop for stop in Stop})
    lacks: frozenset[Gap] = frozenset()

    built_with: list[str] | None = None
    """Stop strings of the constructor."""

    def configured(self, stop: list[str]) -> Steps:
        """The same adapter, built with these stop strings."""
        other = copy(self)
        other.built_with = stop
        return other

    def complete(self, call: Call) -> Reply:
        with self.asked(call, stream=False) as response:
            return self.whole(call, response.status, response.read())

    def stream(self, call: Call) -> Iterator[Part]:
        events, parts = codec_for(call.api).events(), []
        with self.asked(call, stream=True) as response:
            if response.status >= NO_REPLY:
                yield from self.end(self.whole(call, response.status, response.read()))
                return
            for data in self.frames(self.chunks(response)):
                taken = self.taken(events, data)
                parts += taken
                yield from self.live(taken)
        if not events.ended and not events.closed:
            self.cut()
        yield from self.end(self.told(call, self.reply(call, parts)))

    # Towards the provider.

    def request(self, call: Call, *, stream: bool) -> Request:
        """What is sent."""
        call = replace(call, stop=call.stop if call.stop is not None else self.built_with)
        if call.stop and not codec_for(call.api).STOP_PATHS:
            raise StopNotSupported("the API has no stop parameter")
        return request_for(call, stream=stream)

    @contextmanager
    def asked(self, call: Call, *, stream: bool) -> Iterator[http.client.HTTPResponse]:
        """Send it; the response is open while the block runs."""
        path, headers, body = self.request(call, stream=stream)
        root = urlsplit(call.base_url)
        with closing(http.client.HTTPConnection(root.netloc, timeout=call.timeout)) as connection:
            headers = {"content-type": "application/json", **headers}
            connection.request("POST", root.path + path, json.dumps(body), headers)
            with closing(connection.getresponse()) as response:
                yield response

    # From bytes to events.

    def chunks(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        """The body as it arrives; never more than one HTTP chunk at a time."""
        while chunk := response.read1(65536):
            yield chunk

    def frames(self, chunks: Iterable[bytes]) -> Iterator[str]:
        """The data of each server-sent event."""
        reader = SseReader()
        for chunk in chunks:
            yield from (frame.data for frame in reader.feed(chunk) if frame.data)

    def taken(self, events: Events, data: str) -> list[Part]:
        """What one event says."""
        if data == "[DONE]":
            events.sentinel()
            return []
        return self.event(events, json.loads(data))

    def event(self, events: Events, payload: Payload) -> list[Part]:
        """... where it is JSON."""
        return events.take(payload)

    def live(self, parts: Iterable[Part]) -> Iterator[Part]:
        """What the caller of a stream sees at once: content, and errors by being raised."""
        for part in parts:
            if isinstance(part, ErrorPart):
                self.failed(part)
            elif not isinstance(part, End):
                yield part

    def whole(self, call: Call, status: int, body: bytes) -> Reply:
        """What a whole body says."""
        codec = codec_for(call.api)
        if status >= NO_REPLY:
            self.failed(codec.read(status, body).error or ErrorPart("no envelope", None, status))
        parts = codec.whole(json.loads(body))
        for part in parts:
            if isinstance(part, ErrorPart):
                self.failed(part)
        return self.told(call, self.reply(call, parts))

    # Towards the caller.

    def reply(self, call: Call, parts: Iterable[Part]) -> Reply:
        """The parts joined, with the ending in the words of this adapter."""
        joined = Reply.from_parts(parts)
        return replace(joined, reason=self.stop(call, joined).value, shape=None)

    def stop(self, call: Call, joined: Reply) -> Stop:
        """The class of the ending; `joined.reason` is the provider's own value."""
        return codec_for(call.api).classify(joined.reason, joined)

    def told(self, call: Call, reply: Reply) -> Reply:
        """The last word on what the caller gets, in both modes."""
        return reply

    def end(self, reply: Reply) -> Iterator[Part]:
        """How a stream ends."""
        yield End(reply.reason, reply.raw_reason, reply.stop_sequence, reply.usage, final=reply)

    def failed(self, error: ErrorPart) -> None:
        """The provider reports an error."""
        raise ProviderError(error.status, error.type, error.message)

    def cut(self) -> None:
        """The stream ended without saying why."""
        raise CutStream("the stream ended before its reason")


class Mutant(Steps):
    """An adapter with one fault. The first sentence of its docstring says which real bug it stands for.

    Attributes:
        fails: every check that fails on one of its cells, and none beside.
        cells: scenario ids, each run in all of its modes, or `<id>:<mode>`.
        limit: seconds that a call may take.
    """

    fails: ClassVar[frozenset[str]]
    loud: ClassVar[bool] = False
    cells: ClassVar[tuple[str, ...]]
    limit: ClassVar[float] = 10.0

    def close(self) -> None:
        """Let go of whatever the fault holds on to."""


MUTANTS: list[type[Mutant]] = []
"""Every mutant, in the order of the theme modules."""


def mutant(*cells: str, fails: str, loud: bool = False) -> Callable[[type[Mutant]], type[Mutant]]:
    """Declare a mutant: the cells on which it runs, and the checks (ids, separated by spaces) that fail there.

    All other checks pass on these cells; the tests say so. `loud` is one whose caller can always tell, so that even
    a rule that is a MUST does not fail the run.
    """

    def declare(kind: type[Mutant]) -> type[Mutant]:
        kind.name = re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
        kind.cells, kind.fails, kind.loud = cells, frozenset(fails.split()), loud
        MUTANTS.append(kind)
        return kind

    return declare

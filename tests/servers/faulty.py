"""Faulty engines: each has one fault that real engines have had, and names the checks that fail on it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event as Flag
from typing import Any, ClassVar

from conformance.contract import Part, TextDelta, Usage
from conformance.vocabulary import Api, Stop
from tests.servers.engine import WINDOW, Asked, Engine, Handler, Refused, api_of
from tests.servers.matcher import Matcher

_CHAT, _ANTHROPIC, _GEMINI, _RESPONSES = Api.OPENAI_CHAT, Api.ANTHROPIC_MESSAGES, Api.GEMINI, Api.OPENAI_RESPONSES


class Faulty(Engine):
    """One fault.

    Attributes:
        fails: every check that fails on one of the API's cells, and none beside.
        api: the API in which it is judged.
        probes: slugs of the probes that show it, without `server-`.
        limit: seconds for one call.
    """

    fails: ClassVar[frozenset[str]]
    api: ClassVar[Api]
    probes: ClassVar[tuple[str, ...]]
    limit: ClassVar[float] = 5.0

    def close(self) -> None:
        """Let go of whatever hangs."""


FAULTY: list[type[Faulty]] = []


def faulty(*probes: str, fails: str, api: Api = _CHAT) -> Callable[[type[Faulty]], type[Faulty]]:
    """Declare a faulty engine."""

    def declare(kind: type[Faulty]) -> type[Faulty]:
        kind.name = re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
        kind.probes, kind.fails, kind.api = probes, frozenset(fails.split()), api
        FAULTY.append(kind)
        return kind

    return declare


# Matching.


class _Eager(Matcher):
    """Holds nothing back, so that the beginning of a match has gone out before it is one."""

    def __init__(self, stops: list[str]) -> None:
        super().__init__(stops)
        self.shown = ""

    def feed(self, text: str) -> str:
        whole = self.shown + text
        places = [(at, stop) for stop in self.stops if (at := whole.find(stop)) >= 0]
        if places:
            at, self.fired = min(places)
            return whole[len(self.shown) : max(at, len(self.shown))]
        self.shown = whole
        return text


@faulty("stop-across-tokens", "stop-mid-word", fails="stop.trimmed")
class LeaksPrefix(Faulty):
    """The beginning of a match is in the text (SharpAI/SwiftLM#126)."""

    def matcher(self, asked: Asked) -> Matcher:
        return _Eager(asked.stops)


@faulty("stop-tail-prefix", fails="text.exact")
class LosesHeldTail(Faulty):
    """What is held back when the text ends is never sent (ggml-org/llama.cpp#15007)."""

    def rest(self, matcher: Matcher) -> str:
        return ""


class _OnTokens(Matcher):
    """Compares whole tokens, held back as long as a stop string may begin with them."""

    def __init__(self, stops: list[str]) -> None:
        super().__init__(stops)
        self.queue: list[str] = []

    def feed(self, text: str) -> str:
        self.queue.append(text)
        for start in range(len(self.queue)):
            tail = "".join(self.queue[start:])
            if tail in self.stops:
                self.fired = tail
                return "".join(self.queue[:start])
            if any(stop.startswith(tail) for stop in self.stops):
                shown, self.queue = "".join(self.queue[:start]), self.queue[start:]
                return shown
        shown, self.queue = "".join(self.queue), []
        return shown

    def flush(self) -> str:
        shown, self.queue = "".join(self.queue), []
        return shown


@faulty("stop-across-tokens", "stop-mid-word", fails="stop.honoured")
class WholeTokensOnly(Faulty):
    """A stop string that does not begin and end with tokens is not seen (vllm-project/vllm#3672)."""

    def matcher(self, asked: Asked) -> Matcher:
        return _OnTokens(asked.stops)


@faulty("stop-after-space", fails="text.exact")
class TrimsSpace(Faulty):
    """White space before the match is stripped from the whole reply."""

    def pieces(self, asked: Asked, told: dict[str, Any]) -> Iterator[str]:
        if asked.stream:
            yield from super().pieces(asked, told)
            return
        text = "".join(super().pieces(asked, told))
        yield text.rstrip() if told["fired"] else text


@faulty("stop-mid-word", fails="stop.trimmed")
class KeepsMatch(Faulty):
    """The matched string stays in the text (huggingface/text-generation-inference#1724)."""

    def pieces(self, asked: Asked, told: dict[str, Any]) -> Iterator[str]:
        yield from super().pieces(asked, told)
        if told["fired"]:
            yield told["fired"]


@faulty("stop-of-many", fails="stop.earliest")
class FirstInList(Faulty):
    """The whole reply is cut at the first string of the list that occurs (paiml/aprender#2016)."""

    def pieces(self, asked: Asked, told: dict[str, Any]) -> Iterator[str]:
        if asked.stream:
            yield from super().pieces(asked, told)
            return
        text = "".join(super().pieces(replace(asked, stops=[]), told))
        fired = next((stop for stop in asked.stops if stop in text), None)
        if fired is not None:
            told |= {"fired": fired, "stop": Stop.COMPLETE}
        yield text.partition(fired)[0] if fired else text


@faulty("stop-of-many", fails="stop.earliest", api=_ANTHROPIC)
class LastInText(Faulty):
    """The whole reply is searched from its end."""

    def pieces(self, asked: Asked, told: dict[str, Any]) -> Iterator[str]:
        if asked.stream:
            yield from super().pieces(asked, told)
            return
        text = "".join(super().pieces(replace(asked, stops=[]), told))
        places = [(text.find(stop), stop) for stop in asked.stops if stop in text]
        if places:
            at, fired = max(places)
            told |= {"fired": fired, "stop": Stop.COMPLETE}
            text = text[:at]
        yield text


class _Folding(Matcher):
    def feed(self, text: str) -> str:
        self.held += text
        low = self.held.lower()
        places = [(at, stop) for stop in self.stops if (at := low.find(stop.lower())) >= 0]
        if places:
            at, self.fired = min(places)
            return self.held[:at]
        keep = max((len(stop) for stop in self.stops), default=0)
        shown, self.held = self.held[: max(0, len(self.held) - keep)], self.held[max(0, len(self.held) - keep) :]
        return shown


@faulty("stop-case", fails="stop.not-invented")
class IgnoresCase(Faulty):
    """Letters of the other case match too."""

    def matcher(self, asked: Asked) -> Matcher:
        return _Folding(asked.stops)


class _Pattern(Matcher):
    def feed(self, text: str) -> str:
        self.held += text
        found = [match for stop in self.stops if (match := re.search(stop, self.held))]
        if found:
            first = min(found, key=lambda match: match.start())
            self.fired = first[0]
            return self.held[: first.start()]
        keep = max((len(stop) for stop in self.stops), default=0)
        shown, self.held = self.held[: max(0, len(self.held) - keep)], self.held[max(0, len(self.held) - keep) :]
        return shown


@faulty("stop-literal", fails="stop.not-invented")
class TakesPatterns(Faulty):
    """Stop strings are searched as regular expressions."""

    def matcher(self, asked: Asked) -> Matcher:
        return _Pattern([stop if "." in stop else re.escape(stop) for stop in asked.stops])


class _Doubling(Matcher):
    """Releases what it held back and forgets that it has."""

    def feed(self, text: str) -> str:
        before = self.held
        shown = super().feed(text)
        held_on = len(before) > 1 and self.fired is None and shown.startswith(before) and len(shown) > len(before)
        return before + shown if held_on else shown


@faulty("stop-near-miss", fails="text.exact")
class SendsHeldTwice(Faulty):
    """Text that was held back for a near miss comes twice (ggml-org/llama.cpp#10914)."""

    def matcher(self, asked: Asked) -> Matcher:
        return _Doubling(asked.stops)


@faulty("stop-beyond-limit", fails="stop.whole-list")
class FourOfFive(Faulty):
    """The fifth string is dropped (lm-sys/FastChat#2766)."""

    most: ClassVar[int] = 4

    def check_count(self, api: Api, stops: list[str]) -> None:
        del stops[self.most :]


@faulty("stop-many", fails="stop.whole-list", api=_ANTHROPIC)
class FourOfMany(FourOfFive):
    """All but four are dropped, in an API that names no limit."""


@faulty("stop-beyond-limit", fails="stop.whole-list", api=_GEMINI)
class FiveOfSix(FourOfFive):
    """The sixth string is dropped."""

    most = 5


@faulty("stop-mid-word", "stop-common", fails="stop.honoured")
class IgnoresStopStreaming(Faulty):
    """Stop strings count in whole replies only."""

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        asked = super().asked(path, headers, body)
        return replace(asked, stops=[]) if asked.stream else asked


@faulty("stop-of-many", fails="stop.not-invented", api=_ANTHROPIC)
class NamesAnother(Faulty):
    """The first string of the list is named, whichever matched."""

    def named(self, asked: Asked, told: dict[str, Any]) -> str | None:
        return asked.stops[0] if told["fired"] else None


@faulty("stop-mid-word", fails="stop.which", api=_ANTHROPIC)
class NamesNone(Faulty):
    """A match is told as the end of the turn (invergent-ai/surogate#133)."""

    def named(self, asked: Asked, told: dict[str, Any]) -> str | None:
        return None

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"fired": None})


@faulty("stop-mid-word", fails="stop.which", api=_ANTHROPIC)
class NamesBesideEndTurn(Faulty):
    """The string is named and the reason says end_turn, as llama.cpp's server does."""

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"fired": None})


# Endings and counts.


@faulty("cap", "stop-near-miss", fails="reason.class")
class CapSaysStop(Faulty):
    """A text that the cap ended is told as complete."""

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"stop": Stop.COMPLETE})


@faulty("stop-mid-word", fails="reason.class", api=_RESPONSES)
class StopSaysCap(Faulty):
    """A text that a stop string ended is told as truncated."""

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"stop": Stop.TRUNCATED} if told["fired"] else told)


@faulty("cap", fails="cap.honoured")
class KnowsOldCapOnly(Faulty):
    """max_completion_tokens is ignored."""

    def cap(self, config: dict[str, Any]) -> int:
        return super().cap({name: value for name, value in config.items() if name != "max_completion_tokens"})


@faulty("cap", fails="cap.honoured", api=_GEMINI)
class RaisesSmallCaps(Faulty):
    """A cap below forty tokens is taken for forty."""

    def cap(self, config: dict[str, Any]) -> int:
        return max(40, super().cap(config))


@faulty("answers", fails="usage.reported")
class NoUsage(Faulty):
    """No counts."""

    def usage(self, asked: Asked, told: dict[str, Any]) -> Usage | None:
        return None


@faulty("answers", fails="usage.reported", api=_ANTHROPIC)
class CountsNothing(Faulty):
    """The count is 0."""

    def usage(self, asked: Asked, told: dict[str, Any]) -> Usage | None:
        return Usage(3, 0)


# Streams.


@faulty("stop-near-miss", fails="stream.incremental")
class KeepsTooMuch(Faulty):
    """With stop strings, sixty-four characters are always held back."""

    def parts(self, asked: Asked, told: dict[str, Any]) -> Iterator[Part]:
        if not asked.stops or asked.tool:
            yield from super().parts(asked, told)
            return
        held = ""
        for part in super().parts(asked, told):
            held += part.text if isinstance(part, TextDelta) else ""
            if len(held) > 64:
                yield TextDelta(held[:-64])
                held = held[-64:]
        yield TextDelta(held)


@faulty("answers", fails="stream.incremental", api=_GEMINI)
class SendsAtTheEnd(Faulty):
    """The stream comes in one piece."""

    def parts(self, asked: Asked, told: dict[str, Any]) -> Iterator[Part]:
        if asked.tool:
            yield from super().parts(asked, told)
            return
        yield TextDelta("".join(part.text for part in super().parts(asked, told) if isinstance(part, TextDelta)))


@faulty("answers", fails="reason.once shape.idiom")
class ReasonTwice(Faulty):
    """The chunk with the reason is sent again."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        for event in super().events(asked):
            yield event
            if isinstance(event, dict) and event["choices"] and event["choices"][0]["finish_reason"]:
                yield event


@faulty("answers", fails="reason.once shape.grammar")
class ReasonEarly(Faulty):
    """The reason comes before the last piece of text."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        events = list(super().events(asked))
        ends = [n for n, one in enumerate(events) if isinstance(one, dict) and _finish(one)]
        if ends and ends[0] >= 3:
            events[ends[0] - 1], events[ends[0]] = events[ends[0]], events[ends[0] - 1]
        yield from events


def _finish(event: dict[str, Any]) -> Any:
    return event["choices"] and event["choices"][0]["finish_reason"]


@faulty("answers", fails="shape.grammar shape.idiom reason.class")
class NoReason(Faulty):
    """The stream ends without a reason."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        return (one for one in super().events(asked) if not (isinstance(one, dict) and _finish(one)))


@faulty("repeats", fails="text.stream-agrees")
class SpaceInStreams(Faulty):
    """A stream begins with a space that the whole reply has not."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        first = True
        for event in super().events(asked):
            if isinstance(event, dict) and event["choices"] and event["choices"][0]["delta"].get("content"):
                if first and not asked.tool:
                    event["choices"][0]["delta"]["content"] = " " + event["choices"][0]["delta"]["content"]
                first = False
            yield event


@faulty("answers", fails="text.stream-agrees", api=_RESPONSES)
class FinalObjectCut(Faulty):
    """The final object lacks the last letter that the deltas had."""

    def events(self, asked: Asked) -> Iterator[dict[str, Any] | str]:
        for event in super().events(asked):
            if isinstance(event, dict) and event["type"] in ("response.completed", "response.incomplete"):
                for item in event["response"]["output"]:
                    for part in item.get("content", ()):
                        part["text"] = part["text"][:-1]
            yield event


# Calls side by side.


@faulty("side-by-side", fails="calls.independent")
class MixesStops(Faulty):
    """The stop strings of the call that came last count for all that run."""

    latest: list[str]

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        asked = super().asked(path, headers, body)
        self.latest = asked.stops
        return asked

    def matcher(self, asked: Asked) -> Matcher:
        time.sleep(0.02)
        return Matcher(self.latest)


@faulty("side-by-side", fails="calls.independent", api=_ANTHROPIC)
class MixesTexts(Faulty):
    """A slot is taken over while it still writes."""

    latest: Asked

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        asked = self.latest = super().asked(path, headers, body)
        return asked

    def tokens(self, asked: Asked) -> list[bytes]:
        time.sleep(0.02)
        return super().tokens(self.latest)


# Errors.


@faulty("error-types", fails="error.surfaces")
class AnswersAnything(Faulty):
    """A request that makes no sense is answered all the same."""

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        return super().asked(path, headers, body.replace(b'"messages": 42', b'"messages": [{"content": ""}]'))


@faulty("error-key", fails="error.surfaces", api=_GEMINI)
class TakesAnyKey(Faulty):
    """The key is not looked at."""

    def check_key(self, api: Api, headers: dict[str, str]) -> None:
        pass


@faulty("error-types", fails="error.envelope")
class ErrorsInText(Faulty):
    """Errors are plain text."""

    def error(self, api: Api | None, refused: Refused) -> tuple[int, bytes]:
        return refused.status, refused.message.encode()


@faulty("error-types", fails="error.envelope", api=_ANTHROPIC)
class AnothersEnvelope(Faulty):
    """Errors come in OpenAI's envelope without a type."""

    def error(self, api: Api | None, refused: Refused) -> tuple[int, bytes]:
        status, _ = super().error(api, refused)
        return status, b'{"error": {"message": "no"}}'


@faulty("error-types", fails="error.status")
class ErrorsAre500(Faulty):
    """Whatever the caller did wrong is the server's fault."""

    def error(self, api: Api | None, refused: Refused) -> tuple[int, bytes]:
        return 500, super().error(api, refused)[1]


@faulty("error-types", fails="error.status", api=_GEMINI)
class ErrorsAre200(Faulty):
    """Errors come with HTTP 200."""

    def error(self, api: Api | None, refused: Refused) -> tuple[int, bytes]:
        return 200, super().error(api, refused)[1]


@faulty("error-malformed", fails="server.survives")
class StumblesAfterError(Faulty):
    """The request after an error fails."""

    stumbles = False

    def serve(self, handler: Handler, body: bytes) -> None:
        if self.stumbles:
            self.stumbles = False
            handler.whole(500, b'{"error": {"message": "slot is broken"}}')
            return
        super().serve(handler, body)

    def error(self, api: Api | None, refused: Refused) -> tuple[int, bytes]:
        self.stumbles = True
        return super().error(api, refused)


@faulty("error-malformed", fails="server.survives error.surfaces", api=_ANTHROPIC)
class DiesOfMalformed(Faulty):
    """A body that is no JSON costs the next caller his answer as well."""

    stumbles = False

    def serve(self, handler: Handler, body: bytes) -> None:
        broken = not body.endswith(b"}")
        if broken or self.stumbles:
            self.stumbles = broken
            handler.close_connection = True
            return
        super().serve(handler, body)


@faulty("error-context", fails="prompt.whole")
class CutsPrompt(Faulty):
    """A prompt that is too long is cut."""

    def prompt(self, text: str) -> str:
        return " ".join(text.split(" ")[-WINDOW:])


@faulty("error-context", fails="prompt.whole", api=_ANTHROPIC)
class CutsPromptTail(Faulty):
    """... at its end."""

    def prompt(self, text: str) -> str:
        return " ".join(text.split(" ")[:WINDOW])


class _Hanging(Faulty):
    limit = 2.0

    def __init__(self) -> None:
        self.gone = Flag()

    def close(self) -> None:
        self.gone.set()


@faulty("stop-empty-string", fails="limits.terminates")
class HangsOnEmptyStop(_Hanging):
    """An empty stop string is searched for ever."""

    def serve(self, handler: Handler, body: bytes) -> None:
        if b'"stop": [""]' in body:
            self.gone.wait(20)
            handler.close_connection = True
            return
        super().serve(handler, body)


@faulty("error-types", fails="limits.terminates", api=_ANTHROPIC)
class HangsOnErrors(_Hanging):
    """An error is raised where nobody waits for it, and the caller waits."""

    def serve(self, handler: Handler, body: bytes) -> None:
        if b'"messages": 42' in body and api_of(handler.path) is _ANTHROPIC:
            self.gone.wait(20)
            handler.close_connection = True
            return
        super().serve(handler, body)

"""Faults in how stop strings are matched, listed and named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from conformance.vocabulary import Api, Stop
from tests.servers.engine import Asked
from tests.servers.faulty.base import ANTHROPIC, GEMINI, Faulty, faulty
from tests.servers.matcher import Matcher


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


@faulty("stop-of-many", fails="stop.earliest", api=ANTHROPIC)
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


@faulty("stop-many", fails="stop.whole-list", api=ANTHROPIC)
class FourOfMany(FourOfFive):
    """All but four are dropped, in an API that names no limit."""


@faulty("stop-beyond-limit", fails="stop.whole-list", api=GEMINI)
class FiveOfSix(FourOfFive):
    """The sixth string is dropped."""

    most = 5


@faulty("stop-mid-word", "stop-common", fails="stop.honoured")
class IgnoresStopStreaming(Faulty):
    """Stop strings count in whole replies only."""

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        asked = super().asked(path, headers, body)
        return replace(asked, stops=[]) if asked.stream else asked


@faulty("stop-of-many", fails="stop.not-invented", api=ANTHROPIC)
class NamesAnother(Faulty):
    """The first string of the list is named, whichever matched."""

    def named(self, asked: Asked, told: dict[str, Any]) -> str | None:
        return asked.stops[0] if told["fired"] else None


@faulty("stop-mid-word", fails="stop.which", api=ANTHROPIC)
class NamesNone(Faulty):
    """A match is told as the end of the turn (invergent-ai/surogate#133)."""

    def named(self, asked: Asked, told: dict[str, Any]) -> str | None:
        return None

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"fired": None})


@faulty("stop-mid-word", fails="stop.which", api=ANTHROPIC)
class NamesBesideEndTurn(Faulty):
    """The string is named and the reason says end_turn, as llama.cpp's server does."""

    def reason(self, asked: Asked, told: dict[str, Any]) -> str:
        return super().reason(asked, told | {"fired": None})

"""Mutants that ask for something else than they were asked. What comes back is handed out faithfully."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPResponse
from typing import Any

from conformance.contract import Call, Part, Reply
from conformance.vocabulary import Api
from conformance.wire import codec_for
from conformance.wire.request import Request, request_for
from tests.mutants.base import NO_REPLY, Mutant, Payload, mutant


def with_stop(api: Api, body: Payload, change: Callable[[Any], Any]) -> Payload:
    """The body with another value at the API's place of stop strings."""
    *outer, key = (codec_for(api).STOP_PATHS or (("stop",),))[0]
    if not outer:
        return {**body, key: change(body.get(key))}
    (config,) = outer
    inner = body.get(config, {})
    return {**body, config: {**inner, key: change(inner.get(key))}}


class AltersStop(Mutant):
    """Base of those that send another value than the one asked."""

    def request(self, call: Call, *, stream: bool) -> Request:
        request = super().request(call, stream=stream)
        return request._replace(body=with_stop(call.api, request.body, self.alter))

    def alter(self, stop: Any) -> Any:
        raise NotImplementedError


@mutant("openai-chat/send-stop-5", "gemini/send-stop-6", "openai-chat/send-stop-list", fails="request.stop-whole")
class SlicesStops(AltersStop):
    """Keeps the first four stop strings so that no provider complains (families limit, stop-ignored)."""

    def alter(self, stop: Any) -> Any:
        return stop[:4]


@mutant("gemini/send-stop-list", "openai-responses/send-stop-responses", fails="request.stop-whole")
class DropsStops(Mutant):
    """Takes stop strings from its caller and never sends them (family stop-ignored)."""

    def request(self, call: Call, *, stream: bool) -> Request:
        return request_for(replace(call, stop=None), stream=stream)


@mutant("anthropic-messages/send-stop-none", "openai-responses/length-cap", fails="request.stop-absent")
class SendsNull(AltersStop):
    """Sends every optional parameter, unset ones as null, which models that refuse `stop` refuse too (param-shape)."""

    def alter(self, stop: Any) -> Any:
        return stop


@mutant("openai-chat/send-stop-none", "gemini/send-stop-none", fails="request.stop-absent")
class SendsEmptyList(AltersStop):
    """Sends an empty list where nothing was asked: a 400 on some hosts (family param-shape)."""

    def alter(self, stop: Any) -> Any:
        return stop or []


@mutant("anthropic-messages/send-stop-list", "gemini/send-stop-list", fails="request.stop-whole")
class SendsForeignName(Mutant):
    """Sends `stop` to everybody: the API ignores the unknown key, and no stop string is ever met (stop-ignored)."""

    def request(self, call: Call, *, stream: bool) -> Request:
        request = request_for(replace(call, stop=None), stream=stream)
        return request._replace(body={**request.body, "stop": call.stop})


@mutant("anthropic-messages/stop-never-fires", "gemini/stop-never-fires", fails="request.stop-whole")
class SendsBareString(AltersStop):
    """Turns a list of one into a bare string, which APIs that take lists refuse (family param-shape)."""

    def alter(self, stop: Any) -> Any:
        return stop[0]


@mutant("openai-chat/send-stop-list", "anthropic-messages/stop-fired-of-many", fails="request.stop-whole")
class ReversesStops(AltersStop):
    """Sends the stop strings through a set or a stack, so that they arrive in another order."""

    def alter(self, stop: Any) -> Any:
        return stop[::-1]


@mutant("openai-chat/send-stop-5", "gemini/stop-fired", "anthropic-messages/stop-fired", fails="request.stop-whole")
class TrimsStops(AltersStop):
    """Trims the stop strings like user input, so that line feeds before "Human:" are lost (family trim)."""

    def alter(self, stop: Any) -> Any:
        return [text.strip() for text in stop]


@mutant("openai-chat/length-cap", "anthropic-messages/stop-fired", fails="request.count")
class AsksTwice(Mutant):
    """Asks once to count tokens and once for the answer: the caller pays twice."""

    def complete(self, call: Call) -> Reply:
        super().complete(call)
        return super().complete(call)

    def stream(self, call: Call) -> Iterator[Part]:
        super().complete(call)
        yield from super().stream(call)


@mutant("openai-chat/send-stop-5", "gemini/send-stop-6", fails="request.count")
class RetriesRefused(Mutant):
    """Retries an error that no retry can mend, and hides that it did."""

    @contextmanager
    def asked(self, call: Call, *, stream: bool) -> Iterator[HTTPResponse]:
        with super().asked(call, stream=stream) as response:
            if response.status < NO_REPLY:
                yield response
                return
        with super().asked(call, stream=stream) as response:
            yield response


@mutant("anthropic-messages/send-stop-blank-mixed", "anthropic-messages/send-stop-blank", fails="request.stop-whole")
class DropsBlankStops(AltersStop):
    """Leaves out stop strings of white space alone, which the vendor refuses, and does not say so (param-shape)."""

    def alter(self, stop: Any) -> Any:
        return [text for text in stop if text.strip()]


@mutant("openai-chat/send-stop-reasoning-model", "openai-chat/send-stop-list", fails="request.stop-whole")
class DropsStopsByModel(Mutant):
    """Drops parameters that its table of models says are not taken, in silence (family param-shape)."""

    def request(self, call: Call, *, stream: bool) -> Request:
        return request_for(call if call.model.startswith("gpt-4") else replace(call, stop=None), stream=stream)


class FollowsRedirect(Mutant):
    """Base of those that go wherever an answer sends them."""

    @contextmanager
    def asked(self, call: Call, *, stream: bool) -> Iterator[HTTPResponse]:
        with super().asked(call, stream=stream) as response:
            place = response.getheader("location")
            if place is None:
                yield response
                return
        with super().asked(replace(call, base_url=place.rstrip("/")), stream=stream) as response:
            yield response


@mutant("openai-chat/redirect-out", "anthropic-messages/redirect-out", fails="request.key-kept")
class RedirectTakesHeaders(FollowsRedirect):
    """Follows a redirect to another host with every header that it had, the key among them."""


@mutant("gemini/redirect-out", fails="request.key-kept")
class RedirectTakesQuery(FollowsRedirect):
    """Carries the key in the query and keeps the query on its way to another host."""

    def request(self, call: Call, *, stream: bool) -> Request:
        path, headers, body = super().request(call, stream=stream)
        query = f"{'&' if '?' in path else '?'}key={headers['x-goog-api-key']}"
        return Request(path + query, {}, body)


@mutant("openai-chat/length-cap", "gemini/length-cap", fails="request.max-tokens")
class DropsTheCap(Mutant):
    """Takes a cap on output tokens and never sends it: the bill grows, and the answer with it."""

    def request(self, call: Call, *, stream: bool) -> Request:
        return super().request(replace(call, max_tokens=None), stream=stream)


@mutant("anthropic-messages/length-cap", fails="request.max-tokens")
class SendsItsOwnCap(Mutant):
    """Sends the cap that the API asks for, and not the caller's."""

    def request(self, call: Call, *, stream: bool) -> Request:
        return super().request(replace(call, max_tokens=4096), stream=stream)


@mutant("openai-chat/tool-call", "gemini/tool-call", fails="request.tools")
class DropsTools(Mutant):
    """Declares no tool to the provider (a model that calls none is all that its user sees)."""

    def request(self, call: Call, *, stream: bool) -> Request:
        return super().request(replace(call, tools=()), stream=stream)


@mutant("anthropic-messages/tool-call", "openai-responses/tool-call", fails="request.tools")
class AddsATool(Mutant):
    """Declares a tool of its own beside the caller's, for structured output."""

    def request(self, call: Call, *, stream: bool) -> Request:
        own = replace(call.tools[0], name="json_response")
        return super().request(replace(call, tools=(*call.tools, own)), stream=stream)


@mutant("gemini/stop-entry-points", "openai-chat/stop-entry-points", fails="request.stop-whole")
class ForgetsItsConstructor(Mutant):
    """Takes stop strings where it is built and sends only those of the call (family stop-ignored)."""

    def configured(self, stop: list[str]) -> ForgetsItsConstructor:
        return self

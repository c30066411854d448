"""Mutants that swallow errors and cuts, or raise what nobody chose. Whole replies they hand out faithfully."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import IncompleteRead

from conformance.contract import Call, ErrorPart, Part, Reply
from conformance.vocabulary import Stop
from tests.mutants.base import NO_REPLY, Mutant, ProviderError, mutant


@mutant("anthropic-messages/error-in-stream", "openai-responses/resp-failed:streamed", fails="error.surfaces")
class SwallowsStreamError(Mutant):
    """Skips the error event like any event it does not know, and ends the stream as finished (mid-stream-error)."""

    def failed(self, error: ErrorPart) -> None:
        """Nothing."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        return Stop.COMPLETE


@mutant("openai-chat/send-stop-5", "gemini/send-stop-6", fails="error.surfaces")
class SwallowsHttpError(Mutant):
    """Never looks at the HTTP status: a refused request is an empty answer."""

    def whole(self, call: Call, status: int, body: bytes) -> Reply:
        return Reply(reason=Stop.COMPLETE) if status >= NO_REPLY else super().whole(call, status, body)


@mutant("openai-chat/send-stop-5", fails="error.deliberate error.kept")
class RaisesKeyError(Mutant):
    """Reaches for `choices` in an error body, so that the caller gets a KeyError in place of the provider's message."""

    def whole(self, call: Call, status: int, body: bytes) -> Reply:
        _ = json.loads(body)["choices"]
        return super().whole(call, status, body)


@mutant("openai-chat/error-http-429", "gemini/error-http-400", fails="error.kept")
class SaysRequestFailed(Mutant):
    """Wraps every error into one of its own, without the provider's words and without a cause."""

    def failed(self, error: ErrorPart) -> None:
        raise ProviderError(None, None, "the request failed")


@mutant("anthropic-messages/error-http-529", "openai-responses/error-http-401", fails="error.kept")
class KeepsMessageOnly(Mutant):
    """Hands on the provider's words; nobody can tell an overload from a wrong key by their number."""

    def failed(self, error: ErrorPart) -> None:
        raise ProviderError(None, None, error.message)


@mutant("openai-chat/cut-before-terminal", "gemini/cut-before-terminal", fails="error.deliberate")
class RaisesTransportError(Mutant):
    """Lets the error of its HTTP client through, which no caller knows to catch (family stream-terminal)."""

    def cut(self) -> None:
        raise IncompleteRead(b"")


@mutant("openai-chat/cut-before-terminal", "gemini/cut-before-terminal", fails="cut.not-complete cut.raises")
class CutIsComplete(Mutant):
    """Starts with "stop" as the reason and waits for a better one; a dead stream sends none (stream-terminal)."""

    def cut(self) -> None:
        """Nothing."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        return Stop.COMPLETE if joined.reason is None else super().stop(call, joined)


@mutant("anthropic-messages/cut-before-terminal", fails="cut.not-complete cut.raises")
class CutIsPause(CutIsComplete):
    """Tells a dead stream as a pause of the provider's, to be gone on with: half an answer enters the history."""

    def stop(self, call: Call, joined: Reply) -> Stop:
        return Stop.CONTINUE if joined.reason is None else super().stop(call, joined)


@mutant("openai-chat/cut-before-terminal", "anthropic-messages/cut-before-terminal", fails="cut.raises")
class CutIsSilent(Mutant):
    """Ends the iteration when the bytes end: no reason, no error (family stream-terminal)."""

    def cut(self) -> None:
        """Nothing."""

    def end(self, reply: Reply) -> Iterator[Part]:
        if reply.raw_reason is not None:
            yield from super().end(reply)


@mutant("gemini/natural-end:streamed", "openai-chat/tool-call:streamed", fails="reason.class")
class ReportsErrorItem(Mutant):
    """Ends a good stream in an error item: its validator knows fewer members than the wire has (unknown-event)."""

    def end(self, reply: Reply) -> Iterator[Part]:
        yield ErrorPart("1 validation error for Response", "validation_error")

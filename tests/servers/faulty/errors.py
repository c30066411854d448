"""Faults where a request is refused, and where it should be."""

from __future__ import annotations

from threading import Event as Flag

from conformance.vocabulary import Api
from tests.servers.engine import WINDOW, Asked, Handler, Refused, api_of
from tests.servers.faulty.base import ANTHROPIC, GEMINI, Faulty, faulty


@faulty("error-types", fails="error.surfaces")
class AnswersAnything(Faulty):
    """A request that makes no sense is answered all the same."""

    def asked(self, path: str, headers: dict[str, str], body: bytes) -> Asked:
        return super().asked(path, headers, body.replace(b'"messages": 42', b'"messages": [{"content": ""}]'))


@faulty("error-key", fails="error.surfaces", api=GEMINI)
class TakesAnyKey(Faulty):
    """The key is not looked at."""

    def check_key(self, api: Api, headers: dict[str, str]) -> None:
        pass


@faulty("error-types", fails="error.envelope")
class ErrorsInText(Faulty):
    """Errors are plain text."""

    def error(self, api: Api | None, refused: Refused) -> tuple[int, bytes]:
        return refused.status, refused.message.encode()


@faulty("error-types", fails="error.envelope", api=ANTHROPIC)
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


@faulty("error-types", fails="error.status", api=GEMINI)
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


@faulty("error-malformed", fails="server.survives error.surfaces", api=ANTHROPIC)
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


@faulty("error-context", fails="prompt.whole", api=ANTHROPIC)
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


@faulty("error-types", fails="limits.terminates", api=ANTHROPIC)
class HangsOnErrors(_Hanging):
    """An error is raised where nobody waits for it, and the caller waits."""

    def serve(self, handler: Handler, body: bytes) -> None:
        if b'"messages": 42' in body and api_of(handler.path) is ANTHROPIC:
            self.gone.wait(20)
            handler.close_connection = True
            return
        super().serve(handler, body)

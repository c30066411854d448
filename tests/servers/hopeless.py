"""Servers that no probe can be put to: one class a kind. What is to be said of each: test_hopeless.py."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from threading import Event as Flag

from tests.servers.engine import Asked, Engine, Handler


class AnswersAtRandom(Engine):
    """Never the same text twice."""

    def tokens(self, asked: Asked) -> list[bytes]:
        letters = list("the quick brown fox jumps over a lazy dog ")
        return [random.choice(letters).encode() for _ in range(400)]  # noqa: S311 -- no secret


class Hangs(Engine):
    """Takes the request and says nothing."""

    def __init__(self) -> None:
        self.gone = Flag()

    def serve(self, handler: Handler, body: bytes) -> None:
        self.gone.wait(20)
        handler.close_connection = True


class Trickles(Engine):
    """Sends a byte now and then, so that no read ever times out."""

    def __init__(self) -> None:
        self.gone = Flag()

    def serve(self, handler: Handler, body: bytes) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "100000")
        handler.end_headers()
        start = time.monotonic()
        while not self.gone.wait(0.05) and time.monotonic() - start < 20:
            handler.wfile.write(b" ")
            handler.wfile.flush()


class ClosesAtOnce(Engine):
    """Closes the connection in the place of an answer."""

    def serve(self, handler: Handler, body: bytes) -> None:
        handler.close_connection = True


class ClosesEarly(Engine):
    """Closes the connection inside the body."""

    def serve(self, handler: Handler, body: bytes) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "5000")
        handler.end_headers()
        handler.wfile.write(b'{"id": "chatcmpl-1", "choices": [{"message": ')
        handler.close_connection = True


class SpeaksGemini(Engine):
    """Answers every path in Gemini's shape."""

    def serve(self, handler: Handler, body: bytes) -> None:
        handler.whole(200, b'{"candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]}')


class SpeaksHtml(Engine):
    """A web server."""

    def serve(self, handler: Handler, body: bytes) -> None:
        handler.whole(404, b"<html><body>Not Found</body></html>", "text/html")


class StreamsNothing(Engine):
    """Whole replies are right; a stream ends before it has begun."""

    def events(self, asked: Asked) -> Iterator[dict[str, object] | str]:
        return iter(())

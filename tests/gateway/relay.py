"""A gateway made for the tests: hands everything through to its one upstream, in a right and in faulty ways."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Change = Callable[[dict[str, Any]], dict[str, Any]]


def same(body: dict[str, Any]) -> dict[str, Any]:
    """What was asked."""
    return body


@contextmanager
def relay(upstream: int, *, change: Change = same, replaces: tuple[bytes, bytes] | None = None) -> Iterator[str]:
    """A gateway; its address.

    Args:
        upstream: the port that it calls.
        change: what it makes of the request.
        replaces: bytes of the reply that it hands out as others.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"  # bodies end with the connection, so that they may be changed

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            kept = {name: value for name, value in self.headers.items() if name.lower() in KEPT}
            with closing(http.client.HTTPConnection("127.0.0.1", upstream, timeout=5)) as connection:
                connection.request("POST", self.path, json.dumps(change(body)).encode(), kept)
                reply = connection.getresponse()
                self.send_response(reply.status)
                self.send_header("content-type", reply.getheader("content-type", ""))
                self.end_headers()
                if replaces:
                    self.wfile.write(reply.read().replace(*replaces))
                    return
                while piece := reply.read1(65536):
                    self.wfile.write(piece)
                    self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


KEPT = frozenset({"content-type", "authorization", "x-api-key", "x-goog-api-key", "anthropic-version"})

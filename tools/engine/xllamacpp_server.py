"""llama.cpp's own server, from the prebuilt package xllamacpp: a process of its own, with a model and a port."""

from __future__ import annotations

import sys
import threading


def main() -> None:
    """Serve until the process is ended."""
    import xllamacpp

    model, port = sys.argv[1:]
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(port)
    parameters.n_ctx = 4 * 2048
    parameters.n_parallel = 4
    parameters.chat_template = "chatml"
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()

"""Command line: `python -m tools.engine judge` serves a model of random weights with a real engine and judges it.

Options that it does not know go on to pytest. No known failures are listed: which cells show a fault depends on the
text, and that on the processor that computes it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.errors import ConformanceError
from tools.engine.model import write
from tools.engine.serving import ENGINES, NAME, serving


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit code: 0, 1 for findings, 2 for bad input or an engine that does not start."""
    parser = argparse.ArgumentParser(prog="python -m tools.engine", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="write the model")
    writing.add_argument("path", type=Path, help="where the GGUF goes")
    for name, text in (("judge", "serve the model and judge the server"), ("serve", "serve the model until enter")):
        command = commands.add_parser(name, help=text)
        command.add_argument("--engine", choices=ENGINES, default=next(iter(ENGINES)), help="which server")
    options, more = parser.parse_known_args(arguments)
    if more and options.command != "judge":
        parser.error(f"unknown arguments: {' '.join(more)}")
    try:
        if options.command == "write":
            write(options.path)
            return 0
        return _served(options.command, options.engine, more)
    except ImportError as error:
        print(f"error: {error}\n  mend: make engine, which installs what is needed", file=sys.stderr)
    except (ConformanceError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    return 2


def _served(command: str, engine: str, more: list[str]) -> int:
    place = Path(tempfile.mkdtemp(prefix="conformance-engine-"))
    model, log = place / f"{NAME}.gguf", place / "server.log"
    write(model)
    print(f"model: {model} ({model.stat().st_size} bytes)\nserver's log: {log}", file=sys.stderr)
    with serving(engine, model, log) as url:
        if command == "serve":
            print(f"{url} (model {NAME}); enter ends it", flush=True)
            sys.stdin.readline()
            return 0
        judge = [sys.executable, "-m", "pytest", "--pyargs", "conformance", "-o", "filterwarnings=default"]
        judge += [part for api in ENGINES[engine].apis for part in ("--server", f"{api}@{url}")]
        return subprocess.run([*judge, "--model", NAME, *more], check=False).returncode  # noqa: S603 -- as above


if __name__ == "__main__":
    sys.exit(main())

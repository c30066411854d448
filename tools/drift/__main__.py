"""`python -m tools.drift`: compares two recordings, or with `sdk` the types of SDKs. Exit code 0, 1 for drift, 2."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from conformance.errors import ConformanceError
from tools.drift import recordings_command, sdk_command

_BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code: 0 without drift, 1 with, 2 for bad input."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["sdk"]:
            return sdk_command.run(given[1:], _say)
        return recordings_command.run(given)
    except ConformanceError as error:
        _say(f"error: {error}")
        return _BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()  # `| head` has seen enough; Python would complain about the closed pipe at exit
        return 0


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())

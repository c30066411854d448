"""`python -m conformance.check_binding NAME`: is a binding wired right? Smoke on each API, no verdict on the adapter.

NAME is what `--adapter` takes, so `"exec:node mine.mjs"` as well. Each line of an exec binding is read strictly.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from conformance import adapters
from conformance.errors import ConformanceError
from conformance.suite.bench import Bench
from conformance.suite.smoke import Smoke, smoke
from conformance.vocabulary import Api

_WRONG, _BAD_INPUT = 1, 2


def main(arguments: Sequence[str]) -> int:
    """Check one binding; the exit code: 0, 1 where it is wired wrong, 2 where there is none."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write(f"{__doc__}\n")
        return _BAD_INPUT
    try:
        adapter = adapters.load(arguments[0])
    except ConformanceError as error:
        sys.stderr.write(f"error: {error}\n")
        return _BAD_INPUT
    sys.stdout.write(f"{adapter.name} {adapters.version_of(adapter) or ''}: {', '.join(sorted(adapter.apis))}\n")
    wrong = 0
    with Bench(adapter, limit=30.0) as bench:
        for api in (api for api in Api if api in adapter.apis):
            for which in Smoke:
                problem = smoke(bench, api, which)
                wrong += problem is not None
                sys.stdout.write(f"{'ok   ' if problem is None else 'WRONG'}  {api}/{which}\n")
                if problem is not None:
                    sys.stdout.write(f"{problem}\n")
    return _WRONG if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

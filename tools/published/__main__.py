"""`python -m tools.published`: the commands, their options, what they print. The work is in the modules beside it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from conformance.errors import BadOption, ConformanceError
from conformance.vocabulary import Mode
from tools.published import bulk_command, derive_commands, evidence, figures, inventory, recordings
from tools.published.fetch import fetch
from tools.published.pins import pins

_DIFFERENT = 1
_BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except ConformanceError as error:
        _say(f"error: {error}")
        return _BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()  # `| head` has seen enough; Python would complain about the closed pipe at exit
        return 0
    return code


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")


def _fetch(options: argparse.Namespace) -> int:
    fetch(pins(bonus=options.bonus), _say)
    return 0


def _load(*, bonus: bool) -> recordings.Recordings:
    fetch(pins(bonus=bonus), _say)
    return recordings.load(pins(bonus=bonus), _say)


def _list(options: argparse.Namespace) -> int:
    found = _load(bonus=options.bonus)
    kinds = {str(exchange.kind) for exchange in found.exchanges}
    if options.api is not None and options.api not in kinds | {kind.partition("@")[0] for kind in kinds}:
        raise BadOption(f"no exchange speaks {options.api!r}", f"--api takes one of {', '.join(sorted(kinds))}")
    shown = 0
    for exchange in found.exchanges:
        if options.limit is not None and shown >= options.limit:
            break
        api = evidence.codec_api(exchange.kind)
        end = evidence.ending(exchange, evidence.read(exchange, api)) if api else f"HTTP {exchange.recorded.status}"
        if not _wanted(options, str(exchange.kind), exchange.mode, end):
            continue
        shown += 1
        size = len(exchange.recorded.body)
        _print(f"{exchange.place}\t{exchange.kind}\t{exchange.mode}\t{end}\t{size} bytes")
    _say(f"{shown} exchanges")
    return 0


def _wanted(options: argparse.Namespace, kind: str, mode: Mode, end: str) -> bool:
    return (
        (options.api is None or options.api in (kind, kind.partition("@")[0]))
        and (options.mode is None or options.mode == mode)
        and (options.ending is None or options.ending in end)
    )


def _evidence(options: argparse.Namespace) -> int:
    found = _load(bonus=options.bonus)
    result = evidence.gather(found, _say)
    counts = evidence.figures(found, result)
    for line in figures.table(counts):
        _print(line)
    if options.bonus:  # the committed figures are the core's
        for line in figures.unexplained(result):
            _print(line)
        return 0
    if options.update:
        figures.write(counts)
        _say(f"wrote {figures.FIGURES.name}")
    open_problems, changed = figures.unexplained(result), figures.difference(counts)
    for line in [*open_problems, *changed]:
        _print(line)
    if open_problems:
        _say(f"error: divergences that {figures.DIVERGENCES.name} does not explain, listed above")
        _say("  mend: look at the exchange; mend the codec, or add a row with its reason")
    if changed:
        _say(f"error: the counts differ from {figures.FIGURES.name}, listed above")
        _say("  mend: review the difference, then python -m tools.published evidence --update")
    return _DIFFERENT if open_problems or changed else 0


def _inventory(options: argparse.Namespace) -> int:
    shapes = inventory.gather(_load(bonus=False), _say)
    if options.check:
        changed = inventory.difference(shapes)
        for name in changed:
            _say(f"differs: {inventory.FOLDER.name}/{name}")
        return _DIFFERENT if changed else 0
    for name in inventory.write(shapes):
        _say(f"wrote {inventory.FOLDER.name}/{name}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.published", description="Recorded provider traffic.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    pull = commands.add_parser("fetch", help="pull the pinned source distributions into the cache")
    pull.add_argument("--bonus", action="store_true", help="the bonus pins too")
    pull.set_defaults(run=_fetch)

    show = commands.add_parser("list", help="print the recorded exchanges, one a line")
    show.add_argument("--api", help="an API such as openai-chat, or one host's: openai-chat@azure")
    show.add_argument("--mode", choices=list(Mode), help="how the reply came")
    show.add_argument("--ending", help="text that the ending holds: a reason, a class, or HTTP 429")
    show.add_argument("--limit", type=_positive, help="stop after so many")
    show.add_argument("--bonus", action="store_true", help="the bonus pins too")
    show.set_defaults(run=_list)

    hold = commands.add_parser("evidence", help="hold every recorded exchange against the codecs")
    hold.add_argument("--update", action="store_true", help="commit the counts of this run")
    hold.add_argument("--bonus", action="store_true", help="the bonus pins too; compares with nothing committed")
    hold.set_defaults(run=_evidence)

    shape = commands.add_parser("inventory", help="write the shape inventory")
    shape.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file differs")
    shape.set_defaults(run=_inventory)

    derive_commands.add_to(commands, _say)
    bulk_command.add_to(commands, _say)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())

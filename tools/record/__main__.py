"""Command line: `python -m tools.record [--api API] [SCENARIO ...]` records cassettes from the providers."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.corpus import root
from conformance.errors import BadOption, ConformanceError, ScenarioNotFound
from conformance.scenarios import Scenario, catalogue
from conformance.vocabulary import Api
from tools.record.asking import Asker
from tools.record.budget import Budget
from tools.record.client import origin
from tools.record.errors import KeyMissing, OverBudget
from tools.record.provocations import Provocation, provocation
from tools.record.recorder import End, Recorder
from tools.record.target import Target
from tools.record.transaction import Store
from tools.secrets import own_key

MAX_COST = 50_000
"""Tokens that a run may spend where nothing else is said."""

_BAD_INPUT, _INTERRUPTED = 2, 130

_HELP = """\
The key of each API comes from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY.
Costs are tokens, in and out together: prices change, and none is kept here.
Exit code: 0, 1 where something that was tried is not recorded, 2 for bad input, a refused key or a spent budget."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except ConformanceError as error:
        _say(f"error: {error}")
        return _BAD_INPUT
    except OSError as error:
        _say(f"error: cannot write: {error}\n  mend: make room; what was there is as it was")
        return _BAD_INPUT
    except KeyboardInterrupt:
        _say("interrupted: of the scenario under way nothing was written")
        return _INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.record",
        description=__doc__,
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "scenarios", nargs="*", metavar="SCENARIO", help="ids or patterns; all that --api names if none"
    )
    parser.add_argument(
        "--api", action="append", type=_api, default=[], metavar="API", help="only this API; repeatable"
    )
    parser.add_argument("--dry-run", action="store_true", help="ask nothing: print what would be asked, and its cost")
    parser.add_argument(
        "--max-cost", type=_positive, default=MAX_COST, metavar="TOKENS", help="stop before more (default: %(default)s)"
    )
    parser.add_argument("--corpus", type=Path, default=root(), metavar="DIR", help="write there, not into the corpus")
    parser.add_argument(
        "--base-url",
        action="append",
        type=_base_url,
        default=[],
        metavar="API=URL",
        help="ask there, not at the vendor's; only with a --corpus of your own",
    )
    parser.add_argument("--recover", action="store_true", help="only finish or undo what a killed run has left")
    return parser


def _run(options: argparse.Namespace) -> int:
    target = Target(options.corpus)
    store = Store(options.corpus)
    if options.recover:
        with store.held() as left:
            _say(left or "nothing was left to finish or to undo")
        return 0
    chosen = _chosen(options.scenarios, options.api)
    rows = [(scenario, provocation(scenario)) for scenario in chosen]
    asked = [(scenario, how) for scenario, how in rows if isinstance(how, Provocation)]
    budget = Budget(options.max_cost)
    recorder = Recorder(target, store, Asker(_say, budget), budget, keys={}, base_urls=dict(options.base_url))
    if options.dry_run:
        _dry_run(recorder, rows)
        return 0
    if not asked:
        ids = ", ".join(f"{scenario.id}: {how}" for scenario, how in rows[:3])
        raise BadOption(
            f"none of the chosen scenarios can be provoked ({ids})", "see: python -m tools.record --dry-run"
        )
    for api in dict.fromkeys(scenario.api for scenario, _ in asked):
        target.admit(api, recorder.base_url(api))
    recorder.keys = _keys({scenario.api for scenario, _ in asked}, os.environ)
    _within(budget, sum(_most(recorder, *row) for row in asked))
    with store.held() as left:
        if left:
            _say(left)
        return _record(recorder, rows)


def _record(recorder: Recorder, rows: Sequence[tuple[Scenario, Provocation | str]]) -> int:
    """Record one after the other, one line each."""
    ends = []
    for number, (scenario, how) in enumerate(rows, 1):
        place = f"[{number}/{len(rows)}] {scenario.id}"
        if isinstance(how, str):
            _say(f"{place}  cannot be provoked: {how}")
            continue
        start = time.monotonic()
        outcome = recorder.record(scenario, how)
        ends.append(outcome.end)
        _say(f"{place}  {outcome.end}: {outcome.words}, {time.monotonic() - start:.1f} s")
    counts = ", ".join(f"{ends.count(end)} {end}" for end in End)
    _say(f"{counts}, {len(rows) - len(ends)} cannot be provoked; {recorder.budget.spent} tokens")
    return 0 if set(ends) <= {End.RECORDED} else 1


def _dry_run(recorder: Recorder, rows: Sequence[tuple[Scenario, Provocation | str]]) -> None:
    total = 0
    for scenario, how in rows:
        if isinstance(how, str):
            print(f"{scenario.id}\n    cannot be provoked: {how}")
            continue
        most = _most(recorder, scenario, how)
        total += most
        print(f"{scenario.id}\n    {how.how}\n    up to {how.tries} tries, {most} tokens")
        for question in recorder.questions(scenario, how):
            print(f"    {question.mode}: POST {question.url}")
    asked = sum(isinstance(how, Provocation) for _, how in rows)
    print(f"{asked} of {len(rows)} scenarios would be asked for, at most {total} tokens in and out; nothing was asked")


def _most(recorder: Recorder, scenario: Scenario, how: Provocation) -> int:
    """The tokens that a scenario can cost if every try is needed."""
    return how.tries * sum(question.most_tokens for question in recorder.questions(scenario, how))


def _within(budget: Budget, most: int) -> None:
    if most > budget.most:
        raise OverBudget(
            f"this may cost {most} tokens, and --max-cost is {budget.most}",
            "raise it, or name fewer scenarios; --dry-run tells what each may cost",
        )


def _keys(apis: set[Api], environment: Mapping[str, str]) -> dict[Api, str]:
    found = {api: environment.get(own_key.VARIABLES[api], "").strip() for api in apis}
    missing = sorted({own_key.VARIABLES[api] for api, key in found.items() if not key})
    if missing:
        raise KeyMissing(
            f"the environment has no {' and no '.join(missing)}", f"set it to a key of yours: export {missing[0]}=..."
        )
    for api, key in found.items():
        if len(key) < own_key.SHORTEST or not key.isascii() or not key.isprintable() or " " in key:
            raise KeyMissing(
                f"the value of {own_key.VARIABLES[api]} is no key", "copy it again from the provider's page"
            )
    return found


def _chosen(patterns: Sequence[str], apis: Sequence[Api]) -> list[Scenario]:
    every = catalogue()
    for pattern in patterns:
        if not any(fnmatchcase(id_, pattern) for id_ in every):
            raise ScenarioNotFound(f"no scenario matches {pattern!r}", "docs/catalogue.md lists them")
    chosen = [
        scenario
        for id_, scenario in every.items()
        if (not patterns or any(fnmatchcase(id_, pattern) for pattern in patterns))
        and (not apis or scenario.api in apis)
    ]
    if not chosen:
        raise BadOption("no scenario is of these patterns and of these APIs", "leave one of the two out")
    return chosen


def _api(text: str) -> Api:
    try:
        return Api(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no API; one of {', '.join(Api)}") from None


def _base_url(text: str) -> tuple[Api, str]:
    name, equals, url = text.partition("=")
    try:
        if not equals:
            raise BadOption(f"{text!r} names no API", "API=URL")
        return _api(name), origin(url)
    except BadOption as error:
        raise argparse.ArgumentTypeError(f"{error.problem}: {error.mend}") from None


def _positive(text: str) -> int:
    try:
        number = int(text.replace("_", ""))
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens")
    return number


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())

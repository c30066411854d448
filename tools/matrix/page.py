"""The index page of the matrix: one file without assets or network; its look is in page.html. Text is table.py's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote

from conformance.scenarios import catalogue
from conformance.verdict import Result
from conformance.vocabulary import Api
from tools.matrix.running import Outcome
from tools.matrix.table import COLUMNS, Row, rows, verdict_of

_LETTERS = {"faithful": "·", "declared": "d", "loud": "l", "broken": "B", "misleading": "M", "not tested": "?"}
"""A shape beside the colour: not everybody sees the difference of red and green."""


def index(outcomes: Sequence[Outcome], compared: Iterable[str] = ()) -> str:
    """The whole page."""
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    text = "\n".join(compared)
    return template.substitute(
        key="".join(f'<span class="{_slug(name)}">{_mark(name, name)} {name}</span>' for name in COLUMNS),
        heads="".join(f"<th>{name}</th>" for name in COLUMNS),
        summary="".join(_summary(outcomes)),
        compared=f'<h2>What changed</h2><div class="card"><pre>{escape(text)}</pre></div>' if text else "",
        matrix="".join(_matrix(api, outcomes) for api in Api),
    )


def _slug(name: str) -> str:
    return name.replace(" ", "-")


def _mark(verdict: str, tip: str, link: str | None = None) -> str:
    inside = f'class="m {_slug(verdict)}" title="{escape(tip)}">{_LETTERS[verdict]}'
    return f'<a href="{escape(link)}" {inside}</a>' if link else f"<i {inside}</i>"


def _summary(outcomes: Sequence[Outcome]) -> Iterable[str]:
    pages = {outcome.name: outcome.page for outcome in outcomes}
    last = None
    for row in rows(outcomes):
        name = escape(row.name)
        if pages.get(row.name):
            name = f'<a href="{quote(str(pages[row.name]))}">{name}</a>'
        first = row.name != last
        last = row.name
        who = f"<td>{name if first else ''}</td><td>{escape(row.version) if first else ''}</td>"
        if row.problem is not None:
            wide = len(COLUMNS) + 2
            yield f'<tr><td>{name}</td><td></td><td colspan="{wide}">broken: {escape(row.problem)}</td></tr>'
            continue
        yield f"<tr{'' if first else ' class=second'}>{who}<td>{row.api}</td><td>{_bar(row)}</td>{_numbers(row)}</tr>"


def _numbers(row: Row) -> str:
    return "".join(
        f'<td class="n {_slug(name)} {"some" if row.counts[name] else "none"}">{row.counts[name] or "·"}</td>'
        for name in COLUMNS
    )


def _bar(row: Row) -> str:
    parts = (f'<i class="{_slug(name)}" style="flex:{row.counts[name]}"></i>' for name in COLUMNS if row.counts[name])
    return f'<div class="bar">{"".join(parts)}</div>'


def _matrix(api: Api, outcomes: Sequence[Outcome]) -> str:
    mine = [(outcome, {result.cell: result for result in outcome.results}) for outcome in outcomes]
    mine = [(outcome, cells) for outcome, cells in mine if api in outcome.apis]
    if not mine:
        return ""
    heads = "".join(f"<th><span>{escape(outcome.name)}</span></th>" for outcome, _ in mine)
    body = []
    for scenario in catalogue().values():
        if scenario.api is not api:
            continue
        for number, mode in enumerate(scenario.modes):
            cell = f"{scenario.id}:{mode}"
            if any(cell in cells for _, cells in mine):
                marks = "".join(f"<td>{_cell(outcome, cells.get(cell))}</td>" for outcome, cells in mine)
                body.append(
                    f'<tr{" class=second" if number else ""}><th title="{escape(scenario.claim)}">'
                    f'<span class="id">{scenario.slug}</span></th><td class="mode">{mode}</td>{marks}<td></td></tr>'
                )
    return (
        f'<h2>{api}</h2><div class="card"><table class="cells">'
        f"<thead><tr><th></th><th></th>{heads}<th></th></tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(outcome: Outcome, result: Result | None) -> str:
    if result is None:
        return ""
    verdict = verdict_of(result)
    problems = dict.fromkeys(f"{finding.check}: {finding.problem}" for finding in result.findings)
    tip = f"{outcome.name}: {verdict}" + "".join(f"\n{problem}" for problem in problems)
    return _mark(verdict, tip, f"{quote(outcome.page)}#{quote(result.cell)}" if outcome.page else None)

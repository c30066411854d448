"""The page of a run's results: one file, no assets, no network; its look is in page.html. Plain text is table.py's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote

from conformance.checks import RULES, Finding
from conformance.report.results import Run, write_whole
from conformance.report.text import wire_excerpt
from conformance.scenarios import scenario
from conformance.verdict import Result
from conformance.vocabulary import Severity, Verdict

_UNTESTED = "not tested"
_NAMES = (*(str(verdict) for verdict in Verdict), _UNTESTED)
_FEW = 6
"""So many scenarios of one kind of finding are named at once; the others are folded away."""


def write_html(run: Run, path: Path) -> None:
    """Write the page.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, page(run))


def page(run: Run) -> str:
    """The whole page."""
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(f"{run.adapter} {run.version or ''} · LLM adapter conformance"),
        header=_header(run),
        filters=_filters(run),
        kinds=_kinds("Open findings", run.results, declared=False)
        + _kinds("Declared findings", run.results, declared=True),
        matrix="".join(_section(api, run) for api in run.apis),
        details="".join(_details(result) for result in run.results),
    )


def _verdict(result: Result) -> str:
    return str(result.verdict) if result.verdict else _UNTESTED


def _slug(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _bar(totals: Counter[str]) -> str:
    parts = (f'<i class="{_slug(name)}" style="flex:{totals[name]}"></i>' for name in _NAMES if totals[name])
    return f'<div class="bar">{"".join(parts)}</div>'


def _totals(results: Iterable[Result]) -> Counter[str]:
    return Counter(_verdict(result) for result in results)


def _header(run: Run) -> str:
    failures = run.failures()
    about = (
        f"{len(run.results)} cells of corpus {run.corpus}, transport {run.transport}. "
        f"Undeclared: {failures['MUST']} MUST, {failures['SHOULD']} SHOULD. Stale declarations: {failures['stale']}."
    )
    wiring = "".join(f'<pre class="wiring">{escape(problem)}</pre>' for problem in run.wiring)
    return (
        f"<h1>{escape(run.adapter)}<small>{escape(run.version or '')}</small></h1>"
        f'<p class="about">{escape(about)}</p>{wiring}{_bar(_totals(run.results))}'
    )


def _filters(run: Run) -> str:
    totals = _totals(run.results)
    buttons = [f'<button type="button" aria-pressed="true"><b>{len(run.results)}</b> all</button>']
    for name in _NAMES:
        if totals[name] or name != _UNTESTED:
            off = "" if totals[name] else " disabled"
            buttons.append(
                f'<button type="button" class="{_slug(name)}" data-verdict="{name}" aria-pressed="false"{off}>'
                f"<b>{totals[name]}</b> {name}</button>"
            )
    return "".join(buttons)


def _kinds(head: str, results: Iterable[Result], *, declared: bool) -> str:
    """One entry a kind of finding, worst first: the same problem in many cells is told once."""
    kinds: dict[tuple[str, str, str, str], tuple[Finding, list[str]]] = {}
    for result in results:
        for finding in result.findings:
            if (finding.declared is not None) is declared:
                key = (finding.severity, finding.check, finding.problem, finding.declared or "")
                cells = kinds.setdefault(key, (finding, []))[1]
                if result.cell not in cells:
                    cells.append(result.cell)
    if not kinds:
        return ""
    ranked = sorted(kinds.values(), key=lambda kind: (kind[0].severity, -kind[0].verdict.harm, kind[0].check))
    items = "".join(_kind(finding, cells) for finding, cells in ranked)
    return f'<div class="kinds"><div class="head"><h2>{head}</h2></div><ul>{items}</ul></div>'


def _kind(finding: Finding, cells: list[str]) -> str:
    scenarios: dict[str, list[str]] = {}
    for cell in cells:
        scenarios.setdefault(cell.rpartition(":")[0], []).append(cell)
    named = [_named(slug, links) for slug, links in scenarios.items()]
    folded = ""
    if len(named) > _FEW:
        folded = f"<details><summary>{len(named) - _FEW} more</summary>{''.join(named[_FEW:])}</details>"
    why = f'<div class="why">{_prose(finding.declared)}</div>' if finding.declared else ""
    return (
        f'<li class="{finding.verdict}"><span class="pill">{finding.verdict}</span>{finding.severity} '
        f"<code>{finding.check}</code> {_prose(finding.problem)}{why}"
        f'<div class="where">{"".join(named[:_FEW])}{folded}</div></li>'
    )


def _named(scenario_id: str, cells: Iterable[str]) -> str:
    modes = "".join(f'<a href="#{quote(cell)}">{cell.rpartition(":")[2]}</a>' for cell in cells)
    return f'<span><span class="id">{escape(scenario_id)}</span>{modes}</span>'


def _prose(text: str) -> str:
    """A sentence; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _section(api: str, run: Run) -> str:
    results = [result for result in run.results if scenario(result.scenario).api == api]
    if not results:
        return ""
    heads = "".join(
        f'<th class="{rule.severity.lower()}" title="{rule.severity}: {escape(rule.text)}"><a>{check}</a></th>'
        for check, rule in RULES.items()
    )
    totals = _totals(results)
    said = ", ".join(f"{totals[name]} {name}" for name in _NAMES if totals[name])
    return (
        f'<section><div class="head"><h2>{api}</h2>{_bar(totals)}<span>{said}</span></div><div class="scroll"><table>'
        f"<thead><tr><th></th><th></th><th></th>{heads}<th></th></tr></thead>"
        f"<tbody>{''.join(_rows(results))}</tbody></table></div></section>"
    )


def _rows(results: Iterable[Result]) -> Iterator[str]:
    last = None
    for result in results:
        verdict = _verdict(result)
        second = " second" if result.scenario == last else ""
        last = result.scenario
        slug = result.scenario.partition("/")[2]
        marks = "".join(f"<td>{_mark(result, check)}</td>" for check in RULES)
        cell = escape(result.cell)
        yield (
            f'<tr class="{_slug(verdict)}{second}" data-verdict="{verdict}" data-scenario="{escape(result.scenario)}" '
            f'data-cell="{cell}"><th scope="row"><a class="id" href="#{quote(result.cell)}">{escape(slug)}</a></th>'
            f'<td class="mode">{result.mode}</td><td class="verdict"><span class="pill">{verdict}</span></td>'
            f"{marks}<td></td></tr>"
        )


def _mark(result: Result, check: str) -> str:
    outcome = result.outcomes.get(check)
    mine = [finding for finding in result.findings if finding.check == check]
    tip = escape(f"{check}: {'; '.join(dict.fromkeys(finding.problem for finding in mine)) or outcome}")
    if outcome == "pass":
        return f'<i class="m pass" title="{tip}"></i>'
    if outcome == "declared":
        return f'<i class="m known" title="{tip}">d</i>'
    if outcome == "fail":
        worst = max((finding for finding in mine if finding.declared is None), key=lambda found: found.verdict.harm)
        kind, letter = ("must", "M") if worst.severity is Severity.MUST else ("should", "s")
        return f'<i class="m {kind} {worst.verdict}" title="{tip}">{letter}</i>'
    return ""


def _details(result: Result) -> str:
    told = scenario(result.scenario)
    verdict = _verdict(result)
    out = [
        f'<article id="{escape(result.cell)}"><h2 class="id">{escape(result.cell)}</h2>',
        f'<p class="{_slug(verdict)}"><span class="pill">{verdict}</span></p>',
        f"<dl><dt>the wire</dt><dd>{_prose(told.claim)}</dd><dt>right</dt><dd>{_prose(told.right)}</dd></dl>",
    ]
    if result.problem:
        out.append(f"<pre>{escape(result.problem)}</pre>")
    out += [_finding(finding) for finding in result.findings]
    out += [f'<p class="misleading finding">Stale: {escape(stale)}</p>' for stale in result.stale]
    out.append(f"<h3>The wire around the place</h3><pre>{_wire(result)}</pre><h3>Evidence</h3>")
    out += [f"<p>{escape(item.kind)}: {_prose(item.source)}</p>" for item in told.evidence]
    cut = f" The bytes were cut in these ways: {', '.join(result.chunkings)}." if result.chunkings else ""
    asked = f"{result.requests} request{'' if result.requests == 1 else 's'}"
    out.append(f"<p>The wire is {told.standing}. The call made {asked}.{escape(cut)}</p></article>")
    return "".join(out)


def _finding(finding: Finding) -> str:
    where = f" [{finding.chunking}]" if finding.chunking else ""
    declared = f'<dt>declared</dt><dd class="by">{_prose(finding.declared)}</dd>' if finding.declared else ""
    return (
        f'<div class="finding {finding.verdict}"><b>{finding.severity} {finding.check}</b>{escape(where)}'
        f"<p>{_prose(finding.problem)}</p><dl><dt>verdict</dt><dd>{finding.verdict}</dd>"
        f"<dt>expected</dt><dd><code>{escape(finding.expected)}</code></dd>"
        f"<dt>observed</dt><dd><code>{escape(finding.observed)}</code></dd>{declared}"
        f"<dt>rule</dt><dd>{escape(RULES[finding.check].text)}</dd></dl></div>"
    )


def _wire(result: Result) -> str:
    """The excerpt, the frame that counts marked."""
    lines = [escape(line.strip()) for line in wire_excerpt(scenario(result.scenario), result.mode)]
    lines[0] = lines[0].removeprefix("wire").strip()
    return "\n".join(f"<mark>{line[5:]}</mark>" if line.startswith("&gt; ") else line for line in lines)

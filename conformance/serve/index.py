"""The index page of `python -m conformance serve`: what is played, and a line to paste for each. No socket here."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from string import Template

from conformance.corpus import Exchange, cassette
from conformance.replay.addressing import path_of, query_of
from conformance.scenarios import Scenario
from conformance.vocabulary import Api, FaultKind, Mode

_CLIENTS: dict[Api, tuple[tuple[str, str], ...]] = {
    Api.OPENAI_CHAT: (
        ("Python", 'OpenAI(base_url="{base}/v1", api_key="none")'),
        ("Node", 'new OpenAI({{baseURL: "{base}/v1", apiKey: "none"}})'),
        ("LiteLLM", 'litellm.completion("openai/{model}", api_base="{base}/v1", api_key="none", messages=...)'),
        ("environment", "OPENAI_BASE_URL={base}/v1 OPENAI_API_KEY=none"),
    ),
    Api.OPENAI_RESPONSES: (
        ("Python", 'OpenAI(base_url="{base}/v1", api_key="none").responses'),
        ("Node", 'new OpenAI({{baseURL: "{base}/v1", apiKey: "none"}}).responses'),
        ("environment", "OPENAI_BASE_URL={base}/v1 OPENAI_API_KEY=none"),
    ),
    Api.ANTHROPIC_MESSAGES: (
        ("Python", 'Anthropic(base_url="{base}", api_key="none")'),
        ("Node", 'new Anthropic({{baseURL: "{base}", apiKey: "none"}})'),
        ("LiteLLM", 'litellm.completion("anthropic/{model}", api_base="{base}", api_key="none", messages=...)'),
        ("environment", "ANTHROPIC_BASE_URL={base} ANTHROPIC_API_KEY=none"),
    ),
    Api.GEMINI: (
        ("Python", 'genai.Client(api_key="none", http_options={{"base_url": "{base}"}})'),
        ("Node", 'new GoogleGenAI({{apiKey: "none", httpOptions: {{baseUrl: "{base}"}}}})'),
        ("environment", "GOOGLE_GEMINI_BASE_URL={base} GEMINI_API_KEY=none"),
    ),
}
"""How each client is told where its provider is, in that client's own words."""


def clients(told: Scenario, base: str) -> Iterator[tuple[str, str]]:
    """Name and line of each client of a scenario's API."""
    for name, line in _CLIENTS[told.api]:
        yield name, line.format(base=base, model=told.model)


def curl(told: Scenario, mode: Mode, base: str) -> str:
    """The line to paste into a POSIX shell: the request as the cassette has it.

    Raises:
        BrokenCassette: it cannot be read.
    """
    asked: Exchange = cassette(told.id, mode)[0]
    query = query_of(asked.uri)
    url = f"{base}{path_of(asked.uri)}{f'?{query}' if query else ''}"
    body = json.dumps(asked.request, ensure_ascii=False)
    # A stall lasts until somebody gives up.
    patience = "-m 5 " if told.fault and told.fault.kind is FaultKind.STALL else ""
    return f"curl -sN {patience}{shlex.quote(url)} -H 'content-type: application/json' -d {shlex.quote(body)}"


def text(scenarios: Iterable[Scenario], root: str) -> str:
    """The page for a terminal."""
    lines = [f"# {root}", ""]
    for told in scenarios:
        lines += [f"# {told.id}: {told.claim}"]
        lines += [curl(told, mode, f"{root}/{told.id}") for mode in told.modes]
        lines += [""]
    return "\n".join(lines)


def page(scenarios: Iterable[Scenario], root: str, how: str) -> str:
    """The page for a browser; `how` says how bodies are delivered."""
    told = list(scenarios)
    return Template(Path(__file__).with_name("index.html").read_text(encoding="utf-8")).substitute(
        root=escape(root), count=len(told), how=escape(how), sections="".join(map(_section, _by_api(told), [root] * 4))
    )


def _by_api(scenarios: list[Scenario]) -> list[list[Scenario]]:
    return [mine for api in Api if (mine := [told for told in scenarios if told.api is api])]


def _section(scenarios: list[Scenario], root: str) -> str:
    items = "".join(_item(told, f"{root}/{told.id}") for told in scenarios)
    return f"<section><h2>{scenarios[0].api} <small>{len(scenarios)}</small></h2>{items}</section>"


def _item(told: Scenario, base: str) -> str:
    lines = [(f"curl, {mode}", curl(told, mode, base)) for mode in told.modes] + list(clients(told, base))
    rows = "".join(
        f'<div class="line"><span>{escape(name)}</span><code>{escape(line)}</code>'
        f'<button type="button">copy</button></div>'
        for name, line in lines
    )
    return (
        f'<details id="{escape(told.id)}"><summary><b>{escape(told.slug)}</b> {escape(told.claim)}</summary>'
        f"<p>Right: {escape(told.right)}</p>{rows}</details>"
    )

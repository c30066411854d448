"""The set of what the corpus holds now, and its TOML. Reading one is requirements.py's; no file is written here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from conformance.checks import RULES
from conformance.scenarios import Scenario, catalogue
from conformance.sets.requirements import RequirementSet
from conformance.vocabulary import Api, Mode, Severity, Standing

_HEAD = """\
# Requirement set {name}: what counts for an adapter whose author asks for it (--conformance-set {name}).
# Frozen: written once by `python -m tools.sets freeze`, never edited. A slug alone stands for both modes.
name = "{name}"
"""


def freeze(name: str, scenarios: Iterable[Scenario] | None = None) -> RequirementSet:
    """The set of everything that is judged now."""
    every = list(catalogue().values() if scenarios is None else scenarios)
    return RequirementSet(
        name=name,
        checks={check: rule.severity for check, rule in RULES.items()},
        cells=frozenset(f"{scenario.id}:{mode}" for scenario in every for mode in scenario.modes),
        permitted=frozenset(scenario.id for scenario in every if scenario.standing is Standing.PERMITTED),
    )


def render(requirements: RequirementSet) -> str:
    """The file of a set: one line of names wrapped, so that a person can look a scenario up."""
    out = [_HEAD.format(name=requirements.name), "[checks]"]
    checks = requirements.checks.items()
    out += [_list(severity, [check for check, one in checks if one is severity]) for severity in Severity]
    out += ["", "[cells]"]
    scenarios = sorted({cell.rpartition(":")[0] for cell in requirements.cells})
    out += _by_api([named for id_ in scenarios for named in _named(requirements, id_)])
    out += ["", "[permitted]", *_by_api(sorted(requirements.permitted))]
    return "\n".join(out) + "\n"


def _named(requirements: RequirementSet, id_: str) -> list[str]:
    modes = [mode for mode in Mode if requirements.has_cell(f"{id_}:{mode}")]
    return [id_] if len(modes) == len(Mode) else [f"{id_}:{mode}" for mode in modes]


def _by_api(ids: Iterable[str]) -> list[str]:
    ids = list(ids)
    return [_list(api, [id_.partition("/")[2] for id_ in ids if id_.startswith(f"{api}/")]) for api in Api]


def _list(key: str, values: list[str]) -> str:
    if not values:
        return f"{key} = []"
    lines = textwrap.wrap(", ".join(f'"{value}"' for value in values), 116, break_on_hyphens=False)
    return f"{key} = [\n" + "\n".join(f"    {line}" for line in lines) + ",\n]"

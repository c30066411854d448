"""Records one scenario: asks each mode as often as its row says, checks what came, commits. Prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum

from conformance.errors import BadWire
from conformance.scenarios import Scenario
from conformance.vocabulary import Api, Mode, Provenance
from tools.author.build import HOSTS
from tools.record.asking import Asker, Question, question
from tools.record.budget import Budget
from tools.record.errors import NoAnswer
from tools.record.exchange import Taken, check, disagreement, lost, take
from tools.record.provocations import Provocation
from tools.record.target import Target
from tools.record.transaction import Store


class End(StrEnum):
    """How the recording of a scenario ended."""

    RECORDED = "recorded"
    NOT_PROVOKED = "not provoked"
    """The provider answered, and not with what the scenario is about: nothing has changed."""
    FAILED = "failed"
    """There was no usable answer: nothing has changed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a scenario, and the words for it."""

    end: End
    words: str


@dataclass(slots=True)
class Recorder:
    """Records scenarios into a target that is held.

    Attributes:
        budget: what the asker asks before each request; here it is told what the answers cost.
        keys: the provider's key of each API.
        base_urls: where to ask instead of at the vendor's.
    """

    target: Target
    store: Store
    asker: Asker
    budget: Budget
    keys: Mapping[Api, str]
    base_urls: Mapping[Api, str] = field(default_factory=dict)
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    def base_url(self, api: Api) -> str:
        """Where an API is asked."""
        return self.base_urls.get(api, HOSTS[api])

    def questions(self, scenario: Scenario, how: Provocation) -> list[Question]:
        """What will be sent, one for each mode; the most that it costs is for one try."""
        base_url, key = self.base_url(scenario.api), self.keys.get(scenario.api, "")
        return [question(scenario, mode, how, base_url=base_url, key=key) for mode in scenario.modes]

    def record(self, scenario: Scenario, how: Provocation) -> Outcome:
        """Ask for a scenario and, where it shows what it is about, put it in the place of what lay there.

        Raises:
            KeyRefused, OverBudget, SecretLeft, WrongFolder: the run ends here; of this scenario nothing is written.
            HalfWritten, OSError: it could not be written.
        """
        base_url = self.base_url(scenario.api)
        self.target.admit(scenario.api, base_url)
        spent = self.budget.spent
        takes: dict[Mode, Taken] = {}
        why = ""
        try:
            for attempt in range(1, how.tries + 1):
                why = self._try(scenario, how, takes) or disagreement(takes.values()) or ""
                if not why:
                    return self._keep(scenario, takes.values(), base_url, f"try {attempt}", self.budget.spent - spent)
                if len(takes) == len(scenario.modes):
                    takes.clear()  # each mode by itself is right: both are asked again
        except (NoAnswer, BadWire) as error:
            return Outcome(End.FAILED, error.problem)
        if Provenance.LIVE in self.target.provenance(scenario):
            why += "; it was so when it was last recorded: the vendor may have moved"
        return Outcome(End.NOT_PROVOKED, f"{why} ({how.tries} tries)" if how.tries > 1 else why)

    def _try(self, scenario: Scenario, how: Provocation, takes: dict[Mode, Taken]) -> str | None:
        """Ask for the modes that are still wanting; why one is, or None."""
        for asked in self.questions(scenario, how):
            if asked.mode in takes:
                continue
            answer = self.asker.ask(asked)
            self.target.admit_answer(answer)
            try:
                taken = take(scenario, asked, answer, self._keys())
            except BaseException:
                self.budget.spend(asked.most_tokens)
                raise
            self.budget.spend(asked.most_tokens if taken.tokens is None else taken.tokens)
            if why := lost(scenario, taken):
                return f"{asked.mode}: {why}"
            takes[asked.mode] = taken
        return None

    def _keep(self, scenario: Scenario, takes: Iterable[Taken], base_url: str, tries: str, tokens: int) -> Outcome:
        takes = list(takes)
        remark = self.target.remark(scenario)
        files = self.target.files(scenario, takes, base_url, self.today())
        # The manifest holds rows of others; of ours only what is ours is looked at.
        texts = {name: data.decode() for name, data in files.items() if scenario.id in name}
        check(scenario.id, self._keys(), takes, texts)
        self.store.commit(files)
        words = f"{len(takes)} cassette{'s' * (len(takes) > 1)}, {tries}, {tokens} tokens"
        return Outcome(End.RECORDED, f"{words}; {remark}" if remark else words)

    def _keys(self) -> list[str]:
        """Every key of this run: one vendor's must not turn up in another's cassette."""
        return sorted(set(self.keys.values()))

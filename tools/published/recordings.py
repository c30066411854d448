"""From pins to believable exchanges, once each: reads archives, classifies, judges, drops repeated bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from conformance.vocabulary import Mode
from tools.published import archive, believe, cassettes, classify
from tools.published.cassettes import Recorded, Unreadable
from tools.published.classify import Kind
from tools.published.errors import BadPins
from tools.published.fetch import cached
from tools.published.pins import Pin, pin


@dataclass(frozen=True, slots=True)
class Exchange:
    """One believable call of a model."""

    kind: Kind
    mode: Mode
    recorded: Recorded
    verified: bool

    @property
    def place(self) -> str:
        """As `Recorded.place`."""
        return self.recorded.place


@dataclass(slots=True)
class Recordings:
    """What the pins hold.

    Attributes:
        exchanges: in the order of the pins, each body once.
        seen: how many exchanges were read, of whatever kind.
        others: how many of them are no call of a model.
        aside: how many were not believed or not readable, by rule.
        repeated: how many repeat the body of an earlier one.
    """

    exchanges: list[Exchange] = field(default_factory=list)
    seen: int = 0
    others: int = 0
    aside: Counter[str] = field(default_factory=Counter)
    repeated: int = 0


def load(wanted: Sequence[Pin], say: Callable[[str], None] = lambda _: None) -> Recordings:
    """Read the wanted pins from the cache.

    Raises:
        NotFetched, WrongBytes, BadArchive: a pin is not there, is not the pinned file, or is not to be trusted.
    """
    found = Recordings()
    rows: list[tuple[Recorded, Kind]] = []
    for number, one in enumerate(wanted, 1):
        say(f"[{number}/{len(wanted)}] reading {one}")
        for item in _exchanges(one):
            found.seen += 1
            if isinstance(item, Unreadable):
                found.aside[str(item)] += 1
            elif kind := classify.classify(item):
                rows.append((item, kind))
            else:
                found.others += 1
    aside = believe.judge(rows)
    found.aside.update(Counter(aside.values()))
    bodies: set[tuple[Kind, int, str]] = set()
    for recorded, kind in rows:
        if recorded.place in aside:
            continue
        key = (kind, recorded.status, believe.body_hash(recorded))
        if key in bodies:
            found.repeated += 1
            continue
        bodies.add(key)
        mode = classify.mode_of(recorded)
        found.exchanges.append(Exchange(kind, mode, recorded, believe.verified(recorded, kind)))
    return found


def find(place: str) -> Recorded:
    """One exchange by its place: `package==version:file#index`, or the package's name alone in front.

    Raises:
        BadPins: no exchange lies there.
    """
    package, _, rest = place.partition(":")
    file, _, index = rest.rpartition("#")
    one = pin(package)
    for member in archive.members(cached(one), lambda name: name == file):
        for item in cassettes.read(str(one), member.name, member.data):
            if isinstance(item, Recorded) and str(item.index) == index:
                return item
    raise BadPins(f"no exchange at {place!r}", "copy a place from `python -m tools.published list`")


def _exchanges(one: Pin) -> Iterator[Recorded | Unreadable]:
    for member in archive.members(cached(one), cassettes.is_cassette_name):
        yield from cassettes.read(str(one), member.name, member.data)

"""A right stop matcher: text in, what may be shown out. The engine around it is not here."""

from __future__ import annotations


class Matcher:
    """Finds the first occurrence of any stop string in text that comes in pieces.

    What may still become a match is held back, and no more than that.
    """

    def __init__(self, stops: list[str]) -> None:
        self.stops = [stop for stop in stops if stop]
        self.fired: str | None = None
        self.held = ""

    def feed(self, text: str) -> str:
        """Take the next piece; return what may be shown. After `fired` is set nothing more comes."""
        self.held += text
        places = [(at, stop) for stop in self.stops if (at := self.held.find(stop)) >= 0]
        if places:
            at, self.fired = min(places, key=lambda place: place[0])
            shown, self.held = self.held[:at], ""
            return shown
        keep = max((self._pending(stop) for stop in self.stops), default=0)
        shown, self.held = self.held[: len(self.held) - keep], self.held[len(self.held) - keep :]
        return shown

    def flush(self) -> str:
        """The text is over: what was held back is no match."""
        shown, self.held = self.held, ""
        return shown

    def _pending(self, stop: str) -> int:
        """How many characters at the end are the beginning of a stop string."""
        longest = min(len(stop) - 1, len(self.held))
        return next((k for k in range(longest, 0, -1) if self.held.endswith(stop[:k])), 0)

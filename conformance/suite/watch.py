"""What arrives while the server holds a stream open, and when to let it go on. `stream.incremental` judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from conformance.checks import OpenWire, pending
from conformance.contract import Part, TextDelta
from conformance.replay import Play


class Watch:
    """Watches one held stream. The wire goes on as soon as all has come that a right reader hands out.

    A server that waited for nothing would not know a slow reader from one that keeps text back; one that waited
    for a time would be slow.

    Args:
        sent: the text that was sent before the wire was held.
        stop: the stop strings that were asked for.
    """

    def __init__(self, sent: str, stop: str | tuple[str, ...] | None) -> None:
        self._sent = sent
        self._due = len(sent) - pending(sent, stop)
        self._shown = 0
        self._anything = False
        self._play: Play | None = None
        self.seen: OpenWire | None = None

    @contextmanager
    def watching(self, play: Play) -> Iterator[Callable[[Part], None]]:
        """While open, take down each piece of content that comes; afterwards `seen` says what had come in time."""
        self._play, self._shown, self._anything, self.seen = play, 0, False, None
        yield self._take
        if play.held and self.seen is None:
            self.seen = OpenWire(self._sent, self._shown, self._anything)

    def _take(self, part: Part) -> None:
        play = self._play
        if play is None or self.seen is not None:
            return
        if play.gave_up:
            self.seen = OpenWire(self._sent, self._shown, self._anything)
            return
        self._anything = True
        if isinstance(part, TextDelta):
            self._shown += len(part.text)
        if self._shown >= self._due:
            self.seen = OpenWire(self._sent, self._shown, self._anything)
            play.release()

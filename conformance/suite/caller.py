"""Calls an adapter, sync or async, each call under a time limit, and takes down what its user would see. No judging."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import queue
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from conformance.checks import Observation, Raised
from conformance.contract import (
    Adapter,
    Call,
    Chunk,
    ChunkReader,
    End,
    Part,
    RefusalDelta,
    Reply,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from conformance.errors import AdapterBroken

_WORDS = (TextDelta, ThinkingDelta, RefusalDelta)
_CONTENT = (TextDelta, ThinkingDelta, ToolCallDelta)


@dataclass(slots=True)
class _Seen:
    """What one call has shown so far; read by the suite after the end or the time limit."""

    reply: Reply | None = None
    parts: list[Part] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    reader: ChunkReader = field(default_factory=ChunkReader)
    raised: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)


class Caller:
    """Runs an adapter's methods in a thread of their own with an event loop of their own.

    One thread and one loop serve the whole run, since some clients are tied to the loop that they were
    first used in. A call that hangs costs its thread; the next call gets a new one.
    """

    def __init__(self, adapter: Adapter, limit: float) -> None:
        self._adapter = adapter
        self._limit = limit
        self._jobs: queue.SimpleQueue[Callable[[asyncio.Runner], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    @contextmanager
    def speaking(self, adapter: Adapter) -> Iterator[None]:
        """Put the calls to another adapter while the block runs: the same one, configured otherwise."""
        usual, self._adapter = self._adapter, adapter
        try:
            yield
        finally:
            self._adapter = usual

    def complete(self, call: Call, chunking: str, *, limit: float | None = None) -> Observation:
        """One whole reply, within another time limit than usual where one is given.

        Raises:
            AdapterBroken: the binding returned something else than a Reply.
        """

        def job(seen: _Seen, runner: asyncio.Runner) -> None:
            value = self._adapter.complete(call)
            reply = runner.run(_awaited(value)) if inspect.isawaitable(value) else value
            if not isinstance(reply, Reply):
                raise AdapterBroken(
                    f"{self._adapter.name}.complete returned {type(reply).__name__}", "return a conformance.Reply"
                )
            seen.reply = reply

        return self._observe(job, chunking, limit)

    def stream(
        self,
        call: Call,
        chunking: str,
        on_content: Callable[[Part], object] | None = None,
        *,
        limit: float | None = None,
    ) -> Observation:
        """One streamed reply. `on_content` is called at each piece of content, when it arrives.

        Raises:
            AdapterBroken: the binding yielded something else than a Part.
        """

        def take(seen: _Seen, part: Any) -> None:
            _check(part, self._adapter.name)
            if isinstance(part, Chunk):
                seen.chunks.append(part)
            for read in seen.reader.take(part):
                seen.parts.append(read)
                if on_content is not None and isinstance(read, _CONTENT):
                    on_content(read)

        def job(seen: _Seen, runner: asyncio.Runner) -> None:
            value = self._adapter.stream(call)
            if inspect.isawaitable(value):
                value = runner.run(_awaited(value))
            if isinstance(value, AsyncIterator):
                runner.run(_drained(value, lambda part: take(seen, part)))
            else:
                for part in value:
                    take(seen, part)
            seen.reply = Reply.from_parts(seen.parts)

        return self._observe(job, chunking, limit)

    def close(self) -> None:
        """End the thread; harmless where a call hangs in it."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join(timeout=1.0)
            self._thread = None

    def _observe(self, job: Callable[[_Seen, asyncio.Runner], None], chunking: str, limit: float | None) -> Observation:
        seen = _Seen()

        def run(runner: asyncio.Runner) -> None:
            try:
                job(seen, runner)
            except BaseException as error:  # noqa: BLE001 -- whatever an adapter raises is what its user would see
                seen.raised = error
            finally:
                seen.done.set()

        with _listening() as heard, _uncollected():
            self._submit(run)
            hung = not seen.done.wait(self._limit if limit is None else limit)
        if hung:
            self._abandon()
        if isinstance(seen.raised, AdapterBroken | KeyboardInterrupt):
            raise seen.raised
        parts = tuple(seen.parts)
        return Observation(
            chunking=chunking,
            reply=seen.reply if seen.reply is not None or not parts else Reply.from_parts(parts),
            parts=parts,
            chunks=tuple(seen.chunks),
            final=next((part.final for part in parts if isinstance(part, End) and part.final), None),
            raised=Raised.of(seen.raised) if seen.raised is not None else None,
            hung=hung,
            warnings=tuple(heard),
        )

    def _submit(self, run: Callable[[asyncio.Runner], None]) -> None:
        if self._thread is None:
            self._jobs = queue.SimpleQueue()
            self._thread = threading.Thread(
                target=_work, args=(self._jobs,), name=f"conformance-{self._adapter.name}", daemon=True
            )
            self._thread.start()
        self._jobs.put(run)

    def _abandon(self) -> None:
        self._jobs.put(None)  # should the call ever end, its thread does too
        self._thread = None


def _check(part: Any, name: str) -> None:
    if not isinstance(part, Part):
        raise AdapterBroken(f"{name}.stream yielded {type(part).__name__}", "yield TextDelta, End, ...")
    if isinstance(part, _WORDS) and not isinstance(part.text, str):
        raise AdapterBroken(f"{name}.stream yielded {part!r}", "yield a delta where there is text, and no other")


def _work(jobs: queue.SimpleQueue[Callable[[asyncio.Runner], None] | None]) -> None:
    with asyncio.Runner() as runner:
        while (job := jobs.get()) is not None:
            job(runner)


async def _awaited(value: Any) -> Any:
    return await value


async def _drained(parts: AsyncIterator[Part], take: Callable[[Part], None]) -> None:
    async for part in parts:
        take(part)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection while the block runs.

    A stream that a failed call leaves open is closed by the collector, whenever that comes. Within a later request of
    the same client it has blocked a library for good: httpcore holds the lock of its pool there, and closing wants it
    on the same thread. So that no verdict depends on luck, the collector comes between the calls.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Collect Python warnings and log records from WARNING up while the block runs."""
    heard: list[str] = []
    handler = _Ear(heard)
    loggers = [logging.getLogger(), *_deaf_loggers()]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield heard
        # The collector finds an open socket whenever it likes: that is no word about this call.
        heard += [str(each.message) for each in caught if not issubclass(each.category, ResourceWarning)]
    finally:
        for logger in loggers:
            logger.removeHandler(handler)


class _Ear(logging.Handler):
    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.append(record.getMessage())


def _deaf_loggers() -> list[logging.Logger]:
    """Loggers whose records do not reach the root."""
    every = list(logging.root.manager.loggerDict.values())
    return [logger for logger in every if isinstance(logger, logging.Logger) and not logger.propagate]

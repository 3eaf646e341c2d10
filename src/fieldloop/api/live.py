"""Live numbers: one follower of the ledger for all open pages, pushed as server-sent events."""

import asyncio
import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool

from fieldloop.doors.written import convert_to_json
from fieldloop.errors import FieldloopError
from fieldloop.loop.home.home import show_home
from fieldloop.loop.workspace import Workspace

FOLLOW_S = 1.0
"""How often the ledger is looked at while anyone listens."""
READING_SHARE = 0.1
"""At most this share of the time is spent on reading, however slow the store is."""
BEAT_S = 15.0
"""After so long without news a comment is sent, so that a connection that broke is noticed."""
RETRY_MS = 1_000
MOST_STREAMS, MOST_STREAMS_EACH = 200, 20
"""Open streams in all and by one actor: each holds a connection, and a process has about 1,000 of them."""
LONGEST_S = 600.0
"""A stream ends after so long. The page opens it again, so that a revoked token loses it."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
log = logging.getLogger("fieldloop.api")


class Live:
    """Follows the ledger while anyone listens; the numbers are read once for all listeners."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        """Start without listeners: nothing is read until the first one comes."""
        self._workspace = workspace
        self._instance = secrets.token_hex(4)
        self._bells: dict[asyncio.Event, bool] = {}
        self._streams: Counter[str] = Counter()
        self._follower: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._seq = self._numbers_seq = 0
        self._numbers: dict[str, Any] = {}
        self._closed = False

    def has_room_for(self, actor: str) -> bool:
        """May this actor open one more stream?"""
        return self._streams.total() < MOST_STREAMS and self._streams[actor] < MOST_STREAMS_EACH

    async def listen(self, after: int = 0, *, numbers: bool = False, actor: str = "") -> AsyncIterator[str]:
        """Yield events for one page: first which server this is, then news behind the sequence number `after`."""
        bell = asyncio.Event()
        self._add_listener(bell, numbers=numbers)
        self._streams[actor] += 1
        ends = time.monotonic() + LONGEST_S
        try:
            yield f"retry: {RETRY_MS}\n{_format_event(instance=self._instance)}"
            sent, success = after, None
            while not self._closed and time.monotonic() < ends:
                newest = self._numbers_seq if numbers else self._seq
                if newest > sent:
                    sent, news = newest, dict(self._numbers) if numbers else {}
                    if news.get("success") == success:
                        news.pop("success", None)
                    success = news.get("success", success)
                    yield _format_event(seq=sent, **news)
                try:
                    await asyncio.wait_for(bell.wait(), BEAT_S)
                except TimeoutError:
                    yield ": no news\n\n"
                bell.clear()
        finally:
            self._streams[actor] -= 1
            self._remove_listener(bell)

    def close(self) -> None:
        """End every stream, so that the server can stop; may be called from a signal handler."""
        self._closed = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_listeners)

    def _add_listener(self, bell: asyncio.Event, *, numbers: bool) -> None:
        self._bells[bell] = numbers
        self._loop = asyncio.get_running_loop()
        if self._follower is None:
            self._follower = self._loop.create_task(self._follow_ledger())

    def _remove_listener(self, bell: asyncio.Event) -> None:
        self._bells.pop(bell, None)
        if not self._bells and self._follower is not None:
            self._follower.cancel()
            self._follower = None

    def _wake_listeners(self) -> None:
        for bell in self._bells:
            bell.set()

    async def _follow_ledger(self) -> None:
        while True:
            started = time.monotonic()
            try:
                if await run_in_threadpool(self._read_news, any(self._bells.values())):
                    self._wake_listeners()
            except FieldloopError as busy:
                log.warning("the ledger could not be followed: %s", busy)
            except Exception:  # whatever fails once, open pages still need the next look
                log.exception("the ledger could not be followed")
            spent = time.monotonic() - started
            await asyncio.sleep(max(FOLLOW_S, spent / READING_SHARE))

    def _read_news(self, numbers: bool) -> bool:  # noqa: FBT001 - called by a thread pool
        """Read the newest sequence number, and the numbers of the home page where a page shows them."""
        seq = self._workspace().last_seq()
        news = seq > self._seq
        if numbers and seq > self._numbers_seq:
            now = show_home(self._workspace())
            stages = convert_to_json(now.stages)
            kept = [{key: stage[key] for key in ("key", "count", "fact")} for stage in stages]
            self._numbers = {"stages": kept, "success": convert_to_json(now.success)}
            self._numbers_seq, news = now.seq, True
        self._seq = max(seq, self._seq)
        return news


def _format_event(**values: Any) -> str:
    return f"data: {json.dumps(values, ensure_ascii=False)}\n\n"

"""Where independent work runs: here, or on the cores of this machine. Rooms never see the difference."""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import connection
from typing import TypeVar

from fieldloop.errors import FieldloopError

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4
"""Results wait for whoever takes them, this many a core: memory stays flat."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[T], R], items: Iterable[T], *, workers: int | None = None) -> Iterator[R]:
    """Do the same to every item and yield the results in order; `work` must be a function of a module.

    >>> list(each(abs, [-1, 2, -3], workers=1))
    [1, 2, 3]
    """
    todo, hands = iter(items), workers or cores()
    first = list(islice(todo, 2))
    if hands <= 1 or len(first) < 2:  # noqa: PLR2004 - a pool for one item only costs its start
        yield from map(work, chain(first, todo))
        return
    # spawned, not forked: the pages' server and the store's connections have threads of their own
    with ProcessPoolExecutor(hands, multiprocessing.get_context("spawn"), _leave_with_parent) as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for item in chain(first, todo):
                waiting.append(pool.submit(work, item))
                if len(waiting) >= hands * AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as broken:
            raise FieldloopError(
                "A worker process died, perhaps for lack of memory. Nothing of it was kept."
            ) from broken
        finally:
            for future in waiting:
                future.cancel()


def _leave_with_parent() -> None:
    """End this worker when the process that started it is gone: a killed command leaves nothing running."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()

"""Where independent work runs: here, on the cores of this machine, or on a Ray cluster. Rooms never see it."""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import connection
from typing import Literal, TypeVar

from fieldloop.errors import FieldloopError

T = TypeVar("T")
R = TypeVar("R")
Machines = Literal["cores", "ray"]
AHEAD = 4
"""Results wait for whoever takes them, this many a core: memory stays flat."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    work: Callable[[T], R], items: Iterable[T], *, workers: int | None = None, on: Machines = "cores"
) -> Iterator[R]:
    """Do the same to every item and yield the results in order; `work` must be a function of a module.

    >>> list(each(abs, [-1, 2, -3], workers=1))
    [1, 2, 3]
    """
    if on == "ray":
        from fieldloop.loop.run_on_ray import each_on_ray

        yield from each_on_ray(work, items)
        return
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

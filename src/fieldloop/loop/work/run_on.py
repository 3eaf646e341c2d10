"""Run independent work in this process, on the cores of this machine, or on a Ray cluster."""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import connection
from typing import Any, Literal, TypeVar, cast

from fieldloop.errors import FieldloopError

T = TypeVar("T")
R = TypeVar("R")
Machines = Literal["cores", "ray"]
NICENESS = 5
AHEAD = 4
"""Most results that wait to be taken, per core: it bounds the memory."""


def count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_each(
    work: Callable[[T], R], items: Iterable[T], *, workers: int | None = None, on: Machines = "cores"
) -> Iterator[R]:
    """Do the same to every item and yield the results in order; `work` must be a function of a module.

    Arguments that all items share belong into `work` (`partial`): a worker receives them once, not with every item.

    >>> list(run_each(abs, [-1, 2, -3], workers=1))
    [1, 2, 3]
    """
    if on == "ray":
        from fieldloop.loop.work.run_on_ray import run_each_on_ray

        yield from run_each_on_ray(work, items)
        return
    todo, hands = iter(items), workers or count_cores()
    first = list(islice(todo, 2))
    if hands <= 1 or len(first) < 2:  # noqa: PLR2004 - a pool for one item only costs its start
        yield from map(work, chain(first, todo))
        return
    # spawned, not forked: the pages' server and the store's connections have threads of their own
    with ProcessPoolExecutor(hands, multiprocessing.get_context("spawn"), _start_worker, (work,)) as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for item in chain(first, todo):
                with _hide_main_script():
                    waiting.append(pool.submit(_run_item, item))
                if len(waiting) >= hands * AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as broken:
            raise FieldloopError(
                "A worker process died, perhaps for lack of memory. None of its results was stored."
            ) from broken
        finally:
            # the pool cancels what waits: its own thread prints a traceback where it meets an item cancelled from here
            pool.shutdown(wait=False, cancel_futures=True)


def run_apart(work: Callable[[T], R], item: T) -> R:
    """Do one thing in a process of its own, so that this one goes on answering meanwhile."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _start_quiet_worker, (work,)) as pool:
        try:
            with _hide_main_script():
                waiting = pool.submit(_run_item, item)
            return cast("R", waiting.result())
        except BrokenProcessPool as broken:
            raise FieldloopError("The process that worked on it died, perhaps for lack of memory.") from broken


@contextmanager
def _hide_main_script() -> Iterator[None]:
    """Start workers without running the user's script in each of them.

    A spawned worker would run the script of its parent again, and one without `if __name__ == "__main__"` would start
    workers of its own. What workers do is in our modules, so they do not need the script.
    """
    main = sys.modules["__main__"]
    kept: dict[str, Any] = {name: vars(main).pop(name) for name in ("__file__", "__spec__") if name in vars(main)}
    main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(kept)


_WORK: list[Callable[[Any], Any]] = []
"""What a worker process does to each item; empty in the process that started it."""


def _start_worker(work: Callable[[Any], Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the parent says what became of it
    signal.signal(
        signal.SIGTERM, _exit_worker
    )  # under a service manager workers receive it, too: they remove partial files
    _exit_with_parent()
    _WORK.append(work)


def _start_quiet_worker(work: Callable[[Any], Any]) -> None:
    """Start a worker that leaves the processor to those who wait for an answer."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    _start_worker(work)


def _exit_worker(_signal: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not interrupt the clearing up
    sys.exit(1)


def _run_item(item: Any) -> Any:
    try:
        return _WORK[-1](item)
    except SystemExit:
        # The work has cleared up. A worker that lived on could wait for ever for a lock that a killed one holds, and
        # the pool would wait for it.
        os._exit(1)


def _exit_with_parent() -> None:
    """End this worker when the process that started it is gone: a killed command leaves nothing running."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()

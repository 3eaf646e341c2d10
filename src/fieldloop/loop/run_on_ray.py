"""The same work on a Ray cluster: tasks that are lost with a node are done again, results come in order."""

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from fieldloop.errors import BadInput, FieldloopError

T = TypeVar("T")
R = TypeVar("R")
RETRIES = 5
AHEAD = 4
"""Results wait for whoever takes them, this many a core: memory stays flat."""


def each_on_ray(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Do the same to every item on the cluster at RAY_ADDRESS, or on one of this machine's own where there is none.

    Every node must see the logs under the same path, and have fieldloop installed.
    """
    ray = _ray()
    started = not ray.is_initialized()
    if started:
        # without an address Ray joins the cluster named by RAY_ADDRESS, or one that runs here, or starts its own
        ray.init(address=os.environ.get("RAY_ADDRESS"), log_to_driver=False, logging_level=logging.ERROR)
    try:
        # a node that dies takes its tasks with it: they are started anew elsewhere, with the same answer
        task = ray.remote(max_retries=RETRIES, num_cpus=1)(_do)
        ahead = max(int(ray.cluster_resources().get("CPU", 1)), 1) * AHEAD
        waiting: deque[Any] = deque()
        for item in items:
            waiting.append(task.remote(work, item))
            if len(waiting) >= ahead:
                yield _result(ray, waiting.popleft())
        while waiting:
            yield _result(ray, waiting.popleft())
    finally:
        if started:
            ray.shutdown()


def _do(work: Callable[[T], R], item: T) -> R:
    """Ray takes functions alone; `work` may be one with some arguments filled in."""
    return work(item)


def _result(ray: Any, promised: Any) -> Any:
    try:
        return ray.get(promised)
    except ray.exceptions.RayTaskError as wrong:
        raise (
            wrong.cause
            if isinstance(wrong.cause, FieldloopError)
            else FieldloopError(f"A worker of the cluster failed: {wrong.cause}")
        ) from wrong
    except ray.exceptions.RayError as lost:
        raise FieldloopError(f"The cluster lost a task {RETRIES} times over. Nothing of it was kept: {lost}") from lost


def _ray() -> Any:
    try:
        import ray
    except ImportError as missing:
        raise BadInput("Ray is not installed here. Install it: pip install 'fieldloop[ray]'") from missing
    return ray

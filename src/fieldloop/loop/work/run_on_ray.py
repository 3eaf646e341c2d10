"""Run the same work on a Ray cluster: tasks of a lost node are repeated, results come in order."""

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
"""Most results that wait to be taken, per core: it bounds the memory."""


def run_each_on_ray(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Do the same to every item on the cluster at RAY_ADDRESS, or on one that is started here.

    Every node must see the logs under the same path, and have fieldloop installed.
    """
    ray = _import_ray()
    started = not ray.is_initialized()
    if started:
        # without an address Ray joins the cluster named by RAY_ADDRESS, or one that runs here, or starts its own
        ray.init(address=os.environ.get("RAY_ADDRESS"), log_to_driver=False, logging_level=logging.ERROR)
    try:
        # tasks of a node that dies are started again elsewhere, with the same result
        task = ray.remote(max_retries=RETRIES, num_cpus=1)(_run_work)
        ahead = max(int(ray.cluster_resources().get("CPU", 1)), 1) * AHEAD
        shared = ray.put(work)  # with the arguments filled into it: sent to a node once, not with every item
        waiting: deque[Any] = deque()
        for item in items:
            waiting.append(task.remote(shared, item))
            if len(waiting) >= ahead:
                yield _wait_for_result(ray, waiting.popleft())
        while waiting:
            yield _wait_for_result(ray, waiting.popleft())
    finally:
        if started:
            ray.shutdown()


def _run_work(work: Callable[[T], R], item: T) -> R:
    """Ray takes plain functions only; `work` may be a `partial`."""
    return work(item)


def _wait_for_result(ray: Any, promised: Any) -> Any:
    try:
        return ray.get(promised)
    except ray.exceptions.RayTaskError as wrong:
        raise (
            wrong.cause
            if isinstance(wrong.cause, FieldloopError)
            else FieldloopError(f"A worker of the cluster failed: {wrong.cause}")
        ) from wrong
    except ray.exceptions.RayError as lost:
        raise FieldloopError(
            f"The cluster lost a task {RETRIES} times. None of its results was stored: {lost}"
        ) from lost


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as missing:
        raise BadInput("Ray is not installed here. Install it: pip install 'fieldloop[ray]'") from missing
    return ray

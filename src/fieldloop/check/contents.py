"""What a dataset holds, to be written beside it: how often the task succeeded, how long it took, how it failed."""

from collections import Counter

import numpy as np

from fieldloop.check.batch.approach import angle_from_down
from fieldloop.check.many import Batch
from fieldloop.check.traits import by_task, factors, label, length_s
from fieldloop.model.contents import TaskContents
from fieldloop.model.episode import Episode
from fieldloop.stats.binomial import interval

UNSAID = "not said"
THIRD_DEG = 30.0
"""A right angle in three: from above, aslant, from the side."""


def describe(batch: Batch) -> tuple[TaskContents, ...]:
    """Describe every task of a batch; lengths are the least, the median and the greatest."""
    return tuple(_describe(batch, task) for task in by_task(batch))


def _describe(batch: Batch, task: str) -> TaskContents:
    own = by_task(batch)[task]
    judged = [e for e in own if e.succeeded is not None]
    succeeded = sum(1 for e in judged if e.succeeded)
    lengths = np.asarray([length_s(e) for e in own])
    low, high = interval(succeeded, len(judged))
    return TaskContents(
        task=task,
        episodes=len(own),
        succeeded=succeeded,
        judged=len(judged),
        success_low=low,
        success_high=high,
        length_s=(float(lengths.min()), float(np.median(lengths)), float(lengths.max())),
        failures=Counter(e.failure or UNSAID for e in judged if not e.succeeded),
        grasps=Counter(_grasp(batch, e) for e in own),
        operators=Counter(e.operator or UNSAID for e in own),
        objects=Counter(label(e, "object") or UNSAID for e in own),
        conditions={f: Counter(label(e, f) or UNSAID for e in own) for f in factors(own)},
    )


def _grasp(batch: Batch, episode: Episode) -> str:
    """Name a grasp as the log does, else by where it came from."""
    if said := episode.fact("grasp_type"):
        return said
    angle = angle_from_down(batch, episode)
    if angle is None:
        return UNSAID
    return ("from above", "aslant", "from the side")[min(int(angle / THIRD_DEG), 2)]

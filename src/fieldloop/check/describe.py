"""The contents of a dataset, for its datasheet: success rate, length and failures of each task."""

from collections import Counter

import numpy as np

from fieldloop.check.batch.approach import angle_from_down
from fieldloop.check.batch_case import Batch
from fieldloop.check.traits import by_task, factors, label, length_s
from fieldloop.model.contents import TaskContents
from fieldloop.model.episode import Episode
from fieldloop.stats.binomial import interval

NOT_STATED = "not stated"
THIRD_DEG = 30.0
"""The right angle in three parts: from above, oblique, from the side."""


def describe(batch: Batch) -> tuple[TaskContents, ...]:
    """Describe every task of a batch; lengths are the minimum, median and maximum."""
    return tuple(_describe(batch, task) for task in by_task(batch))


def _describe(batch: Batch, task: str) -> TaskContents:
    episodes = by_task(batch)[task]
    judged = [e for e in episodes if e.succeeded is not None]
    succeeded = sum(1 for e in judged if e.succeeded)
    lengths = np.asarray([length_s(e) for e in episodes])
    low, high = interval(succeeded, len(judged))
    return TaskContents(
        task=task,
        episodes=len(episodes),
        succeeded=succeeded,
        judged=len(judged),
        success_low=low,
        success_high=high,
        length_s=(float(lengths.min()), float(np.median(lengths)), float(lengths.max())),
        failures=Counter(e.failure or NOT_STATED for e in judged if not e.succeeded),
        grasps=Counter(_grasp_type(batch, e) for e in episodes),
        operators=Counter(e.operator or NOT_STATED for e in episodes),
        objects=Counter(label(e, "object") or NOT_STATED for e in episodes),
        conditions={f: Counter(label(e, f) or NOT_STATED for e in episodes) for f in factors(episodes)},
    )


def _grasp_type(batch: Batch, episode: Episode) -> str:
    """Return the grasp type that the log states, else one by the approach angle."""
    if stated := episode.fact("grasp_type"):
        return stated
    angle = angle_from_down(batch, episode)
    if angle is None:
        return NOT_STATED
    return ("from above", "oblique", "from the side")[min(int(angle / THIRD_DEG), 2)]

"""The contents of a dataset, for its datasheet: success rate, length and failures of each task."""

from collections import Counter

import numpy as np

from fieldloop.check.batch.approach import measure_angle_from_down
from fieldloop.check.batch_case import Batch
from fieldloop.check.traits import group_by_task, list_factors, measure_length_s, read_label
from fieldloop.model.contents import TaskContents
from fieldloop.model.episode import Episode
from fieldloop.stats.binomial import compute_wilson_interval

NOT_STATED = "not stated"
THIRD_DEG = 30.0
"""The right angle in three parts: from above, oblique, from the side."""


def describe_tasks(batch: Batch) -> tuple[TaskContents, ...]:
    """Describe every task of a batch; lengths are the minimum, median and maximum."""
    return tuple(_describe_task(batch, task) for task in group_by_task(batch))


def _describe_task(batch: Batch, task: str) -> TaskContents:
    episodes = group_by_task(batch)[task]
    judged = [e for e in episodes if e.succeeded is not None]
    succeeded = sum(1 for e in judged if e.succeeded)
    lengths = np.asarray([measure_length_s(e) for e in episodes])
    low, high = compute_wilson_interval(succeeded, len(judged))
    return TaskContents(
        task=task,
        episodes=len(episodes),
        succeeded=succeeded,
        judged=len(judged),
        success_low=low,
        success_high=high,
        length_s=(float(lengths.min()), float(np.median(lengths)), float(lengths.max())),
        failures=Counter(e.failure or NOT_STATED for e in judged if not e.succeeded),
        grasps=Counter(_find_grasp_type(batch, e) for e in episodes),
        operators=Counter(e.operator or NOT_STATED for e in episodes),
        objects=Counter(read_label(e, "object") or NOT_STATED for e in episodes),
        conditions={f: Counter(read_label(e, f) or NOT_STATED for e in episodes) for f in list_factors(episodes)},
    )


def _find_grasp_type(batch: Batch, episode: Episode) -> str:
    """Return the grasp type that the log states, else one by the approach angle."""
    if stated := episode.get_fact("grasp_type"):
        return stated
    angle = measure_angle_from_down(batch, episode)
    if angle is None:
        return NOT_STATED
    return ("from above", "oblique", "from the side")[min(int(angle / THIRD_DEG), 2)]

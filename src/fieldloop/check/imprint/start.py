"""Imprint of the robot's pose before it moved, to compare how attempts begin."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import register_imprinter
from fieldloop.check.signals.arms import list_arms
from fieldloop.check.signals.movement import find_movement
from fieldloop.check.signals.signal import Signal, find_signals
from fieldloop.check.signals.tool import find_tool_pose
from fieldloop.model.stream import StreamKind
from fieldloop.stats.quantile import compute_median


@register_imprinter("start", needs=("streams",))
def imprint_start_pose(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return the median joints and tool pose before the first movement; the median suppresses noise."""
    moved = find_movement(case)
    if moved is None:
        return {}
    taken = {
        f"joints/{one.name}": _compute_median_before_motion(one, moved.onset_ns)
        for one in find_signals(case, StreamKind.JOINT_POSITION)
    }
    for arm in list_arms(case):
        pose = find_tool_pose(case, arm)
        if pose is not None:
            taken[f"tool/{pose.name}"] = _compute_median_before_motion(pose, moved.onset_ns)
    return taken


def _compute_median_before_motion(signal: Signal, onset_ns: int) -> NDArray[np.float32]:
    still = signal.values[signal.find_rows_between(int(signal.times_ns[0]), onset_ns)]
    columns = (still if len(still) else signal.values[:1]).T
    return np.array([compute_median(column) for column in columns], np.float32)

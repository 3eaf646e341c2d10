"""Imprint of the robot's pose before it moved, to compare how attempts begin."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import imprinter
from fieldloop.check.signals.arms import arms
from fieldloop.check.signals.movement import movement
from fieldloop.check.signals.signal import Signal, signals
from fieldloop.check.signals.tool import tool
from fieldloop.model.stream import StreamKind
from fieldloop.stats.quantile import median


@imprinter("start", needs=("streams",))
def start(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return the median joints and tool pose before the first movement; the median suppresses noise."""
    moved = movement(case)
    if moved is None:
        return {}
    taken = {
        f"joints/{one.name}": _median_before_motion(one, moved.onset_ns)
        for one in signals(case, StreamKind.JOINT_POSITION)
    }
    for arm in arms(case):
        pose = tool(case, arm)
        if pose is not None:
            taken[f"tool/{pose.name}"] = _median_before_motion(pose, moved.onset_ns)
    return taken


def _median_before_motion(signal: Signal, onset_ns: int) -> NDArray[np.float32]:
    still = signal.values[signal.between(int(signal.times_ns[0]), onset_ns)]
    columns = (still if len(still) else signal.values[:1]).T
    return np.array([median(column) for column in columns], np.float32)

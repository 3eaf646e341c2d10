"""Did the rig and the pace stay the same from the first episode to the last?"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import by_task
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Measurement, Status
from fieldloop.model.quality import Dimension

CYCLE = "throughput.cycle_time"
MM_PER_M = 1000.0


@check(
    "batch.calibration_shift",
    unit="mm",
    needs=("episodes", "calibrations"),
    advice="Find out what moved: episodes between the two calibrations may show the sensor where it was not.",
    dimension=Dimension.SENSOR_FIDELITY,
)
def calibration_shift(batch: Batch) -> Iterator[Measurement]:
    """How far did a sensor move between two calibrations that were in force in this batch?

    Translation and rotation together: the way that a point `reach_m` before the sensor goes.
    """
    starts = [e.start_ns for e in batch.episodes]
    first, last = min(starts), max(e.end_ns for e in batch.episodes)
    reach = batch.parameter("batch.calibration_shift", "reach_m")
    rigs: dict[tuple[str, str, str], list[Calibration]] = defaultdict(list)
    for one in batch.calibrations or ():
        ends = one.valid_to_ns
        if one.status is Status.PASSED and one.valid_from_ns <= last and (ends is None or ends > first):
            rigs[one.robot, one.sensor, f"{one.parent}/{one.child}"].append(one)
    for (robot, sensor, _), own in sorted(rigs.items()):
        ordered = sorted(own, key=lambda c: c.valid_from_ns)
        shifts = [_shift_mm(before, after, reach) for before, after in pairwise(ordered)]
        yield Measurement(f"{robot} {sensor}".strip(), max(shifts, default=0.0), f"({len(own)} calibrations)")


def _shift_mm(before: Calibration, after: Calibration, reach_m: float) -> float:
    """How far the second pose puts points ahead of and around the sensor from where the first puts them, at most."""
    points = np.asarray([[0, 0, 0, 1], [0, 0, reach_m, 1], [reach_m, 0, 0, 1], [0, reach_m, 0, 1]], dtype=np.float64)
    moved = points @ (np.asarray(after.parent_from_child) - np.asarray(before.parent_from_child)).T
    return MM_PER_M * float(np.linalg.norm(moved[:, :3], axis=1).max())


@check(
    "batch.cycle_time",
    unit="× target",
    needs=("episodes",),
    advice="Practise until the target is met, or set a target that can be.",
)
def cycle_time(batch: Batch) -> Iterator[Measurement]:
    """How long does a success typically take, as a multiple of the target?

    The median over successes, with the interval that its order statistics give.
    """
    fewest = batch.parameter("batch.cycle_time", "min_episodes")
    for task, episodes in by_task(batch).items():
        times = [m.value for e in episodes for m in batch.measurements(e.id, CYCLE) if math.isfinite(m.value)]
        if len(times) >= fewest:
            low, high = _median_interval(sorted(times), batch.parameter("batch.cycle_time", "confidence"))
            yield Measurement(task, float(np.median(times)), f"({len(times)} successes)", low=low, high=high)


def _median_interval(ordered: Sequence[float], confidence: float) -> tuple[float, float]:
    """Distribution-free: the order statistics between which the median lies, so surely to each side."""
    from scipy.stats import binom

    rank = int(binom.ppf(1.0 - confidence, len(ordered), 0.5))
    return ordered[max(rank - 1, 0)], ordered[min(len(ordered) - rank, len(ordered) - 1)]

"""Checks of whether calibration and cycle time stayed the same over a batch."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import group_by_task
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Measurement, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.quality import Dimension
from fieldloop.model.stream import MM_PER_M

CYCLE = "throughput.cycle_time"


@check(
    "batch.calibration_shift",
    unit="mm",
    needs=("episodes", "calibrations"),
    dimension=Dimension.SENSOR_FIDELITY,
)
def measure_calibration_shift(batch: Batch) -> Iterator[Measurement]:
    """How far did a sensor move between two calibrations that were in force in this batch?

    The value combines translation and rotation: how far a point `reach_m` in front of the sensor moves.
    """
    starts = [e.start_ns for e in batch.episodes]
    first, last = min(starts), max(e.end_ns for e in batch.episodes)
    reach = batch.read_parameter("batch.calibration_shift", "reach_m")
    rigs: dict[tuple[str, str, str], list[Calibration]] = defaultdict(list)
    for calibration in batch.calibrations or ():
        ends = calibration.valid_to_ns
        if calibration.status is Status.PASSED and calibration.valid_from_ns <= last and (ends is None or ends > first):
            rigs[calibration.robot, calibration.sensor, f"{calibration.parent}/{calibration.child}"].append(calibration)
    for (robot, sensor, _), of_sensor in sorted(rigs.items()):
        ordered = sorted(of_sensor, key=lambda c: c.valid_from_ns)
        shifts = [_measure_pose_shift_mm(before, after, reach) for before, after in pairwise(ordered)]
        place = note("check.calibrations_compared", calibrations=len(of_sensor))
        yield Measurement(Subject(stream=sensor, rig=robot), max(shifts, default=0.0), place)


def _measure_pose_shift_mm(before: Calibration, after: Calibration, radius_m: float) -> float:
    """Return the greatest distance between points around the sensor as placed by the two poses."""
    points = np.asarray([[0, 0, 0, 1], [0, 0, radius_m, 1], [radius_m, 0, 0, 1], [0, radius_m, 0, 1]], dtype=np.float64)
    moved = points @ (np.asarray(after.parent_from_child) - np.asarray(before.parent_from_child)).T
    return MM_PER_M * float(np.linalg.norm(moved[:, :3], axis=1).max())


@check(
    "batch.cycle_time",
    unit="× target",
    needs=("episodes",),
)
def measure_cycle_time(batch: Batch) -> Iterator[Measurement]:
    """How long does a success typically take, as a multiple of the target?

    The value is the median over successes, with an interval from order statistics.
    """
    fewest = batch.read_parameter("batch.cycle_time", "min_episodes")
    for task, episodes in group_by_task(batch).items():
        times = [m.value for e in episodes for m in batch.find_measurements(e.id, CYCLE) if math.isfinite(m.value)]
        if len(times) >= fewest:
            low, high = _estimate_median_interval(sorted(times), batch.read_parameter("batch.cycle_time", "confidence"))
            place = note("check.successes", successes=len(times))
            yield Measurement(Subject(aspect=task), float(np.median(times)), place, low=low, high=high)


def _estimate_median_interval(ordered: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return the order statistics that enclose the median with this confidence on each side; distribution-free."""
    from scipy.stats import binom

    rank = int(binom.ppf(1.0 - confidence, len(ordered), 0.5))
    return ordered[max(rank - 1, 0)], ordered[min(len(ordered) - rank, len(ordered) - 1)]

"""Find rows that are far from their samples: the farthest are left out, the others are reported."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.release.writers.grid import Rule, Times, measure_sample_distance_ns

PERIODS = 3
"""Of a signal's own median period: so far apart its samples may come before a row between them is a guess."""
SENSED = (
    StreamKind.RGB, StreamKind.DEPTH, StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT,
    StreamKind.FORCE_TORQUE, StreamKind.IMU, StreamKind.POSE, StreamKind.HAND_POSE,
)  # fmt: skip
"""What changes all the time: a value from another moment is a wrong one."""
COMMANDED = (StreamKind.ACTION, StreamKind.GRIPPER)
"""What holds until the next one; only before the first there is none."""


def compute_tolerance_ns(stream: Stream, hz: float) -> float:
    """How far may a row be from its samples? One period of the grid; for a signal three of its own where they last."""
    period_ns = NS_PER_S / hz
    steps = np.diff(np.sort(stream.times_ns))
    steps = steps[steps > 0]
    if stream.pictures is not None or not len(steps):
        return period_ns
    return max(period_ns, PERIODS * float(np.median(steps)))


def find_rows_without_sample(stream: Stream, grid_ns: Times, rule: Rule, longest_gap_s: float) -> NDArray[np.bool_]:
    """Which rows have no sample of this stream within the longest gap? Only where a value of another time is wrong."""
    constant = len(stream) == 1 and stream.clock is ClockKind.SYNTHETIC
    if rule is Rule.AS_RECORDED or constant or not len(grid_ns):
        return np.zeros(len(grid_ns), bool)
    far = np.asarray(measure_sample_distance_ns(stream, grid_ns, rule) > longest_gap_s * NS_PER_S)
    if stream.kind in SENSED:
        return far
    if stream.kind in COMMANDED:
        return np.asarray(far & (grid_ns < stream.times_ns.min()))
    return np.zeros(len(grid_ns), bool)


def report_left_out_rows(stream: Stream, lacks_sample: NDArray[np.bool_], longest_gap_s: float) -> Note | None:
    """Return how many rows are left out because of this stream; None where there are none."""
    if not (count := int(lacks_sample.sum())):
        return None
    return note(
        "release.rows_left_out", about=Subject(stream.name), rows=count, total=len(lacks_sample), limit_s=longest_gap_s
    )


def report_far_rows(stream: Stream, grid_ns: Times, rule: Rule, hz: float) -> Note | None:
    """Count the rows made from samples beyond the tolerance, and how far the worst is; None where there are none."""
    if rule is Rule.AS_RECORDED or not len(grid_ns):
        return None  # but for rounding it is at the moment itself
    away, most = measure_sample_distance_ns(stream, grid_ns, rule), compute_tolerance_ns(stream, hz)
    if not (count := int((away > most).sum())):
        return None
    apart = bool(stream.times_ns.min() > grid_ns[-1] or stream.times_ns.max() < grid_ns[0])
    return note(
        "release.rows_far_from_samples", about=Subject(stream.name), rows=count, total=len(grid_ns), rule=rule.value,
        tolerance_s=most / NS_PER_S, worst_s=float(away.max()) / NS_PER_S,
        clock_apart=stream.clock.value if apart else None,
    )  # fmt: skip

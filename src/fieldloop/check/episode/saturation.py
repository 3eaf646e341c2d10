"""Checks of signals that reach the end of their range, so that larger values are cut off."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.movement import explain_unknown_movement, find_movement
from fieldloop.check.signals.signal import (
    NO_RATE,
    Signal,
    convert_to_episode_seconds,
    find_signals,
    has_timed_stamps,
    note_place_at,
)
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject
from fieldloop.model.stream import NS_PER_S, StreamKind

GRIPPER = re.compile(r"gripper|finger|thumb|jaw")
"""Words in the names of joints that hold an item."""


@check(
    "motion.saturated",
    unit="s",
    needs=("streams",),
    revision=3,
)
def measure_actuator_saturation_time(case: Case) -> Iterator[Measurement]:
    """For how long did an actuator's velocity or effort stay exactly at its largest value while the robot moved?

    Grippers are left out: one that holds an item presses with all the effort it may. A constant velocity may be a
    command that the joint follows well, so it is left open where the log names no protocol.
    """
    yield from measure_longest_saturation(case, StreamKind.JOINT_EFFORT, left_out=GRIPPER)
    for measurement in measure_longest_saturation(case, StreamKind.JOINT_VELOCITY, left_out=GRIPPER):
        open_ = measurement.cannot_tell is None and not case.collected_by_protocol
        yield replace(measurement, low=0.0, high=measurement.value) if open_ else measurement


@check(
    "force.saturated",
    unit="s",
    needs=("streams",),
)
def measure_force_saturation_time(case: Case) -> Iterator[Measurement]:
    """For how long did a force sensor read exactly the end of its range while the robot moved?"""
    yield from measure_longest_saturation(case, StreamKind.FORCE_TORQUE)


def measure_longest_saturation(
    case: Case, *kinds: StreamKind, left_out: re.Pattern[str] | None = None
) -> Iterator[Measurement]:
    """Measure the longest stretch in which a column repeats its own extreme exactly; some are left out by name."""
    for sensed in find_signals(case, *kinds):
        moved = find_movement(case, excluded_stream=sensed.name)
        if moved is None:
            yield Measurement(Subject(sensed.name), UNKNOWN, cannot_tell=explain_unknown_movement(case))
            continue
        lasted, row, column = _find_longest_stay_at_extreme(sensed, left_out)
        if row is None:
            yield Measurement(Subject(sensed.name), 0.0)
            continue
        if not has_timed_stamps(sensed.stream):
            yield Measurement(Subject(sensed.name), UNKNOWN, cannot_tell=NO_RATE)
            continue
        begin = int(sensed.times_ns[row])
        lasted = min(lasted, moved.measure_seconds_moving(begin, begin + round(lasted * NS_PER_S)))
        yield Measurement(
            Subject(sensed.name),
            lasted,
            note_place_at(case, begin, sensed.name_column(column)),
            at_s=convert_to_episode_seconds(case, begin),
        )


def _find_longest_stay_at_extreme(
    sensor_signal: Signal, left_out: re.Pattern[str] | None
) -> tuple[float, int | None, int]:
    """Return the duration of the longest stay at an extreme, and where it begins.

    An extreme of less than half the column's size is the rest position of a one-sided signal, not the end of a range.
    """
    best: tuple[float, int | None, int] = (0.0, None, 0)
    finite = np.where(np.isfinite(sensor_signal.values), sensor_signal.values, 0.0)
    size = np.abs(finite).max(axis=0)
    if left_out is not None and sensor_signal.columns:
        size[[bool(left_out.search(name.lower())) for name in sensor_signal.columns]] = 0.0
    for extreme in (finite.max(axis=0), finite.min(axis=0)):
        rails = (finite == extreme) & (np.abs(extreme) >= size / 2) & (size > 0) & (finite != finite[0])
        for column in np.flatnonzero(rails[1:].sum(axis=0) > 1):
            edges = np.flatnonzero(np.diff(np.concatenate([[False], rails[:, column], [False]]).astype(np.int8)))
            first, last = edges[::2], edges[1::2] - 1
            lasted = sensor_signal.times_ns[last] - sensor_signal.times_ns[first]
            longest = int(np.argmax(lasted))
            if lasted[longest] / NS_PER_S > best[0]:
                best = (float(lasted[longest]) / NS_PER_S, int(first[longest]), int(column))
    return best

"""Checks of whether a sensor was working: a dead one repeats its last value, or one of its columns is constant."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.saturation import measure_longest_saturation
from fieldloop.check.naming import note_listed_names
from fieldloop.check.registry import check
from fieldloop.check.signals.expected_motion import find_expected_motion
from fieldloop.check.signals.movement import Movement
from fieldloop.check.signals.same_cause import do_stretches_overlap
from fieldloop.check.signals.sensed import Evidence
from fieldloop.check.signals.signal import (
    NO_RATE,
    Signal,
    find_signals,
    has_timed_stamps,
    measure_column_extent,
    read_signal_once,
    replace_infinite_by_nan,
)
from fieldloop.check.signals.stamps import compute_stamp_time_s, convert_ns_to_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import StreamKind

SENSED = (
    StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT, StreamKind.FORCE_TORQUE,
    StreamKind.IMU, StreamKind.POSE, StreamKind.HAND_POSE,
)  # fmt: skip
"""Kinds that change all the time while a robot moves. A gripper or a command may stay constant while the arm moves."""

NOISY = (StreamKind.FORCE_TORQUE, StreamKind.IMU)
"""Kinds whose every column shows noise, whatever the robot does."""


def _is_same_standstill(_case: Case, first: Measurement, second: Measurement) -> bool:
    """Do both streams repeat themselves at the same time, as all streams of one driver do?"""
    return do_stretches_overlap(first, first.value, second, second.value)


@check(
    "integrity.frozen",
    unit="s",
    needs=("streams",),
    rests_on=(StreamFact.MEANING,),
    same_cause=_is_same_standstill,
    revision=3,
    evidence=Evidence.CLOCK,
)
def measure_frozen_sensor_time(case: Case) -> Iterator[Measurement]:
    """For how long did each sensor repeat itself exactly while the robot moved?

    Joints should change while they are commanded to move, tool poses and speeds while their joints move, force and
    inertial sensors while anything moves. Commands and grippers may stay constant, so they are not checked. If a stream
    often repeats itself (the pose of an object at rest, a coarse reading), one more repetition does not prove a fault.
    """
    lively = case.read_parameter("integrity.frozen", "live_share")
    for stream in case.find_streams(*SENSED):
        sensed = read_signal_once(case, stream)
        if sensed is None or not np.isfinite(sensed.values).any():
            continue
        moved = find_expected_motion(case, stream)
        if moved is None:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.no_witness"))
            continue
        if not has_timed_stamps(stream):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=NO_RATE)
            continue
        lasted, first, last = _find_longest_frozen_stretch(sensed, moved)
        if lasted and _measure_changing_share(sensed, moved, first, last) < lively:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.often_repeats"))
            continue
        at_s = compute_stamp_time_s(case, stream, int(sensed.times_ns[first])) if lasted else None
        yield Measurement(
            Subject(stream.name), lasted, None if at_s is None else note("check.at", at_s=at_s), at_s=at_s
        )


@check(
    "integrity.dead_columns",
    unit="columns",
    needs=("streams",),
)
def count_columns_that_never_change(case: Case) -> Iterator[Measurement]:
    """Which columns never change although they should?

    Every axis of a force or inertial sensor shows noise. A joint that is commanded to move should move. A joint that
    neither moves nor is commanded to is unused, which is not a fault.
    """
    commands = next(find_signals(case, StreamKind.ACTION), None)
    far = case.read_parameter("integrity.dead_columns", "commanded_rad")
    for sensed in find_signals(case, StreamKind.JOINT_POSITION, *NOISY):
        constant = np.fmax.reduce(sensed.values) == np.fmin.reduce(sensed.values)  # NaN is ignored
        if sensed.stream.kind is StreamKind.JOINT_POSITION:
            asked = _find_commanded_columns(sensed, commands, far)
            if asked is None or sensed.stream.unit != "rad":
                yield Measurement(Subject(sensed.name), UNKNOWN, cannot_tell=note("check.commands_unknown"))
                continue
            dead = constant & asked
        else:
            if constant.all():
                yield Measurement(Subject(sensed.name), UNKNOWN, cannot_tell=note("check.never_changes"))
                continue
            dead = constant
        names = [sensed.name_column(int(i)) or f"column {i}" for i in np.flatnonzero(dead)]
        yield Measurement(Subject(sensed.name), float(len(names)), note_listed_names(names))


@check(
    "integrity.saturated",
    unit="s",
    needs=("streams",),
)
def measure_inertial_saturation_time(case: Case) -> Iterator[Measurement]:
    """For how long did an inertial sensor read exactly the end of its range while the robot moved?"""
    yield from measure_longest_saturation(case, StreamKind.IMU)


def _find_longest_frozen_stretch(sensor_signal: Signal, movement_times: Movement) -> tuple[float, int, int]:
    """Return the duration within movement of the longest stretch of equal rows, its first and its last row."""
    worst, first, last = 0.0, 0, 0
    runs = _find_equal_row_runs(sensor_signal.values)
    for begin, end in runs[np.argsort(sensor_signal.times_ns[runs[:, 0]] - sensor_signal.times_ns[runs[:, 1]])]:
        span = convert_ns_to_s(int(sensor_signal.times_ns[end] - sensor_signal.times_ns[begin]))
        if span <= worst:
            break  # the others are shorter still
        lasted = min(
            span,
            movement_times.measure_seconds_moving(int(sensor_signal.times_ns[begin]), int(sensor_signal.times_ns[end])),
        )
        if lasted > worst:
            worst, first, last = lasted, int(begin), int(end)
    return worst, first, last


def _measure_changing_share(sensor_signal: Signal, movement_times: Movement, first: int, last: int) -> float:
    """Return how often the stream changes between samples during movement, outside the given stretch."""
    times = sensor_signal.times_ns[1:]
    near = np.clip(np.searchsorted(movement_times.moving_ns, times), 0, len(movement_times.moving_ns) - 1)
    before = np.clip(near - 1, 0, None)
    apart = np.minimum(np.abs(movement_times.moving_ns[near] - times), np.abs(movement_times.moving_ns[before] - times))
    asked = apart <= movement_times.window_ns
    asked[max(0, first - 1) : last + 1] = False
    changed = (sensor_signal.values[1:] != sensor_signal.values[:-1]).any(axis=1)
    return float(changed[asked].mean()) if asked.any() else 1.0


def _find_equal_row_runs(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return first and last index of every stretch whose rows are all exactly the same."""
    alike = (values[1:] == values[:-1]).all(axis=1)
    if not alike.any():
        return np.empty((0, 2), np.int64)
    same = np.concatenate([[False], alike, [False]])
    return np.flatnonzero(np.diff(same.astype(np.int8))).reshape(-1, 2)


def _find_commanded_columns(joints: Signal, commands: Signal | None, min_extent: float) -> NDArray[np.bool_] | None:
    """Return which joints are commanded to move: by column names, or by their order where all are commanded."""
    if commands is None or commands.stream.unit != joints.stream.unit:
        return None
    travel = measure_column_extent(replace_infinite_by_nan(commands.values)) > min_extent
    named = dict(zip(commands.stream.columns, travel, strict=False))
    if named and len(joints.stream.columns) == joints.values.shape[1]:
        return np.asarray([bool(named.get(name, False)) for name in joints.stream.columns])
    return travel if len(travel) == joints.values.shape[1] else None

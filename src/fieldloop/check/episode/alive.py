"""Questions about whether a sensor was alive: one that died repeats itself, or is silent in one of its columns."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.movement import Movement
from fieldloop.check.episode.saturation import at_the_rail
from fieldloop.check.episode.signal import NO_RATE, Signal, extent, paced, signal, signals, zeroed
from fieldloop.check.episode.stamps import moment_of, said, seconds
from fieldloop.check.episode.witness import witnessed
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import StreamKind

UNKNOWN = float("nan")
SENSED = (
    StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT, StreamKind.FORCE_TORQUE,
    StreamKind.IMU, StreamKind.POSE, StreamKind.HAND_POSE,
)  # fmt: skip
"""Kinds that change all the time while a robot moves. A gripper or a command may rest while the arm travels."""

NOISY = (StreamKind.FORCE_TORQUE, StreamKind.IMU)
"""Kinds of which every column trembles, whatever the robot does."""


@check(
    "integrity.frozen",
    unit="s",
    needs=("streams",),
    advice="Look for a driver that repeats its last value after losing its device.",
)
def frozen(case: Case) -> Iterator[Measurement]:
    """For how long did each sensor repeat itself exactly while the robot moved?

    Joints should change while they are commanded to, a tool and speeds while their joints do, force and inertial
    sensors whatever moves. Commands and grippers may rest, so they are not looked at. A stream that often repeats
    itself (the pose of a thing that lies still, a coarse reading) shows nothing by doing so once more.
    """
    lively = case.parameter("integrity.frozen", "live_share")
    for stream in case.streams(*SENSED):
        one = signal(case, stream)
        if one is None or not np.isfinite(one.values).any():
            continue
        moved = witnessed(case, stream)
        if moved is None:
            yield Measurement(stream.name, UNKNOWN, cannot_tell="no other stream shows that it should have changed.")
            continue
        if not paced(stream):
            yield Measurement(stream.name, UNKNOWN, cannot_tell=NO_RATE)
            continue
        lasted, first, last = _longest(one, moved)
        if lasted and _live_share(one, moved, first, last) < lively:
            reason = "it repeats itself time and again while the robot moves, so no one stretch stands out."
            yield Measurement(stream.name, UNKNOWN, cannot_tell=reason)
            continue
        at_s = moment_of(case, stream, int(one.times_ns[first])) if lasted else None
        yield Measurement(stream.name, lasted, said(at_s) if at_s is not None else "", at_s=at_s)


@check(
    "integrity.dead_columns",
    unit="columns",
    needs=("streams",),
    advice="Look for a broken axis, an encoder that is not read, or a column filled with a constant.",
)
def dead_columns(case: Case) -> Iterator[Measurement]:
    """Which columns never change although they should?

    Every axis of a force or inertial sensor trembles. A joint that is commanded to go somewhere else moves. A joint
    that neither moves nor is told to is not used, which is no fault.
    """
    commands = next(signals(case, StreamKind.ACTION), None)
    far = case.parameter("integrity.dead_columns", "commanded_rad")
    for one in signals(case, StreamKind.JOINT_POSITION, *NOISY):
        constant = np.fmax.reduce(one.values) == np.fmin.reduce(one.values)  # what is no number is not asked
        if one.stream.kind is StreamKind.JOINT_POSITION:
            asked = _commanded(one, commands, far)
            if asked is None or one.stream.unit != "rad":
                yield Measurement(one.name, UNKNOWN, cannot_tell="no command tells which of its joints should move.")
                continue
            dead = constant & asked
        else:
            if constant.all():
                yield Measurement(one.name, UNKNOWN, cannot_tell="nothing in it ever changes.")
                continue
            dead = constant
        names = [one.column(int(i)).removeprefix(" in ") or f"column {i}" for i in np.flatnonzero(dead)]
        yield Measurement(one.name, float(len(names)), f"({', '.join(names)})" if names else "")


@check(
    "integrity.saturated",
    unit="s",
    needs=("streams",),
    advice="Set the sensor to a wider range: what it felt beyond its end is lost.",
)
def saturated(case: Case) -> Iterator[Measurement]:
    """For how long did an inertial sensor stand exactly at the end of its range while the robot moved?"""
    yield from at_the_rail(case, StreamKind.IMU)


def _longest(one: Signal, moved: Movement) -> tuple[float, int, int]:
    """Return how long the longest stretch of equal rows lasted in movement, its first and its last row."""
    worst, first, last = 0.0, 0, 0
    runs = _runs(one.values)
    for begin, end in runs[np.argsort(one.times_ns[runs[:, 0]] - one.times_ns[runs[:, 1]])]:
        span = seconds(int(one.times_ns[end] - one.times_ns[begin]))
        if span <= worst:
            break  # the others are shorter still
        lasted = min(span, moved.within(int(one.times_ns[begin]), int(one.times_ns[end])))
        if lasted > worst:
            worst, first, last = lasted, int(begin), int(end)
    return worst, first, last


def _live_share(one: Signal, moved: Movement, first: int, last: int) -> float:
    """How often does the stream change from sample to sample in movement, the stretch in question aside?"""
    times = one.times_ns[1:]
    near = np.clip(np.searchsorted(moved.moving_ns, times), 0, len(moved.moving_ns) - 1)
    before = np.clip(near - 1, 0, None)
    apart = np.minimum(np.abs(moved.moving_ns[near] - times), np.abs(moved.moving_ns[before] - times))
    asked = apart <= moved.window_ns
    asked[max(0, first - 1) : last + 1] = False
    changed = (one.values[1:] != one.values[:-1]).any(axis=1)
    return float(changed[asked].mean()) if asked.any() else 1.0


def _runs(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return first and last index of every stretch whose rows are all exactly the same."""
    alike = (values[1:] == values[:-1]).all(axis=1)
    if not alike.any():
        return np.empty((0, 2), np.int64)
    same = np.concatenate([[False], alike, [False]])
    return np.flatnonzero(np.diff(same.astype(np.int8))).reshape(-1, 2)


def _commanded(joints: Signal, commands: Signal | None, far: float) -> NDArray[np.bool_] | None:
    """Which joints are told to travel? By the names of the columns, or by their order where all are commanded."""
    if commands is None or commands.stream.unit != joints.stream.unit:
        return None
    travel = extent(zeroed(commands.values)) > far
    named = dict(zip(commands.stream.columns, travel, strict=False))
    if named and len(joints.stream.columns) == joints.values.shape[1]:
        return np.asarray([bool(named.get(name, False)) for name in joints.stream.columns])
    return travel if len(travel) == joints.values.shape[1] else None

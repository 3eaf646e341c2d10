"""Questions about whether what was sensed is there and alive."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.movement import movement
from fieldloop.check.episode.stamps import at, seconds
from fieldloop.check.registry import check
from fieldloop.model.episode import Defect
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import Stream, StreamKind

MOST_LISTED = 20
SENSED = (
    StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT, StreamKind.FORCE_TORQUE,
    StreamKind.IMU, StreamKind.POSE, StreamKind.HAND_POSE,
)  # fmt: skip
"""Kinds that change all the time while a robot moves. A gripper or a command may rest while the arm travels."""


@check(
    "integrity.readable",
    unit="defects",
    advice="Set the log aside; record again, or repair it and ingest the repaired copy.",
    place_says_it=True,
)
def readable(case: Case) -> Iterator[Measurement]:
    """How much of the log could not be read?"""
    if case.recording.defects:
        yield from list_defects(case.recording.defects)
    elif any(True for _ in case.sensing()):
        yield Measurement("", 0.0)
    elif any(True for _ in case.streams()):
        yield Measurement("", 0.0, cannot_tell="no stream in it senses or commands anything that is known.")


@check(
    "integrity.required_streams",
    unit="missing streams",
    advice="Check that the sensor is plugged in, named as the protocol names it, and recorded.",
)
def required_streams(case: Case) -> Iterator[Measurement]:
    """Which streams that the protocol requires are missing?"""
    there = {stream.name for stream in case.streams()}
    for sensor in case.protocol.sensors.values():
        if sensor.required:
            yield Measurement(sensor.stream, 0.0 if sensor.stream in there else 1.0)


@check(
    "integrity.not_finite",
    unit="share of values",
    needs=("streams",),
    advice="Find the driver that writes NaN; drop or repair these samples before training.",
)
def not_finite(case: Case) -> Iterator[Measurement]:
    """Which share of each stream's numbers is not a number, or infinite?"""
    for stream in case.streams():
        values = _numbers(stream)
        if values is None:
            continue
        bad = ~np.isfinite(values)
        if stream.kind is StreamKind.OTHER:
            bad = bad[:, ~bad.all(axis=0)]  # a field that is never set is not a broken reading
        if bad.size:
            rows = np.flatnonzero(bad.any(axis=1))
            yield Measurement(stream.name, float(bad.mean()), f"first {at(stream, int(rows[0]))}" if len(rows) else "")


@check(
    "integrity.frozen",
    unit="s",
    needs=("streams",),
    advice="Look for a driver that repeats its last value after losing its device.",
)
def frozen(case: Case) -> Iterator[Measurement]:
    """For how long did each sensor repeat itself exactly while the robot moved?

    That the robot moved is told by other streams; commands and grippers may rest, so they are not looked at.
    """
    for stream in case.streams(*SENSED):
        values = _numbers(stream)
        if values is None or not np.isfinite(values).any():
            continue
        moved = movement(case, without=stream.name)
        if moved is None:
            yield Measurement(stream.name, float("nan"), cannot_tell="no other stream shows the robot moving.")
            continue
        worst, where = 0.0, 0
        for first, last in _runs(values):
            lasted = min(
                seconds(int(stream.times_ns[last] - stream.times_ns[first])),
                moved.within(int(stream.times_ns[first]), int(stream.times_ns[last])),
            )
            if lasted > worst:
                worst, where = lasted, first
        yield Measurement(stream.name, worst, at(stream, where) if worst else "")


def list_defects(defects: tuple[Defect, ...]) -> Iterator[Measurement]:
    """Make each defect a finding of its own, up to a number that a person would read."""
    for defect in defects[:MOST_LISTED]:
        where = f"{defect.place}: " if defect.place else ""
        yield Measurement(defect.subject, 1.0, f"{where}{defect.message.rstrip('.')}.")
    if more := max(0, len(defects) - MOST_LISTED):
        yield Measurement("", float(more), f"{more} more like these.")


def _numbers(stream: Stream) -> NDArray[np.float64] | None:
    if stream.values is None or stream.values.dtype.kind not in "fiub" or not stream.values.size:
        return None
    return stream.values.reshape(len(stream.values), -1).astype(np.float64)


def _runs(values: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return first and last index of every stretch whose rows are all exactly the same."""
    same = np.concatenate([[False], (values[1:] == values[:-1]).all(axis=1), [False]])
    edges = np.flatnonzero(np.diff(same.astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]

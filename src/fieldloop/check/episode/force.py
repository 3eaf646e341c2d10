"""Checks of grasp forces and of the sensors that measure them."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import NO_PROTOCOL, explain_exemption
from fieldloop.check.registry import check
from fieldloop.check.signals.contact import find_holds
from fieldloop.check.signals.movement import find_movement
from fieldloop.check.signals.signal import (
    Floats,
    Signal,
    convert_to_episode_seconds,
    find_signals,
    note_first_place_at,
    note_place_at,
)
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.provenance import UNIT_AND_MEANING
from fieldloop.model.stream import StreamKind

AXES = 3
"""The first three columns of a wrench are forces, the rest are torques."""

FINEST = 1e-6
"""Differences smaller than this share of the largest reading are rounding errors."""


@check(
    "force.window",
    unit="N",
    needs=("gripper",),
)
def measure_grip_force(case: Case) -> Iterator[Measurement]:
    """With what force was the item held, typically and at most?

    The window does not apply to a failed attempt: a grasp that slipped is a valid example of failure.
    """
    contact = case.read_parameter("force.window", "contact_n")
    for grip in _find_grip_force_signals(case):
        force = np.abs(grip.values).max(axis=1)
        holding = np.flatnonzero(np.isfinite(force) & (force > contact))
        if not len(holding):
            yield Measurement(Subject(grip.name), UNKNOWN, cannot_tell=note("check.nothing_gripped"))
            continue
        held, peak = float(np.median(force[holding])), int(holding[np.argmax(force[holding])])
        if why := explain_exemption(case):
            reason = note("check.held_with", why, held_n=held, peak_n=float(force[peak]))
            yield Measurement(Subject(grip.name), UNKNOWN, cannot_tell=reason)
            continue
        moment = grip.times_ns[peak]
        yield Measurement(
            Subject(grip.name),
            held,
            note("check.held_typically"),
            at_s=convert_to_episode_seconds(case, grip.times_ns[holding[0]]),
        )
        yield Measurement(
            Subject(grip.name, aspect="peak"),
            float(force[peak]),
            note_place_at(case, moment),
            at_s=convert_to_episode_seconds(case, moment),
        )


@check(
    "force.resolution",
    unit="N",
    needs=("streams",),
    rests_on=UNIT_AND_MEANING,
    revision=2,
)
def measure_force_resolution(case: Case) -> Iterator[Measurement]:
    """What is the resolution of each force sensor?

    The value is the smallest difference between two readings that differ. The check applies only to sensors that the
    protocol calls delicate.
    """
    for sensor in (*_find_grip_force_signals(case), *find_signals(case, StreamKind.FORCE_TORQUE)):
        asked = case.protocol.sensors.get(sensor.name)
        if asked is None or not asked.delicate:
            continue
        step = max(_find_smallest_step(column) for column in sensor.values[:, :AXES].T)
        if np.isfinite(step):
            yield Measurement(Subject(sensor.name), step)
        else:
            yield Measurement(Subject(sensor.name), UNKNOWN, cannot_tell=note("check.readings_hardly_differ"))


@check(
    "force.zero",
    unit="N",
    needs=("streams",),
    rests_on=UNIT_AND_MEANING,
    revision=2,
)
def measure_force_at_rest(case: Case) -> Iterator[Measurement]:
    """How far from zero does each force sensor read when nothing is touched?

    A sensor between the fingers is read before anything moves. A sensor at the wrist carries the tool's weight, so its
    reading before the attempt is compared with the reading after it, if the arm ends in the pose it started in.
    """
    moved = find_movement(case)
    if moved is None or any(held.contact_ns <= moved.onset_ns for held in find_holds(case)):
        reason = note("check.never_untouched")
        for sensor in (*_find_grip_force_signals(case), *find_signals(case, StreamKind.FORCE_TORQUE)):
            yield Measurement(Subject(sensor.name), UNKNOWN, cannot_tell=reason)
        return
    for sensor in _find_grip_force_signals(case):
        before = sensor.values[sensor.find_rows_between(int(sensor.times_ns[0]), moved.onset_ns)]
        yield _measure_zero_offset(sensor, before, np.zeros(sensor.values.shape[1]), note("check.before_motion"))
    for sensor in find_signals(case, StreamKind.FORCE_TORQUE):
        before = sensor.values[sensor.find_rows_between(int(sensor.times_ns[0]), moved.onset_ns), :AXES]
        behind = sensor.values[sensor.find_rows_between(moved.offset_ns, int(sensor.times_ns[-1])), :AXES]
        if _is_end_pose_different(case, moved.onset_ns, moved.offset_ns):
            yield Measurement(Subject(sensor.name), UNKNOWN, cannot_tell=note("check.arm_ends_elsewhere"))
        elif np.isfinite(before).any(axis=0).all():
            yield _measure_zero_offset(sensor, behind, np.nanmedian(before, axis=0), note("check.after_less_before"))


@check(
    "force.spikes",
    unit="share of samples",
    needs=("streams",),
    rests_on=UNIT_AND_MEANING,
    revision=2,
)
def measure_share_of_force_spikes(case: Case) -> Iterator[Measurement]:
    """Which share of force readings jumps away and straight back?

    A reading counts as a spike if it differs from both neighbours in the same direction by more than the protocol's
    force, and the neighbours agree with each other.
    """
    least = case.read_parameter("force.spikes", "spike_n")
    for sensor in (*_find_grip_force_signals(case), *find_signals(case, StreamKind.FORCE_TORQUE)):
        force = sensor.values[:, :AXES]
        rise, fall = force[1:-1] - force[:-2], force[1:-1] - force[2:]
        with np.errstate(invalid="ignore"):
            apart = np.minimum(np.abs(rise), np.abs(fall))
            alone = (rise * fall > 0) & (apart > least) & (np.abs(rise - fall) < apart / 2)
        rows = np.flatnonzero(alone.any(axis=1)) + 1
        first = sensor.times_ns[rows[0]] if len(rows) else None
        place = None if first is None else note_first_place_at(case, first)
        moment = None if first is None else convert_to_episode_seconds(case, first)
        yield Measurement(Subject(sensor.name), len(rows) / len(force), place, at_s=moment)


@check(
    "force.frame",
    unit="missing frames",
    needs=("streams",),
)
def check_force_frame_known(case: Case) -> Iterator[Measurement]:
    """Is the reference frame of the forces known?"""
    for sensor in find_signals(case, StreamKind.FORCE_TORQUE):
        if sensor.stream.frame_id:
            yield Measurement(Subject(sensor.name), 0.0)
        elif case.collected_by_protocol:
            yield Measurement(Subject(sensor.name), 1.0)
        else:
            yield Measurement(Subject(sensor.name), UNKNOWN, cannot_tell=note("check.no_frame_named", NO_PROTOCOL))


def _find_grip_force_signals(case: Case) -> Iterator[Signal]:
    return find_signals(case, StreamKind.GRIPPER, unit="N")


def _find_smallest_step(column: Floats) -> float:
    """Return the smallest difference between distinct readings; NaN where there are fewer than three levels."""
    known = column[np.isfinite(column)]
    size = float(np.abs(known).max(initial=0.0))
    if size == 0:
        return UNKNOWN
    levels = np.unique(np.round(known / (size * FINEST)))
    return float(np.diff(levels).min()) * size * FINEST if len(levels) > 2 else UNKNOWN  # noqa: PLR2004 - two levels are a switch


def _measure_zero_offset(
    sensor: Signal, readings: Floats, reference_readings: Floats, moment_note: Note
) -> Measurement:
    if not np.isfinite(readings).any(axis=0).all():
        return Measurement(Subject(sensor.name), UNKNOWN, cannot_tell=note("check.not_read_untouched"))
    return Measurement(
        Subject(sensor.name), float(np.linalg.norm(np.nanmedian(readings, axis=0) - reference_readings)), moment_note
    )


def _is_end_pose_different(case: Case, onset_ns: int, offset_ns: int) -> bool:
    most = case.read_parameter("force.zero", "same_pose_rad")
    return not any(
        float(np.abs(one.find_row_nearest(offset_ns) - one.find_row_nearest(onset_ns)).max()) <= most
        for one in find_signals(case, StreamKind.JOINT_POSITION, unit="rad")
    )

"""Checks of whether the recorded motion is physically possible."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import NO_PROTOCOL
from fieldloop.check.registry import check
from fieldloop.check.signals.same_cause import are_at_same_moment
from fieldloop.check.signals.signal import (
    NO_RATE,
    Signal,
    convert_to_episode_seconds,
    find_signals,
    has_timed_stamps,
    note_first_place_at,
    note_place_at,
)
from fieldloop.check.signals.speeds import compute_speeds, find_full_turn_wraps, unwrap_full_turns
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.provenance import UNIT_AND_MEANING
from fieldloop.model.stream import NS_PER_S, StreamKind

NO_UNIT = note("check.no_joint_unit")
ENDLESS = note("check.turns_without_end")
WHEEL = re.compile(r"wheel|caster|castor|rotor|propell|thruster|continuous|(^|[^a-z])(track|drive)([^a-z]|$)")
"""Names of joints that turn without end."""


@check(
    "motion.joint_limit",
    unit="share of samples",
    needs=("joints",),
    rests_on=UNIT_AND_MEANING,
    revision=3,
)
def measure_share_beyond_joint_limits(case: Case) -> Iterator[Measurement]:
    """Which share of joint readings lies beyond what a joint can reach?

    Wheels, rotors and other joints that turn without end have no such limit, so they are left out.
    """
    limit = case.read_parameter("motion.joint_limit", "limit_rad")
    for joints in _find_joint_signals(case):
        if joints.stream.unit != "rad":
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=NO_UNIT)
            continue
        endless = _find_endless_joints(joints)
        if endless.all():
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=ENDLESS)
            continue
        beyond = (np.abs(joints.values) > limit) & ~endless
        rows = np.flatnonzero(beyond.any(axis=1))
        if not len(rows):
            yield Measurement(Subject(joints.name), 0.0)
            continue
        first, worst = joints.times_ns[rows[0]], int(np.argmax(beyond.sum(axis=0)))
        degrees = bool(np.nanmedian(np.abs(joints.values[:, worst])) > 2 * limit)
        place = note_first_place_at(case, first, joints.name_column(worst), looks_like_degrees=degrees)
        yield Measurement(
            Subject(joints.name), len(rows) / len(joints.values), place, at_s=convert_to_episode_seconds(case, first)
        )


@check(
    "motion.teleport",
    unit="rad/s",
    needs=("joints",),
    rests_on=UNIT_AND_MEANING,
    same_cause=are_at_same_moment,
    revision=4,
)
def measure_fastest_joint_step(case: Case) -> Iterator[Measurement]:
    """How fast did any joint have to move from one sample to the next?

    A full turn between two samples is an angle that wraps, which `motion.angle_wrap` counts. Wheels and rotors are left
    out: they turn faster than any arm.
    """
    for joints in _find_joint_signals(case):
        if reason := _explain_unknown_speed(joints):
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=reason)
            continue
        steps = np.diff(joints.times_ns)
        # two timestamps that are too close would make any step look fast
        span_s = np.maximum(steps, joints.period_s * NS_PER_S / 2) / NS_PER_S
        speed = np.abs(np.diff(unwrap_full_turns(case, joints.values), axis=0)) / span_s[:, None]
        speed[~np.isfinite(speed)] = 0.0
        if (endless := _find_endless_joints(joints)).all():
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=ENDLESS)
            continue
        speed[:, endless] = 0.0
        row, column = (int(i) for i in np.unravel_index(int(np.argmax(speed)), speed.shape))
        when = joints.times_ns[row + 1]
        place = note_place_at(case, when, joints.name_column(column))
        yield Measurement(
            Subject(joints.name), float(speed[row, column]), place, at_s=convert_to_episode_seconds(case, when)
        )


@check(
    "motion.angle_wrap",
    unit="wraps",
    needs=("streams",),
    rests_on=UNIT_AND_MEANING,
    same_cause=are_at_same_moment,
    revision=3,
)
def count_angle_wraps(case: Case) -> Iterator[Measurement]:
    """How often does an angle jump by a full turn from one sample to the next?"""
    for joints in find_signals(case, StreamKind.JOINT_POSITION, StreamKind.ACTION, unit="rad"):
        jumps = find_full_turn_wraps(joints.values, case.read_parameter("motion.angle_wrap", "slack_rad")) != 0
        rows = np.flatnonzero(jumps.any(axis=1))
        if not len(rows):
            yield Measurement(Subject(joints.name), 0.0)
            continue
        first = joints.times_ns[rows[0] + 1]
        place = note_first_place_at(case, first, joints.name_column(int(np.argmax(jumps.sum(axis=0)))))
        yield Measurement(Subject(joints.name), float(jumps.sum()), place, at_s=convert_to_episode_seconds(case, first))


@check(
    "motion.max_speed",
    unit="rad/s",
    needs=("joints",),
    rests_on=UNIT_AND_MEANING,
    revision=2,
)
def measure_highest_joint_speed(case: Case) -> Iterator[Measurement]:
    """How fast did the fastest joint move?

    The speed is averaged over the protocol's moving window; isolated outliers are ignored. The limit applies only to
    episodes that name their protocol.
    """
    for joints in _find_joint_signals(case):
        if reason := _explain_unknown_speed(joints):
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=reason)
            continue
        made = compute_speeds(case, joints)
        fast = np.abs(made.velocity)
        row, column = (int(i) for i in np.unravel_index(int(np.argmax(fast)), fast.shape))
        value, when = float(fast[row, column]), made.times_ns[row]
        if not case.collected_by_protocol:
            reason = note("check.fastest_joint", NO_PROTOCOL, speed_rad_s=value)
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=reason)
            continue
        yield Measurement(
            Subject(joints.name),
            value,
            note_place_at(case, when, joints.name_column(column)),
            at_s=convert_to_episode_seconds(case, when),
        )


def _find_joint_signals(case: Case) -> Iterator[Signal]:
    return find_signals(case, StreamKind.JOINT_POSITION)


def _find_endless_joints(joints: Signal) -> NDArray[np.bool_]:
    """Return which columns are wheels or the like, by their names."""
    names = (joints.name_column(i) for i in range(joints.values.shape[1]))
    return np.asarray([bool(WHEEL.search(name.lower())) for name in names])


def _explain_unknown_speed(joints: Signal) -> Note | None:
    if joints.stream.unit != "rad":
        return NO_UNIT
    return None if has_timed_stamps(joints.stream) else NO_RATE

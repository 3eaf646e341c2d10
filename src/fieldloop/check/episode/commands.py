"""Checks of commands against motion: the motion follows its command, and neither is a copy of the other."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.naming import note_listed_names
from fieldloop.check.registry import check
from fieldloop.check.signals.commanded import NOT_COMMANDED, pair_commands_and_joints
from fieldloop.check.signals.follow import (
    Lag,
    NotComparable,
    Search,
    estimate_lag_between,
    interpolate_signal,
    pair_columns,
)
from fieldloop.check.signals.movement import Movement, explain_unknown_movement, find_movement
from fieldloop.check.signals.signal import (
    FEWEST,
    NO_RATE,
    Floats,
    Signal,
    convert_to_episode_seconds,
    find_signals,
    has_timed_stamps,
    measure_column_extent,
    note_place_at,
    replace_infinite_by_nan,
)
from fieldloop.check.signals.speeds import compute_high_percentile, compute_speeds
from fieldloop.check.signals.without_unit import find_moving_columns
from fieldloop.model.finding import ASSUMED, UNKNOWN, Measurement
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.provenance import UNIT_AND_MEANING, Provenance, StreamFact
from fieldloop.model.stream import NS_PER_S, StreamKind

Rows = NDArray[np.intp]
FOLLOWS = "motion.action_follows_state"
MOST_NAMED = 4  # columns in one sentence
EQUAL = 1e-6
"""Numbers that differ by less than this share of a column's range count as equal."""


@check(
    FOLLOWS,
    unit="s",
    needs=("actions", "joints"),
)
def measure_motion_lag_behind_commands(case: Case) -> Iterator[Measurement]:
    """By how much does the arm's motion lag behind its commands, or (below zero) run ahead of them?

    The value is the shift at which the speeds of commanded and measured joints agree best, with its 95 % interval. All
    joints count equally.
    """
    for action, joints in pair_commands_and_joints(case):
        if action is None:
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=NOT_COMMANDED)
            continue
        about = Subject(action.name, joints.name)
        lag = _estimate_command_lag(case, action, joints)
        if isinstance(lag, Note):
            yield Measurement(about, UNKNOWN, cannot_tell=lag)
            continue
        low, high = lag.seconds - lag.half_width, lag.seconds + lag.half_width
        place = note(_choose_lag_direction_code(lag), correlation=lag.agreement)
        yield Measurement(about, lag.seconds, place, low=low, high=high)


def _choose_lag_direction_code(lag: Lag) -> str:
    if lag.seconds + lag.half_width < 0:
        return "check.arm_leads_commands"
    return "check.arm_follows_commands" if lag.seconds >= 0 else "check.arm_before_commands"


@check(
    "motion.action_copies_state",
    unit="columns",
    needs=("actions", "joints"),
    revision=2,
)
def count_commands_copied_from_state(case: Case) -> Iterator[Measurement]:
    """How many commands are copies of the measured state, at the same moment or the one before?

    Only columns that move, in the commands as in the state, are compared. Commands that equal the *next* state are not
    counted: they are a target. If commands and states differ in number, each command is compared with the state nearest
    in time.
    """
    for action, joints in pair_commands_and_joints(case):
        if action is None:
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=NOT_COMMANDED)
            continue
        about = Subject(action.name, joints.name)
        try:
            copied = _find_copied_columns(action, joints)
        except NotComparable as why:
            yield Measurement(about, UNKNOWN, cannot_tell=why.reason)
            continue
        names = [action.name_column(i) or f"column {i}" for i in copied]
        yield Measurement(about, float(len(copied)), note_listed_names(names, MOST_NAMED))


def _find_copied_columns(action: Signal, joints: Signal) -> list[int]:
    """Return the commands that equal a state at every sample."""
    ours, theirs = pair_columns(action, joints)
    rows, then = _match_rows_in_time(action, joints)
    commands, states, last = action.values[rows][:, ours], joints.values[then], joints.values[then - 1]
    reach = measure_column_extent(joints.values[:, theirs])
    moving = np.isfinite(reach) & (reach > 0)
    if not moving.any():
        raise NotComparable(note("check.commanded_joints_still"))
    near = EQUAL * reach
    same, late = (np.abs(commands - one[:, theirs]) <= near for one in (states, last))
    commanded = measure_column_extent(commands) > near  # a constant command is not a copy of a joint that rests at it
    return [ours[i] for i in np.flatnonzero((same | late).all(axis=0) & moving & commanded)]


def _match_rows_in_time(action: Signal, joints: Signal) -> tuple[Rows, Rows]:
    """Return rows of commands paired with the rows of states at the same moment, without the first state."""
    if len(action.times_ns) == len(joints.times_ns):
        rows = np.arange(1, len(joints.times_ns))
        return rows, rows
    inside = np.flatnonzero((action.times_ns > joints.times_ns[0]) & (action.times_ns <= joints.times_ns[-1]))
    if len(inside) < FEWEST:
        raise NotComparable(note("check.overlap_too_short"))
    when = action.times_ns[inside]
    behind = np.searchsorted(joints.times_ns, when)  # the first state that is not earlier
    nearer = joints.times_ns[behind] - when <= when - joints.times_ns[behind - 1]
    return inside, np.maximum(np.where(nearer, behind, behind - 1), 1)


@check(
    "motion.constant_action",
    unit="columns",
    needs=("actions",),
    rests_on=(StreamFact.MEANING,),
    revision=4,
)
def count_constant_commands(case: Case) -> Iterator[Measurement]:
    """How many commands never change although their joint moves away from them?

    A command belongs to the joint of the same name. A joint that moves to its command and stays follows it, and so does
    one that is pushed aside for a moment. If no command ever changes while the joints move, all commands count. A
    constant is constant in any unit, so this needs none. An arm that is led by hand explains it, so it is a warning
    where no protocol is named.
    """
    moved, commands = find_movement(case), list(find_signals(case, StreamKind.ACTION))
    alone = len(commands) == 1 and _do_joints_move(case)
    for action in commands:
        fixed = ~(measure_column_extent(replace_infinite_by_nan(action.values)) > 0)
        if moved is not None and alone and fixed.all():
            yield Measurement(Subject(action.name), float(len(fixed)), note("check.all_of_them"))
            continue
        columns = set(action.columns)
        known = [j for j in find_signals(case, StreamKind.JOINT_POSITION) if columns & set(j.columns)]
        if moved is None or not known:
            reason = note("check.no_joint_of_that_name") if moved else explain_unknown_movement(case)
            yield Measurement(Subject(action.name), UNKNOWN, cannot_tell=reason)
            continue
        if assumed := _find_assumed_unit(action, *known):
            reason = note(ASSUMED, stream=assumed, fact=StreamFact.UNIT.value)
            yield Measurement(Subject(action.name), UNKNOWN, cannot_tell=reason)
            continue
        dead = [name for joints in known for name in _find_disobeyed_commands(case, action, joints, moved, fixed)]
        yield Measurement(Subject(action.name), float(len(dead)), note_listed_names(dead, MOST_NAMED))


def _do_joints_move(case: Case) -> bool:
    """Do measured joints follow a path? Where a unit is stated, the time of their motion shows it."""
    joints = list(find_signals(case, StreamKind.JOINT_POSITION))
    if all(one.stream.unit and not _find_assumed_unit(one) for one in joints):
        return bool(joints)
    numbers = [case.read_parameter("motion.constant_action", name) for name in ("most_uneven", "fewest_ticks")]
    return any(find_moving_columns(one.values, *numbers).any() for one in joints)


def _find_assumed_unit(*signals: Signal) -> str:
    """Return the first stream of which a reader assumed the unit; '' where all state theirs."""
    assumed = (one.name for one in signals if one.stream.get_provenance(StreamFact.UNIT) is Provenance.ASSUMED)
    return next(assumed, "")


def _find_disobeyed_commands(
    case: Case, action: Signal, joints: Signal, movement_times: Movement, constant_columns: NDArray[np.bool_]
) -> Iterator[str]:
    """Yield the commands that stay constant while their joint is away from them for much of the attempt."""
    made = compute_speeds(case, joints)
    inside = (made.times_ns >= movement_times.onset_ns) & (made.times_ns <= movement_times.offset_ns)
    least, share = (case.read_parameter("motion.constant_action", name) for name in ("moves_rad", "departs_share"))
    for ours, theirs in zip(*pair_columns(action, joints), strict=True):
        angles = joints.values[:, theirs]
        if not constant_columns[ours] or not inside.any() or not np.ptp(angles) > least:
            continue
        side = np.sign(np.interp(made.times_ns[inside], joints.times_ns, angles) - action.values[0, ours])
        departs = made.velocity[inside, theirs] * side > case.protocol.setting("episode.moving_rad_s")
        if departs.mean() > share:
            yield action.columns[ours]


@check(
    "motion.command_error",
    unit="rad",
    needs=("actions", "joints"),
    rests_on=UNIT_AND_MEANING,
    revision=2,
)
def measure_command_errors(case: Case) -> Iterator[Measurement]:
    """How far from its command did a joint stay, after correction for its lag?

    The value is the 95th percentile over joints whose speeds follow their commands. Commands and joints must be in
    radians.
    """
    for action, joints in pair_commands_and_joints(case):
        if action is None:
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=NOT_COMMANDED)
            continue
        about = Subject(action.name, joints.name)
        if action.stream.unit != "rad" or joints.stream.unit != "rad":
            yield Measurement(about, UNKNOWN, cannot_tell=note("check.not_both_in_radians"))
            continue
        lag = _estimate_command_lag(case, action, joints)
        if isinstance(lag, Note):
            yield Measurement(about, UNKNOWN, cannot_tell=lag)
            continue
        yield _measure_command_error(case, action, joints, lag.seconds)


def _measure_command_error(case: Case, action: Signal, joints: Signal, lag_s: float) -> Measurement:
    about = Subject(action.name, joints.name)
    ours, theirs = pair_columns(action, joints)
    later = action.times_ns + round(lag_s * NS_PER_S)
    inside = (later >= joints.times_ns[0]) & (later <= joints.times_ns[-1])
    commands = action.values[inside][:, ours]
    states = interpolate_signal(joints, theirs, later[inside])
    following = _correlate_columns(np.diff(commands, axis=0), np.diff(states, axis=0)) > case.read_parameter(
        "motion.command_error", "min_agreement"
    )
    if not following.any():
        return Measurement(about, UNKNOWN, cannot_tell=note("check.no_joint_follows"))
    away = compute_high_percentile(np.abs(commands[:, following] - states[:, following]))
    worst = int(np.argmax(away))
    column = int(np.flatnonzero(following)[worst])
    moment = action.times_ns[inside][int(np.argmax(np.abs(commands[:, column] - states[:, column])))]
    place = note_place_at(case, moment, joints.name_column(theirs[column]))
    return Measurement(about, float(away[worst]), place, at_s=convert_to_episode_seconds(case, moment))


def _correlate_columns(first: Floats, second: Floats) -> Floats:
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    scale = np.sqrt((first**2).sum(axis=0) * (second**2).sum(axis=0))
    return np.asarray(np.divide((first * second).sum(axis=0), scale, out=np.zeros_like(scale), where=scale > 0))


def _estimate_command_lag(case: Case, action: Signal, joints: Signal) -> Lag | Note:
    """Return the lag, or why it cannot be estimated; computed once for all checks."""
    return case.compute_once(
        ("lag", action.name, joints.name), lambda: _estimate_command_lag_uncached(case, action, joints)
    )


def _estimate_command_lag_uncached(case: Case, action: Signal, joints: Signal) -> Lag | Note:
    if find_movement(case) is None:
        return explain_unknown_movement(case)
    if not (has_timed_stamps(action.stream) and has_timed_stamps(joints.stream)):
        return NO_RATE
    weakest = case.read_parameter(FOLLOWS, "min_agreement")
    search = Search(*(case.read_parameter(FOLLOWS, name) for name in ("longest_s", "near_s", "fewest_steps")))
    try:
        lag = estimate_lag_between(action, joints, search)
    except NotComparable as why:
        return why.reason
    if lag.agreement < weakest:
        return note("check.commands_disagree", correlation=lag.agreement, needed=weakest)
    return lag

"""Questions about whether commands and motion belong together: cause first, effect a moment later, neither copied."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.commanded import NOT_COMMANDED, commanded
from fieldloop.check.episode.follow import Lag, NotComparable, lag_between, paired_columns, placed
from fieldloop.check.episode.movement import Movement, movement, still
from fieldloop.check.episode.signal import FEWEST, NO_RATE, Floats, Signal, at, at_s, extent, paced, signals, zeroed
from fieldloop.check.episode.speeds import high, speeds
from fieldloop.check.judging import PAIR
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, StreamKind

Rows = NDArray[np.intp]
UNKNOWN = float("nan")
FOLLOWS = "motion.action_follows_state"
MOST_NAMED = 4
EQUAL = 1e-6
"""Two numbers this near, in shares of a column's range, are the same number written twice."""


@check(
    FOLLOWS,
    unit="s",
    needs=("actions", "joints"),
    advice="Check that actions and states carry stamps of the same clock and belong to the same episode.",
)
def action_follows_state(case: Case) -> Iterator[Measurement]:
    """By how much does the arm's motion lag behind its commands, or (below zero) run ahead of them?

    The shift at which the speeds of commanded and measured joints agree best, joint by joint with equal say, with the
    interval in which it lies at least 95 times in 100.
    """
    for action, joints in commanded(case):
        if action is None:
            yield Measurement(joints.name, UNKNOWN, cannot_tell=NOT_COMMANDED)
            continue
        subject = f"{action.name}{PAIR}{joints.name}"
        told = _lag(case, action, joints)
        if isinstance(told, str):
            yield Measurement(subject, UNKNOWN, cannot_tell=told)
            continue
        place = f"({_order(told)}, correlation {told.agreement:.2f})"
        low, high = told.seconds - told.half_width, told.seconds + told.half_width
        yield Measurement(subject, told.seconds, place, low=low, high=high)


def _order(told: Lag) -> str:
    if told.seconds + told.half_width < 0:
        return "the arm moves before its commands: their clocks differ, or they were made from its motion"
    return f"the arm moves {'after' if told.seconds >= 0 else 'before'} its commands"


@check(
    "motion.action_copies_state",
    unit="columns",
    needs=("actions", "joints"),
    advice="Record what was commanded. A state written twice teaches to stay where one is.",
)
def action_copies_state(case: Case) -> Iterator[Measurement]:
    """How many commands are the measured state itself, at the same moment or the one before?

    Only columns that move are looked at. Commands that are the *next* state are not counted: they do say where to go.
    Where there are not as many commands as states, each is compared with the state nearest in time.
    """
    for action, joints in commanded(case):
        if action is None:
            yield Measurement(joints.name, UNKNOWN, cannot_tell=NOT_COMMANDED)
            continue
        subject = f"{action.name}{PAIR}{joints.name}"
        try:
            copied = _copied(action, joints)
        except NotComparable as why:
            yield Measurement(subject, UNKNOWN, cannot_tell=str(why))
            continue
        named = ", ".join(action.column(i)[4:] or f"column {i}" for i in copied[:MOST_NAMED])
        more = " …" if len(copied) > MOST_NAMED else ""
        yield Measurement(subject, float(len(copied)), f"({named}{more})" if named else "")


def _copied(action: Signal, joints: Signal) -> list[int]:
    """Return the commands that are a state every time."""
    ours, theirs = paired_columns(action, joints)
    told, then = _matched(action, joints)
    commands, states, last = action.values[told][:, ours], joints.values[then], joints.values[then - 1]
    reach = extent(joints.values[:, theirs])
    moving = np.isfinite(reach) & (reach > 0)
    if not moving.any():
        raise NotComparable("the joints that are commanded do not move.")
    near = EQUAL * reach
    same, late = (np.abs(commands - one[:, theirs]) <= near for one in (states, last))
    return [ours[i] for i in np.flatnonzero((same | late).all(axis=0) & moving)]


def _matched(action: Signal, joints: Signal) -> tuple[Rows, Rows]:
    """Return rows of commands with the rows of states at the same moment that have one before them."""
    if len(action.times_ns) == len(joints.times_ns):
        rows = np.arange(1, len(joints.times_ns))
        return rows, rows
    told = np.flatnonzero((action.times_ns > joints.times_ns[0]) & (action.times_ns <= joints.times_ns[-1]))
    if len(told) < FEWEST:
        raise NotComparable("commands and states overlap too briefly to be compared.")
    when = action.times_ns[told]
    behind = np.searchsorted(joints.times_ns, when)  # the first state that is not earlier
    nearer = joints.times_ns[behind] - when <= when - joints.times_ns[behind - 1]
    return told, np.maximum(np.where(nearer, behind, behind - 1), 1)


@check(
    "motion.constant_action",
    unit="columns",
    needs=("actions",),
    advice="Check how commands are logged: this one never changes, so it cannot have moved the joint.",
)
def constant_action(case: Case) -> Iterator[Measurement]:
    """How many commands never change although what they command moves away from them?

    A command is known to move a joint by its name. A joint that travels to its command and stays obeys it; one that
    something pushes aside for a moment does too. Where the only commands there are never change while the joints move,
    all count.
    """
    moved, commands = movement(case), list(signals(case, StreamKind.ACTION))
    alone = len(commands) == 1 and any(True for _ in signals(case, StreamKind.JOINT_POSITION))
    for action in commands:
        fixed = ~(extent(zeroed(action.values)) > 0)
        if moved is not None and alone and fixed.all():
            yield Measurement(action.name, float(len(fixed)), "(all of them)")
            continue
        named = set(action.columns)
        known = [j for j in signals(case, StreamKind.JOINT_POSITION) if named & set(j.columns)]
        if moved is None or not known:
            reason = "no joint bears the name of a command." if moved else still(case)
            yield Measurement(action.name, UNKNOWN, cannot_tell=reason)
            continue
        dead = [name for joints in known for name in _disobeyed(case, action, joints, moved, fixed)]
        yield Measurement(action.name, float(len(dead)), f"({', '.join(dead[:MOST_NAMED])})" if dead else "")


def _disobeyed(case: Case, action: Signal, joints: Signal, moved: Movement, fixed: NDArray[np.bool_]) -> Iterator[str]:
    """Yield the commands that stay while their joint departs from them for a good part of the attempt."""
    made = speeds(case, joints)
    inside = (made.times_ns >= moved.onset_ns) & (made.times_ns <= moved.offset_ns)
    least, share = (case.parameter("motion.constant_action", name) for name in ("moves_rad", "departs_share"))
    for ours, theirs in zip(*paired_columns(action, joints), strict=True):
        angles = joints.values[:, theirs]
        if not fixed[ours] or not inside.any() or not np.ptp(angles) > least:
            continue
        side = np.sign(np.interp(made.times_ns[inside], joints.times_ns, angles) - action.values[0, ours])
        departs = made.velocity[inside, theirs] * side > case.protocol.setting("episode.moving_rad_s")
        if departs.mean() > share:
            yield action.columns[ours]


@check(
    "motion.command_error",
    unit="rad",
    needs=("actions", "joints"),
    advice="Check zero and scale of the commanded joints, and whether the arm was held back.",
)
def command_error(case: Case) -> Iterator[Measurement]:
    """How far from its command did a joint stay, once its lag is allowed for?

    Of the joints whose speeds follow their commands, in radians both; nineteen moments in twenty are nearer than this.
    """
    for action, joints in commanded(case):
        if action is None:
            yield Measurement(joints.name, UNKNOWN, cannot_tell=NOT_COMMANDED)
            continue
        subject = f"{action.name}{PAIR}{joints.name}"
        if action.stream.unit != "rad" or joints.stream.unit != "rad":
            yield Measurement(subject, UNKNOWN, cannot_tell="commands and joints are not both told in radians.")
            continue
        told = _lag(case, action, joints)
        if isinstance(told, str):
            yield Measurement(subject, UNKNOWN, cannot_tell=told)
            continue
        yield _error(case, action, joints, told.seconds)


def _error(case: Case, action: Signal, joints: Signal, lag_s: float) -> Measurement:
    subject = f"{action.name}{PAIR}{joints.name}"
    ours, theirs = paired_columns(action, joints)
    later = action.times_ns + round(lag_s * NS_PER_S)
    inside = (later >= joints.times_ns[0]) & (later <= joints.times_ns[-1])
    commands = action.values[inside][:, ours]
    states = placed(joints, theirs, later[inside])
    following = _correlations(np.diff(commands, axis=0), np.diff(states, axis=0)) > case.parameter(
        "motion.command_error", "min_agreement"
    )
    if not following.any():
        return Measurement(subject, UNKNOWN, cannot_tell="no joint follows its command closely enough to compare them.")
    away = high(np.abs(commands[:, following] - states[:, following]))
    worst = int(np.argmax(away))
    column = int(np.flatnonzero(following)[worst])
    moment = action.times_ns[inside][int(np.argmax(np.abs(commands[:, column] - states[:, column])))]
    place = f"{at(case, moment)}{joints.column(theirs[column])}"
    return Measurement(subject, float(away[worst]), place, at_s=at_s(case, moment))


def _correlations(one: Floats, other: Floats) -> Floats:
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    scale = np.sqrt((one**2).sum(axis=0) * (other**2).sum(axis=0))
    return np.asarray(np.divide((one * other).sum(axis=0), scale, out=np.zeros_like(scale), where=scale > 0))


def _lag(case: Case, action: Signal, joints: Signal) -> Lag | str:
    """Return the lag, or why none can be told; made once for all who ask."""
    return case.keep(("lag", action.name, joints.name), lambda: _find_lag(case, action, joints))


def _find_lag(case: Case, action: Signal, joints: Signal) -> Lag | str:
    if movement(case) is None:
        return still(case)
    if not (paced(action.stream) and paced(joints.stream)):
        return NO_RATE
    weakest = case.parameter(FOLLOWS, "min_agreement")
    try:
        told = lag_between(action, joints, case.parameter(FOLLOWS, "longest_s"))
    except NotComparable as why:
        return str(why)
    if told.agreement < weakest:
        found = f"correlation {told.agreement:.2f}, {weakest:g} needed"
        return f"commands and motion agree too little to tell a lag ({found})."
    return told

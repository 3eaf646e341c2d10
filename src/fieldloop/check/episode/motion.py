"""Questions about whether the arm could have moved as the log says."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.follow import NotComparable, lag_between
from fieldloop.check.episode.movement import movement, still
from fieldloop.check.episode.stamps import at
from fieldloop.check.judging import PAIR
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind

UNKNOWN = float("nan")
NO_UNIT = "the log does not say in which unit the joints are told."


@check(
    "motion.joint_limit",
    unit="share of samples",
    needs=("joints",),
    advice="Check the joint's unit and zero; a reading beyond the stop is wrong.",
)
def joint_limit(case: Case) -> Iterator[Measurement]:
    """Which share of joint readings lies beyond what a joint can reach?"""
    limit = case.parameter("motion.joint_limit", "limit_rad")
    for stream in case.streams(StreamKind.JOINT_POSITION):
        if stream.values is None or not np.isfinite(stream.values).any():
            continue
        if stream.unit != "rad":
            yield Measurement(stream.name, UNKNOWN, cannot_tell=NO_UNIT)
            continue
        beyond = np.abs(stream.values) > limit
        rows = np.flatnonzero(beyond.any(axis=1))
        place = f"first {at(stream, int(rows[0]))}{_column(stream, beyond)}" if len(rows) else ""
        yield Measurement(stream.name, len(rows) / len(stream), place)


@check(
    "motion.teleport",
    unit="rad/s",
    needs=("joints",),
    advice="Look for lost samples, an angle that wraps around, or two recordings joined.",
)
def teleport(case: Case) -> Iterator[Measurement]:
    """How fast did any joint have to go from one sample to the next?"""
    for stream in case.streams(StreamKind.JOINT_POSITION):
        if stream.values is None or len(stream) < 2 or not np.isfinite(stream.values).any():  # noqa: PLR2004 - a step
            continue
        if stream.unit != "rad":
            yield Measurement(stream.name, UNKNOWN, cannot_tell=NO_UNIT)
            continue
        steps = np.diff(stream.times_ns)
        period = float(np.median(steps[steps > 0])) if (steps > 0).any() else NS_PER_S
        # two stamps that stand too close would make any step look fast
        span_s = np.maximum(steps, period / 2) / NS_PER_S
        speed = np.abs(np.diff(stream.values.astype(np.float64), axis=0)) / span_s[:, None]
        speed[~np.isfinite(speed)] = 0.0
        row, column = np.unravel_index(int(np.argmax(speed)), speed.shape)
        name = f" in {stream.columns[column]}" if stream.columns else ""
        yield Measurement(stream.name, float(speed[row, column]), f"{at(stream, int(row) + 1)}{name}")


@check(
    "motion.action_follows_state",
    unit="s",
    needs=("actions", "joints"),
    advice="Check that actions and states carry stamps of the same clock and belong to the same episode.",
)
def action_follows_state(case: Case) -> Iterator[Measurement]:
    """By how much does the arm's motion lag behind its commands, or run ahead of them?

    The shift at which the speeds of commanded and measured joints agree best, joint by joint with equal say.
    """
    joints = next((s for s in case.streams(StreamKind.JOINT_POSITION) if s.values is not None), None)
    action = next((s for s in case.streams(StreamKind.ACTION) if s.values is not None), None)
    if joints is None or action is None:
        return
    subject = f"{action.name}{PAIR}{joints.name}"
    if movement(case) is None:
        yield Measurement(subject, UNKNOWN, cannot_tell=still(case))
        return
    longest = case.parameter("motion.action_follows_state", "longest_s")
    weakest = case.parameter("motion.action_follows_state", "min_agreement")
    try:
        lag_s, agreement = lag_between(action, joints, longest)
    except NotComparable as why:
        yield Measurement(subject, UNKNOWN, cannot_tell=str(why))
        return
    if agreement < weakest:
        reason = (
            f"commands and motion agree too little to tell a lag (correlation {agreement:.2f}, {weakest:g} needed)."
        )
        yield Measurement(subject, UNKNOWN, cannot_tell=reason)
        return
    who = "the arm moves after its commands" if lag_s >= 0 else "the arm moves before its commands"
    yield Measurement(subject, abs(lag_s), f"({who}, correlation {agreement:.2f})")


def _column(stream: Stream, beyond: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> str:
    if not stream.columns:
        return ""
    return f" in {stream.columns[int(np.argmax(beyond.sum(axis=0)))]}"

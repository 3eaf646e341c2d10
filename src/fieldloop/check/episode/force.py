"""Questions about the forces of a grasp, and about the sensors that tell them."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import HELD_TO_NOTHING, not_held
from fieldloop.check.episode.contact import holds
from fieldloop.check.episode.movement import movement
from fieldloop.check.episode.signal import Floats, Signal, at, at_s, signals
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import StreamKind

UNKNOWN = float("nan")
AXES = 3
"""The first three columns of a wrench are forces, the rest are torques."""

FINEST = 1e-6
"""Differences smaller than this share of the largest reading come from how numbers are stored."""


@check(
    "force.window",
    unit="N",
    needs=("gripper",),
    advice="Set the grip force for this item; below the window it slips, above it is crushed.",
)
def window(case: Case) -> Iterator[Measurement]:
    """With what force was the item held, typically and at most?

    A failed attempt is not held to the window: a grasp that slipped is what it teaches.
    """
    contact = case.parameter("force.window", "contact_n")
    for one in _grips(case):
        force = np.abs(one.values).max(axis=1)
        holding = np.flatnonzero(np.isfinite(force) & (force > contact))
        if not len(holding):
            yield Measurement(one.name, UNKNOWN, cannot_tell="nothing was gripped.")
            continue
        held, peak = float(np.median(force[holding])), int(holding[np.argmax(force[holding])])
        if why := not_held(case):
            said = f"held with {held:.3g} N, at most {force[peak]:.3g} N; {why}"
            yield Measurement(one.name, UNKNOWN, cannot_tell=said)
            continue
        moment = one.times_ns[peak]
        yield Measurement(one.name, held, "held, typically", at_s=at_s(case, one.times_ns[holding[0]]))
        yield Measurement(f"{one.name} peak", float(force[peak]), at(case, moment), at_s=at_s(case, moment))


@check(
    "force.resolution",
    unit="N",
    needs=("streams",),
    advice="Use a finer sensor, or log its full resolution: these steps hide a light touch.",
)
def resolution(case: Case) -> Iterator[Measurement]:
    """In which steps does each force sensor tell?

    The least difference between two readings that differ. Only sensors that the protocol calls delicate are held to
    the limit.
    """
    for one in (*_grips(case), *signals(case, StreamKind.FORCE_TORQUE)):
        asked = case.protocol.sensors.get(one.name)
        if asked is None or not asked.delicate:
            continue
        step = max(_step(column) for column in one.values[:, :AXES].T)
        if np.isfinite(step):
            yield Measurement(one.name, step)
        else:
            yield Measurement(one.name, UNKNOWN, cannot_tell="its readings hardly differ, so no step shows.")


@check(
    "force.zero",
    unit="N",
    needs=("streams",),
    advice="Tare the sensor before the session, and look for drift with temperature.",
)
def zero(case: Case) -> Iterator[Measurement]:
    """How far from zero does each force sensor read when nothing is touched?

    Between the fingers: before anything moved. At the wrist, where the tool's own weight is felt: how much the reading
    changed from before the attempt to after it, if the arm stands as it stood.
    """
    moved = movement(case)
    if moved is None or any(held.contact_ns <= moved.onset_ns for held in holds(case)):
        reason = "nothing is known to be untouched: it never moved, or was holding from the beginning."
        for one in (*_grips(case), *signals(case, StreamKind.FORCE_TORQUE)):
            yield Measurement(one.name, UNKNOWN, cannot_tell=reason)
        return
    for one in _grips(case):
        before = one.values[one.between(int(one.times_ns[0]), moved.onset_ns)]
        yield _off(one, before, np.zeros(one.values.shape[1]), "before anything moves")
    for one in signals(case, StreamKind.FORCE_TORQUE):
        before = one.values[one.between(int(one.times_ns[0]), moved.onset_ns), :AXES]
        behind = one.values[one.between(moved.offset_ns, int(one.times_ns[-1])), :AXES]
        if _elsewhere(case, moved.onset_ns, moved.offset_ns):
            said = "the arm ends elsewhere than it began, so the tool's weight reads differently."
            yield Measurement(one.name, UNKNOWN, cannot_tell=said)
        elif np.isfinite(before).any(axis=0).all():
            yield _off(one, behind, np.nanmedian(before, axis=0), "more after the attempt than before it")


@check(
    "force.spikes",
    unit="share of samples",
    needs=("streams",),
    advice="Look for a loose cable or a broken message: no contact lasts one sample.",
)
def spikes(case: Case) -> Iterator[Measurement]:
    """Which share of force readings jumps away and straight back?

    A reading counts where it differs from both neighbours, the same way, by more than the protocol's force, and its
    neighbours agree with each other.
    """
    least = case.parameter("force.spikes", "spike_n")
    for one in (*_grips(case), *signals(case, StreamKind.FORCE_TORQUE)):
        force = one.values[:, :AXES]
        rise, fall = force[1:-1] - force[:-2], force[1:-1] - force[2:]
        with np.errstate(invalid="ignore"):
            apart = np.minimum(np.abs(rise), np.abs(fall))
            alone = (rise * fall > 0) & (apart > least) & (np.abs(rise - fall) < apart / 2)
        rows = np.flatnonzero(alone.any(axis=1)) + 1
        first = one.times_ns[rows[0]] if len(rows) else None
        place = f"first {at(case, first)}" if first is not None else ""
        moment = None if first is None else at_s(case, first)
        yield Measurement(one.name, len(rows) / len(force), place, at_s=moment)


@check(
    "force.frame",
    unit="missing frames",
    needs=("streams",),
    advice="Let the driver say in which frame it tells forces: without it nobody knows where up is.",
)
def frame(case: Case) -> Iterator[Measurement]:
    """Is it known in which frame the forces are told?"""
    for one in signals(case, StreamKind.FORCE_TORQUE):
        if one.stream.frame_id:
            yield Measurement(one.name, 0.0)
        elif case.collected_by_protocol:
            yield Measurement(one.name, 1.0)
        else:
            yield Measurement(one.name, UNKNOWN, cannot_tell=f"no frame is named; {HELD_TO_NOTHING}")


def _grips(case: Case) -> Iterator[Signal]:
    return signals(case, StreamKind.GRIPPER, unit="N")


def _step(column: Floats) -> float:
    """Return the least difference between readings that differ; NaN where fewer than three levels were seen."""
    known = column[np.isfinite(column)]
    size = float(np.abs(known).max(initial=0.0))
    if size == 0:
        return UNKNOWN
    levels = np.unique(np.round(known / (size * FINEST)))
    return float(np.diff(levels).min()) * size * FINEST if len(levels) > 2 else UNKNOWN  # noqa: PLR2004 - two levels are a switch


def _off(one: Signal, readings: Floats, usual: Floats, words: str) -> Measurement:
    if not np.isfinite(readings).any(axis=0).all():
        return Measurement(one.name, UNKNOWN, cannot_tell="it was not read while nothing was touched.")
    return Measurement(one.name, float(np.linalg.norm(np.nanmedian(readings, axis=0) - usual)), words)


def _elsewhere(case: Case, onset_ns: int, offset_ns: int) -> bool:
    most = case.parameter("force.zero", "same_pose_rad")
    return not any(
        float(np.abs(one.at(offset_ns) - one.at(onset_ns)).max()) <= most
        for one in signals(case, StreamKind.JOINT_POSITION, unit="rad")
    )

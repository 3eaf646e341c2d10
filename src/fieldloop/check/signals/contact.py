"""When the item was held: by the force between the fingers or, without a force, by their width."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.arms import list_arms, select_signals_of_arm
from fieldloop.check.signals.signal import Floats, Signal, find_signals
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_S, StreamKind

NEVER = note("check.nothing_held")
FINGERS = 2  # columns of a gripper that records its fingers


@dataclass(frozen=True, slots=True)
class Hold:
    """The longest stretch in which something was held, how many there were, and the stream that shows it."""

    contact_ns: int
    release_ns: int
    grasps: int
    let_go: bool
    source: str
    arm: str = ""
    """The arm that held it, where there are several."""

    @property
    def duration_ns(self) -> int:
        """How long it was held."""
        return self.release_ns - self.contact_ns


def find_holds(case: Case) -> tuple[Hold, ...]:
    """Return when each arm held something; an arm that never did is left out."""
    return case.compute_once("holds", lambda: tuple(_compute_holds(case)))


def find_longest_hold(case: Case) -> Hold | None:
    """Return the longest hold of all arms; None where nothing was held or no stream shows it."""
    return max(find_holds(case), key=lambda one: one.duration_ns, default=None)


def find_gripper_opening(case: Case, arm: str = "") -> tuple[Signal, Floats] | None:
    """Return the gripper whose width is in metres, and that width; None where there is none."""
    for gripper in select_signals_of_arm(find_signals(case, StreamKind.GRIPPER), arm):
        width = _compute_gripper_width(gripper, case.read_parameter("force.window", "mirrored"))
        if width is not None:
            return gripper, width
    return None


def _compute_holds(case: Case) -> Iterator[Hold]:
    for arm in list_arms(case):
        longest = _find_hold_of_arm(case, arm)
        if longest is not None:
            yield replace(longest, arm=arm)


def _find_hold_of_arm(case: Case, arm: str) -> Hold | None:
    least_n = case.read_parameter("force.window", "contact_n")
    shortest_ns = case.read_parameter("force.window", "shortest_s") * NS_PER_S
    if forces := select_signals_of_arm(find_signals(case, StreamKind.GRIPPER, unit="N"), arm):
        with np.errstate(invalid="ignore"):
            felt = [
                _find_longest_held_stretch(one, np.abs(one.values).max(axis=1) > least_n, shortest_ns) for one in forces
            ]
        return max((one for one in felt if one is not None), key=lambda one: one.duration_ns, default=None)
    wide = find_gripper_opening(case, arm)
    if wide is None:
        return None
    one, width = wide
    widest, narrowest = float(np.nanmax(width)), float(np.nanmin(width))
    if widest - narrowest < case.read_parameter("force.window", "closing_m"):
        return None
    # near the narrowest, not half-way: fingers that close part of the way before contact hold nothing yet
    shut = narrowest + case.read_parameter("force.window", "shut_share") * (widest - narrowest)
    return _find_longest_held_stretch(one, width < shut, shortest_ns)


def _find_longest_held_stretch(contact_signal: Signal, is_held: NDArray[np.bool_], shortest_ns: float) -> Hold | None:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_held, [False]]).astype(np.int8)))
    first, last = edges[::2], edges[1::2] - 1
    lasted = contact_signal.times_ns[last] - contact_signal.times_ns[first]
    long_enough = np.flatnonzero(lasted >= shortest_ns)
    if not len(long_enough):
        return None
    best = int(long_enough[np.argmax(lasted[long_enough])])
    begin, end = int(contact_signal.times_ns[first[best]]), int(contact_signal.times_ns[last[best]])
    return Hold(begin, end, len(long_enough), bool(last[best] < len(is_held) - 1), contact_signal.name)


def _compute_gripper_width(gripper: Signal, mirror_tolerance: float) -> Floats | None:
    """Return the gripper's width: as recorded in metres, or the distance between two fingers that mirror each other."""
    values = gripper.values
    if gripper.stream.unit == "m" and values.shape[1] == 1:
        width: Floats = values[:, 0]
        return width
    if gripper.stream.unit in ("m", "") and values.shape[1] == FINGERS and np.isfinite(values).all():
        left, right = values.T
        if left.std() > 0 and right.std() > 0 and np.corrcoef(left, right)[0, 1] < mirror_tolerance:
            return np.asarray(np.abs(left - right))
    return None

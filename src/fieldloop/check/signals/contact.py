"""When the item was held: by the force between the fingers or, without a force, by their width."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.arms import arms, of_arm
from fieldloop.check.signals.signal import Floats, Signal, signals
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
    def lasted_ns(self) -> int:
        """How long it was held."""
        return self.release_ns - self.contact_ns


def holds(case: Case) -> tuple[Hold, ...]:
    """Return when each arm held something; an arm that never did is left out."""
    return case.keep("holds", lambda: tuple(_holds(case)))


def hold(case: Case) -> Hold | None:
    """Return the longest hold of all arms; None where nothing was held or no stream shows it."""
    return max(holds(case), key=lambda one: one.lasted_ns, default=None)


def opening(case: Case, arm: str = "") -> tuple[Signal, Floats] | None:
    """Return the gripper whose width is in metres, and that width; None where there is none."""
    for one in of_arm(signals(case, StreamKind.GRIPPER), arm):
        width = _width(one, case.parameter("force.window", "mirrored"))
        if width is not None:
            return one, width
    return None


def _holds(case: Case) -> Iterator[Hold]:
    for arm in arms(case):
        found = _find(case, arm)
        if found is not None:
            yield replace(found, arm=arm)


def _find(case: Case, arm: str) -> Hold | None:
    least_n = case.parameter("force.window", "contact_n")
    shortest_ns = case.parameter("force.window", "shortest_s") * NS_PER_S
    if forces := of_arm(signals(case, StreamKind.GRIPPER, unit="N"), arm):
        with np.errstate(invalid="ignore"):
            felt = [_longest(one, np.abs(one.values).max(axis=1) > least_n, shortest_ns) for one in forces]
        return max((one for one in felt if one is not None), key=lambda one: one.lasted_ns, default=None)
    wide = opening(case, arm)
    if wide is None:
        return None
    one, width = wide
    widest, narrowest = float(np.nanmax(width)), float(np.nanmin(width))
    if widest - narrowest < case.parameter("force.window", "closing_m"):
        return None
    # near the narrowest, not half-way: fingers that close part of the way before contact hold nothing yet
    shut = narrowest + case.parameter("force.window", "shut_share") * (widest - narrowest)
    return _longest(one, width < shut, shortest_ns)


def _longest(one: Signal, held: NDArray[np.bool_], shortest_ns: float) -> Hold | None:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], held, [False]]).astype(np.int8)))
    first, last = edges[::2], edges[1::2] - 1
    lasted = one.times_ns[last] - one.times_ns[first]
    long_enough = np.flatnonzero(lasted >= shortest_ns)
    if not len(long_enough):
        return None
    best = int(long_enough[np.argmax(lasted[long_enough])])
    begin, end = int(one.times_ns[first[best]]), int(one.times_ns[last[best]])
    return Hold(begin, end, len(long_enough), bool(last[best] < len(held) - 1), one.name)


def _width(one: Signal, mirrored: float) -> Floats | None:
    """Return the gripper's width: as recorded in metres, or the distance between two fingers that mirror each other."""
    values = one.values
    if one.stream.unit == "m" and values.shape[1] == 1:
        width: Floats = values[:, 0]
        return width
    if one.stream.unit in ("m", "") and values.shape[1] == FINGERS and np.isfinite(values).all():
        left, right = values.T
        if left.std() > 0 and right.std() > 0 and np.corrcoef(left, right)[0, 1] < mirrored:
            return np.asarray(np.abs(left - right))
    return None

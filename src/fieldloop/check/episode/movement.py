"""When did the robot move? Told from its joints and gripper, or from its commands where those are missing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.signal import Signal, paced, signals
from fieldloop.model.stream import NS_PER_S, StreamKind

FORCES = ("N", "N·m")
FALLBACKS = (
    (StreamKind.JOINT_POSITION, StreamKind.GRIPPER),
    (StreamKind.ACTION,),
    (StreamKind.POSE, StreamKind.HAND_POSE),
)


@dataclass(frozen=True, slots=True)
class Movement:
    """Moments at which something was known to move; onset and offset of all of it."""

    moving_ns: NDArray[np.int64]
    window_ns: int
    start_ns: int
    end_ns: int
    told_by: str
    paced: bool = True
    """Do the stamps of the streams that told it say how much time passed?"""

    @property
    def onset_ns(self) -> int:
        """First movement."""
        return int(self.moving_ns[0])

    @property
    def offset_ns(self) -> int:
        """Last movement."""
        return int(self.moving_ns[-1])

    def within(self, start_ns: int, end_ns: int) -> float:
        """How many seconds of this span are known to be in motion?"""
        inside = self.moving_ns[(self.moving_ns >= start_ns) & (self.moving_ns <= end_ns)]
        if len(inside) < 2:  # noqa: PLR2004 - a duration needs two moments
            return 0.0
        steps = np.diff(inside)
        return float(steps[steps <= 2 * self.window_ns].sum() / NS_PER_S)


def movement(case: Case, without: str = "") -> Movement | None:
    """Return when the robot moved, told by streams other than `without`; None where nothing tells or nothing moves."""
    return case.keep(("movement", without), lambda: _find(case, without))


def still(case: Case) -> str:
    """Say why movement cannot be told."""
    known = [stream for kinds in FALLBACKS for stream in case.streams(*kinds) if stream.values is not None]
    return (
        "nothing moves in this recording."
        if known
        else "no joint, gripper, action or pose stream says when the robot moves."
    )


def _find(case: Case, without: str) -> Movement | None:
    groups = [[one for one in signals(case, *kinds) if _tells(one, without)] for kinds in FALLBACKS]
    if without:  # where a stream is in doubt every other one is a witness
        groups = [[one for group in groups for one in group]]
    told = next((group for group in groups if group), [])
    times = np.sort(np.concatenate([_moments(case, one) for one in told])) if told else np.empty(0, np.int64)
    if not len(times):
        return None
    window = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
    start, end = min(one.times_ns[0] for one in told), max(one.times_ns[-1] for one in told)
    told_by, known = ", ".join(one.name for one in told), all(paced(one.stream) for one in told)
    return Movement(times, window, int(start), int(end), told_by, known)


def _tells(one: Signal, without: str) -> bool:
    own = bool(without) and (one.name == without or one.name.startswith(f"{without}/"))
    return one.stream.unit not in FORCES and not own


def _moments(case: Case, one: Signal) -> NDArray[np.int64]:
    """Return the stamps in the midst of movement; taken once, whoever else is asked beside it."""
    return case.keep(("moving", one.name), lambda: _moving(case, one))


def _moving(case: Case, one: Signal) -> NDArray[np.int64]:
    """Find the stamps in the midst of movement: the value differs both from a window before and from one behind.

    So a movement is found a little shorter than it is, and a still second before it is never cut short.
    """
    times, columns = one.times_ns, np.ascontiguousarray(one.values.T)
    window_ns = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
    here = np.arange(len(times))
    before = np.maximum(np.minimum(np.searchsorted(times, times - window_ns, side="right") - 1, here - 1), 0)
    behind = np.minimum(np.maximum(np.searchsorted(times, times + window_ns), here + 1), len(times) - 1)
    came, goes = _speed(times, columns, before, here), _speed(times, columns, here, behind)
    threshold = _threshold(case, one.stream.unit, came)
    return times[(came > threshold) & (goes > threshold)]


def _speed(
    times: NDArray[np.int64], columns: NDArray[np.float64], start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how fast the fastest column went from one sample to another; what is not finite did not move."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(columns.take(end, axis=1) - columns.take(start, axis=1))
    distance[~np.isfinite(distance)] = 0.0
    span_s = np.maximum(times[end] - times[start], 1) / NS_PER_S
    speed: NDArray[np.float64] = distance.max(axis=0, initial=0.0) / span_s
    return speed


def _threshold(case: Case, unit: str, speed: NDArray[np.float64]) -> float:
    named = {"rad": "episode.moving_rad_s", "m": "episode.moving_m_s"}.get(unit)
    if named:
        return float(case.protocol.setting(named))
    return float(case.protocol.setting("episode.moving_share")) * float(speed.max(initial=0.0))

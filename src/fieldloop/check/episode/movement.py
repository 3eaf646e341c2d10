"""When did the robot move? Told from its joints and gripper, or from its commands where those are missing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind

FEWEST = 4
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
    return case.keep(("movement", without), lambda: _find(case, without))  # type: ignore[no-any-return] # kept as made


def still(case: Case) -> str:
    """Say why movement cannot be told."""
    known = [stream for kinds in FALLBACKS for stream in case.streams(*kinds) if stream.values is not None]
    return (
        "nothing moves in this recording."
        if known
        else "no joint, gripper, action or pose stream says when the robot moves."
    )


def _find(case: Case, without: str) -> Movement | None:
    groups = [[s for s in case.streams(*kinds) if _tells(s, without)] for kinds in FALLBACKS]
    if without:  # where a stream is in doubt every other one is a witness
        groups = [[stream for group in groups for stream in group]]
    streams = next((group for group in groups if group), [])
    times = np.sort(np.concatenate([_moving(case, stream) for stream in streams])) if streams else np.empty(0, np.int64)
    if not len(times):
        return None
    window = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
    start, end = min(s.times_ns.min() for s in streams), max(s.times_ns.max() for s in streams)
    return Movement(times, window, int(start), int(end), ", ".join(s.name for s in streams))


def _tells(stream: Stream, without: str) -> bool:
    own = bool(without) and (stream.name == without or stream.name.startswith(f"{without}/"))
    return stream.values is not None and stream.unit not in FORCES and len(stream) >= FEWEST and not own


def _moving(case: Case, stream: Stream) -> NDArray[np.int64]:
    """Return the stamps in the midst of movement: the value differs both from a window before and from one behind.

    So a movement is found a little shorter than it is, and a still second before it is never cut short.
    """
    assert stream.values is not None
    order = np.argsort(stream.times_ns, kind="stable")
    times, values = stream.times_ns[order], stream.values[order].reshape(len(stream), -1).astype(np.float64)
    window_ns = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
    here = np.arange(len(times))
    before = np.clip(np.minimum(np.searchsorted(times, times - window_ns, side="right") - 1, here - 1), 0, None)
    behind = np.clip(np.maximum(np.searchsorted(times, times + window_ns), here + 1), None, len(times) - 1)
    came, goes = _speed(times, values, before, here), _speed(times, values, here, behind)
    threshold = _threshold(case, stream.unit, came)
    return times[(came > threshold) & (goes > threshold)]


def _speed(
    times: NDArray[np.int64], values: NDArray[np.float64], start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how fast the fastest column went from one sample to another; what is not finite did not move."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(values[end] - values[start])
    distance[~np.isfinite(distance)] = 0.0
    span_s = np.maximum(times[end] - times[start], 1) / NS_PER_S
    speed: NDArray[np.float64] = distance.max(axis=1, initial=0.0) / span_s
    return speed


def _threshold(case: Case, unit: str, speed: NDArray[np.float64]) -> float:
    named = {"rad": "episode.moving_rad_s", "m": "episode.moving_m_s"}.get(unit)
    if named:
        return float(case.protocol.setting(named))
    return float(case.protocol.setting("episode.moving_share")) * float(speed.max(initial=0.0))

"""When did the robot move? Told from its joints and gripper, or from its commands where those are missing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind

FEWEST = 4
FALLBACKS = ((StreamKind.JOINT_POSITION, StreamKind.GRIPPER), (StreamKind.ACTION,), (StreamKind.POSE, StreamKind.HAND_POSE))


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
    """Return when the robot moved, told by streams other than `without`; None where nothing can tell or nothing moves."""
    return case.keep(("movement", without), lambda: _find(case, without))  # type: ignore[no-any-return] # kept as made


def still(case: Case) -> str:
    """Say why movement cannot be told."""
    known = [stream for kinds in FALLBACKS for stream in case.streams(*kinds) if stream.values is not None]
    return "nothing moves in this recording." if known else "no joint, gripper, action or pose stream says when the robot moves."


def _find(case: Case, without: str) -> Movement | None:
    for kinds in FALLBACKS:
        streams = [
            s for s in case.streams(*kinds)
            if s.values is not None and s.unit not in ("N", "N·m") and len(s) >= FEWEST and s.name != without
        ]  # fmt: skip
        streams = [s for s in streams if not (without and s.name.startswith(f"{without}/"))]
        if not streams:
            continue
        times = np.sort(np.concatenate([_moving(case, stream) for stream in streams]))
        if not len(times):
            return None
        window = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
        start, end = min(s.times_ns.min() for s in streams), max(s.times_ns.max() for s in streams)
        return Movement(times, window, int(start), int(end), ", ".join(s.name for s in streams))
    return None


def _moving(case: Case, stream: Stream) -> NDArray[np.int64]:
    """Return the stamps at which the stream moves: it came from elsewhere within the window, or goes elsewhere.

    Both ends of a movement are reached from inside it, so that a still second before it is counted in full.
    """
    assert stream.values is not None
    order = np.argsort(stream.times_ns, kind="stable")
    times, values = stream.times_ns[order], stream.values[order].reshape(len(stream), -1).astype(np.float64)
    window_ns = round(case.protocol.setting("episode.moving_window_s") * NS_PER_S)
    before = np.clip(np.searchsorted(times, times - window_ns, side="right") - 1, 0, None)
    span_s = np.maximum(times - times[before], 1) / NS_PER_S
    with np.errstate(invalid="ignore", over="ignore"):
        speed = np.nan_to_num(np.abs(values - values[before]), nan=0.0, posinf=0.0).max(axis=1) / span_s
    speed[before == np.arange(len(times))] = 0.0
    moving = speed > _threshold(case, stream.unit, speed)
    return np.unique(np.concatenate([times[moving], times[before[moving]] + np.minimum(window_ns // 2, 0)]))[
        _trim(moving, before) :
    ]


def _trim(moving: NDArray[np.bool_], before: NDArray[np.int64]) -> int:
    """The first stamps found this way lie up to a window before anything moves: begin where movement is certain."""
    if not moving.any():
        return 0
    first = int(np.argmax(moving))
    return first - int(before[first])


def _threshold(case: Case, unit: str, speed: NDArray[np.float64]) -> float:
    named = {"rad": "episode.moving_rad_s", "m": "episode.moving_m_s"}.get(unit)
    if named:
        return float(case.protocol.setting(named))
    return float(case.protocol.setting("episode.moving_share")) * float(speed.max(initial=0.0))

"""The lag between two signals that should move together, from their speeds."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_S, Stream

FEWEST_STEPS = 20
Signal = NDArray[np.float64]


class NotComparable(Exception):
    """Why no lag can be told; a sentence."""


def lag_between(leader: Stream, follower: Stream, longest_s: float) -> tuple[float, float]:
    """Return by how many seconds the follower trails the leader, and how well their speeds correlate at that shift.

    Both are put on one grid at the slower one's rate. The peak is refined by a parabola through its neighbours.
    """
    lead, follow = _columns(leader, follower)
    grid_ns = _grid(leader, follower)
    step_s = float(grid_ns[1] - grid_ns[0]) / NS_PER_S
    fast, slow = (_speeds(s, columns, grid_ns) for s, columns in ((leader, lead), (follower, follow)))
    moving = (fast.std(axis=0) > 0) & (slow.std(axis=0) > 0)
    if not moving.any():
        raise NotComparable("the joints that are commanded do not move.")
    most = min(round(longest_s / step_s), len(fast) // 2)
    shifts = np.arange(-most, most + 1)
    scores = np.asarray([_correlation(fast[:, moving], slow[:, moving], int(shift)) for shift in shifts])
    best = int(np.argmax(scores))
    return float((shifts[best] + _refine(scores, best)) * step_s), float(scores[best])


def _columns(leader: Stream, follower: Stream) -> tuple[list[int], list[int]]:
    """Pair columns by name, by position where there are no names and as many of each."""
    assert leader.values is not None
    assert follower.values is not None
    if leader.columns and follower.columns:
        shared = [name for name in leader.columns if name in follower.columns]
        if shared:
            return [leader.columns.index(n) for n in shared], [follower.columns.index(n) for n in shared]
    width = follower.values.shape[1]
    if leader.values.shape[1] != width:
        raise NotComparable(f"{leader.values.shape[1]} commands do not pair with {width} joints by name or number.")
    return list(range(width)), list(range(width))


def _grid(one: Stream, other: Stream) -> NDArray[np.int64]:
    start, end = max(one.times_ns.min(), other.times_ns.min()), min(one.times_ns.max(), other.times_ns.max())
    period = max(float(np.median(np.abs(np.diff(s.times_ns)))) if len(s) > 1 else NS_PER_S for s in (one, other))
    count = int((end - start) / max(period, 1.0))
    if count < FEWEST_STEPS:
        raise NotComparable("commands and motion overlap too briefly to tell a lag.")
    steps_ns: NDArray[np.int64] = (np.arange(count) * period).astype(np.int64)
    return steps_ns + int(start)


def _speeds(stream: Stream, columns: list[int], grid_ns: NDArray[np.int64]) -> Signal:
    assert stream.values is not None
    order = np.argsort(stream.times_ns, kind="stable")
    base = int(grid_ns[0])
    times, when = (stream.times_ns[order] - base).astype(np.float64), (grid_ns - base).astype(np.float64)
    values = np.nan_to_num(stream.values[order][:, columns].astype(np.float64))
    placed = np.stack([np.interp(when, times, column) for column in values.T], axis=1)
    return np.diff(placed, axis=0)


def _correlation(lead: Signal, follow: Signal, shift: int) -> float:
    """Mean correlation over joints of lead[t] with follow[t + shift], each joint weighted alike."""
    one = lead[: len(lead) - shift] if shift >= 0 else lead[-shift:]
    two = follow[shift:] if shift >= 0 else follow[:shift]
    one, two = one - one.mean(axis=0), two - two.mean(axis=0)
    scale = np.sqrt((one**2).sum(axis=0) * (two**2).sum(axis=0))
    useful = scale > 0
    if not useful.any():
        return 0.0
    return float(((one * two).sum(axis=0)[useful] / scale[useful]).mean())


def _refine(scores: Signal, best: int) -> float:
    if not 0 < best < len(scores) - 1:
        return 0.0
    left, middle, right = scores[best - 1 : best + 2]
    bend = left - 2 * middle + right
    return float(0.5 * (left - right) / bend) if bend < 0 else 0.0

"""The lag between two signals that should move together, from their speeds, and how well it is known."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.episode.signal import Floats, Signal
from fieldloop.model.stream import NS_PER_S

FEWEST_STEPS = 20
BLOCKS = 6
"""Leaving out each of so many stretches in turn shows how much the lag depends on any of them."""

T_OF_BLOCKS = 2.571
"""Two-sided 95 % of Student's t with five degrees of freedom: six stretches less one."""

FINEST = 0.1
"""A parabola through three samples of a peak is wrong by up to a tenth of a step."""


class NotComparable(Exception):
    """Why no lag can be told; a sentence."""


@dataclass(frozen=True, slots=True)
class Lag:
    """By how many seconds the follower trails, with a 95 % half-width, and how well the speeds correlate there."""

    seconds: float
    half_width: float
    agreement: float


def lag_between(leader: Signal, follower: Signal, longest_s: float) -> Lag:
    """Return by how many seconds the follower trails the leader.

    Both are put on one grid at the slower one's rate. The peak is refined by a parabola through its neighbours; its
    uncertainty is a jackknife over stretches of time.
    """
    lead, follow = paired_columns(leader, follower)
    grid_ns = _grid(leader, follower)
    step_s = float(grid_ns[1] - grid_ns[0]) / NS_PER_S
    fast, slow = (np.diff(placed(s, columns, grid_ns), axis=0) for s, columns in ((leader, lead), (follower, follow)))
    moving = (fast.std(axis=0) > 0) & (slow.std(axis=0) > 0)
    if not moving.any():
        raise NotComparable("the joints that are commanded do not move.")
    most = min(round(longest_s / step_s), len(fast) // 2)
    sums = _sums(fast[:, moving], slow[:, moving], most)
    whole = sums.sum(axis=1, keepdims=True)
    scores = _scores(np.concatenate([whole, whole - sums], axis=1))
    best = np.argmax(scores, axis=0)
    lags = np.asarray([best[i] - most + _refine(scores[:, i], int(best[i])) for i in range(scores.shape[1])]) * step_s
    left_out = lags[1:]
    spread = np.sqrt((BLOCKS - 1) / BLOCKS * ((left_out - left_out.mean()) ** 2).sum())
    half = T_OF_BLOCKS * float(spread) + FINEST * step_s
    return Lag(float(lags[0]), half, float(scores[best[0], 0]))


def paired_columns(leader: Signal, follower: Signal) -> tuple[list[int], list[int]]:
    """Pair columns by name, by position where there are no names and as many of each."""
    if leader.columns and follower.columns:
        shared = [name for name in leader.columns if name in follower.columns]
        if shared:
            return [leader.columns.index(n) for n in shared], [follower.columns.index(n) for n in shared]
    width = follower.values.shape[1]
    if leader.values.shape[1] != width:
        raise NotComparable(f"{leader.values.shape[1]} commands do not pair with {width} joints by name or number.")
    return list(range(width)), list(range(width))


def placed(one: Signal, columns: list[int], when_ns: NDArray[np.int64]) -> Floats:
    """Return columns of a stream at these moments, straight lines between its samples."""
    base = int(when_ns[0])
    times, when = (one.times_ns - base).astype(np.float64), (when_ns - base).astype(np.float64)
    values = one.values[:, columns]
    values[~np.isfinite(values)] = 0.0
    return np.stack([np.interp(when, times, column) for column in values.T], axis=1)


def _grid(one: Signal, other: Signal) -> NDArray[np.int64]:
    start, end = max(one.times_ns[0], other.times_ns[0]), min(one.times_ns[-1], other.times_ns[-1])
    period = max(one.period_s, other.period_s) * NS_PER_S
    count = int((end - start) / max(period, 1.0))
    if count < FEWEST_STEPS:
        raise NotComparable("commands and motion overlap too briefly to tell a lag.")
    steps_ns: NDArray[np.int64] = (np.arange(count) * period).astype(np.int64)
    return steps_ns + int(start)


def _sums(lead: Floats, follow: Floats, most: int) -> Floats:
    """Return for every shift, stretch and joint the sums a correlation is made of: xy, xx, yy.

    A row of `lead` belongs to the stretch it lies in, whatever the shift; pairs that reach over an end are left out.
    """
    lead, follow = lead - lead.mean(axis=0), follow - follow.mean(axis=0)
    count = len(lead)
    edges = np.linspace(0, count, BLOCKS + 1).astype(np.int64)
    shifts = np.arange(-most, most + 1)[:, None]
    first = np.clip(edges[:-1], -shifts, count - shifts)
    last = np.maximum(first, np.clip(edges[1:], -shifts, count - shifts))
    ours, theirs = (np.vstack([np.zeros(x.shape[1]), np.cumsum(x**2, axis=0)]) for x in (lead, follow))
    return np.stack(
        [
            _products(lead, follow, edges, most),
            ours[last] - ours[first],
            theirs[last + shifts] - theirs[first + shifts],
        ],
        axis=3,
    )


def _products(lead: Floats, follow: Floats, edges: NDArray[np.int64], most: int) -> Floats:
    """Return the sums of lead[t] × follow[t + shift] over each stretch, by Fourier transform: all shifts at once."""
    size = 1 << int(np.ceil(np.log2(len(lead) + most)))
    stretches = np.zeros((BLOCKS, len(lead), lead.shape[1]))
    for number, (begin, end) in enumerate(pairwise(edges)):
        stretches[number, begin:end] = lead[begin:end]
    spectrum = np.conj(np.fft.rfft(stretches, size, axis=1)) * np.fft.rfft(follow, size, axis=0)
    cross = np.fft.irfft(spectrum, size, axis=1)
    return np.asarray(np.moveaxis(cross[:, np.arange(-most, most + 1)], 1, 0))


def _scores(sums: Floats) -> Floats:
    """Return the mean correlation over joints, each with equal say, for every shift and every choice of stretches."""
    scale = np.sqrt(sums[..., 1] * sums[..., 2])
    useful = scale > 0
    correlation = np.divide(sums[..., 0], scale, out=np.zeros_like(scale), where=useful)
    return np.asarray(correlation.sum(axis=2) / np.maximum(useful.sum(axis=2), 1))


def _refine(scores: Floats, best: int) -> float:
    if not 0 < best < len(scores) - 1:
        return 0.0
    left, middle, right = scores[best - 1 : best + 2]
    bend = left - 2 * middle + right
    return float(0.5 * (left - right) / bend) if bend < 0 else 0.0

"""The lag between two signals that should move together, from their speeds, and how well it is known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.signals.signal import Floats, Signal, replace_infinite_by_nan
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S

BLOCKS = 6
"""Number of stretches in the jackknife: leaving out each in turn shows how much the lag depends on it."""

T_OF_BLOCKS = 2.571
"""Two-sided 95 % of Student's t with five degrees of freedom: six stretches less one."""

SAME = 1e-3
"""Moments within this share of a period of a sample take its value; no interpolation is needed."""

FINEST = 0.1
"""A parabola through three samples of a peak is wrong by up to a tenth of a step."""


class NotComparable(Exception):
    """Why two signals cannot be compared."""

    def __init__(self, reason: Note) -> None:
        super().__init__(reason.code)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Lag:
    """The follower's lag in seconds, its 95 % half-width, and the correlation of the speeds at that lag."""

    seconds: float
    half_width: float
    agreement: float


@dataclass(frozen=True, slots=True)
class Search:
    """How far lags are searched (s): at all, and again without one stretch; and the fewest steps in common."""

    longest_s: float
    near_s: float
    fewest_steps: float


def estimate_lag_between(leader: Signal, follower: Signal, lag_search: Search) -> Lag:
    """Return the follower's lag behind the leader in seconds.

    Both are put on one grid at the slower one's rate. The peak is refined by a parabola through its neighbours; its
    uncertainty comes from a jackknife over stretches of time. Where leaving one out moves the peak by more than
    `near_s`, the lag is unknown.
    """
    lead, follow, step_s = _compute_paired_speeds(leader, follower, lag_search.fewest_steps)
    most = min(round(lag_search.longest_s / step_s), lead.shape[1] // 2)
    shifts = np.arange(-most, most + 1)
    sums = _Sums(lead, follow)
    scores = _compute_mean_correlation(sums.compute_shifted_products(most), *sums.compute_shifted_squares(shifts))
    best = int(np.argmax(scores))
    reach = max(3, round(lag_search.near_s / step_s))
    near = shifts[max(0, best - reach) : best + reach + 1]
    left_out = [_find_score_peak(near, one) for one in sums.compute_jackknife_scores(near)]
    half = float("inf")
    if all(lag is not None for lag in left_out):
        spread = np.sqrt((BLOCKS - 1) * float(np.var(np.asarray(left_out, float) * step_s)))
        half = T_OF_BLOCKS * float(spread) + FINEST * step_s
    return Lag(
        float(shifts[best] + _refine_peak_position(scores, best)) * step_s,
        min(half, lag_search.longest_s),
        float(scores[best]),
    )


def pair_columns(leader: Signal, follower: Signal) -> tuple[list[int], list[int]]:
    """Pair columns by name; without names, by position if both have equally many."""
    theirs = {name: index for index, name in enumerate(follower.columns)}
    if shared := [(index, theirs[name]) for index, name in enumerate(leader.columns) if name in theirs]:
        return [ours for ours, _ in shared], [other for _, other in shared]
    width = follower.values.shape[1]
    if leader.values.shape[1] != width:
        raise NotComparable(note("check.commands_do_not_pair", commands=leader.values.shape[1], joints=width))
    return list(range(width)), list(range(width))


def interpolate_signal(source_signal: Signal, columns: list[int], times_ns: NDArray[np.int64]) -> Floats:
    """Return columns of a stream at these moments, interpolated linearly."""
    own_ns = source_signal.times_ns[: len(times_ns)]
    if len(own_ns) == len(times_ns) and np.abs(own_ns - times_ns).max() <= SAME * source_signal.period_s * NS_PER_S:
        return replace_infinite_by_nan(source_signal.values[: len(times_ns), columns])
    base = int(times_ns[0])
    times, when = (source_signal.times_ns - base).astype(np.float64), (times_ns - base).astype(np.float64)
    values = replace_infinite_by_nan(source_signal.values[:, columns])
    return np.stack([np.interp(when, times, column) for column in values.T], axis=1)


def _compute_paired_speeds(leader: Signal, follower: Signal, min_samples: float) -> tuple[Floats, Floats, float]:
    """Return the centred change per step of each paired column (columns × steps) of both, and the step."""
    ours, theirs = pair_columns(leader, follower)
    grid_ns = _make_common_time_grid(leader, follower, min_samples)
    lead, follow = (np.diff(interpolate_signal(one, c, grid_ns).T) for one, c in ((leader, ours), (follower, theirs)))
    lead, follow = (steps - steps.mean(axis=1, keepdims=True) for steps in (lead, follow))
    moving = (np.abs(lead).max(axis=1) > 0) & (np.abs(follow).max(axis=1) > 0)
    if not moving.any():
        raise NotComparable(note("check.commanded_joints_still"))
    return lead[moving], follow[moving], float(grid_ns[1] - grid_ns[0]) / NS_PER_S


def _make_common_time_grid(first: Signal, second: Signal, min_samples: float) -> NDArray[np.int64]:
    start, end = max(first.times_ns[0], second.times_ns[0]), min(first.times_ns[-1], second.times_ns[-1])
    period = max(first.period_s, second.period_s) * NS_PER_S
    count = int((end - start) / max(period, 1.0))
    if count < min_samples:
        raise NotComparable(note("check.overlap_too_short"))
    steps_ns: NDArray[np.int64] = (np.arange(count) * period).astype(np.int64)
    return steps_ns + int(start)


class _Sums:
    """The sums that correlations need, for every shift of the follower: xy, xx and yy of each joint."""

    def __init__(self, lead: Floats, follow: Floats) -> None:
        self.lead, self.follow, self.count = lead, follow, lead.shape[1]
        self.ours, self.theirs = (_compute_running_sums(x**2) for x in (lead, follow))

    def compute_shifted_products(self, max_shift: int) -> Floats:
        """Return the sums of lead[t] × follow[t + shift] for all shifts at once, by Fourier transform."""
        size = 1 << int(np.ceil(np.log2(self.count + max_shift)))
        spectrum = np.conj(np.fft.rfft(self.lead, size)) * np.fft.rfft(self.follow, size)
        return np.asarray(np.fft.irfft(spectrum, size)[:, np.arange(-max_shift, max_shift + 1)])

    def compute_shifted_squares(self, shifts: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the sums of squares over the rows that are paired at each shift."""
        first, last = np.maximum(0, -shifts), np.minimum(self.count, self.count - shifts)
        ours: Floats = self.ours[:, last] - self.ours[:, first]
        return ours, self.theirs[:, last + shifts] - self.theirs[:, first + shifts]

    def compute_jackknife_scores(self, shifts: NDArray[np.int64]) -> Floats:
        """Return the scores at these consecutive shifts with each stretch left out: stretches × shifts."""
        edges = np.linspace(0, self.count, BLOCKS + 1).astype(np.int64)
        most = int(np.abs(shifts).max())
        padded = np.zeros((len(self.follow), self.count + 2 * most))
        padded[:, most : most + self.count] = self.follow
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.count, axis=1)
        moved = windows[:, most + shifts[0] : most + shifts[-1] + 1]
        products = np.add.reduceat(self.lead[:, None] * moved, edges[:-1], axis=2)
        first, last = np.maximum(0, -shifts)[:, None], np.minimum(self.count, self.count - shifts)[:, None]
        at = np.clip(edges, first, last)
        squares = (np.diff(self.ours[:, at]), np.diff(self.theirs[:, at + shifts[:, None]]))
        return _compute_mean_correlation(*(x.sum(axis=2, keepdims=True) - x for x in (products, *squares))).T


def _compute_running_sums(values: Floats) -> Floats:
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def _compute_mean_correlation(products: Floats, lead_squares: Floats, follow_squares: Floats) -> Floats:
    """Return the mean correlation over joints (rows), equally weighted; rounding may make a sum negative."""
    scale = np.sqrt(np.maximum(lead_squares, 0.0) * np.maximum(follow_squares, 0.0))
    useful = scale > 0
    correlation = np.divide(products, scale, out=np.zeros_like(scale), where=useful)
    return np.asarray(correlation.sum(axis=0) / np.maximum(useful.sum(axis=0), 1))


def _find_score_peak(shifts: NDArray[np.int64], scores: Floats) -> float | None:
    """Return where the scores peak; None where that is at an end, as the true peak lies beyond."""
    best = int(np.argmax(scores))
    return float(shifts[best] + _refine_peak_position(scores, best)) if 0 < best < len(scores) - 1 else None


def _refine_peak_position(scores: Floats, best_index: int) -> float:
    if not 0 < best_index < len(scores) - 1:
        return 0.0
    left, middle, right = scores[best_index - 1 : best_index + 2]
    bend = left - 2 * middle + right
    return float(0.5 * (left - right) / bend) if bend < 0 else 0.0

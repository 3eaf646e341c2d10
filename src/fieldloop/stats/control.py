"""Control chart for a series of batches: limits for sudden changes that slow drift and autocorrelation do not exceed.

Each batch is compared with the median of the few before it, in units of how much such differences usually vary: slow
drift moves the comparison along, and autocorrelation shrinks both sides alike. The critical number of units comes from
simulated series without any change, with the same estimates made from them.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

Floats = NDArray[np.float64]
MEMORY = 3
"""A batch is compared with this many before it: enough for a median, few enough to follow a drift."""

QUIET = 0.8
"""Share of the differences from which the spread is estimated: the largest may be other changes."""

QUIET_SPREAD = 0.6615
"""Root mean square of the smaller 80 % of absolute standard normal values."""

SIMULATED = 20_000  # series: they give the 99 % quantile to a few percent
LONG = 30  # batches from which on Student's distribution is within 3 % of the simulation
MEDIAN_VARIANCE = 0.4487
"""Variance of the median of three standard normal numbers, 1 - sqrt(3)/pi."""

ONE = math.sqrt(1.0 + MEDIAN_VARIANCE)
"""Standard deviation of a standard normal number less the median of three others."""

FEWEST = 3 * MEMORY
"""Fewest batches for limits: with fewer, the spread would be based on two or three differences."""

TINY = 1e-12  # keeps a division by zero apart
MOST_ALARM = 0.5  # a chart that alarms more often than not tells nothing


@dataclass(frozen=True, slots=True)
class Chart:
    """For each batch its expected value and its limits; NaN while too few batches precede it."""

    values: Floats
    expected: Floats
    low: Floats
    high: Floats

    @property
    def alerts(self) -> NDArray[np.intp]:
        """Return the batches outside their limits."""
        return np.flatnonzero((self.values < self.low) | (self.values > self.high))


def compute_control_chart(values: Floats, errors: Floats, false_alarm_rate: float) -> Chart:
    """Compute the control limits of a series.

    `errors` are the standard errors of the values from each batch alone: limits are never narrower, even where all
    values happen to be equal. `false_alarm_rate` is the probability of any alert in the whole series when nothing
    changes.

    >>> steady = np.asarray([0.0, 0.1, -0.1, 0.05, 0.0, -0.05, 0.1, 0.0, 0.02, -0.02])
    >>> compute_control_chart(np.append(steady, 3.0), np.full(11, 0.05), 0.01).alerts.tolist()
    [10]
    """
    if values.shape != errors.shape or values.ndim != 1:
        raise BadInput("Every batch needs one value and one standard error.")
    if not 0.0 < false_alarm_rate <= MOST_ALARM:
        raise BadInput(f"A false-alarm chance of {false_alarm_rate!r} is not between 0 and {MOST_ALARM}.")
    expected = np.full(len(values), np.nan)
    half = np.full(len(values), np.nan)
    if len(values) >= FEWEST:
        before = np.median(_list_sliding_windows(values), axis=-1)
        expected[MEMORY:] = before
        scaled = (values[MEMORY:] - before) / errors[MEMORY:]
        half[MEMORY:] = _compute_half_width(scaled, len(values), false_alarm_rate, min_half_width=ONE) * errors[MEMORY:]
    return Chart(values, expected, expected - half, expected + half)


def compute_share_control_chart(hits: Sequence[int], trials: Sequence[int], false_alarm_rate: float) -> Chart:
    """Compute the control limits of shares, in normal quantiles of their exact probability.

    Each batch's hits are compared with those of the few before it (hypergeometric, mid-p), so that two hits where none
    is usual do not alarm in a small batch; overdispersion widens the limits.

    >>> compute_share_control_chart([0] * 11 + [8], [16] * 12, 0.01).alerts.tolist()
    [11]
    """
    good, tried = np.asarray(hits, dtype=np.int64), np.asarray(trials, dtype=np.int64)
    if good.shape != tried.shape or np.any(good < 0) or np.any(good > tried):
        raise BadInput("Every batch needs its trials, and at most as many hits as trials.")
    values, half = np.full(len(good), np.nan), np.full(len(good), np.nan)
    if len(good) >= FEWEST:
        values[MEMORY:] = _compute_hit_quantiles(good, tried)
        half[MEMORY:] = _compute_half_width(values[MEMORY:], len(good), false_alarm_rate, min_half_width=1.0)
    return Chart(values, np.where(np.isnan(half), np.nan, 0.0), -half, half)


def _compute_hit_quantiles(batch_hits: NDArray[np.int64], trials: NDArray[np.int64]) -> Floats:
    """Return the normal quantile of each batch's hits given those of the batches before it."""
    from scipy.special import ndtri
    from scipy.stats import hypergeom

    before, tried_before = (_list_sliding_windows(n).sum(axis=-1) for n in (batch_hits, trials))
    hits, total = batch_hits[MEMORY:], trials[MEMORY:]
    law = hypergeom(tried_before + total, before + hits, total)
    below = law.cdf(hits) - 0.5 * law.pmf(hits)
    return np.asarray(ndtri(np.clip(below, TINY, 1.0 - TINY)))


def _list_sliding_windows(values: NDArray[Any]) -> NDArray[Any]:
    """Return the batches before each one that has enough of them."""
    return np.lib.stride_tricks.sliding_window_view(values, MEMORY, axis=-1)[..., :-1, :]


def _compute_half_width(differences: Floats, batches: int, false_alarm_rate: float, min_half_width: float) -> Floats:
    """Return half the width of the limits: by the estimated spread, and at least the sampling error.

    The first alone controls false alarms; the second matters where all batches happen to be equal.
    """
    from scipy.special import ndtri

    sampling = min_half_width * float(ndtri(1.0 - false_alarm_rate / (2.0 * (batches - MEMORY))))
    return np.maximum(
        _compute_critical_value(batches, round(false_alarm_rate, 12)) * _estimate_spreads(differences), sampling
    )


def _estimate_spreads(differences: Floats) -> Floats:
    """Return for each difference the root mean square of the smaller others.

    Differences that the same change would affect, through the memory, are left out: a change must not mask itself.
    """
    size = np.abs(differences)
    count = size.shape[-1]
    spreads = np.empty_like(size)
    for at in range(count):
        others = np.delete(size, np.s_[at : at + MEMORY], axis=-1)
        kept = math.ceil(QUIET * others.shape[-1])
        small = np.partition(others, kept - 1, axis=-1)[..., :kept]
        spreads[..., at] = np.sqrt(np.mean(small**2, axis=-1))
    return spreads


@functools.lru_cache(maxsize=256)
def _compute_critical_value(batches: int, false_alarm_rate: float) -> float:
    """Return how many spreads the largest difference of a series without change exceeds with this probability.

    A long series is not simulated: its differences follow Student's distribution with about as many degrees of freedom
    as it has batches (at 30, 60 and 100 batches within 3 % of the simulation).
    """
    if batches > LONG:
        from scipy.special import stdtrit

        single = false_alarm_rate / (2.0 * (batches - MEMORY))
        return float(stdtrit(batches, 1.0 - single)) / QUIET_SPREAD
    calm = np.random.default_rng(0).normal(size=(SIMULATED, batches))
    differences = calm[:, MEMORY:] - np.median(_list_sliding_windows(calm), axis=-1)
    largest = np.max(np.abs(differences) / np.maximum(_estimate_spreads(differences), TINY), axis=-1)
    return float(np.quantile(largest, 1.0 - false_alarm_rate))

"""Change detector for success rates: sequential drift detection, as CUSUM or Page-Hinkley, with bounded false alarms.

It mixes Shiryaev-Roberts statistics for several sizes of drop. While the rate stays at its baseline, their mean grows
by at most one a period. A detector that alarms at T therefore runs at least T periods on average before a false alarm
(Shin, Ramdas & Rinaldo 2024, 'E-detectors'). Evaluating it more often than once a period does not change this, as long
as the last period is evaluated as far as it has come.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

EDGE = 1e-3
"""Rates are kept this far from 0 and 1, where a single outcome would count as proof."""

MOST_LOG = 600.0
"""Log evidence is capped here: a float can hold exp(600), and more makes no difference."""


def compute_drop_evidence(
    successes: Sequence[int],
    trials: Sequence[int],
    baseline: float,
    min_drop: float,
    spread: float = 0.0,
    *,
    drop_size_count: int,
) -> NDArray[np.float64]:
    """Return the detector's evidence of a drop of at least `min_drop` below `baseline`, after each period.

    `spread` is the standard deviation of the rate from period to period while nothing is wrong: people, light and
    goods differ by day, and a detector that treats episodes as independent alarms far too often. `drop_size_count` is
    the number of drop sizes that are mixed.

    >>> daily = compute_drop_evidence([40, 40, 28, 28], [50] * 4, baseline=0.8, min_drop=0.05, drop_size_count=6)
    >>> daily.round(1).tolist()
    [0.2, 0.3, 407.2, 454080.8]
    """
    good, tried = np.asarray(successes, dtype=np.int64), np.asarray(trials, dtype=np.int64)
    if good.shape != tried.shape or np.any(good < 0) or np.any(good > tried):
        raise BadInput("Every period needs its trials, and at most as many successes as trials.")
    if not (0.0 <= baseline <= 1.0 and min_drop > 0.0 and spread >= 0.0):
        raise BadInput(f"A drop of {min_drop!r} below {baseline!r} with spread {spread!r} cannot be detected.")
    usual = _compute_log_likelihood(good, tried, baseline, spread)
    log_ratio = np.stack(
        [
            _compute_log_likelihood(good, tried, baseline - drop, spread) - usual
            for drop in list_drop_sizes(baseline, min_drop, drop_size_count)
        ]
    )
    log_kept = np.full(len(log_ratio), -np.inf)
    mean = np.empty(len(good))
    for period in range(len(good)):
        log_kept = np.logaddexp(0.0, log_kept) + log_ratio[:, period]
        mean[period] = np.exp(np.minimum(log_kept, MOST_LOG)).mean()
    return mean


def list_drop_sizes(baseline: float, min_drop: float, size_count: int) -> NDArray[np.float64]:
    """Return the drop sizes that are mixed: from the least to nearly the whole baseline, in equal ratios."""
    most = max(min_drop, baseline - EDGE)
    return np.geomspace(min_drop, most, size_count)


def _compute_log_likelihood(
    successes: NDArray[np.int64], trials: NDArray[np.int64], rate: float, spread: float
) -> NDArray[np.float64]:
    """Return the log-likelihood of the counts up to a constant: binomial, or beta-binomial where the rate varies."""
    from scipy.special import betaln

    rate = min(max(rate, EDGE), 1.0 - EDGE)
    if spread == 0.0:
        return np.asarray(successes * np.log(rate) + (trials - successes) * np.log1p(-rate))
    # a rate near its end has no room for the full spread: its distribution stays bell- or J-shaped, never U-shaped
    size = max(rate * (1.0 - rate) / spread**2 - 1.0, 1.0 / min(rate, 1.0 - rate))
    a, b = size * rate, size * (1.0 - rate)
    return np.asarray(betaln(successes + a, trials - successes + b) - betaln(a, b))

"""Exact tests for clusters and trends in the order of failures, given their number.

If trials are exchangeable, every order of the same successes and failures is equally likely. Two statistics look
for departures: the number of runs (Wald and Wolfowitz 1940), and the largest excursion of the running failure
count from its mean course (a CUSUM). Both distributions are counted exactly, with integers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

from fieldloop.model.note import Note, note


@dataclass(frozen=True, slots=True)
class Pattern:
    """The p-value of the order of failures, and the feature of that order with the smaller p-value."""

    p_value: float
    order: Note


def find_pattern(succeeded: Sequence[bool]) -> Pattern:
    """Look for clusters and trends in consecutive trials; the p-value accounts for testing both."""
    trials, failures = len(succeeded), sum(not s for s in succeeded)
    if failures in (0, trials):
        return Pattern(1.0, note("evaluate.order_alike", trials=trials))
    runs = 1 + sum(a != b for a, b in pairwise(succeeded))
    by_runs, by_drift = (
        compute_runs_p_value(runs, trials, failures),
        compute_drift_p_value(*find_largest_excursion(succeeded), trials, failures),
    )
    p_value = min(1.0, 2 * min(by_runs, by_drift))
    if by_runs <= by_drift:
        expected = 1 + 2 * failures * (trials - failures) / trials
        return Pattern(p_value, note("evaluate.order_runs", failures=failures, runs=runs, expected=expected))
    _, turn = find_largest_excursion(succeeded)
    early = sum(not s for s in succeeded[:turn])
    order = note("evaluate.order_drift", early=early, first=turn, late=failures - early, rest=trials - turn)
    return Pattern(p_value, order)


def compute_runs_p_value(runs: int, trials: int, failures: int) -> float:
    """Two-sided probability of a number of runs this far from the one expected in random order.

    >>> compute_runs_p_value(2, trials=4, failures=2)  # FFSS or SSFF, two of six orders, doubled for the other side
    0.6666666666666666
    """
    every = comb(trials, failures)
    orders = [_count_orders_with_runs(r, failures, trials - failures) for r in range(trials + 1)]
    return min(1.0, 2 * min(sum(orders[: runs + 1]), sum(orders[runs:])) / every)


def find_largest_excursion(succeeded: Sequence[bool]) -> tuple[int, int]:
    """Return the largest distance of the failure count from its mean course (times the trials), and where it is."""
    trials, failures = len(succeeded), sum(not s for s in succeeded)
    seen, largest, turn = 0, 0, 0
    for n, success in enumerate(succeeded, 1):
        seen += not success
        if (far := abs(seen * trials - failures * n)) > largest:
            largest, turn = far, n
    return largest, turn


def compute_drift_p_value(largest_excursion: int, _turn: int, trials: int, failures: int) -> float:
    """Probability of an excursion at least this large: one minus the share of lattice paths that stay closer.

    >>> round(compute_drift_p_value(4, 2, trials=4, failures=2), 4)  # |seen × 4 - 2 × n| is 4 in FFSS and SSFF only
    0.3333
    """
    paths = [1] + [0] * failures
    for n in range(1, trials + 1):
        before = paths
        paths = [
            0
            if abs(seen * trials - failures * n) >= largest_excursion
            else before[seen] + (before[seen - 1] if seen else 0)
            for seen in range(failures + 1)
        ]
    every = comb(trials, failures)
    return (every - paths[failures]) / every


def _count_orders_with_runs(runs: int, failures: int, successes: int) -> int:
    half, odd = divmod(runs, 2)
    if half < 1:
        return 0
    if not odd:
        return 2 * comb(failures - 1, half - 1) * comb(successes - 1, half - 1)
    return comb(failures - 1, half) * comb(successes - 1, half - 1) + comb(failures - 1, half - 1) * comb(
        successes - 1, half
    )

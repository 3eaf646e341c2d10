"""Do failures come in clusters, or does something wear out? Exact, given how many failures there were.

Were trials exchangeable, every order of the same successes and failures would be equally likely. Two statistics look
for orders that are not: the number of runs (Wald and Wolfowitz 1940), and the largest excursion of the running failure
count from its mean course (a CUSUM). Both distributions are counted out, with whole numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb


@dataclass(frozen=True, slots=True)
class Pattern:
    """How often chance would order the failures at least this strangely, and what is strange about them."""

    p_value: float
    message: str


def find_pattern(succeeded: Sequence[bool]) -> Pattern:
    """Look for clusters and trends in a row of trials; the p-value allows for having looked for both."""
    trials, failures = len(succeeded), sum(not s for s in succeeded)
    if failures in (0, trials):
        return Pattern(1.0, f"All {trials} trials ended alike; there is no order to speak of.")
    runs = 1 + sum(a != b for a, b in pairwise(succeeded))
    by_runs, by_drift = chance_of_runs(runs, trials, failures), chance_of_drift(*excursion(succeeded), trials, failures)
    p_value = min(1.0, 2 * min(by_runs, by_drift))
    if by_runs <= by_drift:
        expected = 1 + 2 * failures * (trials - failures) / trials
        return Pattern(p_value, f"{failures} failures in {runs} runs, where chance makes {expected:.0f}.")
    _, turn = excursion(succeeded)
    early = sum(not s for s in succeeded[:turn])
    return Pattern(
        p_value, f"{early} failures in the first {turn} trials, {failures - early} in the other {trials - turn}."
    )


def chance_of_runs(runs: int, trials: int, failures: int) -> float:
    """Two-sided chance of a number of runs this far from what order at random makes.

    >>> chance_of_runs(2, trials=4, failures=2)  # FFSS or SSFF, two of six orders, doubled for the other side
    0.6666666666666666
    """
    every = comb(trials, failures)
    orders = [_orders_with(r, failures, trials - failures) for r in range(trials + 1)]
    return min(1.0, 2 * min(sum(orders[: runs + 1]), sum(orders[runs:])) / every)


def excursion(succeeded: Sequence[bool]) -> tuple[int, int]:
    """Return the largest distance of the failure count from its mean course (times the trials), and where it is."""
    trials, failures = len(succeeded), sum(not s for s in succeeded)
    seen, largest, turn = 0, 0, 0
    for n, success in enumerate(succeeded, 1):
        seen += not success
        if (far := abs(seen * trials - failures * n)) > largest:
            largest, turn = far, n
    return largest, turn


def chance_of_drift(largest: int, _turn: int, trials: int, failures: int) -> float:
    """Chance that some order strays at least this far: one minus the share of lattice paths that stay nearer.

    >>> round(chance_of_drift(4, 2, trials=4, failures=2), 4)  # |seen × 4 - 2 × n| reaches 4 in FFSS and SSFF only
    0.3333
    """
    paths = [1] + [0] * failures
    for n in range(1, trials + 1):
        before = paths
        paths = [
            0 if abs(seen * trials - failures * n) >= largest else before[seen] + (before[seen - 1] if seen else 0)
            for seen in range(failures + 1)
        ]
    every = comb(trials, failures)
    return (every - paths[failures]) / every


def _orders_with(runs: int, failures: int, successes: int) -> int:
    half, odd = divmod(runs, 2)
    if half < 1:
        return 0
    if not odd:
        return 2 * comb(failures - 1, half - 1) * comb(successes - 1, half - 1)
    return comb(failures - 1, half) * comb(successes - 1, half - 1) + comb(failures - 1, half - 1) * comb(
        successes - 1, half
    )

"""Wald's lower bound: the mean pairs that no sequential test of the same errors can undercut."""

import math


def compute_wald_bound(candidate: float, other: float, alpha: float, power: float) -> float:
    """Return the fewest mean pairs under the alternative, against the null rate that is hardest to refute.

    >>> round(compute_wald_bound(0.85, 0.80, 0.05, 0.8)), round(compute_wald_bound(0.9, 0.8, 0.05, 0.8))
    (439, 96)
    """
    from scipy.optimize import minimize_scalar

    def diverge(null: float) -> float:
        return _diverge(candidate, null) + _diverge(other, null)

    nearest = float(minimize_scalar(diverge, bounds=(other, candidate), method="bounded").fun)
    won, missed = power * math.log(power / alpha), (1 - power) * math.log((1 - power) / (1 - alpha))
    return (won + missed) / nearest


def count_fixed_pairs(candidate: float, other: float, alpha: float, power: float, correlation: float) -> float:
    """Return the pairs that one test of paired results at the end needs (normal approximation).

    >>> [round(count_fixed_pairs(0.85, 0.80, 0.05, 0.8, rho)) for rho in (0.0, 0.6)]
    [711, 287]
    """
    from scipy.special import ndtri

    spread = math.sqrt(candidate * (1 - candidate) * other * (1 - other))
    variance = candidate * (1 - candidate) + other * (1 - other) - 2 * correlation * spread
    return float((ndtri(1 - alpha) + ndtri(power)) ** 2 * variance / (candidate - other) ** 2)


def _diverge(rate: float, null: float) -> float:
    return rate * math.log(rate / null) + (1 - rate) * math.log((1 - rate) / (1 - null))

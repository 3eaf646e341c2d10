"""Curves of success over demonstrations, compared seed by seed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.closed_loop.jobs import Job, Line
from bench.closed_loop.trials import Trial
from bench.plan_loop import DRIFTING, Floats, Ints

DRAWS = 2000
LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """One strategy on the seeds of a trial: seeds × rounds, the start as round 0."""

    spent: Floats
    production: Floats
    tail: Floats
    laboratory: Floats

    def area(self, rounds: int) -> Floats:
        """Mean success after each of the first rounds, by seed."""
        return np.asarray(self.production[:, 1 : rounds + 1].mean(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """All strategies of a trial on the seeds that every one of them has finished, and the level to reach by seed."""

    trial: Trial
    seeds: tuple[int, ...]
    curves: Mapping[str, Curves]
    start: Floats
    reference: Floats
    """Success of the policy that nothing is added to and of the reference, seeds × rounds as well."""

    @property
    def levels(self) -> Floats:
        """Half-way between the start and the reference policy, seeds × all rounds; it moves only if the floor does."""
        half = (self.start + self.reference) / 2
        if self.trial.preset == DRIFTING:
            return half
        return np.repeat(half.mean(axis=1, keepdims=True), self.trial.furthest + 1, axis=1)

    def area(self, strategy: str) -> Floats:
        """Mean success over the rounds that every strategy has, by seed."""
        return self.curves[strategy].area(self.trial.rounds)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float
    p: float = float("nan")


def seen(trial: Trial, seeds: range, strategies: tuple[str, ...], done: Mapping[str, Line]) -> Seen:
    """Pick a trial's curves out of what has been done."""
    whole = tuple(seed for seed in seeds if all(Job(trial, seed, name).key in done for name in ("", *strategies)))
    ends = [done[Job(trial, seed).key] for seed in whole]
    curves = {name: _curves([done[Job(trial, seed, name).key]["rows"] for seed in whole]) for name in strategies}
    start, reference = (np.array([end[which] for end in ends], dtype=float) for which in ("start", "reference"))
    return Seen(trial, whole, curves, start, reference)


def _curves(runs: list[list[Line]]) -> Curves:
    columns = (
        np.array([[row[name] for row in rows] for rows in runs], dtype=float)
        for name in ("spent", "production", "tail", "laboratory")
    )
    return Curves(*columns)


def paired(ours: Floats, theirs: Floats) -> Estimate:
    """The mean difference on the same seeds, with Student's interval and two-sided p."""
    from scipy.stats import t

    gap = ours - theirs
    if len(gap) < 2:  # noqa: PLR2004 - one seed says nothing about others
        return Estimate(float(gap.mean()), float("-inf"), float("inf"), 1.0)
    error = float(gap.std(ddof=1)) / len(gap) ** 0.5
    half = float(t.ppf((1 + LEVEL) / 2, len(gap) - 1)) * error
    mean = float(gap.mean())
    p = 2 * float(t.sf(abs(mean) / error, len(gap) - 1)) if error > 0.0 else float(mean == 0.0)
    return Estimate(mean, mean - half, mean + half, p)


def headroom_share(ours: Floats, baseline: Floats, oracle: Floats) -> Estimate:
    """How much of what the oracle wins over the baseline do we win? Means over seeds, seeds drawn anew together.

    The share is undefined where the oracle wins nothing. Such a draw opens our side of the interval.

    >>> headroom_share(np.array([0.6, 0.7]), np.array([0.5, 0.6]), np.array([0.7, 0.8])).value
    0.5
    """

    def share(rows: Ints) -> Floats:
        below = baseline[rows].mean(axis=-1)
        won, headroom = ours[rows].mean(axis=-1) - below, oracle[rows].mean(axis=-1) - below
        some = headroom > 0.0
        return np.asarray(np.where(some, won / np.where(some, headroom, 1.0), np.copysign(np.inf, won)))

    value = float(share(np.arange(len(ours)).astype(np.intp)))
    return Estimate(round(value, 12) if np.isfinite(value) else float("nan"), *_inner(share(_drawn(len(ours)))))


def spent_to(level: float, spent: Floats, success: Floats) -> float:
    """What had been spent when a curve first reached a level, between rounds by a straight line; inf if it never did.

    >>> spent_to(0.55, np.array([0.0, 40.0, 80.0]), np.array([0.5, 0.6, 0.7]))
    20.0
    """
    above = np.flatnonzero(success >= level)
    if not len(above):
        return float("inf")
    at = int(above[0])
    if at == 0:
        return float(spent[0])
    part = (level - success[at - 1]) / (success[at] - success[at - 1])
    return round(float(spent[at - 1] + part * (spent[at] - spent[at - 1])), 9)


def spent_to_level(of: Seen, strategy: str, rows: Ints | None = None) -> float:
    """What a strategy's mean curve over some seeds spends until their mean level."""
    rows = np.arange(len(of.seeds)) if rows is None else rows
    curves = of.curves[strategy]
    above = (curves.production - of.levels[:, : curves.production.shape[1]])[rows].mean(axis=0)
    return spent_to(0.0, curves.spent[rows].mean(axis=0), above)


def spent_ratio(of: Seen, ours: str, baseline: str) -> Estimate:
    """What we spend to the level over what the baseline spends to it, on mean curves, seeds drawn anew together.

    A baseline that does not reach the level counts with all it has spent, so that the ratio can only be too high. We
    not reaching it is an infinite ratio, or 1 where the baseline does not reach it either.
    """

    def ratio(rows: Ints) -> float:
        us, them = spent_to_level(of, ours, rows), spent_to_level(of, baseline, rows)
        if not np.isfinite(them):
            them = float(of.curves[baseline].spent[rows].mean(axis=0)[-1])
            us = us if np.isfinite(us) else them
        return us / them if them > 0.0 else float("nan")

    value = ratio(np.arange(len(of.seeds)).astype(np.intp))
    drawn = np.array([ratio(rows) for rows in _drawn(len(of.seeds))])
    return Estimate(value, *_inner(drawn[~np.isnan(drawn)]))


def _drawn(count: int) -> Ints:
    return np.random.default_rng(0).integers(count, size=(DRAWS, count)).astype(np.intp)


def _inner(values: Floats) -> tuple[float, float]:
    """The inner 95 %; by order, since some may be infinite."""
    if not len(values):
        return float("nan"), float("nan")
    ends = np.quantile(values, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), method="nearest")
    return float(ends[0]), float(ends[1])

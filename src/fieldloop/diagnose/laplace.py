"""How well does a set of explanations do? Its evidence by Laplace's method, days being random effects.

Nature and faults make an attempt harder: a logistic regression. Some faults are rather one more way to fail, however
easy the attempt is: an answer that comes late misses on a long way. There the chances to get through multiply; on the
log-odds a worn gripper and a late answer would seem to spare each other. What all rows of a day share is one witness,
not many; that part of the curvature is a diagonal, so that days cost next to nothing (Schur's complement).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.expectation import logistic
from fieldloop.diagnose.nature import Nature
from fieldloop.diagnose.table import Counted, Floats

Mask = NDArray[np.bool_]

STEPS = 15
CLOSE = 1e-2
LONGEST = 1.5
EDGE = 1e-5
LEAST_DAY = 0.02
"""Days that do not differ at all would have no spread to divide by."""


@dataclass(frozen=True)
class Fitted:
    """The peak of the posterior: coefficients, days' effects, their covariance without days, and the evidence.

    `steep` are the rates by difficulty alone, `rates` those with the other ways to fail as well.
    """

    coefficients: Floats
    days: Floats
    covariance: Floats
    evidence: float
    steep: Floats
    rates: Floats


@dataclass(frozen=True)
class Place:
    """Where a fit stands: the height there, the slope by row, and the curvature, with and of days."""

    at: Floats
    days: Floats
    steep: Floats
    rates: Floats
    height: float
    left: Floats
    """Slope of the log-likelihood by the logarithm of each row's rate."""
    tilted: Floats
    """Columns as they act on that logarithm."""
    turned: Floats
    bend: Floats
    inner: Floats
    cross: Floats


class Rows:
    """All rows of nature, ordered by day once, so that sums by day are quick."""

    def __init__(self, nature: Nature) -> None:
        """Number the days."""
        self.nature = nature
        self.order = np.argsort(nature.clusters, kind="stable")
        days, self.first = np.unique(nature.clusters[self.order], return_index=True)
        self.day: Counted = np.empty(len(nature.clusters), dtype=np.int64)
        self.day[self.order] = np.repeat(np.arange(len(days)), np.diff(np.append(self.first, len(self.order))))
        self.precision = 1.0 / max(nature.day_spread, LEAST_DAY) ** 2

    def by_day(self, values: Floats) -> Floats:
        """Sum values (rows down) by day."""
        return np.asarray(np.add.reduceat(values[self.order], self.first, axis=0))

    def fit(
        self, columns: Floats, apart: Mask, mean: Floats, spread: Floats, start: tuple[Floats, Floats] | None = None
    ) -> Fitted:
        """Find the peak for nature beside these columns, some apart, whose effects have these middles and spreads.

        `start` says where to begin: coefficients, and days.
        """
        nature = self.nature
        middle, precision = np.append(nature.mean, mean), 1.0 / np.append(nature.spread, spread) ** 2
        at, days = (middle, np.zeros(len(self.first))) if start is None else start
        place = self._place(columns, apart, at, days, middle, precision)
        for _ in range(STEPS):
            slope = place.tilted.T @ place.left - precision * (place.at - middle)
            turn = self.by_day(place.turned * place.left) - self.precision * place.days
            moved = np.linalg.solve(place.bend, slope - place.cross.T @ (turn / place.inner))
            turned = (turn - place.cross @ moved) / place.inner
            longest = max(float(np.abs(moved).max()), float(np.abs(turned).max(initial=0.0)))
            scale = min(1.0, LONGEST / max(longest, CLOSE))
            onward = place
            for _ in range(4):
                onward = self._place(
                    columns, apart, place.at + scale * moved, place.days + scale * turned, middle, precision
                )
                if onward.height >= place.height - CLOSE:
                    break
                scale /= 4.0
            gained = onward.height - place.height
            place = onward if gained > 0.0 else place
            if gained < CLOSE:
                break
        logdet = np.linalg.slogdet(place.bend)[1] + np.log(place.inner).sum()
        evidence = place.height - 0.5 * logdet
        evidence += 0.5 * (np.log(precision).sum() + len(place.days) * np.log(self.precision))
        covariance = np.asarray(np.linalg.inv(place.bend))
        return Fitted(place.at, place.days, covariance, float(evidence), place.steep, place.rates)

    def _place(
        self, columns: Floats, apart: Mask, at: Floats, days: Floats, middle: Floats, precision: Floats
    ) -> Place:
        size = len(self.nature.mean)
        effects = at[size:]
        odds = self.nature.columns @ at[:size] + columns[:, ~apart] @ effects[~apart] + days[self.day]
        steep = np.clip(logistic(odds), EDGE, 1.0 - EDGE)
        rates = np.clip(steep * np.exp(columns[:, apart] @ effects[apart]), EDGE, 1.0 - EDGE)
        success = self.nature.success
        likelihood = success @ np.log(rates) + (1.0 - success) @ np.log(1.0 - rates)
        prior = -0.5 * (precision @ (at - middle) ** 2 + self.precision * (days @ days))
        turned = 1.0 - steep
        tilted = self._tilted(columns, apart, turned)
        weight = rates / (1.0 - rates)
        weighted = tilted * weight[:, None]
        cross = self.by_day(weighted * turned[:, None])
        inner = self.by_day(weight * turned**2) + self.precision
        bend = tilted.T @ weighted - cross.T @ (cross / inner[:, None])
        bend[np.diag_indices(len(at))] += precision
        left = (success - rates) / (1.0 - rates)
        return Place(at, days, steep, rates, float(likelihood + prior), left, tilted, turned, bend, inner, cross)

    def _tilted(self, columns: Floats, apart: Mask, turned: Floats) -> Floats:
        """Columns as they act on the logarithm of the rates."""
        return np.column_stack([self.nature.columns * turned[:, None], columns * _acting(apart, turned)])

    def told(
        self, fitted: Fitted, columns: Floats, apart: Mask, candidates: Floats, set_apart: Mask
    ) -> tuple[Floats, Floats]:
        """Slope of the likelihood along each candidate beside what is fitted, and how much is known about it there."""
        turned = 1.0 - fitted.steep
        tilted = self._tilted(columns, apart, turned)
        weight = fitted.rates / (1.0 - fitted.rates)
        acting = candidates * _acting(set_apart, turned)
        weighted = acting * weight[:, None]
        inner = self.by_day(weight * turned**2) + self.precision
        days = self.by_day(weighted * turned[:, None])
        by_days = self.by_day(tilted * (weight * turned)[:, None])
        cross = tilted.T @ weighted - by_days.T @ (days / inner[:, None])
        own = np.einsum("ij,ij->j", acting, weighted) - np.einsum("ij,ij->j", days, days / inner[:, None])
        known = own - np.einsum("ij,ij->j", cross, fitted.covariance @ cross)
        left = (self.nature.success - fitted.rates) / (1.0 - fitted.rates)
        return acting.T @ left, np.maximum(known, EDGE)


def _acting(apart: Mask, turned: Floats) -> Floats:
    """How much a unit of each column takes off the logarithm of each row's rate."""
    return np.where(apart[None, :], 1.0, turned[:, None])

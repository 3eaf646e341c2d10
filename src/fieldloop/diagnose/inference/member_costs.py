"""What each member of a set costs in some rows, by the Aumann-Shapley value, at given effects."""

import numpy as np

from fieldloop.diagnose.inference.columns import Counted, Floats, Some
from fieldloop.diagnose.inference.expectation import logistic
from fieldloop.diagnose.inference.sets import FittedSet, Sets

STOPS, PARTS = np.polynomial.legendre.leggauss(5)  # exact for polynomials up to the ninth degree
SEED = 0  # which rows represent the others does not depend on the caller's draws


class MemberCosts:
    """Costs of a set's members in a part of the rows.

    Effects are drawn hundreds of times. Where rows are many, some represent the others in how costs change with the
    effects; the costs at the mode, from which they change, are those of all rows.
    """

    def __init__(self, sets: Sets, fitted: FittedSet, rows: slice) -> None:
        """Choose the rows that represent the others."""
        every = np.arange(*rows.indices(len(sets.inherent.success)))
        most = int(sets.settings.number("share_rows"))
        mode = fitted.fit.coefficients
        self._left_out = np.zeros(len(fitted.members))
        self._rows = _RowCosts(sets, fitted, rows)
        if len(every) > most:
            whole = self._rows.cost(mode)
            self._rows = _RowCosts(sets, fitted, _choose(every, most))
            self._left_out = whole - self._rows.cost(mode)

    def cost(self, coefficients: Floats) -> Floats:
        """Return how much average success each member costs in these rows."""
        return self._left_out + self._rows.cost(coefficients)


class _RowCosts:
    def __init__(self, sets: Sets, fitted: FittedSet, rows: Some) -> None:
        members = list(fitted.members)
        self._size = len(sets.inherent.mean)
        self._inherent = sets.inherent.columns.among(rows)
        self._columns, self._multiplicative = sets.take(members).among(rows).unpack(), sets.multiplicative[members]
        self._days = fitted.fit.days[sets.model.day[rows]]

    def cost(self, coefficients: Floats) -> Floats:
        multiplicative = self._multiplicative
        effects = np.minimum(coefficients[self._size :], 0.0)
        odds = self._inherent @ coefficients[: self._size] + self._days
        harder = self._columns[:, ~multiplicative] @ effects[~multiplicative]
        beside = self._columns[:, multiplicative] @ effects[multiplicative]
        cost = np.zeros(len(effects))
        for stop, part in zip((STOPS + 1.0) / 2.0, PARTS / 2.0, strict=True):
            difficulty_rates = logistic(odds + stop * harder)
            rates = difficulty_rates * np.exp(stop * beside) if multiplicative.any() else difficulty_rates
            added = (rates * (1.0 - difficulty_rates)) @ self._columns
            if multiplicative.any():
                added = np.where(multiplicative, rates @ self._columns, added)
            cost -= part * added * effects / len(odds)
        return cost


def _choose(rows: Counted, most: int) -> Counted:
    """Choose so many rows at random, always the same."""
    return np.sort(np.random.default_rng(SEED).choice(rows, most, replace=False))

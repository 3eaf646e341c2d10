"""Shares of the loss with their intervals: every cause beside the others, the days drawn again and again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fieldloop.diagnose.expectation import Expectation, Merged, logistic
from fieldloop.diagnose.joint import fit_in_turn, fit_jointly, parts_of_loss
from fieldloop.diagnose.mix import Harder, Mix
from fieldloop.diagnose.split import Split, divide
from fieldloop.diagnose.table import Floats, Table
from fieldloop.protocol import Section

Interval = tuple[float, float, float]
TINY = 1e-12


@dataclass(frozen=True)
class Attribution:
    """Parts of the loss in success: by column and by moved factor; the split; and the loss, each with its interval."""

    columns: list[Interval]
    harder: list[Interval]
    split: Split
    loss: Interval
    by_days: bool


@dataclass(frozen=True)
class Accounts:
    """Everything that parts are computed from."""

    before: Table
    after: Table
    expectation: Expectation
    columns: Floats
    mix: Mix
    harder: Sequence[Harder]
    unseen: Floats
    covered: Floats
    everywhere: bool
    """Does the first column hold everywhere?"""

    @cached_property
    def _design(self) -> Floats:
        return self.expectation.design(self.after)

    def once(self, merged: Merged, before: Floats, after: Floats, ordinary: float = 0.0) -> tuple[Floats, Split]:
        """Parts of one drawing, as shares: columns first, then moved factors; the last is the loss itself.

        `ordinary` is how much harder (log-odds) the floor may be without anything being wrong; that part is nobody's.
        """
        coefficients = merged.fit(before)[0]
        known = logistic(self._design @ coefficients)
        expected = logistic(self._design @ coefficients - ordinary)
        usual = float(np.average(self.before.success, weights=before))
        fitted = (
            fit_in_turn(self.columns, self.after.success, expected, self.covered, after)
            if self.everywhere
            else fit_jointly(self.columns, self.after.success, expected, after)
        )
        parts = np.maximum(parts_of_loss(self.columns, fitted, expected, after), 0.0)
        moved = self.mix.moved(coefficients, after)
        mixed = np.array([max(moved[self.mix.of(h.stratum)].sum(), 0.0) for h in self.harder])
        split = divide(self.after.success, known, self.unseen.astype(bool), usual, after)
        every = np.concatenate([parts, mixed])
        nobodys = max(float(np.average(known - expected, weights=after)), 0.0)
        return np.append(every / max(every.sum() + nobodys, TINY), split.loss), split


def attribute(accounts: Accounts, settings: Section, rng: np.random.Generator) -> Attribution:
    """Compute shares and draw days (rows of the baseline) again for their intervals."""
    merged = Merged(accounts.before, settings.number("expectation_penalty"))
    rows, trials = len(accounts.after), len(accounts.before)
    days, day = np.unique(accounts.after.days, return_inverse=True)
    by_days = len(days) >= settings.number("min_days")
    unit = day.ravel() if by_days else np.arange(rows)
    point, split = accounts.once(merged, np.ones(trials), np.ones(rows))
    again = _again(rng)
    ordinary = rng.normal(0.0, settings.number("ordinary_shift"), int(settings.number("bootstrap_draws")))
    draws = [
        accounts.once(merged, again(trials), again(int(unit.max()) + 1)[unit], shift)[0] for shift in ordinary.tolist()
    ]
    tail = 0.5 - settings.number("confidence") / 2
    low, high = np.quantile(np.array(draws), [tail, 1.0 - tail], axis=0)
    every = [(p, min(a, p), max(b, p)) for p, a, b in zip(point.tolist(), low.tolist(), high.tolist(), strict=True)]
    size = accounts.columns.shape[1]
    return Attribution(every[:size], every[size:-1], split, every[-1], by_days)


def _again(rng: np.random.Generator) -> Callable[[int], Floats]:
    """How often each of n comes up when n are drawn with replacement."""
    return lambda n: rng.multinomial(n, np.full(n, 1.0 / n)).astype(np.float64)

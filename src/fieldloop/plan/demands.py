"""What incidents, diagnoses and new articles ask for comes before the rest of a plan, up to a share of it."""

import math

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.plan import Demand, Quota
from fieldloop.plan.gain import Gain
from fieldloop.plan.rounding import whole
from fieldloop.plan.strata import Floats
from fieldloop.plan.strategies import LEAST, Request, marginal


class Asked:
    """Demands that are honoured one after the other while their share of the budget lasts."""

    def __init__(self, gain: Gain, money: float, rng: np.random.Generator) -> None:
        """Begin with nothing given."""
        self.gain, self.left, self.rng = gain, money, rng
        self.good: Floats = np.zeros(len(gain.table))
        self.reasons: dict[int, list[str]] = {}
        self.answered: list[tuple[str, int]] = []
        self.outside: list[Quota] = []

    @property
    def cost(self) -> float:
        """What has been given away."""
        return float(self.good @ self.gain.price) + sum(q.cost for q in self.outside)

    def honour(self, demand: Demand) -> None:
        """Give a demand what it asks for, where in its strata it wins most; outside the map as it is asked for."""
        rows = self.gain.table.rows(demand.stratum)
        usual = float(self.gain.price[rows].mean()) if len(rows) else 1.0
        money = min(self.left, demand.demonstrations * usual)
        got = self._inside(demand, rows, money) if len(rows) else self._outside(demand, math.floor(money))
        if got:
            self.answered.append((demand.id, min(got, demand.demonstrations)))

    def _inside(self, demand: Demand, rows: NDArray[np.intp], money: float) -> int:
        price = self.gain.price
        among = np.zeros(len(price), dtype=bool)
        among[rows] = True
        request = Request(money, among, self.good, np.full(len(price), np.inf))
        wanted = marginal(self.gain, request)
        # where the cheap ones win most, the money of usual ones would buy more than was asked for
        wanted = wanted * min(1.0, demand.demonstrations / max(float(wanted.sum()), LEAST))
        added = whole(wanted, price, float(wanted @ price), self.gain.order(), self.rng)
        self.good = self.good + added
        self.left -= float(added @ price)
        short = _short(demand, int(added.sum()))
        for row in np.flatnonzero(added):
            self.reasons.setdefault(int(row), []).append(f"{int(added[row])} for {demand.source}: {demand.why}{short}")
        return int(added.sum())

    def _outside(self, demand: Demand, amount: int) -> int:
        if amount <= 0:
            return 0
        asked = f"{demand.source} asks: {demand.why}{_short(demand, amount)}."
        why = f"{asked} Not among the deployed strata: its gain is unknown."
        self.outside.append(Quota(demand.stratum, amount, 0.0, 0.0, 0.0, why, cost=float(amount)))
        self.left -= amount
        return amount


def _short(demand: Demand, got: int) -> str:
    asked = f"{demand.demonstrations} asked for, demands may take no more of the budget"
    return f" ({asked})" if got < demand.demonstrations else ""

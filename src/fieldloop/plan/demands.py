"""What incidents, diagnoses and new articles ask for comes before the rest of a plan, up to a share of it."""

import math

import numpy as np

from fieldloop.model.plan import Demand, Quota
from fieldloop.plan.gain import Gain
from fieldloop.plan.rounding import whole
from fieldloop.plan.strata import Floats
from fieldloop.plan.strategies import Request, marginal


class Asked:
    """Demands that are honoured one after the other while their share of the budget lasts."""

    def __init__(self, gain: Gain, money: float, rng: np.random.Generator) -> None:
        """Begin with nothing given."""
        self.gain, self.left, self.rng = gain, money, rng
        self.tries: Floats = np.zeros(len(gain.table))
        self.reasons: dict[int, list[str]] = {}
        self.answered: list[tuple[str, int]] = []
        self.outside: list[Quota] = []

    @property
    def cost(self) -> float:
        """What has been given away."""
        return float(self.tries @ self.gain.table.cost) + sum(q.cost for q in self.outside)

    def honour(self, demand: Demand) -> None:
        """Give a demand what it asks for, where in its strata it wins most; outside the map as it is asked for."""
        amount = min(math.floor(self.left), demand.demonstrations)
        if amount <= 0:
            return
        asked = f"{demand.demonstrations} asked for, demands may take no more of the budget"
        short = f" ({asked})" if amount < demand.demonstrations else ""
        rows = self.gain.table.rows(demand.stratum)
        if not len(rows):
            why = f"{demand.source} asks: {demand.why}{short}. Not among the deployed strata: its gain is unknown."
            self.outside.append(Quota(demand.stratum, amount, 0.0, 0.0, 0.0, why, cost=float(amount)))
            self.left -= amount
            self.answered.append((demand.id, amount))
            return
        cost = self.gain.table.cost
        among = np.zeros(len(cost), dtype=bool)
        among[rows] = True
        request = Request(float(amount), among, self.tries * self.gain.operators.share, np.full(len(cost), np.inf))
        added = whole(marginal(self.gain, request), cost, float(amount), self.gain.order(), self.rng)
        self.tries = self.tries + added
        self.left -= float(added @ cost)
        self.answered.append((demand.id, int(added.sum())))
        for row in np.flatnonzero(added):
            self.reasons.setdefault(int(row), []).append(f"{int(added[row])} for {demand.source}: {demand.why}{short}")

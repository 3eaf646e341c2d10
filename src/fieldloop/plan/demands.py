"""Demands of incidents, diagnoses and new articles come before the rest of a plan, up to a share of it."""

import math
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, note
from fieldloop.model.plan import Demand, Quota
from fieldloop.plan.gain import Gain
from fieldloop.plan.rounding import round_to_whole
from fieldloop.plan.strata import Floats
from fieldloop.plan.strategies import LEAST, Request, allocate_by_expected_gain


class Asked:
    """Grants demands one after the other while their share of the budget lasts."""

    def __init__(self, gain: Gain, money: float, rng: np.random.Generator) -> None:
        """Begin with nothing granted."""
        self.gain, self.left, self.rng = gain, money, rng
        self.good: Floats = np.zeros(len(gain.table))
        self.reasons: dict[int, list[Note]] = {}
        self.answered: list[tuple[str, int]] = []
        self.outside: list[Quota] = []

    @property
    def cost(self) -> float:
        """Return the cost of what has been granted."""
        return float(self.good @ self.gain.price) + sum(q.cost for q in self.outside)

    def grant_demand(self, demand: Demand) -> None:
        """Grant a demand where in its strata the gain is largest; outside the map exactly as requested."""
        rows = self.gain.table.find_rows(demand.stratum)
        usual = float(self.gain.price[rows].mean()) if len(rows) else 1.0
        money = min(self.left, demand.demonstrations * usual)
        got = (
            self._grant_inside_map(demand, rows, money)
            if len(rows)
            else self._grant_outside_map(demand, math.floor(money))
        )
        if got:
            self.answered.append((demand.id, min(got, demand.demonstrations)))

    def _grant_inside_map(self, demand: Demand, rows: NDArray[np.intp], money: float) -> int:
        price = self.gain.price
        among = np.zeros(len(price), dtype=bool)
        among[rows] = True
        request = Request(money, among, self.good, np.full(len(price), np.inf))
        wanted = allocate_by_expected_gain(self.gain, request)
        # where cheap strata gain most, the money would buy more than was requested
        wanted = wanted * min(1.0, demand.demonstrations / max(float(wanted.sum()), LEAST))
        added = round_to_whole(wanted, price, float(wanted @ price), self.gain.sort_similar_strata_together(), self.rng)
        self.good = self.good + added
        self.left -= float(added @ price)
        for row in np.flatnonzero(added):
            reason = _note_answered_demand(demand, int(added[row]), int(added.sum()))
            self.reasons.setdefault(int(row), []).append(reason)
        return int(added.sum())

    def _grant_outside_map(self, demand: Demand, amount: int) -> int:
        if amount <= 0:
            return 0
        why = note("plan.quota_outside_map", _note_answered_demand(demand, amount, amount), demonstrations=amount)
        self.outside.append(Quota(demand.stratum, amount, 0.0, 0.0, 0.0, why, cost=float(amount)))
        self.left -= amount
        return amount


def _note_answered_demand(demand: Demand, here: int, got: int) -> Note:
    """Return which demand a stratum's demonstrations answer, and how far it is answered."""
    details = [demand.why]
    if got < demand.demonstrations:
        details.append(note("plan.demand_cut", asked=demand.demonstrations, got=got))
    return note("plan.demand_answered", *details, demonstrations=here, source=demand.source, by=_note_who_asked(demand))


def _note_who_asked(demand: Demand) -> Note:
    """Name who asks by kind and day: 'diagnosis_01M6…' is a name for machines."""
    kind, _, rest = demand.source.partition("_")
    if not rest or not demand.at_ns:
        return note("plan.asked_by", name=kind if rest else demand.source)
    day = datetime.fromtimestamp(demand.at_ns / 1e9, UTC).date().isoformat()
    return note("plan.asked_by_record", kind=kind, day=day)

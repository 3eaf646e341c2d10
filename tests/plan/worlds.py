"""Worlds whose failure falls along known curves; planners see production's log only."""

import itertools

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Coverage
from fieldloop.plan.allocate import allocate_budget


def cover(name, exposure, demonstrations, attempts=0, failures=0, **more):
    return Coverage(Stratum.of(cell=name), exposure, demonstrations, 0.0, attempts, failures, **more)


class World:
    """Strata that have nothing in common: each falls by its own power to its own floor (research methods B)."""

    def __init__(self, seed, strata=20, logged=1000, spread=1.0):
        source = np.random.default_rng(seed)
        self.traffic = source.dirichlet(np.full(strata, spread))
        self.slope = source.uniform(0.25, 0.8, strata)
        self.floor = np.where(source.random(strata) < 0.3, source.uniform(0.1, 0.35, strata), 0.02)
        self.shown = source.poisson(source.gamma(0.6, 30.0, strata))
        self.start = source.uniform(0.3, 0.9, strata) * (1 - self.floor) * 5.0**self.slope
        attempts = source.multinomial(logged, self.traffic)
        failures = source.binomial(attempts, self.failure(self.shown))
        self.cells = [
            cover(str(k), float(self.traffic[k]), int(self.shown[k]), int(attempts[k]), int(failures[k]))
            for k in range(strata)
        ]

    def failure(self, shown):
        return np.minimum(1.0, self.floor + self.start * (shown + 5.0) ** -self.slope)

    def gain(self, extra):
        return float(self.traffic @ (self.failure(self.shown) - self.failure(self.shown + extra)))

    def oracle(self, budget):
        extra = np.zeros(len(self.cells))
        for _ in range(budget):
            now = self.traffic * (self.failure(self.shown + extra) - self.failure(self.shown + extra + 1))
            extra[int(np.argmax(now))] += 1
        return self.gain(extra)

    def share_of_oracle(self, strategy, budget, settings):
        quotas = allocate_budget(self.cells, [], budget, settings, np.random.default_rng(1), strategy).quotas
        given = {q.stratum.level("cell"): q.demonstrations for q in quotas}
        extra = np.array([given.get(str(k), 0) for k in range(len(self.cells))], float)
        return self.gain(extra) / self.oracle(budget)


LEVELS = {"site": 4, "bin": 5, "light": 3}


class Crossed:
    """Strata that share levels: sites were not shown, one kind of bin fails whoever tries it, the head is solved.

    Each level is a chance to fail that falls with the demonstrations of that level (not with any hazard model's sums:
    the chances strike one after the other); operators meet the trap's floor too.
    """

    def __init__(self, seed, logged=1200):
        self.source = np.random.default_rng(seed)
        shape = tuple(LEVELS.values())
        self.codes = np.stack(np.unravel_index(np.arange(np.prod(shape)), shape), axis=1)
        weights = [self.source.dirichlet(np.linspace(8.0, 2.0, size)) for size in shape]
        self.traffic = np.prod([w[self.codes[:, k]] for k, w in enumerate(weights)], axis=0)
        self.trap = self.codes[:, 1] == LEVELS["bin"] - 1
        self.floor = np.where(self.trap, 0.8, 0.02)
        self.worst = [self.source.uniform(0.3, 0.8, size) for size in shape]
        self.pace = [self.source.uniform(3.0, 12.0, size) for size in shape]
        lab = (self.codes[:, 0] == 0) & (self.codes[:, 2] == 0) & ~self.trap
        self.tried = np.where(lab, 40, 0)
        self.kept = self.source.binomial(self.tried, 1 - self.floor)
        self.logged = logged
        self.strata = [
            Stratum.of({f: f"{f}{k}" for f, k in zip(LEVELS, row, strict=True)}) for row in self.codes.tolist()
        ]

    def failure(self):
        holds = 1.0 - self.floor
        for factor, (worst, pace) in enumerate(zip(self.worst, self.pace, strict=True)):
            shown = np.bincount(self.codes[:, factor], self.kept, len(worst))
            holds = holds * (1.0 - worst * (1.0 + shown / pace) ** -0.7)[self.codes[:, factor]]
        return 1.0 - holds

    def success(self):
        return 1.0 - float(self.traffic @ self.failure())

    def coverages(self):
        attempts = self.source.multinomial(self.logged, self.traffic / self.traffic.sum())
        failures = self.source.binomial(attempts, self.failure())
        rows = zip(self.strata, self.traffic.tolist(), self.kept, attempts, failures, self.tried, strict=True)
        return [Coverage(s, w, int(n), 0.0, int(a), int(f), int(t)) for s, w, n, a, f, t in rows]

    def collect(self, quotas):
        place = {s: at for at, s in enumerate(self.strata)}
        for quota in quotas:
            tries, at = int(quota.cost + self.source.random()), place[quota.stratum]
            self.tried[at] += tries
            self.kept[at] += self.source.binomial(tries, 1 - self.floor[at])


def splits(total, parts):
    """All ways to hand `total` things to so many."""
    return (s for s in itertools.product(range(total + 1), repeat=parts) if sum(s) == total)

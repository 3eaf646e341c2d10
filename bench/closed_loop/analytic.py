"""The closed loop on worlds whose truth is a formula: log, plan, collect, log again; a round costs milliseconds."""

from dataclasses import dataclass, replace

import numpy as np

from bench.closed_loop.greedy import spend_greedily
from bench.closed_loop.maps import FAMILIES, Floats, Ints, Map, draw_map
from bench.closed_loop.truths import FORMS, HALF, Truth, draw_truth
from fieldloop.model.plan import Coverage, Plan, PlanScore
from fieldloop.plan.allocate import allocate_budget
from fieldloop.plan.rounding import round_to_whole
from fieldloop.plan.score import score_plan
from fieldloop.protocol import Section

INFORMED, GREEDY = "informed", "greedy"
BY_MAP = ("frequency", "uniform")
"""Strategies that look at no outcome, so that scoring plans for them would only take time."""
PLENTY = 8000
LEAST_REDUCIBLE = 0.01
START = (0.35, 0.8)
"""Worlds that start elsewhere are drawn anew: there is nothing to learn, or nothing to learn from."""
REMOVABLE = 0.1
"""At least so much success is won by plenty of demonstrations."""


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A map, its truth, and what the laboratory showed."""

    family: str
    form: str
    speed: str
    seed: int
    place: Map
    truth: Truth
    laboratory: Floats
    logged: int
    budget: float

    def production(self, counts: Floats) -> float:
        """Success in production, exactly."""
        return float(self.truth.success(counts) @ self.place.shares)

    def chance(self, *what: int) -> np.random.Generator:
        """The same chance for every strategy."""
        return np.random.default_rng([self.seed, 1, *what])


@dataclass(frozen=True, slots=True)
class Turn:
    """One round of a strategy: success after it, and what the plan had promised."""

    spent: float
    production: float
    gain: float = 0.0
    expected: float = 0.0
    low: float = 0.0
    high: float = 0.0


def draw_world(family: str, seed: int) -> World:
    """Draw a world of a family; form and speed go round with the seed."""
    (drawn,) = (each for each in FAMILIES if each.name == family)
    form, speed = FORMS[seed % len(FORMS)], tuple(HALF)[seed // len(FORMS) % len(HALF)]
    rng = np.random.default_rng([seed, 0, [each.name for each in FAMILIES].index(family)])
    while True:
        place = draw_map(drawn, rng)
        if not place.laboratory.any():
            continue
        laboratory = rng.multinomial(int(rng.integers(150, 700)), place.laboratory).astype(float)
        truth = draw_truth(form, place, laboratory, speed, rng)
        logged, budget = int(rng.choice((400, 800, 1600))), float(rng.choice((40, 80)))
        found = World(family, form, speed, seed, place, truth, laboratory, logged, budget)
        start = found.production(laboratory)
        if START[0] <= start <= START[1] and found.production(laboratory + PLENTY * place.shares) > start + REMOVABLE:
            return found


def run(world: World, strategy: str, rounds: int, settings: Section) -> list[Turn]:
    """Take a strategy through rounds; the first entry is the start."""
    return Run(world, strategy, settings).turns(rounds)


class Run:
    """One strategy on its way through the rounds."""

    def __init__(self, world: World, strategy: str, settings: Section) -> None:
        """Begin with the laboratory."""
        self.world, self.strategy, self.settings = world, strategy, settings
        self.kept, self.tried = world.laboratory.copy(), world.laboratory.copy()
        self.spent = 0.0
        self.scores: list[PlanScore] = []
        self.plan = _plan(strategy, world.budget, 0)
        self.known: list[Coverage] = []

    def turns(self, rounds: int) -> list[Turn]:
        """Log, plan, collect, and so on."""
        found = [Turn(0.0, self.world.production(self.kept))]
        for round_ in range(rounds):
            tries = self._tries(round_)
            good = self.world.chance(2, round_).binomial(tries, self.world.place.operators)
            self.tried, self.kept = self.tried + tries, self.kept + good
            self.spent += float(tries @ self.world.place.cost)
            now, plan = self.world.production(self.kept), self.plan
            gain = now - found[-1].production
            found.append(Turn(self.spent, now, gain, plan.expected_gain, plan.gain_low, plan.gain_high))
        return found

    def _tries(self, round_: int) -> Ints:
        place, rng = self.world.place, self.world.chance(3, round_)
        if self.strategy == GREEDY:
            return spend_greedily(self.world.truth, place, self.kept, self.world.budget)
        if self.strategy == INFORMED:
            now, plenty = (self.world.truth.success(n) for n in (self.kept, self.kept + PLENTY * place.shares))
            weights = place.shares * np.maximum(plenty - now, LEAST_REDUCIBLE) / place.cost
            wanted = weights * (self.world.budget / float(weights @ place.cost))
        else:
            wanted = self._planned(round_, rng)
        return round_to_whole(wanted, place.cost, self.world.budget, np.arange(len(wanted)), rng).astype(np.intp)

    def _planned(self, round_: int, rng: np.random.Generator) -> Floats:
        """Tries as a plan asks for them; a quota counts good ones and costs their tries."""
        place, before = self.world.place, self.known
        self.known = self._log(round_)
        if before and self.strategy not in BY_MAP:
            self.scores.insert(0, score_plan(self.plan, before, self.known, self.settings))
        spent = allocate_budget(self.known, (), self.world.budget, self.settings, rng, self.strategy, self.scores)
        self.plan = replace(
            _plan(self.strategy, self.world.budget, round_),
            quotas=spent.quotas,
            expected_gain=spent.gain,
            gain_low=spent.gain_low,
            gain_high=spent.gain_high,
        )
        row = {stratum: at for at, stratum in enumerate(place.strata)}
        wanted = np.zeros(len(row))
        for quota in spent.quotas:
            at = row[quota.stratum]
            wanted[at] = quota.cost / place.cost[at]
        return wanted

    def _log(self, round_: int) -> list[Coverage]:
        """What a planner may know: shares, demonstrations tried and kept, costs, and a log of production."""
        place, rng = self.world.place, self.world.chance(4, round_)
        attempts = rng.multinomial(self.world.logged, place.shares)
        failures = rng.binomial(attempts, 1.0 - self.world.truth.success(self.kept))
        counts = np.stack([self.kept, attempts, failures, self.tried], axis=1).astype(int).tolist()
        return [
            Coverage(place.strata[at], float(place.shares[at]), n, 0.0, tries, failed, made, float(place.cost[at]))
            for at, (n, tries, failed, made) in enumerate(counts)
            if place.shares[at] > 0.0 or n
        ]


def _plan(strategy: str, budget: float, round_: int) -> Plan:
    return Plan(f"plan {round_}", int(budget), strategy, (), (), 0.0, 0, "")

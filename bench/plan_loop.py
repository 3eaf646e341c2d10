"""The closed loop that planning is measured in: plan, collect, train from scratch, log production, evaluate.

`run` takes one strategy through a number of rounds on one floor. Strategies on the same seed start from the same
policy, meet the same scenes in production and are evaluated on the same picks; they differ in what is demonstrated.
Besides the strategies of `fieldloop.plan` there are `same`, which goes on as the laboratory did, and `informed`, a
rule that knows how often each stratum truly fails now and would still fail after plenty of demonstrations.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnknownName
from fieldloop.model.plan import Coverage, Plan, PlanScore
from fieldloop.plan.allocate import allocate_budget
from fieldloop.plan.rounding import round_to_whole
from fieldloop.plan.score import score_plan
from fieldloop.plan.strategies import STRATEGIES
from fieldloop.protocol import Section, default_operations
from fieldloop.simulate.picking import pick
from fieldloop.simulate.picking.world import Demonstrations, World
from fieldloop.train.cloning import Cloned, train_by_cloning

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
BASELINES = ("same", "informed")
DRIFTING = "drift"
NAMES = (*STRATEGIES, *BASELINES)
LEAST_REDUCIBLE = 0.01
"""The informed rule spends a little even where it knows of nothing to win: its failure rates are measured, too."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is demonstrated, logged and evaluated."""

    laboratory: int = 700
    logged: int = 1200
    evaluated: int = 4000
    plenty: int = 8000
    probes: int = 24
    """Tries per stratum from which the informed rule knows its failure rate."""
    weeks_per_round: float = 3.0
    rounds: int = 4
    """Over so many rounds' weeks the plenty is spread."""
    steps: int = 2000
    plenty_steps: int = 4000
    """Steps of training, of all policies and of the reference: ten times the data need more to be learnt."""


@dataclass(frozen=True, slots=True)
class Row:
    """One round: what was spent so far, and how the policy that it taught works."""

    seed: int
    preset: str
    strategy: str
    round: int
    spent: float
    demonstrations: int
    production: float
    laboratory: float
    tail: float
    expected: float
    strata: int


@dataclass(slots=True)
class Learnt:
    """What has been collected, strategy by strategy: rows to learn from, and tries and keeps by stratum."""

    inputs: list[NDArray[np.float32]] = field(default_factory=list)
    actions: list[NDArray[np.float32]] = field(default_factory=list)
    tried: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    kept: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def plus(self, shown: Demonstrations, strata: int) -> "Learnt":
        """Return this with more demonstrations, of which only good ones are learnt from."""
        rows = shown.kept[shown.owner]
        tried = np.bincount(shown.cell, minlength=strata)
        kept = np.bincount(shown.cell[shown.kept], minlength=strata)
        before = self.tried if len(self.tried) else np.zeros(strata, dtype=np.intp)
        good = self.kept if len(self.kept) else np.zeros(strata, dtype=np.intp)
        return Learnt(
            [*self.inputs, shown.inputs[rows]], [*self.actions, shown.actions[rows]], before + tried, good + kept
        )

    def train(self, seed: int, steps: int) -> Cloned:
        """Train a policy from scratch."""
        return train_by_cloning(np.concatenate(self.inputs), np.concatenate(self.actions), None, seed, steps=steps)


class Loop:
    """One floor with its start policy, from which every strategy goes on."""

    def __init__(
        self, seed: int, preset: str, sizes: Sizes, policy: Cloned | None = None, lasting: Floats | None = None
    ) -> None:
        """Demonstrate in the laboratory, and train; a start policy and what `lasting` found may have been kept."""
        self.seed, self.preset, self.sizes = seed, preset, sizes
        self.world = World(preset, seed)
        cells = self.world.cells(self.world.laboratory(), sizes.laboratory, "start")
        self.learnt = Learnt().plus(self.world.demonstrate(cells, "start"), len(self.world.strata))
        self.policy = policy or self.learnt.train(seed, steps=sizes.steps)
        self._plenty = lasting

    def week(self, round_: int) -> float:
        """When a round is logged and evaluated; only in `drift` does time pass, and with it mix, lamps and wear."""
        return round_ * self.sizes.weeks_per_round if self.preset == DRIFTING else 0.0

    def production(self, policy: Cloned, round_: int) -> tuple[float, float]:
        """Success in production, and in the strata that together are its rarest quarter."""
        shares = self.world.production(self.week(round_))
        cells = self.world.cells(shares, self.sizes.evaluated, "evaluate", round_)
        good = self.world.attempt(policy.act, cells, f"evaluate {round_}", weeks=self.week(round_)).succeeded
        rare = np.argsort(shares, kind="stable")
        tail = np.isin(cells, rare[np.cumsum(shares[rare]) <= 0.25])  # noqa: PLR2004 - a quarter
        return float(good.mean()), float(good[tail].mean()) if tail.any() else float("nan")

    def laboratory(self, policy: Cloned) -> float:
        """Success on the laboratory's bench."""
        cells = self.world.cells(self.world.laboratory(), self.sizes.evaluated // 4, "laboratory")
        return float(self.world.attempt(policy.act, cells, "laboratory", pace=pick.LAB).succeeded.mean())

    def coverages(self, policy: Cloned, learnt: Learnt, round_: int) -> list[Coverage]:
        """What a planner may know: shares, demonstrations tried and kept, and a log of production."""
        shares = self.world.production(self.week(round_))
        cells = self.world.cells(shares, self.sizes.logged, "log", round_)
        good = self.world.attempt(policy.act, cells, f"log {round_}", weeks=self.week(round_)).succeeded
        attempts = np.bincount(cells, minlength=len(shares))
        failures = np.bincount(cells[~good], minlength=len(shares))
        counts = np.stack([learnt.kept, attempts, failures, learnt.tried], axis=1).tolist()
        return [
            Coverage(stratum, float(shares[at]), n, 0.0, tried, failed, made, float(self.world.cost[at]))
            for at, (stratum, (n, tried, failed, made)) in enumerate(zip(self.world.strata.nouns, counts, strict=True))
            if shares[at] > 0.0 or n
        ]

    def failure(self, policy: Cloned, purpose: str, round_: int) -> Floats:
        """How often each deployed stratum truly fails, by many tries of each."""
        deployed = np.flatnonzero(self.world.production(self.week(round_)) > 0.0)
        cells = np.repeat(deployed, self.sizes.probes)
        good = self.world.attempt(policy.act, cells, purpose, weeks=self.week(round_)).succeeded
        found = np.zeros(len(self.world.strata))
        found[deployed] = 1.0 - good.reshape(len(deployed), -1).mean(axis=1)
        return found

    def lasting(self) -> Floats:
        """How often each stratum fails even after plenty of demonstrations of production."""
        if self._plenty is None:
            self._plenty = self.failure(self.reference(), "plenty", 0)
        return self._plenty

    def reference(self) -> Cloned:
        """A policy trained long on plenty of demonstrations of what production does, in every round's week."""
        learnt, rounds = self.learnt, range(self.sizes.rounds + 1)
        for round_ in rounds:
            shares = self.world.production(self.week(round_))
            cells = self.world.cells(shares, self.sizes.plenty // len(rounds), "plenty", round_)
            shown = self.world.demonstrate(cells, f"plenty {round_}", week=self.week(round_))
            learnt = learnt.plus(shown, len(self.world.strata))
        return learnt.train(self.seed, steps=self.sizes.plenty_steps)


@lru_cache(maxsize=2)
def loop(seed: int, preset: str, sizes: Sizes) -> Loop:
    """The loop of a floor; its start is the same for all strategies."""
    return Loop(seed, preset, sizes)


def run(
    world_seed: int,
    preset: str,
    strategy: str,
    budget: float,
    rounds: int,
    sizes: Sizes | None = None,
    settings: Section | None = None,
) -> list[Row]:
    """Take a strategy through rounds of collecting for a budget each; the row of round 0 is the start."""
    if strategy not in NAMES:
        raise UnknownName("strategy", strategy, NAMES)
    chosen = (settings or default_operations()["plan"]).replace_values(draws=2)
    return Run(loop(world_seed, preset, sizes or Sizes()), strategy, budget, chosen).rows(rounds)


class Run:
    """One strategy on its way through the rounds."""

    def __init__(self, here: Loop, strategy: str, budget: float, settings: Section) -> None:
        """Begin where every strategy begins."""
        self.here, self.strategy, self.budget, self.settings = here, strategy, budget, settings
        self.learnt, self.policy, self.spent = here.learnt, here.policy, 0.0
        self.scores: list[PlanScore] = []
        self.plan = _plan(strategy, budget, 0)
        self.known: list[Coverage] = []
        self.strata = 0

    def rows(self, rounds: int) -> list[Row]:
        """Evaluate, collect, train, and so on; the last round is only evaluated."""
        found = [self._row(0)]
        for round_ in range(rounds):
            self._collect(round_)
            found.append(self._row(round_ + 1))
        return found

    def _row(self, round_: int) -> Row:
        good, tail = self.here.production(self.policy, round_)
        return Row(
            seed=self.here.seed,
            preset=self.here.preset,
            strategy=self.strategy,
            round=round_,
            spent=self.spent,
            demonstrations=int(self.learnt.kept.sum()),
            production=good,
            laboratory=self.here.laboratory(self.policy),
            tail=tail,
            expected=self.plan.expected_gain,
            strata=self.strata,
        )

    def _collect(self, round_: int) -> None:
        world = self.here.world
        known = self.here.coverages(self.policy, self.learnt, round_)
        if self.known:
            self.scores.insert(0, score_plan(self.plan, self.known, known, self.settings))
        self.known = known
        tries = self._known_best(round_) if self.strategy in BASELINES else self._planned(round_)
        cells = np.repeat(np.arange(len(tries)), tries)
        shown = world.demonstrate(cells, f"round {round_}", week=self.here.week(round_))
        self.learnt = self.learnt.plus(shown, len(tries))
        self.spent += float(tries @ world.cost)
        self.strata = int(np.count_nonzero(tries))
        self.policy = self.learnt.train(self.here.seed, self.here.sizes.steps)

    def _planned(self, round_: int) -> Ints:
        """Tries as a plan asks for them, which knows the map, the log and what was collected before."""
        world, rng = self.here.world, self.here.world.chance("plan", round_)
        spent = allocate_budget(self.known, (), self.budget, self.settings, rng, self.strategy, self.scores)
        self.plan = replace(_plan(self.strategy, self.budget, round_), quotas=spent.quotas, expected_gain=spent.gain)
        place = {stratum: at for at, stratum in enumerate(world.strata.nouns)}
        wanted = np.zeros(len(world.strata))
        for quota in spent.quotas:
            at = place[quota.stratum]
            wanted[at] = quota.cost / world.cost[at]
        # a quota counts good ones and costs their tries, which are whole only on average
        return round_to_whole(wanted, world.cost, self.budget, np.arange(len(wanted)), rng).astype(np.intp)

    def _known_best(self, round_: int) -> Ints:
        """Tries as the laboratory would continue, or as a rule that knows the possible gain of each stratum."""
        world, rng = self.here.world, self.here.world.chance("plan", round_)
        weights = world.laboratory()
        if self.strategy == "informed":
            reducible = self.here.failure(self.policy, f"probe {round_}", round_) - self.here.lasting()
            shares = world.production(self.here.week(round_))
            weights = shares * np.maximum(reducible, LEAST_REDUCIBLE) / world.cost
        wanted = weights * (self.budget / float(weights @ world.cost))
        return round_to_whole(wanted, world.cost, self.budget, np.arange(len(wanted)), rng).astype(np.intp)


def _plan(strategy: str, budget: float, round_: int) -> Plan:
    return Plan(f"plan {round_}", int(budget), strategy, (), (), 0.0, 0, "")

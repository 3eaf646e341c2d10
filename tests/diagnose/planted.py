"""Worlds whose causes of failure are known, because they were planted: nasty on purpose.

Days differ, combinations have their own difficulty, some bins were always hard, sites and robots differ a little, most
of what is logged has nothing to do with the loss, and the laboratory tries fewer conditions than the floor has.
"""

import random
from dataclasses import dataclass, field

import numpy as np

from fieldloop.diagnose import Demonstrations, Evidence, diagnose
from fieldloop.diagnose.explanations.columns import infer_columns
from fieldloop.model.agreement import Agreement
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Lag
from fieldloop.model.identity import Ids
from fieldloop.model.policy import FailureClass, Outcome, Stage, Step
from fieldloop.protocol import default_operations

DAY = 86_400 * 10**9
START = 1_772_000_000 * 10**9
BINS = ("front", "back", "side", "occluded", "buried", "nearly_empty")
TIERS = ("high", "medium", "long_tail")
LIGHTS = ("bright", "dim", "mixed")
PACKS = ("box", "bag", "tube", "soft")
SHIFTS = ("early", "late", "night")
PEOPLE = ("ada", "bo", "cy", "di")
SITES = ("north", "south", "west")
STEPS = ("approach", "grasp", "lift", "transport", "place")
SHARES = {
    "bin": (0.4, 0.2, 0.14, 0.12, 0.08, 0.06),
    "tier": (0.55, 0.3, 0.15),
    "lighting": (0.5, 0.3, 0.2),
    "packaging": (0.4, 0.3, 0.2, 0.1),
    "shift": (0.4, 0.4, 0.2),
    "operator": (0.4, 0.3, 0.2, 0.1),
}
LEVELS = {"bin": BINS, "tier": TIERS, "lighting": LIGHTS, "packaging": PACKS, "shift": SHIFTS, "operator": PEOPLE}
HARD = {"back": 0.3, "side": 0.3, "occluded": 0.6, "buried": 0.8, "nearly_empty": 0.5, "long_tail": 0.4, "soft": 0.3}
CAUSES = tuple(gap for gap in Gap if gap is not Gap.UNKNOWN)


@dataclass
class World:
    """What was planted and how large; everything else is drawn."""

    faults: tuple[Gap, ...] = ()
    episodes: int = 1000
    trials: int = 500
    days: int = 21
    strength: float = 1.6
    measured: bool = True
    changed: bool = False
    steady: bool = False
    since: int = 0
    truth: dict = field(default_factory=dict)
    lost: float = 0.0


@dataclass
class Rows:
    """One side of a world, column by column."""

    levels: dict
    site: np.ndarray
    robot: np.ndarray
    day: np.ndarray
    numbers: dict


def draw(world, seed):
    """Draw one world; `world.truth` then says which share of the loss each fault has."""
    chance = np.random.default_rng(seed)
    nature = Nature(chance)
    plants = {gap: plant(gap, chance, world) for gap in world.faults}
    floor = rows(chance, world.episodes, world.days, SITES, plants)
    lab = rows(chance, world.trials, 10, ("lab",) if chance.random() < 0.5 else ("lab", "north"), {})
    thin(lab, plants, chance)
    lost = {gap: p.hurt(floor, chance) for gap, p in plants.items()}
    natural = nature.odds(floor)
    total = natural - sum(lost.values(), np.zeros(world.episodes))
    world.truth = shares(natural, lost)
    world.lost = float((rates(natural) - rates(total)).mean())
    known = sum((p.hurt(lab, chance) for p in plants.values() if p.in_lab), np.zeros(len(lab.day)))
    after = outcomes(chance, floor, total, lost, Stage.PRODUCTION)
    before = outcomes(chance, lab, nature.odds(lab) - known, {}, Stage.GATE)
    return Evidence(
        "p", "", before, after, demonstrations(chance, plants), None,
        lags(chance, plants, world), agreements(chance, plants, world),
    )  # fmt: skip


def rates(odds):
    return 1.0 / (1.0 + np.exp(-odds))


def shares(natural, lost):
    """Each fault's part of the success that all of them take away, averaged over the orders of adding them."""
    if not lost:
        return {}
    every = sum(lost.values())
    parts = {}
    for gap, one in lost.items():
        first = (rates(natural) - rates(natural - one)).mean()
        last = (rates(natural - every + one) - rates(natural - every)).mean()
        parts[gap] = (first + last) / 2
    return {gap: part / sum(parts.values()) for gap, part in parts.items()}


class Nature:
    """How hard everything is by itself."""

    def __init__(self, chance):
        self.base = chance.uniform(2.0, 2.8)
        self.pairs = {(b, t): chance.normal(0, 0.2) for b in BINS for t in TIERS}
        self.places = {name: chance.normal(0, 0.1) for name in (*SITES, "lab")}
        self.robots = {f"{s}-{k}": chance.normal(0, 0.1) for s in (*SITES, "lab") for k in range(3)}
        self.chance = chance

    def odds(self, side):
        days = {
            d: self.chance.normal(0, 0.2) for d in sorted(set(zip(side.site.tolist(), side.day.tolist(), strict=True)))
        }
        return np.array([
            self.base
            - sum(HARD.get(column[k], 0.0) for column in side.levels.values())
            + self.pairs[side.levels["bin"][k], side.levels["tier"][k]]
            + self.places[side.site[k]] + self.robots[side.robot[k]] + days[side.site[k], side.day[k]]
            for k in range(len(side.day))
        ])  # fmt: skip


def rows(chance, count, days, sites, plants):
    """Draw conditions and telemetry; sites have their own light, people and temperatures."""
    site = chance.choice(sites, count)
    levels = {f: chance.choice(LEVELS[f], count, p=SHARES[f]) for f in LEVELS}
    robot = np.array([f"{s}-{chance.integers(2 if s != 'lab' else 1)}" for s in site])
    day = np.sort(chance.integers(0, days, count))
    lux = np.array([{"bright": 800, "dim": 150, "mixed": 400}[v] for v in levels["lighting"]]) * chance.lognormal(
        0, 0.2, count
    )
    warm = {"lab": 21.0, "north": 20.0, "south": 24.0, "west": 16.0}
    start = {r: chance.uniform(2e3, 4e4) for r in np.unique(robot)}
    numbers = {
        "lux": lux,
        "temperature_c": np.array([warm[s] for s in site]) + chance.normal(0, 3, count),
        "humidity": chance.uniform(30, 60, count),
        "gripper_cycles": np.array([start[r] for r in robot]) + 800.0 * day + chance.uniform(0, 800, count),
        "latency_ms": chance.gamma(16, 3, count),
        "battery": chance.uniform(40, 100, count),
    }
    side = Rows(levels, site, robot, day, numbers)
    for p in plants.values():
        p.expose(side, chance)
    return side


def thin(lab, plants, chance):
    """The laboratory hardly tries what is rare, and nothing that only the floor has."""
    for f in ("bin", "lighting", "operator"):
        rare = LEVELS[f][-1]
        swap = (lab.levels[f] == rare) & (chance.random(len(lab.day)) < 0.6)
        lab.levels[f][swap] = LEVELS[f][0]
    for p in plants.values():
        if p.factor in lab.levels:
            met = (lab.levels[p.factor] == p.level) & (chance.random(len(lab.day)) > 0.2 * p.in_lab)
            lab.levels[p.factor][met] = LEVELS[p.factor][0]


@dataclass
class Plant:
    """A fault: where it is, how strong, and whether the laboratory knew the place."""

    gap: Gap
    strength: float
    factor: str = ""
    level: str = ""
    since: int = 0
    in_lab: bool = False
    shown: int = 0
    where: str = ""

    def expose(self, side, chance):
        if self.gap is Gap.INFRASTRUCTURE:
            here = np.ones(len(side.day), bool) if self.where == "all" else side.site == self.where
            side.numbers["latency_ms"] += here * chance.gamma(4, 30, len(here))
        if self.gap is Gap.HARDWARE:
            for robot in self.where.split():
                side.numbers["gripper_cycles"][side.robot == robot] += 60_000
        if self.factor == "temperature_c":
            side.numbers["temperature_c"][side.site == self.where] -= 12.0

    def hurt(self, side, chance):
        count = len(side.day)
        if self.gap is Gap.INFRASTRUCTURE:
            return self.strength * np.clip(side.numbers["latency_ms"] - 70, 0, 200) / 80
        if self.gap is Gap.HARDWARE:
            worn = np.isin(side.robot, self.where.split())
            return self.strength * worn * np.clip((side.numbers["gripper_cycles"] - 50_000) / 40_000, 0, 1.3)
        if self.gap is Gap.TIMING:
            hard = np.isin(side.levels["bin"], ("occluded", "buried", "back"))
            return self.strength * 0.55 * (1.0 + 0.4 * hard) * chance.uniform(0.7, 1.3, count)
        if self.gap is Gap.LABELS:
            slight = np.isin(side.levels["packaging"], ("tube", "soft")) | np.isin(side.levels["bin"], ("side",))
            return self.strength * 0.5 * (0.6 + 0.8 * slight)
        if self.factor == "temperature_c":
            return self.strength * (side.numbers["temperature_c"] < 8.0)
        column = side.site if self.factor == "site" else side.levels[self.factor]
        return self.strength * ((column == self.level) & (side.day >= self.since))


def plant(gap, chance, world):
    """Draw where a fault is."""
    strength = world.strength * chance.uniform(0.8, 1.2)
    if gap is Gap.ENVIRONMENT:
        changed = not world.steady and (world.changed or chance.random() < 0.4)
        factor, level = [("lighting", "dim"), ("lighting", "mixed"), ("site", "south"), ("shift", "night")][
            chance.integers(4)
        ]
        since = world.since = int(chance.integers(4, world.days - 6)) if changed else 0
        return Plant(gap, strength, factor, level, since, False, 40 if changed else 0)
    if gap is Gap.EDGE_CASES:
        return Plant(
            gap,
            strength,
            "bin",
            str(chance.choice(BINS[2:5])),
            0,
            bool(chance.random() < 0.4),
            int(chance.integers(0, 5)),
        )
    if gap is Gap.CONDITIONS:
        if chance.random() < 0.5:
            return Plant(gap, strength, "temperature_c", "cold", where=str(chance.choice(SITES)))
        return Plant(gap, strength, "operator", str(chance.choice(PEOPLE[1:3])))
    if gap is Gap.SIM_TO_REAL:
        factor, level = [("tier", "long_tail"), ("tier", "medium"), ("packaging", "tube"), ("bin", "back")][
            chance.integers(4)
        ]
        return Plant(gap, strength, factor, level, shown=80)
    if gap is Gap.HARDWARE:
        worn = chance.choice([f"{s}-{k}" for s in SITES for k in range(2)], int(chance.integers(1, 3)), replace=False)
        return Plant(gap, strength, where=" ".join(worn))
    return Plant(gap, strength, where="all" if chance.random() < 0.5 else str(chance.choice(SITES)))


def outcomes(chance, side, odds, lost, stage):
    success = chance.random(len(odds)) < 1.0 / (1.0 + np.exp(-odds))
    lag = lost.get(Gap.TIMING, np.zeros(len(odds)))
    made = []
    for k, good in enumerate(success.tolist()):
        cycle = float(chance.uniform(5, 9))
        facts = tuple((name, float(v[k])) for name, v in side.numbers.items() if name != "latency_ms")
        made.append(
            Outcome(
                id=f"{stage}{k}", policy="p", stage=stage, succeeded=good, judged_by=f"j{int(chance.integers(2))}",
                stratum=Stratum.of({f: str(column[k]) for f, column in side.levels.items()}),
                site=str(side.site[k]), robot=str(side.robot[k]),
                at_ns=START + int((side.day[k] + chance.random()) * DAY), cycle_s=cycle,
                failure=None if good else FailureClass.GRASP, latency_ms=float(side.numbers["latency_ms"][k]),
                steps=chain(chance, good, lag[k], cycle), facts=facts,
            )
        )  # fmt: skip
    return tuple(made)


def chain(chance, good, lag, cycle):
    reached = len(STEPS) if good else int(chance.integers(1, len(STEPS) + 1))
    growth = [0.25 * lag * at * 7.0 / cycle for at in range(len(STEPS))]
    return tuple(
        Step(STEPS[at], good or at < reached - 1, float(0.004 * np.exp(chance.normal(growth[at], 0.4))))
        for at in range(reached)
    )


def demonstrations(chance, plants):
    """Some 700 over sites and conditions; what a fault says is missing is missing."""
    counts, simulated = {}, {}
    cold = any(p.factor == "temperature_c" for p in plants.values())
    for _ in range(700):
        site = str(chance.choice(("lab", *SITES), p=(0.1, 0.3, 0.3, 0.3)))
        levels = {f: str(chance.choice(LEVELS[f], p=SHARES[f])) for f in LEVELS}
        where = {**levels, "site": site}
        missing = [p for p in plants.values() if p.factor in where and where[p.factor] == p.level]
        if any(p.shown < 10 and chance.random() * 100 > p.shown for p in missing):
            continue
        key = Stratum.of(where)
        counts[key] = counts.get(key, 0) + 1
        if any(p.gap is Gap.SIM_TO_REAL and chance.random() < 0.95 for p in missing):
            simulated[key] = simulated.get(key, 0) + 1
    ranges = {"temperature_c": (9.0 if cold else -2.0, 36.0), "lux": (60.0, 1600.0), "humidity": (28.0, 62.0)}
    return Demonstrations(counts, simulated, {}, {}, ranges)


def lags(chance, plants, world):
    if not world.measured:
        return ()
    lag = chance.uniform(120, 200) if Gap.TIMING in plants else chance.normal(0, 1.0)
    return tuple(Lag(f"rig{k}", "wrist", lag + chance.normal(0, 0.5), lag - 2, lag + 2, 60) for k in range(2))


def agreements(chance, plants, world):
    if not world.measured:
        return ()
    kappa = chance.uniform(0.35, 0.68) if Gap.LABELS in plants else chance.uniform(0.85, 0.95)
    frames = chance.uniform(3.5, 8) if Gap.LABELS in plants else chance.uniform(0.8, 2.2)
    return (Agreement(("a", "b"), 60, kappa, frames, 0),)


SETTINGS = default_operations()["diagnose"].replace_values(share_draws=60)


def explain(evidence, settings=SETTINGS):
    return diagnose(evidence, settings, ids(), 5, np.random.default_rng(0))


def roles(before, after, shown=None):
    """The roles of the columns of two tables."""
    return infer_columns(before, after, shown, {}, SETTINGS)


def ids():
    return Ids(lambda: 0, random.Random(1).getrandbits)


def remarks(found, code):
    """What a diagnosis leaves open, of one code."""
    return [one for one in found.cannot_tell if one.code == f"diagnose.{code}"]


def stated(fact):
    """The codes of a fact and of its details."""
    return [part.code.removeprefix("diagnose.") for part in (fact, *fact.details)]


def detail(fact, code):
    """The fact itself or the one of its details with this code."""
    (found,) = [part for part in (fact, *fact.details) if part.code == f"diagnose.{code}"]
    return found

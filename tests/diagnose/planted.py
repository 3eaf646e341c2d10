"""Worlds whose cause of failure is known, because it was planted."""

import random
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose import Evidence
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.identity import Ids
from fieldloop.model.policy import Outcome, Stage

DAY = 86_400 * 10**9
LEVELS = {
    "lighting": ("bright", "dim", "mixed"),
    "bin": ("front", "back", "side"),
    "tier": ("high", "medium", "long_tail"),
}
USUAL = np.array([0.6, 0.25, 0.15])
HARDNESS = {"back": 0.4, "side": 0.3, "long_tail": 0.5, "medium": 0.2, "dim": 0.2}
"""How much each level takes off the log-odds: some things were always hard, and are no news."""


@dataclass
class World:
    """What was planted: which conditions lose how much of their success, and what else is different in production."""

    gap: Gap | None = None
    stratum: Stratum | None = None
    never_covered: bool | None = None
    drop: float = 0.35
    trials: int = 400
    episodes: int = 1000
    days: int = 14
    untaught: str = ""
    harder: str = ""
    grows: bool = False
    everywhere: bool = False

    def hurts(self, row):
        if self.everywhere:
            return True
        return self.stratum is not None and all(row[c.factor] == c.level for c in self.stratum.conditions)


def draw(world, seed):
    """Draw outcomes before and after, and what was demonstrated."""
    chance = np.random.default_rng(seed)
    before = [o for k in range(4 * world.trials) if (o := outcome(chance, world, k, production=False))][: world.trials]
    after = [outcome(chance, world, k, production=True) for k in range(world.episodes)]
    shown = {}
    for lighting in LEVELS["lighting"]:
        for where in LEVELS["bin"]:
            for tier in LEVELS["tier"]:
                levels = {"lighting": lighting, "bin": where, "tier": tier}
                if world.untaught not in levels.values():
                    shown[Stratum.of(levels, site="north")] = 12
    return Evidence("p", "north", tuple(before), tuple(after), shown)


def outcome(chance, world, number, *, production):
    picked = np.searchsorted(USUAL.cumsum(), chance.random(3))
    levels = {factor: LEVELS[factor][at] for factor, at in zip(LEVELS, picked, strict=True)}
    if production and world.harder and chance.random() < 0.6:
        levels["bin"] = world.harder
    if not production and world.untaught in levels.values():
        return None
    row = {**levels, "robot": f"r{int(3 * chance.random())}", "judged_by": f"j{int(2 * chance.random())}"}
    latency = 40.0 + 15.0 * chance.standard_normal()
    if production and world.gap is Gap.INFRASTRUCTURE and chance.random() < 0.3:
        latency += 200.0
    row["latency"] = "slow" if latency > 150.0 else "quick"
    odds = 2.2 - sum(HARDNESS.get(v, 0.0) for v in levels.values()) - 1.2 * (world.harder in levels.values())
    success = 1.0 / (1.0 + np.exp(-odds))
    at = number * world.days / world.episodes if production else 0.0
    if production and world.hurts(row):
        success = max(0.02, success - world.drop * (2.0 * at / world.days if world.grows else 1.0))
    return Outcome(
        f"{'after' if production else 'before'}{number}", "p", Stratum.of(levels),
        Stage.PRODUCTION if production else Stage.GATE, "north", row["robot"], int(at * DAY),
        bool(chance.random() < success), row["judged_by"], latency_ms=latency,
    )  # fmt: skip


def ids():
    return Ids(lambda: 0, random.Random(1).getrandbits)


WORLDS = {
    "dim light never shown": World(Gap.ENVIRONMENT, Stratum.of(lighting="dim"), True, untaught="dim"),
    "lamp replaced": World(Gap.ENVIRONMENT, Stratum.of(lighting="mixed"), False, drop=0.5),
    "back of the bin": World(Gap.EDGE_CASES, Stratum.of(bin="back"), False),
    "dim back of the bin": World(
        Gap.EDGE_CASES, Stratum.of(bin="back", lighting="dim"), False, drop=0.7, trials=1500, episodes=2000
    ),
    "worn gripper": World(Gap.HARDWARE, Stratum.of(robot="r1")),
    "slow network": World(Gap.INFRASTRUCTURE, Stratum.of(latency="slow")),
    "strict judge": World(Gap.LABELS, Stratum.of(judged_by="j1"), drop=0.25),
    "more of the hard bin": World(Gap.EDGE_CASES, Stratum.of(bin="side"), False, drop=0.0, harder="side"),
    "all robots wear": World(Gap.HARDWARE, Stratum(), drop=0.2, grows=True, everywhere=True),
}

"""Causes in the data and in the judging: cameras that lag, annotators who differ, a judge with another standard.

A lag costs what its size makes plausible: docs/ablation.md measured 6.5 points at 100 ms, growing faster than the lag.
"""

import numpy as np

from bench.logistic_worlds.faults import HALF, Make
from bench.logistic_worlds.floor import SITE
from bench.logistic_worlds.rows import NEW_JUDGE, Rows
from bench.logistic_worlds.setting import AFTER, BEFORE, SHOWN, Setting, give_share
from bench.logistic_worlds.truth import Fault

TIMING, LABELS = ("temporal misalignment",), ("annotation inconsistency",)
RARELY = 0.06
"""Share of the laboratory's trials where the data are bad; if it went there more often, it would have noticed."""
SENSITIVE = 0.065, 1.7
"""What 100 ms of lag cost, and the power by which the cost grows with the lag."""


def plant_lag(setting: Setting, rng: np.random.Generator) -> Make:
    """Let all cameras lag in the demonstrations."""
    lag_ms, already = rng.uniform(110.0, 220.0), rng.uniform(0.15, 0.4)
    setting.lags_ms = dict.fromkeys(setting.floor.sites, lag_ms)
    setting.taken.add("lags")

    def make(after: Rows, before: Rows) -> Fault:
        return Fault("lag", TIMING, (), np.ones(len(after)), np.full(len(before), already))

    return make


def plant_lag_of_one_rig(setting: Setting, rng: np.random.Generator) -> Make:
    """Let the cameras of one site lag in its demonstrations; the policy is late at that site."""
    site, lag_ms = setting.floor.sites[0], rng.uniform(120.0, 220.0)
    setting.lags_ms = {**dict.fromkeys(setting.floor.sites, 0.0), site: lag_ms}
    share = rng.uniform(0.35, 0.6)
    for stage, part in ((SHOWN, share), (BEFORE, RARELY), (AFTER, share)):
        setting.mixes[stage][SITE] = give_share(setting.mixes[stage][SITE], 0, part)
    setting.taken |= {"lags", SITE}

    def make(after: Rows, before: Rows) -> Fault:
        return Fault("lag of one rig", TIMING, ((SITE, site),), after.has(SITE, site), 0.4 * before.has(SITE, site))

    return make


def lag_cost(setting: Setting, affected: float, rng: np.random.Generator) -> float:
    """Return what the largest lag costs where a given part of production is affected."""
    at_100_ms, power = SENSITIVE
    worst = max((setting.lags_ms or {}).values()) / 100.0
    return float(at_100_ms * worst**power * affected * rng.uniform(0.8, 1.3))


def plant_annotators(setting: Setting, rng: np.random.Generator) -> Make:
    """Let annotators differ, everywhere or under one condition that the laboratory rarely tries."""
    setting.kappa, setting.frames = rng.uniform(0.2, 0.45), rng.uniform(6.0, 14.0)
    setting.taken.add("labels")
    if rng.random() < HALF:
        already = rng.uniform(0.2, 0.4)
        return lambda after, before: Fault("annotators", LABELS, (), np.ones(len(after)), np.full(len(before), already))
    factor = str(rng.choice([name for name in setting.floor.conditions if name not in setting.taken]))
    levels, share = setting.floor.levels[factor], rng.uniform(0.3, 0.5)
    for stage, part in ((SHOWN, share), (BEFORE, RARELY), (AFTER, share)):
        setting.mixes[stage][factor] = give_share(setting.mixes[stage][factor], 0, part)
    apart = setting.frames
    setting.frames_at = {(factor, one): rng.uniform(0.5, 1.8) for one in levels} | {(factor, levels[0]): apart}
    setting.frames, setting.kappa = share * apart + (1 - share) * 1.2, rng.uniform(0.4, 0.6)
    setting.taken.add(factor)
    place = ((factor, levels[0]),)
    return lambda after, before: Fault("annotators", LABELS, place, after.has(*place[0]), before.has(*place[0]))


def plant_judge(setting: Setting, rng: np.random.Generator) -> Make:
    """Let a new judge come to production who calls a part of all successes failures."""
    setting.judges = setting.judges or ("ines", "tomo")
    setting.new_judge_from, setting.new_judge_part = rng.uniform(0.15, 0.5), rng.uniform(0.55, 1.0)
    setting.taken.add("judged_by")

    def make(after: Rows, before: Rows) -> Fault:
        place = (("judged_by", NEW_JUDGE),)
        return Fault("judge", LABELS, place, after.has(*place[0]), np.zeros(len(before)), flips=True)

    return make

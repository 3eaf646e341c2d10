"""One world: its rows with their results, what was measured of its data, its causes, decoys and truth."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bench.logistic_worlds import data_faults
from bench.logistic_worlds.decoys import Decoy, add_decoys
from bench.logistic_worlds.faults import Make
from bench.logistic_worlds.floor import Floats, draw_floor
from bench.logistic_worlds.names import TONGUES, foreign_headers
from bench.logistic_worlds.rows import Rows, draw_rows
from bench.logistic_worlds.setting import AFTER, BEFORE, SHOWN, Setting, draw_setting, give_share
from bench.logistic_worlds.truth import Fault, Truth, compute_truth, largest_cost, solve_size, success
from bench.logistic_worlds.turns import MIX, NOTHING, NOTHING_BESIDE, PLANTS, TWO, draw_plants, kind_of

Bools = NDArray[np.bool_]
ATTEMPTS = 1000
FAINT = 0.1
"""Share of worlds whose only cause costs one to four points."""
MOST = 0.75
"""Part of the attempts under a cause that it may make fail."""


@dataclass(frozen=True, slots=True)
class World:
    """A world of a seed; `results` are of the baseline and of production."""

    seed: int
    kind: str
    setting: Setting
    shown: Rows
    before: Rows
    after: Rows
    results: tuple[Bools, Bools]
    faults: tuple[Fault, ...]
    decoys: tuple[Decoy, ...]
    truth: Truth
    headers: dict[str, str]
    """Known header → foreign header, in the language of this world."""


def draw_world(seed: int, attempts: int = ATTEMPTS) -> World:
    """Draw the world of a seed with so many attempts in production."""
    rng = np.random.default_rng([seed, 61, 14])
    kind = kind_of(seed)
    names = draw_plants(kind, rng)
    setting = _draw_setting(names, rng)
    makes = [PLANTS[name](setting, rng) for name in names]
    if kind == MIX:
        _harden_mix(setting, rng)
    decoys = add_decoys(setting, _count_decoys(kind, rng), rng)
    shown = draw_rows(setting, SHOWN, int(rng.integers(350, 900)), rng)
    before = draw_rows(setting, BEFORE, int(rng.integers(400, 700)), rng)
    after = draw_rows(setting, AFTER, attempts, rng)
    start = rng.uniform(1.8, 3.0) - float(before.ease.mean())
    days = rng.normal(0, setting.day_spread, setting.days)
    eases = (
        before.ease + start,
        after.ease + start - setting.drag + days[np.minimum(after.when * setting.days, setting.days - 1).astype(int)],
    )
    faults = tuple(_size_fault(make, setting, before, after, eases[1], kind, rng) for make in makes)
    chances = (
        success(eases[0], [(fault, fault.before) for fault in faults]),
        success(eases[1], [(fault, fault.after) for fault in faults]),
    )
    results = (rng.random(len(before)) < chances[0], rng.random(len(after)) < chances[1])
    truth = compute_truth(*eases, faults)
    headers = foreign_headers(int(rng.integers(TONGUES)))
    return World(seed, kind, setting, shown, before, after, results, faults, decoys, truth, headers)


def _draw_setting(names: tuple[str, ...], rng: np.random.Generator) -> Setting:
    one_rig = "lag of one rig" in names
    floor = draw_floor(rng, 2 if one_rig else 1, 2 if "wear, not logged" in names else 1)
    return draw_setting(floor, rng)


def _count_decoys(kind: str, rng: np.random.Generator) -> int:
    if kind == NOTHING:
        return 0
    often = 1.0 if kind == NOTHING_BESIDE else 0.5
    return int(rng.integers(1, 3)) if rng.random() < often else 0


def _harden_mix(setting: Setting, rng: np.random.Generator) -> None:
    """Make a hard level frequent in production that was demonstrated and tried often enough."""
    factor = str(rng.choice(setting.floor.conditions))
    setting.floor.effects[factor][0] = -rng.uniform(1.3, 2.0)
    for stage, share in ((SHOWN, rng.uniform(0.2, 0.3)), (BEFORE, rng.uniform(0.1, 0.16)), (AFTER, 0.5)):
        setting.mixes[stage][factor] = give_share(setting.mixes[stage][factor], 0, share)
    setting.taken.add(factor)


def _size_fault(
    make: Make, setting: Setting, before: Rows, after: Rows, ease: Floats, kind: str, rng: np.random.Generator
) -> Fault:
    """Make a fault as large as the cost that was drawn for it."""
    fault = make(after, before)
    cost = rng.uniform(0.06, 0.18) if kind == TWO else rng.uniform(0.08, 0.25)
    if fault.gaps == data_faults.TIMING:
        cost = data_faults.lag_cost(setting, float(fault.after.mean()), rng)
    elif kind != TWO and rng.random() < FAINT:
        cost = rng.uniform(0.01, 0.04)
    cost = min(cost, MOST * largest_cost(ease, fault))
    return replace(fault, size=solve_size(ease, fault, cost))

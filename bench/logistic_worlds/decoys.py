"""What looks wrong and costs nothing: a measured lag, some disagreement, wear, conditions that are new."""

from collections.abc import Callable

import numpy as np

from bench.logistic_worlds.names import COUNTERS, NUMBERS
from bench.logistic_worlds.setting import AFTER, BEFORE, SHOWN, Setting, give_share

Place = tuple[str, str]
Decoy = tuple[str, tuple[Place, ...]]
"""Its kind, and the conditions that a diagnosis would blame if it were misled ('' is any level)."""
FEWEST_LEVELS = 3


def add_lag(setting: Setting, rng: np.random.Generator) -> Decoy | None:
    """Report a lag of 30 to 60 ms that has no effect: the action chunks of this policy cover it."""
    if "lags" in setting.taken:
        return None
    sites = setting.floor.sites
    late = sites if rng.random() < 1 / 2 else sites[:1]
    setting.lags_ms = {site: rng.uniform(30.0, 60.0) if site in late else 0.0 for site in sites}
    return "lag", ()


def add_disagreement(setting: Setting, rng: np.random.Generator) -> Decoy | None:
    """Report annotators with a kappa of 0.6 to 0.75 on phases that the training does not use."""
    if "labels" in setting.taken:
        return None
    setting.kappa, setting.frames = rng.uniform(0.6, 0.75), rng.uniform(1.0, 2.9)
    return "disagreement", ()


def add_wear(setting: Setting, rng: np.random.Generator) -> Decoy | None:
    """Log a counter that is far beyond the baseline's on some robots, which work as well as before."""
    if "counter" in setting.taken:
        return None
    setting.counter = setting.counter or str(rng.choice(list(COUNTERS)))
    names = [name for name, _ in setting.floor.robots]
    some = rng.permutation(names)[: max(1, len(names) // 2)].tolist()
    setting.more_cycles = dict.fromkeys(some, (rng.uniform(0, 30_000), rng.uniform(40_000, 70_000)))
    setting.taken.add("counter")
    return "wear", ((setting.counter, ""), *(("robot", name) for name in some))


def add_shift(setting: Setting, rng: np.random.Generator) -> Decoy | None:
    """Put a level into production that was never shown and is as easy as the others, or move a number."""
    floor = setting.floor
    free = [f for f in floor.conditions if f not in setting.taken and len(floor.levels[f]) >= FEWEST_LEVELS]
    if free and rng.random() < 2 / 3:
        factor = str(rng.choice(free))
        code = int(rng.integers(len(floor.levels[factor])))
        floor.effects[factor] = np.delete(floor.effects[factor], code)
        usual = float(np.delete(setting.mixes[BEFORE][factor], code) @ floor.effects[factor])
        usual /= 1.0 - setting.mixes[BEFORE][factor][code]
        floor.effects[factor] = np.insert(floor.effects[factor], code, usual)
        for stage, share in ((SHOWN, 0.0), (BEFORE, 0.0), (AFTER, rng.uniform(0.15, 0.35))):
            setting.mixes[stage][factor] = give_share(setting.mixes[stage][factor], code, share)
        setting.taken.add(factor)
        return "shift", ((factor, floor.levels[factor][code]),)
    rest = [name for name in NUMBERS if name not in setting.taken]
    if not rest:
        return None
    name = str(rng.choice(rest))
    setting.numbers = [*dict.fromkeys([*setting.numbers, name])]
    setting.trends[name] = float(rng.choice([-1.0, 1.0]) * rng.uniform(2.0, 5.0))
    setting.taken.add(name)
    return "shift", ((name, ""),)


DECOYS: tuple[Callable[[Setting, np.random.Generator], Decoy | None], ...] = (
    add_lag,
    add_disagreement,
    add_wear,
    add_shift,
)


def add_decoys(setting: Setting, count: int, rng: np.random.Generator) -> tuple[Decoy, ...]:
    """Add up to so many decoys, none where a planted cause already is."""
    made = [DECOYS[k](setting, rng) for k in rng.permutation(len(DECOYS))[:count]]
    return tuple(decoy for decoy in made if decoy is not None)

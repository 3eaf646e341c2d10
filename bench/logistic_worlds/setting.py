"""What a world will be before a row is drawn: mixes, numbers, wear, late answers, judges, and what was measured."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bench.logistic_worlds.floor import Floor
from bench.logistic_worlds.names import COUNTERS, NUMBERS

Floats = NDArray[np.float64]
SHOWN, BEFORE, AFTER = "demonstrations", "baseline", "production"
STAGES = (SHOWN, BEFORE, AFTER)
RELIABLE = 6 / 7
"""Share of teams that have measured lags, and of those that have compared annotators."""


@dataclass(slots=True)
class Setting:
    """A world to be; causes and decoys change it, and mark in `taken` what no other may use."""

    floor: Floor
    days: int
    mixes: dict[str, dict[str, Floats]]
    """Stage → factor → shares of its levels."""
    numbers: list[str]
    trends: dict[str, float] = field(default_factory=dict)
    """Number → how many spreads it has moved by the last day of production."""
    counter: str = ""
    more_cycles: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Robot → cycles added before the first day of production, and by the last."""
    has_latency: bool = True
    late_from: float = 1.0
    """Part of production after which answers are late."""
    late_ms: float = 0.0
    late_robots: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    new_judge_from: float = 1.0
    new_judge_part: float = 0.0
    lags_ms: dict[str, float] | None = None
    """Site → lag in its demonstrations; None: not measured."""
    kappa: float | None = None
    """Agreement of two annotators; None: not measured."""
    frames: float = 1.0
    frames_at: dict[tuple[str, str], float] = field(default_factory=dict)
    """Condition → frames between the two annotators under it."""
    drag: float = 0.0
    """What production is harder than the laboratory, in log-odds, with nothing wrong."""
    day_spread: float = 0.0
    taken: set[str] = field(default_factory=set)


def draw_setting(floor: Floor, rng: np.random.Generator) -> Setting:
    """Draw a sound world: laboratory and production differ a little in their mix, as they always do."""
    mixes: dict[str, dict[str, Floats]] = {stage: {} for stage in STAGES}
    for factor, levels in floor.levels.items():
        shares = rng.dirichlet(np.full(len(levels), 6.0))
        for stage in STAGES:
            tilted = shares * np.exp(rng.normal(0, 0.15, len(levels)))
            mixes[stage][factor] = tilted / tilted.sum()
    made = Setting(floor, int(rng.integers(14, 31)), mixes, [])
    made.numbers = rng.permutation(list(NUMBERS))[: rng.integers(0, 3)].tolist()
    if rng.random() < 1 / 2:
        made.counter = str(rng.choice(list(COUNTERS)))
    if rng.random() < 1 / 2:
        made.judges = ("ines", "tomo")
    made.has_latency = bool(rng.random() < 0.8)  # noqa: PLR2004
    made.drag, made.day_spread = rng.uniform(0.0, 0.5), rng.uniform(0.0, 0.15)
    if rng.random() < RELIABLE:
        made.lags_ms = dict.fromkeys(floor.sites, 0.0)
    if rng.random() < RELIABLE:
        made.kappa, made.frames = rng.uniform(0.85, 0.96), rng.uniform(0.4, 1.5)
    return made


def give_share(shares: Floats, level: int, share: float) -> Floats:
    """Give one level a share of the mix; the others keep their proportions.

    >>> give_share(np.array([0.5, 0.25, 0.25]), 0, 0.2).tolist()
    [0.2, 0.4, 0.4]
    """
    others = np.delete(shares, level)
    return np.insert(others / others.sum() * (1.0 - share), level, share)

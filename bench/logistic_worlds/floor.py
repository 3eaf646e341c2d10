"""Draws a map: sites, robots, conditions with their levels, and how hard each level is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.logistic_worlds.names import LEVELS, PLACES

Floats = NDArray[np.float64]
SITE = "site"


@dataclass(frozen=True, slots=True)
class Floor:
    """A map: the site of every robot; for every factor its levels and what each adds to the log-odds of success."""

    robots: tuple[tuple[str, str], ...]
    levels: dict[str, tuple[str, ...]]
    effects: dict[str, Floats]
    items: Floats
    """What each article adds; empty where articles are not logged."""

    @property
    def sites(self) -> tuple[str, ...]:
        return self.levels[SITE]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Factors other than the site."""
        return tuple(factor for factor in self.levels if factor != SITE)


def draw_floor(rng: np.random.Generator, fewest_sites: int = 1, fewest_robots: int = 1) -> Floor:
    """Draw a map of one to four sites with one to three robots each (or more), and two to four conditions."""
    sites = tuple(rng.permutation(PLACES)[: max(fewest_sites, int(rng.integers(1, 5)))].tolist())
    counts = np.maximum(rng.integers(1, 4, size=len(sites)), fewest_robots)
    robots = tuple((f"{site}-r{k}", site) for site, count in zip(sites, counts, strict=True) for k in range(count))
    levels: dict[str, tuple[str, ...]] = {SITE: sites}
    for factor in rng.permutation(list(LEVELS))[: rng.integers(2, 5)].tolist():
        known = LEVELS[factor]
        levels[factor] = tuple(rng.permutation(known)[: rng.integers(3, len(known) + 1)].tolist())
    hard = rng.uniform(0.15, 0.45)
    effects = {factor: rng.normal(0, hard, len(names)) for factor, names in levels.items()}
    items = rng.normal(0, 0.3, rng.integers(8, 26)) if rng.random() < 0.4 else np.zeros(0)  # noqa: PLR2004
    return Floor(robots, levels, effects, items)

"""Maps drawn at random: sites, other factors, levels, shares, traps, costs and a laboratory, each seed its own."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.condition import Stratum

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

FACTORS = ("bin", "packaging", "light", "shift", "tier", "gripper", "floor", "hall", "colour")
"""Names that a map's further factors are drawn from; some are in the planner's list of factors that can be impossible,
some are not."""
GOOD_DEMONSTRATION = 0.97
"""How often an operator's try is good enough to keep, where the stratum is possible."""


@dataclass(frozen=True, slots=True)
class Family:
    """How maps are drawn: ranges of numbers of levels, and what makes a map hard to plan for."""

    name: str
    sites: tuple[int, int]
    factors: tuple[int, int]
    levels: tuple[int, int]
    traps: tuple[int, int] = (0, 0)
    """Levels at which every policy fails, and most operators do."""
    evenness: float = 1.0
    """Of shares: a Dirichlet distribution's parameter; small gives a few frequent levels and a long tail."""
    dearest: float = 1.0
    """The cost of a demonstration at the dearest site; sites are drawn between 1 and this."""


FAMILIES = (
    Family("few", sites=(2, 4), factors=(1, 2), levels=(2, 5), traps=(0, 1), evenness=2.0),
    Family("tail", sites=(4, 8), factors=(2, 3), levels=(2, 4), traps=(0, 1), evenness=0.6),
    Family("traps", sites=(2, 4), factors=(2, 2), levels=(4, 7), traps=(2, 3)),
    Family("costs", sites=(4, 6), factors=(2, 2), levels=(3, 4), traps=(0, 1), dearest=4.0),
)


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """Strata by row: each factor's level, shares of production and laboratory, cost, and what is impossible."""

    factors: tuple[str, ...]
    levels: tuple[int, ...]
    codes: Ints
    shares: Floats
    laboratory: Floats
    cost: Floats
    trap: NDArray[np.bool_]
    operators: Floats
    """How often a try is good enough to keep."""
    strata: tuple[Stratum, ...]

    def known_to_laboratory(self) -> list[NDArray[np.bool_]]:
        """For each factor, which of its levels the laboratory has."""
        inside = self.laboratory > 0.0
        return [
            np.bincount(self.codes[inside, at], minlength=size) > 0 for at, size in enumerate(self.levels)
        ]  # fmt: skip


def draw_map(family: Family, rng: np.random.Generator) -> Map:
    """Draw a map; its laboratory is at the most frequent site and has the first levels of every factor."""
    count = int(rng.integers(family.factors[0], family.factors[1], endpoint=True))
    names = ("site", *rng.choice(FACTORS, count, replace=False).tolist())
    sites = int(rng.integers(family.sites[0], family.sites[1], endpoint=True))
    sizes = (sites, *rng.integers(family.levels[0], family.levels[1], count, endpoint=True).tolist())
    codes = np.stack(np.unravel_index(np.arange(np.prod(sizes)), sizes), axis=1).astype(np.intp)
    shares = _draw_shares(codes, sizes, family, rng)
    trap = _draw_traps(codes, sizes, family, rng)
    inside = codes[:, 0] == 0
    for at, size in enumerate(sizes[1:], start=1):
        inside &= codes[:, at] <= rng.integers(0, max(1, size // 2), endpoint=True)
    laboratory = np.where(inside & ~trap, shares, 0.0)
    cost = rng.uniform(1.0, family.dearest, sites)[codes[:, 0]]
    return Map(
        factors=names,
        levels=sizes,
        codes=codes,
        shares=shares,
        laboratory=laboratory / max(laboratory.sum(), np.finfo(float).tiny),
        cost=np.where(codes[:, 0] == 0, 1.0, cost),
        trap=trap,
        operators=np.where(trap, rng.uniform(0.1, 0.4), GOOD_DEMONSTRATION),
        strata=tuple(
            Stratum.of({name: f"{name}{level}" for name, level in zip(names, row, strict=True)})
            for row in codes.tolist()
        ),
    )


def _draw_shares(codes: Ints, sizes: tuple[int, ...], family: Family, rng: np.random.Generator) -> Floats:
    """Sites have mixes of their own, around a common one; some combinations never occur."""
    site = np.sort(rng.dirichlet(np.full(sizes[0], 2.0 * family.evenness)))[::-1]
    shares = site[codes[:, 0]]
    for at, size in enumerate(sizes[1:], start=1):
        usual = np.sort(rng.dirichlet(np.full(size, family.evenness)))[::-1] + 0.02
        mixes = np.stack([rng.dirichlet(8.0 * usual + 0.1) for _ in range(sizes[0])])
        shares = shares * mixes[codes[:, 0], codes[:, at]]
    shares = np.where(shares > 1e-5 * shares.max(), shares, 0.0)
    return np.asarray(shares / shares.sum())


def _draw_traps(
    codes: Ints, sizes: tuple[int, ...], family: Family, rng: np.random.Generator
) -> NDArray[np.bool_]:  # fmt: skip
    """Draw impossible levels of factors other than the site; the first level of each stays possible."""
    trap = np.zeros(len(codes), dtype=bool)
    for _ in range(int(rng.integers(family.traps[0], family.traps[1], endpoint=True))):
        at = int(rng.integers(1, len(sizes)))
        trap |= codes[:, at] == rng.integers(1, sizes[at])
    return trap

"""The mix of production in one world: a preset's map, varied, with given shares of some conditions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking.strata import Strata

Floats = NDArray[np.float64]
ROUNDS = 30
"""Rounds in which fitting several shares in turn converges."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A wanted share of production with one of these levels."""

    factor: str
    levels: tuple[str, ...]
    share: float


def drawn(strata: Strata, base: Floats, sites: Sequence[str], rng: np.random.Generator) -> Floats:
    """Vary a preset's map: only these sites, and at each site every level more or less often."""
    here = np.isin(strata.codes[:, strata.factors.index("site")], [strata.levels["site"].index(s) for s in sites])
    shares = np.where(here, base, 0.0)
    site = strata.codes[:, strata.factors.index("site")]
    for column, factor in enumerate(strata.factors):
        levels = len(strata.levels[factor])
        often = np.exp(rng.normal(0, 0.35, (len(strata.levels["site"]), levels)))
        shares = shares * often[site, strata.codes[:, column]]
    return np.asarray(shares / shares.sum())


def fitted(strata: Strata, shares: Floats, wanted: Sequence[Wanted]) -> Floats:
    """Give conditions their wanted shares, changing the rest in proportion (iterative proportional fitting)."""
    for _ in range(ROUNDS):
        for want in wanted:
            has = having(strata, {want.factor: want.levels})
            part = float(shares[has].sum())
            if 0.0 < part < 1.0:
                shares = np.where(has, shares * want.share / part, shares * (1 - want.share) / (1 - part))
    return np.asarray(shares / shares.sum())


def having(strata: Strata, conditions: Mapping[str, Sequence[str]]) -> NDArray[np.bool_]:
    """Which strata have, for each factor, one of these levels?"""
    found = np.ones(len(strata), dtype=bool)
    for factor, levels in conditions.items():
        found &= np.logical_or.reduce([strata.where({factor: level}) for level in levels])
    return np.asarray(found)

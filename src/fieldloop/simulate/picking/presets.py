"""Presets of the floor: the laboratory's mix, production's mix by week, and the cost of demonstrations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnknownName
from fieldloop.simulate.picking.faults import Change
from fieldloop.simulate.picking.strata import LEVELS

Floats = NDArray[np.float64]

PACKAGING_HOME = (0.46, 0.27, 0.14, 0.07, 0.06)
LAB_BINS = (0.50, 0.25, 0.25, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares of sites, and for each site the shares of packaging, bins and lighting."""

    sites: Sequence[float]
    packaging: Sequence[Sequence[float]]
    bins: Sequence[Sequence[float]]
    lighting: Sequence[Sequence[float]]

    def compute_shares(self) -> Floats:
        """Return the share of every stratum, summing to 1."""
        parts = [np.asarray(part, dtype=float) for part in (self.packaging, self.bins, self.lighting)]
        site = np.asarray(self.sites, dtype=float)
        product = np.einsum("s,sp,sb,sl->spbl", site, *[part / part.sum(axis=1, keepdims=True) for part in parts])
        return np.asarray(product.ravel() / product.sum())


EVEN = [[1.0] * len(LEVELS[factor]) for factor in ("packaging", "bin", "lighting")]


def _make_mix(
    sites: Sequence[float],
    packaging: Sequence[Sequence[float]],
    bins: Sequence[Sequence[float]],
    light: Sequence[Sequence[float]],
) -> Mix:
    """Add sites that are planned but not deployed, with every level."""
    missing = len(sites) - len(bins)
    filled = [[*part, *[even] * missing] for part, even in zip((packaging, bins, light), EVEN, strict=True)]
    return Mix(sites, *filled)


LAB = _make_mix((1, 0, 0, 0, 0, 0), [PACKAGING_HOME], [LAB_BINS], [(1, 0, 0)])
PACKAGING = [
    PACKAGING_HOME,
    (0.30, 0.20, 0.18, 0.22, 0.10),
    (0.25, 0.30, 0.25, 0.10, 0.10),
    (0.35, 0.15, 0.25, 0.10, 0.15),
]
LIGHT = [(0.92, 0.05, 0.03), (0.30, 0.10, 0.60), (0.20, 0.75, 0.05), (0.50, 0.25, 0.25)]
COVERED_TRAPS = _make_mix(
    (0.52, 0.17, 0.16, 0.15, 0, 0),
    PACKAGING,
    [
        (0.44, 0.22, 0.21, 0.03, 0.03, 0.02, 0.02, 0.03),
        (0.22, 0.12, 0.10, 0.10, 0.12, 0.11, 0.10, 0.13),
        (0.20, 0.10, 0.10, 0.10, 0.12, 0.16, 0.09, 0.13),
        (0.22, 0.12, 0.10, 0.11, 0.12, 0.09, 0.10, 0.14),
    ],
    LIGHT,
)
BROAD = _make_mix(
    (0.30, 0.25, 0.25, 0.20, 0, 0),
    PACKAGING,
    [
        (0.42, 0.22, 0.22, 0.04, 0.04, 0.03, 0.03, 0.0),
        (0.25, 0.13, 0.12, 0.13, 0.13, 0.12, 0.12, 0.0),
        (0.23, 0.12, 0.12, 0.13, 0.13, 0.16, 0.11, 0.0),
        (0.25, 0.13, 0.12, 0.14, 0.14, 0.10, 0.12, 0.0),
    ],
    LIGHT,
)
MULTI_SITE = Mix(
    (0.25, 0.20, 0.17, 0.15, 0.13, 0.10),
    [*PACKAGING, (0.20, 0.35, 0.15, 0.15, 0.15), (0.45, 0.10, 0.25, 0.10, 0.10)],
    [
        *COVERED_TRAPS.bins[:4],
        (0.30, 0.15, 0.15, 0.10, 0.10, 0.10, 0.06, 0.04),
        (0.25, 0.20, 0.15, 0.08, 0.08, 0.12, 0.08, 0.04),
    ],
    [*LIGHT, (0.40, 0.40, 0.20), (0.60, 0.20, 0.20)],
)
DRIFT_LATE = _make_mix(
    (0.34, 0.26, 0.16, 0.24, 0, 0),
    [(0.34, 0.22, 0.22, 0.12, 0.10), (0.20, 0.18, 0.27, 0.25, 0.10), *PACKAGING[2:]],
    COVERED_TRAPS.bins[:4],
    [(0.70, 0.22, 0.08), *LIGHT[1:]],
)
DRIFT_WEEKS = 12
SITE_COST = (1.0, 1.5, 4.0, 2.5, 3.0, 3.0)
BIN_COST = (1.0, 1.0, 1.0, 1.2, 1.5, 1.0, 1.2, 1.5)


@dataclass(frozen=True, slots=True)
class Preset:
    """A map with a name: production by week, what a demonstration costs, what changes over time."""

    name: str
    production: Callable[[float], Floats]
    laboratory: Floats
    cost: Floats
    changes: tuple[Change, ...] = ()
    cycles_per_week: float = 0.0
    """Gripper cycles a week beyond the ordinary."""


def _make_even_cost() -> Floats:
    return np.ones(len(LAB.compute_shares()))


def _make_travel_cost() -> Floats:
    shape = tuple(len(levels) for levels in LEVELS.values())
    site, bins = np.array(SITE_COST)[:, None, None, None], np.array(BIN_COST)[None, None, :, None]
    return np.asarray(np.broadcast_to(site * bins, shape).ravel())


def _compute_drifting_shares(week: float) -> Floats:
    late = min(max(week / DRIFT_WEEKS, 0.0), 1.0)
    return (1 - late) * COVERED_TRAPS.compute_shares() + late * DRIFT_LATE.compute_shares()


def get_preset(name: str) -> Preset:
    """Return a preset by name."""
    lab, even = LAB.compute_shares(), _make_even_cost()
    moves = (Change("lamp", "home", 4.0), Change("mount", "home", 6.0), Change("lamp", "annex", 8.0))
    known = {
        "broad": Preset("broad", lambda _: BROAD.compute_shares(), lab, even),
        "covered_traps": Preset("covered_traps", lambda _: COVERED_TRAPS.compute_shares(), lab, even),
        "drift": Preset("drift", _compute_drifting_shares, lab, even, moves, cycles_per_week=1_500.0),
        "unequal_cost": Preset("unequal_cost", lambda _: COVERED_TRAPS.compute_shares(), lab, _make_travel_cost()),
        "multi_site": Preset("multi_site", lambda _: MULTI_SITE.compute_shares(), lab, even),
    }
    if name not in known:
        raise UnknownName("preset of the picking floor", name, known)
    return known[name]

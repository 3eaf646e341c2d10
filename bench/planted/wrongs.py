"""The faults of one world: a few variants for each cause, with details drawn anew."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from bench.planted.mixes import Wanted
from fieldloop.model.diagnosis import Gap
from fieldloop.simulate.picking.faults import NOTHING, Change, Faults, Starved
from fieldloop.simulate.picking.sites import ROBOTS_PER_SITE

UNUSUAL = ("occluded", "buried", "nearly_empty", "reoriented")
RARER = ("bottle", "polybag", "foil", "fragile")
HALF = 0.5
"""Probability of the first of two variants of a fault."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Answers are late on these robots, or on all of them between two hours of the day."""

    latency_s: float
    robots: tuple[str, ...] = ()
    hours: tuple[int, int] = (0, 24)


@dataclass(frozen=True, slots=True)
class Wrong:
    """One fault: its description, its form for the simulator, and the share of production that it must affect."""

    gap: Gap
    way: str
    faults: Faults
    wanted: tuple[Wanted, ...] = ()
    slow: Slow | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What may still be chosen: the deployed sites, the days, and conditions that another fault already uses."""

    sites: tuple[str, ...]
    days: int
    others: tuple[Gap, ...]

    @property
    def robots(self) -> tuple[str, ...]:
        return tuple(f"{site}-{number + 1}" for site in self.sites for number in range(ROBOTS_PER_SITE))


def together(wrongs: Sequence[Wrong]) -> Faults:
    """Combine all faults; values of two faults in the same field are concatenated."""
    combined: dict[str, Any] = {}
    for wrong in wrongs:
        for field in fields(Faults):
            value = getattr(wrong.faults, field.name)
            if value != getattr(NOTHING, field.name):
                both = isinstance(value, tuple) and field.name in combined
                combined[field.name] = (*combined[field.name], *value) if both else value
    return replace(NOTHING, **combined)


def _environment(scope: Scope, rng: np.random.Generator) -> Wrong:
    busy = Wanted("site", scope.sites[:1], rng.uniform(0.45, 0.65))
    way = rng.choice(["sites", "lights", "sites and lights", "mount", "mount and lamp"])
    if way.startswith("mount"):
        week = rng.uniform(0.0, 0.4) * scope.days / 7
        kinds = ("mount", "lamp") if "lamp" in way else ("mount",)
        changes = tuple(Change(kind, scope.sites[0], week) for kind in kinds)
        return Wrong(Gap.ENVIRONMENT, way, Faults(changes=changes), (busy,))
    starved: list[Starved] = []
    wanted: list[Wanted] = []
    if "sites" in way:
        starved += [Starved({"site": site}) for site in scope.sites[:-1]]
        wanted.append(Wanted("site", scope.sites[:-1], rng.uniform(0.5, 0.7)))
    if "lights" in way:
        starved += [Starved({"lighting": lamp}) for lamp in ("dim", "glare")]
        wanted.append(Wanted("lighting", ("dim", "glare"), rng.uniform(0.5, 0.7)))
    return Wrong(Gap.ENVIRONMENT, way, Faults(starved=tuple(starved)), tuple(wanted))


def _timing(_: Scope, rng: np.random.Generator) -> Wrong:
    return Wrong(Gap.TIMING, "lag", Faults(camera_lag_s=rng.uniform(0.12, 0.2)))


def _edge_cases(scope: Scope, rng: np.random.Generator) -> Wrong:
    # labels differ on unusual bins: were those not demonstrated at all, their labels could do no harm
    packaging = tuple(rng.permutation(RARER)[: rng.integers(2, 5)].tolist())
    rare = {"packaging": packaging}
    if Gap.LABELS not in scope.others and (len(packaging) == 2 or rng.random() < HALF):  # noqa: PLR2004 - two are few
        rare["bin"] = tuple(rng.permutation(UNUSUAL)[:2].tolist())
    starved = tuple(
        Starved({factor: level}, share=rng.uniform(0.0, 0.03)) for factor, levels in rare.items() for level in levels
    )
    shares = {"packaging": rng.uniform(0.4, 0.6), "bin": rng.uniform(0.2, 0.35)}
    wanted = tuple(Wanted(factor, levels, shares[factor]) for factor, levels in rare.items())
    return Wrong(Gap.EDGE_CASES, " and ".join(rare), Faults(starved=starved), wanted)


def _labels(_: Scope, rng: np.random.Generator) -> Wrong:
    noise = Faults(label_noise=rng.uniform(0.2, 0.35))
    return Wrong(Gap.LABELS, "grasp moment", noise, (Wanted("bin", UNUSUAL, rng.uniform(0.35, 0.5)),))


def _conditions(scope: Scope, rng: np.random.Generator) -> Wrong:
    # a cold store that is left out or simulated is not demonstrated at any temperature
    taken = {Gap.ENVIRONMENT, Gap.SIM_TO_REAL} & set(scope.others)
    cold = "coldstore" in scope.sites and not taken and rng.random() < HALF
    way = "operators and cold" if cold else "operators"
    faults = Faults(operators_left_out=(4, 5) if rng.random() < HALF else (3, 4, 5))
    wanted: tuple[Wanted, ...] = ()
    if cold:
        faults = replace(faults, temperatures_left_out=(-20.0, rng.uniform(12.0, 16.0)))
        wanted = (Wanted("site", ("coldstore",), rng.uniform(0.35, 0.5)),)
    return Wrong(Gap.CONDITIONS, way, faults, wanted)


def _sim_to_real(scope: Scope, rng: np.random.Generator) -> Wrong:
    # what is left out cannot be simulated too
    by_packaging = Gap.ENVIRONMENT in scope.others or (Gap.EDGE_CASES not in scope.others and rng.random() < HALF)
    factor, level = ("packaging", str(rng.choice(RARER))) if by_packaging else ("site", scope.sites[-1])
    share = Wanted(factor, (level,), rng.uniform(0.35, 0.5))
    return Wrong(Gap.SIM_TO_REAL, factor, Faults(simulated_share=1.0, simulated_where={factor: level}), (share,))


def _hardware(scope: Scope, rng: np.random.Generator) -> Wrong:
    some = max(1, round(rng.uniform(0.35, 0.65) * len(scope.robots)))
    worn = tuple(sorted(rng.permutation(scope.robots)[:some].tolist()))
    return Wrong(Gap.HARDWARE, "wear", Faults(extra_cycles=rng.uniform(45_000, 70_000), worn_robots=worn))


def _infrastructure(scope: Scope, rng: np.random.Generator) -> Wrong:
    late = rng.uniform(0.08, 0.13)
    if rng.random() < HALF:
        first = int(rng.integers(0, 12))
        return Wrong(
            Gap.INFRASTRUCTURE, "hours", NOTHING, (), Slow(late, (), (first, first + int(rng.integers(8, 13))))
        )
    some = max(1, round(rng.uniform(0.35, 0.65) * len(scope.robots)))
    return Wrong(
        Gap.INFRASTRUCTURE, "robots", NOTHING, (), Slow(late, tuple(rng.permutation(scope.robots)[:some].tolist()))
    )


WAYS: dict[Gap, Callable[[Scope, np.random.Generator], Wrong]] = {
    Gap.ENVIRONMENT: _environment,
    Gap.TIMING: _timing,
    Gap.EDGE_CASES: _edge_cases,
    Gap.LABELS: _labels,
    Gap.CONDITIONS: _conditions,
    Gap.SIM_TO_REAL: _sim_to_real,
    Gap.HARDWARE: _hardware,
    Gap.INFRASTRUCTURE: _infrastructure,
}


def drawn(gaps: Sequence[Gap], sites: tuple[str, ...], days: int, rng: np.random.Generator) -> tuple[Wrong, ...]:
    """Draw a variant of each of these causes."""
    return tuple(WAYS[gap](Scope(sites, days, tuple(g for g in gaps if g is not gap)), rng) for gap in gaps)

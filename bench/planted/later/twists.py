"""Faults of the later family: for each cause one variant that the first family does not have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from bench.planted.mixes import Wanted
from bench.planted.played import DAYS_A_WEEK, LINE
from bench.planted.turns import PLANTED
from bench.planted.wrongs import HALF, UNUSUAL, Scope, Slow, Wrong
from fieldloop.model.diagnosis import Gap
from fieldloop.simulate.picking.faults import NOTHING, Change, Faults, Starved
from fieldloop.simulate.picking.pick import Pace

WORLDS_A_CAUSE, NOTHING_WORLDS = 4, 8
RARELY_TRIED = 0.15
"""The laboratory tries conditions with bad demonstrations this many times as often; otherwise it would notice."""


@dataclass(frozen=True, slots=True)
class Twist:
    """How a world differs, beside the fault whose cost is measured."""

    only: Mapping[str, str] = field(default_factory=dict)
    """Cameras lag, or annotators differ, in demonstrations of these conditions alone; the laboratory hardly goes there.
    Empty: as in the first family."""
    is_weekly: bool = False
    """Extra gripper cycles come week by week, not all before the first day."""
    slow_from_week: float = 0.0
    crew: tuple[int, ...] = ()
    """These people come to production only from some week on."""
    crew_from_week: float = 0.0
    few: Mapping[str, float] = field(default_factory=dict)
    """Relative number of (real) demonstrations at these sites."""
    standard: float = 1.0
    """Additional factor by which the laboratory prefers standard bins."""
    line: Pace = LINE
    wanted: tuple[Wanted, ...] = ()


def _environment(scope: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    weeks = np.array([rng.uniform(0.05, 0.3), rng.uniform(0.45, 0.7)]) * scope.days / DAYS_A_WEEK
    changes = tuple(Change("mount", site, week) for site, week in zip(scope.sites, weeks.tolist(), strict=False))
    busy = Wanted("site", scope.sites[:1], rng.uniform(0.4, 0.55))
    return Wrong(Gap.ENVIRONMENT, "two mounts, two days", Faults(changes=changes), (busy,)), Twist()


def _timing(scope: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    busy = Wanted("site", scope.sites[:1], rng.uniform(0.5, 0.65))
    lag = Faults(camera_lag_s=rng.uniform(0.15, 0.22))
    return Wrong(Gap.TIMING, "one site's cameras", lag, (busy,)), Twist(only={"site": scope.sites[0]})


def _edge_cases(_: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    # what other packaging teaches of a bin serves most pairs; not tall bottles where there is little room
    bins = ("buried", "nearly_empty")
    starved = tuple(Starved({"packaging": "bottle", "bin": one}) for one in bins)
    wanted = (Wanted("packaging", ("bottle",), rng.uniform(0.75, 0.88)), Wanted("bin", bins, rng.uniform(0.65, 0.8)))
    return Wrong(Gap.EDGE_CASES, "pairs", Faults(starved=starved), wanted), Twist()


def _labels(scope: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    busy = Wanted("site", scope.sites[:1], rng.uniform(0.5, 0.65))
    noise = Faults(label_noise=rng.uniform(0.12, 0.25))
    return Wrong(Gap.LABELS, "one site's annotators", noise, (busy,)), Twist(only={"site": scope.sites[0]})


def _conditions(scope: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    crew = (4, 5) if rng.random() < HALF else (3, 4, 5)
    week = rng.uniform(0.3, 0.5) * scope.days / DAYS_A_WEEK
    wrong = Wrong(Gap.CONDITIONS, "a new crew", Faults(operators_left_out=crew))
    return wrong, Twist(crew=crew, crew_from_week=week)


def _sim_to_real(scope: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    simulated, real = scope.sites[:2]
    twin = Faults(simulated_share=1.0, simulated_where={"site": simulated})
    share = Wanted("site", (simulated,), rng.uniform(0.35, 0.5))
    wrong = Wrong(Gap.SIM_TO_REAL, "beside a site with few real ones", twin, (share,))
    return wrong, Twist(few={real: rng.uniform(0.15, 0.3)})


def _hardware(scope: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    at_the_end = rng.uniform(60_000, 100_000)
    wear = Faults(extra_cycles=at_the_end / (scope.days / DAYS_A_WEEK))
    return Wrong(Gap.HARDWARE, "every robot, week by week", wear), Twist(is_weekly=True)


def _infrastructure(scope: Scope, rng: np.random.Generator) -> tuple[Wrong, Twist]:
    slow = Slow(rng.uniform(0.06, 0.1))
    week = rng.uniform(0.2, 0.55) * scope.days / DAYS_A_WEEK
    return Wrong(Gap.INFRASTRUCTURE, "every robot from a day on", NOTHING, (), slow), Twist(slow_from_week=week)


def _nothing(_: Scope, rng: np.random.Generator) -> Twist:
    line = replace(LINE, speed=rng.uniform(1.6, 1.9), steps=int(rng.integers(7, 9)))
    unusual = Wanted("bin", UNUSUAL, rng.uniform(0.3, 0.45))
    return Twist(standard=rng.uniform(1.0, 2.0), line=line, wanted=(unusual,))


WAYS: dict[Gap, Callable[[Scope, np.random.Generator], tuple[Wrong, Twist]]] = {
    Gap.ENVIRONMENT: _environment,
    Gap.TIMING: _timing,
    Gap.EDGE_CASES: _edge_cases,
    Gap.LABELS: _labels,
    Gap.CONDITIONS: _conditions,
    Gap.SIM_TO_REAL: _sim_to_real,
    Gap.HARDWARE: _hardware,
    Gap.INFRASTRUCTURE: _infrastructure,
}


def drawn(gap: Gap | None, scope: Scope, rng: np.random.Generator) -> tuple[tuple[Wrong, ...], Twist]:
    """Draw a variant of a cause, or a world in which nothing is wrong."""
    if gap is None:
        return (), _nothing(scope, rng)
    wrong, twist = WAYS[gap](scope, rng)
    return (wrong,), twist


def _turns() -> tuple[Gap | None, ...]:
    every = [*PLANTED * WORLDS_A_CAUSE, *[None] * NOTHING_WORLDS]
    return tuple(every[i] for i in np.random.default_rng(1).permutation(len(every)))


TURNS = _turns()
"""One full round of the later family."""


def fault_of(seed: int) -> Gap | None:
    """Return the fault of the world of a seed; None: nothing is wrong.

    >>> len(TURNS), sum(fault_of(seed) is None for seed in range(40_000, 40_040))
    (40, 8)
    """
    return TURNS[seed % len(TURNS)]

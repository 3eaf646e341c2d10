"""How long does a plan take, and how much memory, as the map grows to 20,000 SKUs × 7 factors × 20 sites?

`python -m bench.plan_scale --picture docs/pictures/plan_scale.svg` draws the growth. Each size runs in a process of its
own, from the map to the orders' sheet: strata with exposure, coverage, gaps, allocation, work orders.
"""

import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from bench.harness import Figure, main, summarise
from fieldloop.model.condition import Exposure
from fieldloop.model.deployment import BinConfiguration, Deployment, Site, Sku
from fieldloop.model.episode import Episode
from fieldloop.model.hardware import Robot
from fieldloop.model.identity import Ids
from fieldloop.model.person import Operator
from fieldloop.model.policy import FailureClass, Outcome, Stage
from fieldloop.plan import Crew, Known, compute_coverage, draw_plan, write_orders_csv
from fieldloop.protocol import default_operations
from fieldloop.report.plots import BAD, SERIES, STYLE

SITES = (1, 2, 5, 10, 20)
SKUS = 20_000
FACTORS = {"lighting": 4, "surface": 4, "shift": 6, "people": 2, "temperature": 3}
BINS = ("front", "back", "side", "buried", "nearly_empty")
DEMONSTRATIONS, ATTEMPTS, BUDGET = 3_000, 8_000, 200
MOST_S, MOST_MB = 10, 1000


@dataclass(frozen=True, slots=True)
class Taken:
    """What one plan took: seconds on the wall and of one core, the process's peak memory, and its size."""

    strata: int
    wall_s: float
    core_s: float
    peak_mb: float


def large_map(sites: int) -> Deployment:
    """Make a map of many sites that differ in their mixes, and a catalogue by Zipf's law."""
    rng = np.random.default_rng(sites)

    def mix(name: str, levels: int) -> tuple[tuple[str, float], ...]:
        return tuple((f"{name}-{k}", float(share)) for k, share in enumerate(rng.dirichlet(np.full(levels, 3.0))))

    halls = tuple(
        Site(
            f"site-{number}",
            1.0 / sites,
            lighting=mix("light", FACTORS["lighting"]),
            bins=tuple(
                BinConfiguration(name, share) for name, (_, share) in zip(BINS, mix("", len(BINS)), strict=True)
            ),
            factors=tuple((name, mix(name, levels)) for name, levels in FACTORS.items() if name != "lighting"),
        )
        for number in range(sites)
    )
    picks = 1e5 / np.arange(1, SKUS + 1)
    reached = np.cumsum(picks) / picks.sum()
    tiers = np.where(reached < 0.8, "high", np.where(reached < 0.95, "medium", "long_tail"))  # noqa: PLR2004 - A/B/C
    skus = tuple(
        Sku(f"SKU-{k}", float(picks[k]), str(tiers[k]), float(rng.lognormal(-1.0, 0.7)), (0.1, 0.1, 0.2))
        for k in range(SKUS)
    )
    return Deployment("large", "pick", halls, skus)


def logs(exposures: Sequence[Exposure]) -> tuple[list[Episode], list[Outcome]]:
    """Draw demonstrations and production by the map's own mix."""
    rng = np.random.default_rng(1)
    shares = np.array([e.share for e in exposures])
    strata = [
        exposures[at].stratum for at in rng.choice(len(exposures), DEMONSTRATIONS + ATTEMPTS, p=shares / shares.sum())
    ]
    episodes = [
        Episode(
            str(k), str(k), "mcap", site=s.level("site") or "", stratum=s, facts=(("lux", str(rng.uniform(90, 900))),)
        )
        for k, s in enumerate(strata[:DEMONSTRATIONS])
    ]
    outcomes = [
        Outcome(
            str(k), "policy", s, Stage.PRODUCTION, s.level("site") or "", "arm", k, bool(rng.random() < 0.6), "bench",  # noqa: PLR2004
            FailureClass.GRASP, item=f"SKU-{rng.integers(SKUS)}", facts=(("lux", float(rng.uniform(40, 900))),),
        )
        for k, s in enumerate(strata[DEMONSTRATIONS:])
    ]  # fmt: skip
    return episodes, outcomes


def plan_once(sites: int) -> Taken:
    """Draw one plan for a map of so many sites."""
    deployment = large_map(sites)
    episodes, outcomes = logs(large_map(sites).exposures)
    settings = default_operations()["plan"].replace_values(budget=BUDGET)
    robots = tuple(Robot(f"arm-{k}", "arm", f"site-{k}") for k in range(sites))
    crew = Crew(tuple(Operator(f"op-{k}") for k in range(8)), robots, "pick v1")
    ids = Ids(lambda: 0, random.Random(1).getrandbits)
    wall, core = time.perf_counter(), time.process_time()
    coverages = compute_coverage(deployment.exposures, episodes, outcomes, tried=episodes)
    known = Known(coverages, deployment, episodes, outcomes, "policy")
    plan = draw_plan(known, (), crew, settings, ids, 0, np.random.default_rng(0))
    write_orders_csv(plan.orders)
    taken = time.perf_counter() - wall, time.process_time() - core
    return Taken(len(coverages), *taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def grow(sizes: Sequence[int], rounds: int) -> list[list[Taken]]:
    """Plan for each size, each time in a fresh process, so that memory is its own."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh, max_tasks_per_child=1) as pool:
        return [list(pool.map(plan_once, [sites] * rounds)) for sites in sizes]


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure the largest map, and the growth towards it."""
    sizes, rounds = ((2, 20), 1) if short else (SITES, 5)
    grown = grow(sizes, rounds)
    figures: dict[str, Figure] = {}
    for taken in grown:
        name = f"strata_{taken[0].strata}"
        figures[f"{name}_s"] = summarise([t.wall_s for t in taken], "s", f"< {MOST_S}")
        figures[f"{name}_core_s"] = summarise([t.core_s for t in taken], "s of one core")
        figures[f"{name}_peak_mb"] = summarise([t.peak_mb for t in taken], "MB", f"< {MOST_MB}")
    first, last = grown[0][0], grown[-1][0]
    # 1: twice the strata take twice the time
    power = np.log(last.core_s / first.core_s) / np.log(last.strata / first.strata)
    figures["growth_exponent"] = Figure(float(power), unit="of the number of strata", aim="≤ 1")
    return figures


def picture(file: str) -> None:
    """Draw seconds and memory over the number of strata, as SVG."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Drawing

    grown = grow(SITES, 3)
    strata = [taken[0].strata for taken in grown]
    panels = (("core_s", "seconds of one core", MOST_S), ("peak_mb", "peak memory, MB", MOST_MB))
    with mpl.rc_context(STYLE | {"savefig.facecolor": "white"}):
        figure = Drawing(figsize=(7.5, 2.4), layout="constrained")
        for axes, (name, unit, most) in zip(figure.subplots(1, 2), panels, strict=True):
            axes.plot(
                strata,
                [float(np.median([getattr(t, name) for t in taken])) for taken in grown],
                marker="o",
                color=SERIES[0],
            )
            axes.axhline(most, color=BAD, linewidth=0.8, linestyle=(0, (2, 2)))
            axes.annotate("aim", (0, most), xytext=(2, 2), textcoords="offset points", color=BAD)
            axes.set(xlabel="strata: 7 factors, 1 to 20 sites", title=unit, ylim=(0, 1.15 * most), xlim=(0, None))
            axes.set_xticks(range(0, max(strata), 50_000))
            axes.xaxis.set_major_formatter("{x:,.0f}")
        FigureCanvasSVG(figure)
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": "fieldloop"})


if __name__ == "__main__":
    if "--picture" in sys.argv:
        picture(sys.argv[sys.argv.index("--picture") + 1])
    else:
        main(measure)

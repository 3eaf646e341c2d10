"""How long does a diagnosis of a folder take, and how much memory, as production grows to 1,000,000 attempts?

Each size runs in a process of its own, from the CSV files to the causes: `diagnose folder` without the report. The
tables come from a logistic generator in this file: twelve conditions, three sites with eight robots, thirty days,
light, temperature, latency and a counter of wear. One condition and one robot lose; nothing was demonstrated, so that
every pair of conditions is a possible explanation.
"""

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.harness import Figure, main, summarise
from fieldloop.loop.run.case_folder import diagnose_folder

LARGEST, SMALLEST = 1_000_000, 10_000
BASELINE_PART = 0.05
"""The baseline has so many rows for each of production: laboratories try less."""
DAYS, ROBOTS, SITES = 30, 8, ("gdansk", "leipzig", "porto")
LEVELS = {
    "bin": 4, "lighting": 3, "packaging": 4, "shift": 3, "surface": 3, "zone": 4,
    "humidity": 3, "background": 3, "operator": 4, "floor": 3, "camera": 3, "fill": 4,
}  # fmt: skip
FROM_S = 1_772_000_000
DAY_S = 86_400
MOST_S, MOST_MB = 60, 2000
WRITTEN_AT_ONCE = 50_000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Taken:
    """What one diagnosis took, and the first cause that it named."""

    attempts: int
    core_s: float
    wall_s: float
    peak_mb: float
    first: str


def write_case(folder: Path, attempts: int, seed: int = 0) -> None:
    """Write a folder with so many attempts in production."""
    rng = np.random.default_rng(seed)
    effects = {name: rng.normal(0.0, 0.3, levels) for name, levels in LEVELS.items()}
    days = rng.normal(0.0, 0.1, (DAYS, len(SITES)))
    for name, count, lab in (("baseline", round(BASELINE_PART * attempts), True), ("production", attempts, False)):
        with (folder / f"{name}.csv").open("w", encoding="utf-8") as file:
            file.write(",".join(["succeeded", "at", "site", "robot", *LEVELS, *NUMBERS]) + "\n")
            for begin in range(0, count, WRITTEN_AT_ONCE):
                file.writelines(_rows(rng, effects, days, min(WRITTEN_AT_ONCE, count - begin), lab=lab))


NUMBERS = ("lux", "temperature_c", "latency_ms", "gripper_cycles")


def _rows(rng: np.random.Generator, effects: Mapping[str, Floats], days: Floats, count: int, *, lab: bool) -> list[str]:
    levels = {name: np.minimum(rng.geometric(0.4, count) - 1, n - 1) for name, n in LEVELS.items()}
    robot, second = rng.integers(0, ROBOTS, count), rng.integers(0, DAYS * DAY_S, count)
    site, day = robot % len(SITES), second // DAY_S
    lux, warm, late = rng.normal(500, 120, count), rng.normal(21, 3, count), rng.lognormal(3.0, 0.3, count)
    cycles = (0 if lab else 40_000) + rng.uniform(0, 1, count) * 1_000 * (1 + day)
    odds = 2.0 + sum((effects[name][at] for name, at in levels.items()), days[day, site])
    if not lab:  # what is lost: dim light everywhere, one arm since the tenth day
        odds = odds - 0.8 * (levels["lighting"] == 2) - 0.9 * ((robot == 5) & (day >= 10))  # noqa: PLR2004
    good = rng.random(count) < 1.0 / (1.0 + np.exp(-odds))
    at = np.datetime_as_string((FROM_S + second).astype("datetime64[s]"))
    cells = [
        np.where(good, "yes", "no").tolist(), at.tolist(), np.array(SITES)[site].tolist(),
        [f"arm-{r}" for r in robot.tolist()], *([f"{name}-{k}" for k in at.tolist()] for name, at in levels.items()),
        *([f"{v:.1f}" for v in number.tolist()] for number in (lux, warm, late)),
        [f"{v:.0f}" for v in cycles.tolist()],
    ]  # fmt: skip
    return [",".join(row) + "\n" for row in zip(*cells, strict=True)]


def diagnose_once(folder: str) -> Taken:
    """Diagnose one folder."""
    wall, core = time.perf_counter(), time.process_time()
    made = diagnose_folder(None, Path(folder))
    taken = time.process_time() - core, time.perf_counter() - wall
    first = f"{made.causes[0].gap.value} {made.causes[0].stratum}" if made.causes else made.status.value
    return Taken(made.episodes, *taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, first)


def grow(sizes: Sequence[int], rounds: int) -> list[list[Taken]]:
    """Diagnose folders of these sizes, each time in a fresh process, so that memory is its own."""
    fresh = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as here,
        ProcessPoolExecutor(1, mp_context=fresh, max_tasks_per_child=1) as pool,
    ):
        folders = [Path(here) / str(size) for size in sizes]
        for folder, size in zip(folders, sizes, strict=True):
            folder.mkdir()
            write_case(folder, size)
        return [list(pool.map(diagnose_once, [str(folder)] * rounds)) for folder in folders]


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure the largest folder, and how its time compares with a hundredth of it."""
    small, large = grow((SMALLEST, LARGEST), 1 if short else 6)
    ratios = [b.core_s / a.core_s for a, b in zip(small, large, strict=True)]
    return {
        "seconds_1m": summarise([t.core_s for t in large], "s of one core", f"≤ {MOST_S}"),
        "wall_seconds_1m": summarise([t.wall_s for t in large], "s"),
        "peak_mb_1m": summarise([t.peak_mb for t in large], "MB", f"≤ {MOST_MB}"),
        "seconds_10k": summarise([t.core_s for t in small], "s of one core"),
        "ratio_to_10k": summarise(ratios, f"times the time of {SMALLEST:,}"),
    }


if __name__ == "__main__":
    main(measure)

"""Causes on the floor: a condition never shown, wear, late answers, a season, and what no column shows.

Each function prepares the setting, and returns how its fault acts on the rows once these are drawn.
"""

from collections.abc import Callable

import numpy as np

from bench.logistic_worlds.floor import SITE
from bench.logistic_worlds.names import COUNTERS, LATENCY, NUMBERS
from bench.logistic_worlds.rows import Rows, late_rows
from bench.logistic_worlds.setting import AFTER, BEFORE, SHOWN, Setting, give_share
from bench.logistic_worlds.truth import Fault

Make = Callable[[Rows, Rows], Fault]
"""From the rows of production and of the baseline to the fault."""
HALF = 0.5
COVERAGE = ("environment mismatch", "edge-case distribution", "physical-condition coverage")
"""Which of the three is a matter of words where the column has another name; a right answer also names the column."""
HARDWARE, INFRASTRUCTURE, UNKNOWN = ("hardware drift",), ("infrastructure",), ("unknown",)


def plant_new_condition(setting: Setting, rng: np.random.Generator) -> Make:
    """Put a level into production that was never, or hardly ever, shown."""
    floor = setting.floor
    at_site = len(floor.sites) > 2 and rng.random() < 1 / 5  # noqa: PLR2004 - two known sites remain
    factor = SITE if at_site else str(rng.choice(floor.conditions))
    code = int(rng.integers(len(floor.levels[factor])))
    floor.effects[factor][code] = 0.0
    few = 0.0 if rng.random() < 0.7 else rng.uniform(0.003, 0.01)  # noqa: PLR2004
    for stage, share in ((SHOWN, few), (BEFORE, few), (AFTER, rng.uniform(0.2, 0.45))):
        setting.mixes[stage][factor] = give_share(setting.mixes[stage][factor], code, share)
    setting.taken |= {factor, "new condition"}
    level = floor.levels[factor][code]

    def make(after: Rows, before: Rows) -> Fault:
        place = ((factor, level),)
        return Fault("new condition", COVERAGE, place, after.has(factor, level), before.has(factor, level))

    return make


def plant_wear(setting: Setting, rng: np.random.Generator) -> Make:
    """Wear out robots, worn when production begins or more and more; the counter is logged."""
    setting.counter = setting.counter or str(rng.choice(list(COUNTERS)))
    names = tuple(name for name, _ in setting.floor.robots)
    return _wear(setting, rng, names, all_of_them=bool(rng.random() < 0.3))  # noqa: PLR2004


def plant_unlogged_wear(setting: Setting, rng: np.random.Generator) -> Make:
    """Wear out some robots and log no counter; a sound robot at the same site shows that it is not the site."""
    setting.counter = ""
    last = {site: name for name, site in setting.floor.robots}
    return _wear(setting, rng, tuple(name for name, site in setting.floor.robots if last[site] != name))


def _wear(setting: Setting, rng: np.random.Generator, names: tuple[str, ...], *, all_of_them: bool = False) -> Make:
    some = max(1, round(rng.uniform(0.3, 0.6) * len(setting.floor.robots)))
    worn = list(names) if all_of_them else rng.permutation(names)[:some].tolist()
    more, grows = rng.uniform(45_000, 90_000), all_of_them or rng.random() < HALF
    setting.more_cycles = dict.fromkeys(worn, (0.0 if grows else more, more))
    setting.taken |= {"counter", "robot"}
    counter, is_logged = setting.counter, bool(setting.counter)

    def make(after: Rows, before: Rows) -> Fault:
        is_worn = np.isin(after.columns["robot"], worn).astype(float)
        place = (*(("robot", name) for name in worn), *([(counter, "")] if is_logged else []))
        dose = is_worn * (after.when if grows else 1.0)
        return Fault("wear" if is_logged else "wear, not logged", HARDWARE, place, dose, np.zeros(len(before)))

    return make


def plant_latency(setting: Setting, rng: np.random.Generator) -> Make:
    """Make answers late from a day on, on all robots or on some."""
    setting.has_latency = True
    setting.late_from, setting.late_ms = rng.uniform(0.2, 0.6), rng.uniform(60.0, 160.0)
    names = [name for name, _ in setting.floor.robots]
    if rng.random() < HALF:
        setting.late_robots = tuple(rng.permutation(names)[: max(1, round(0.6 * len(names)))].tolist())
    setting.taken.add(LATENCY)

    def make(after: Rows, before: Rows) -> Fault:
        dose = late_rows(setting, after.when, after.columns["robot"])
        place = ((LATENCY, ""), *(("robot", name) for name in setting.late_robots))
        return Fault("latency", INFRASTRUCTURE, place, dose, np.zeros(len(before)))

    return make


def plant_season(setting: Setting, rng: np.random.Generator) -> Make:
    """Let a number drift with the season beyond what was demonstrated; success falls with what is beyond."""
    name = setting.numbers[0] if setting.numbers else str(rng.choice(list(NUMBERS)))
    setting.numbers = setting.numbers or [name]
    up = 1.0 if rng.random() < HALF else -1.0
    setting.trends[name] = up * rng.uniform(4.5, 7.0)
    setting.taken.add(name)
    mean, spread = NUMBERS[name]

    def dose(rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        beyond = up * (rows.columns[name] - mean) / spread - 2.5
        return np.asarray(np.clip(beyond / 2.0, 0.0, None), dtype=np.float64)

    return lambda after, before: Fault("season", COVERAGE, ((name, ""),), dose(after), dose(before))


def plant_unlogged(setting: Setting, rng: np.random.Generator) -> Make:
    """Make production worse by something that no column shows: at once, from a day on, or more and more."""
    way, since = str(rng.choice(["at once", "from a day on", "more and more"])), rng.uniform(0.2, 0.6)
    if way == "more and more":  # a counter or a season that grows with the days would explain it as well
        setting.counter = ""
        setting.taken |= {"counter", *NUMBERS}

    def make(after: Rows, before: Rows) -> Fault:
        doses = {"at once": np.ones(len(after)), "from a day on": (after.when >= since).astype(float)}
        return Fault(f"unlogged, {way}", UNKNOWN, (), doses.get(way, after.when), np.zeros(len(before)))

    return make

"""Draws the rows of a stage from a setting, and the log-odds of success that the conditions of a row give."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.logistic_worlds.floor import SITE, Floats
from bench.logistic_worlds.names import COUNTERS, LATENCY, NUMBERS
from bench.logistic_worlds.setting import AFTER, SHOWN, Setting

Column = NDArray[Any]
CYCLES_A_DAY = 320.0
NEW_JUDGE = "ruth"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one stage: columns by name; `when` runs from 0 to 1 over its days, `ease` is in log-odds."""

    when: Floats
    columns: dict[str, Column]
    ease: Floats

    def __len__(self) -> int:
        return len(self.when)

    def has(self, factor: str, level: str) -> Floats:
        return np.asarray(self.columns[factor] == level, dtype=np.float64)


def draw_rows(setting: Setting, stage: str, count: int, rng: np.random.Generator) -> Rows:
    """Draw so many rows of a stage, in the order of time."""
    floor, when = setting.floor, np.sort(rng.random(count))
    columns: dict[str, Column] = {}
    ease = np.zeros(count)
    for factor, levels in floor.levels.items():
        code = rng.choice(len(levels), count, p=setting.mixes[stage][factor])
        columns[factor] = np.array(levels)[code]
        ease += floor.effects[factor][code]
    names = np.array([name for name, _ in floor.robots])
    homes = np.array([home for _, home in floor.robots])
    order = rng.random((count, len(names))) * (columns[SITE][:, None] == homes)
    columns["robot"] = names[order.argmax(axis=1)]
    if len(floor.items):
        code = rng.integers(len(floor.items), size=count)
        columns["sku"] = np.array([f"art-{k:02}" for k in range(len(floor.items))])[code]
        ease += floor.items[code]
    for name in setting.numbers:
        mean, spread = NUMBERS[name]
        moved = setting.trends.get(name, 0.0) * when if stage == AFTER else 0.0
        columns[name] = np.round(mean + spread * (rng.normal(0, 1, count) + moved), 2)
    if stage == SHOWN:
        return Rows(when, columns, ease)
    _add_machinery(setting, stage, when, columns, rng)
    return Rows(when, columns, ease)


def _add_machinery(
    setting: Setting, stage: str, when: Floats, columns: dict[str, Column], rng: np.random.Generator
) -> None:
    """Add the counter, response times and judges, where they are logged."""
    if setting.counter:
        columns[setting.counter] = _count_wear(setting, stage, when, columns["robot"])
    if setting.has_latency:
        extra = late_rows(setting, when, columns["robot"]) * setting.late_ms if stage == AFTER else 0.0
        usual = 32.0 * np.exp(rng.normal(0, 0.25, len(when)))
        columns[LATENCY] = np.round(usual + extra * rng.uniform(0.8, 1.2, len(when)), 1)
    if setting.judges:
        judged = rng.choice(setting.judges, len(when))
        if stage == AFTER:
            new = (when >= setting.new_judge_from) & (rng.random(len(when)) < setting.new_judge_part)
            judged = np.where(new, NEW_JUDGE, judged)
        columns["judged_by"] = judged


def late_rows(setting: Setting, when: Floats, robot: Column) -> Floats:
    """Return 1 where the answer is late."""
    on = np.isin(robot, setting.late_robots) if setting.late_robots else np.ones(len(when), dtype=bool)
    return np.asarray(on & (when >= setting.late_from), dtype=np.float64)


def _count_wear(setting: Setting, stage: str, when: Floats, robot: Column) -> Column:
    cycles = np.zeros(len(when))
    for k, (name, _) in enumerate(setting.floor.robots):
        began = 2_500.0 + 1_700.0 * k
        first, last = setting.more_cycles.get(name, (0.0, 0.0))
        here = robot == name
        if stage == AFTER:
            grown = CYCLES_A_DAY * (5.0 + setting.days * when) + first + (last - first) * when
        else:
            grown = CYCLES_A_DAY * 5.0 * when
        cycles = np.where(here, began + grown, cycles)
    return np.round(cycles * COUNTERS[setting.counter], 2)

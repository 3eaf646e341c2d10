"""Writes a world as a folder of plain tables, as docs/cases.md describes, under known or under foreign headers."""

import csv
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.logistic_worlds.floor import SITE, Floats
from bench.logistic_worlds.rows import Rows
from bench.logistic_worlds.world import World

BEGAN = datetime(2026, 2, 2, tzinfo=UTC)
"""Production begins; trials were in the two weeks before, demonstrations in the month before that."""
OPENS_H, OPEN_H = 6.0, 14.0
KNOWN: Mapping[str, str] = {}


def write_case(world: World, folder: Path, headers: Mapping[str, str] = KNOWN) -> Path:
    """Write all files of a world; `headers` renames columns."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([world.seed, 7, 28])
    people = np.array([f"guide-{k}" for k in range(int(rng.integers(4, 8)))])
    own = {"operator": rng.choice(people, len(world.shown))}
    _write_table(folder / "demonstrations.csv", world.shown, -45.0, 28, own, headers)
    for name, rows, results, first, days in (
        ("baseline", world.before, world.results[0], -14.0, 10),
        ("production", world.after, world.results[1], 0.0, world.setting.days),
    ):
        stated = {"succeeded": np.where(results, "yes", "no")}
        _write_table(folder / f"{name}.csv", rows, first, days, stated, headers)
    _write_lags(world, folder / "lags.json", rng)
    _write_agreements(world, folder / "agreements.json", headers, rng)
    return folder


def _write_table(
    file: Path, rows: Rows, first_day: float, days: int, more: Mapping[str, Any], headers: Mapping[str, str]
) -> None:
    columns = {**more, "at": _times(rows.when, first_day, days), **rows.columns}
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow([headers.get(name, name) for name in columns])
        writer.writerows(zip(*(values.tolist() for values in map(np.asarray, columns.values())), strict=True))


def _times(when: Floats, first_day: float, days: int) -> list[str]:
    """Spread attempts over the opening hours of the days."""
    day = np.floor(when * days)
    hour = OPENS_H + OPEN_H * (when * days - day)
    moments = [BEGAN + timedelta(days=first_day + d, hours=h) for d, h in zip(day.tolist(), hour.tolist(), strict=True)]
    return [moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") for moment in moments]


def _write_lags(world: World, file: Path, rng: np.random.Generator) -> None:
    if world.setting.lags_ms is None:
        return
    made = []
    for site, lag_ms in world.setting.lags_ms.items():
        half = rng.uniform(2.0, 5.0)
        estimate = round(float(lag_ms + rng.normal(0, half / 2)), 2)
        low, high = round(estimate - half, 2), round(estimate + half, 2)
        episodes = max(1, int((world.shown.columns[SITE] == site).sum()))
        made.append(
            {
                "rig": site,
                "stream": "cam/hand",
                "lag_ms": estimate,
                "low_ms": low,
                "high_ms": high,
                "episodes": episodes,
            }
        )
    file.write_text(json.dumps(made), encoding="utf-8")


def _write_agreements(world: World, file: Path, headers: Mapping[str, str], rng: np.random.Generator) -> None:
    setting = world.setting
    if setting.kappa is None:
        return
    twice = max(20, len(world.shown) // 10)
    made = [_agreement(setting.kappa, setting.frames, twice, "")]
    usual = {
        (factor, level): setting.frames for factor in setting.floor.conditions for level in setting.floor.levels[factor]
    }
    for (factor, level), frames in (usual | setting.frames_at).items():
        episodes = round(twice * float((world.shown.columns[factor] == level).mean()))
        if episodes:
            noisy = max(0.1, frames + rng.normal(0, 0.3))
            kappa = float(np.clip(setting.kappa - 0.03 * (frames - setting.frames), 0.05, 0.98))
            made.append(_agreement(kappa, noisy, episodes, f"{headers.get(factor, factor)}={level}"))
    file.write_text(json.dumps(made), encoding="utf-8")


def _agreement(kappa: float, frames: float, episodes: int, stratum: str) -> dict[str, object]:
    return {
        "authors": ["vera", "milo"],
        "episodes": episodes,
        "kappa": round(kappa, 3),
        "boundary_frames": round(frames, 2),
        "unmatched": 0,
        "stratum": stratum,
    }

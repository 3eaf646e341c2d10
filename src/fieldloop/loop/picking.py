"""The picking floor: a policy really learnt, really failing; its story as files, its picks as logs."""

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.loop.fault_words import parse_faults
from fieldloop.loop.whole_file import write_whole
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.codec import to_plain
from fieldloop.model.policy import Stage
from fieldloop.model.stream import NS_PER_S
from fieldloop.release.writers.mcap import write_log
from fieldloop.simulate.picking import map_text, nouns, pick
from fieldloop.simulate.picking.recording import record_demonstration
from fieldloop.simulate.picking.world import World
from fieldloop.train.cloning import clone

DAY_NS = 86_400 * NS_PER_S
POLICY = "cloned"
LAB_DAYS = 5.0
DAYS_A_WEEK = 7.0
AT_ONCE_DAYS = 0.01
"""Each pick has its own week already; nothing to spread beyond that."""


@dataclass(frozen=True, slots=True)
class SimulatedCase:
    """A policy's story in a folder: what it was shown, how it fared in the laboratory and in production."""

    folder: str
    preset: str
    demonstrations: int
    kept: int
    laboratory: float
    production: float
    faults: tuple[str, ...]
    next: str


@dataclass(frozen=True, slots=True)
class SimulatedPicks:
    """Logs of demonstrations on the picking floor."""

    folder: str
    logs: int
    bytes: int


def case(
    folder: Path,
    *,
    preset: str = "covered_traps",
    shown: Literal["laboratory", "production"] = "laboratory",
    demonstrations: int = 700,
    episodes: int = 1200,
    days: float = 21.0,
    fault: tuple[str, ...] = (),
    seed: int = 0,
) -> SimulatedCase:
    """Train a policy on the picking floor, let it work, and write its story as files to diagnose and plan from.

    Arguments:
        folder: where to write deployment.toml, skus.csv, demonstrations, baseline and production
        preset: broad, covered_traps, drift, unequal_cost or multi_site
        shown: what was demonstrated: what the laboratory practises, or what production asks for
        demonstrations: how many
        episodes: attempts in production
        days: over which production is spread
        fault: something wrong, such as camera_lag_s=0.06, never_shown=lighting=dim or worn=harbour-1; may be repeated
        seed: another seed is another floor
    """
    for name, count in (("demonstrations", demonstrations), ("episodes", episodes)):
        if count < 1:
            raise BadInput(f"{name} = {count}; at least one is needed.")
    wrong, world = parse_faults(fault), World(preset, seed)
    mix = world.laboratory() if shown == "laboratory" else world.production()
    taught = world.demonstrate(world.cells(mix, demonstrations, "shown"), "shown", wrong)
    policy = clone(taught.inputs, taught.actions, None, seed)
    bench = world.attempt(policy.act, world.cells(mix, max(episodes // 3, 1), "bench"), "bench", pace=pick.LAB)
    cells = world.cells(world.production(), episodes, "line")
    weeks = np.linspace(0.0, days / DAYS_A_WEEK, episodes, endpoint=False)
    line = world.attempt(policy.act, cells, "line", wrong, weeks)
    began = time.time_ns() // DAY_NS * DAY_NS - round(days * DAY_NS)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "deployment.toml", map_text.deployment_text(world))
    write_whole(folder / "skus.csv", map_text.skus_text(world))
    told = nouns.episodes(world, taught, began - 30 * DAY_NS, "taught")
    _write_lines(folder / "demonstrations.jsonl", told)
    tried = nouns.outcomes(world, bench, POLICY, Stage.LAB, began - round(LAB_DAYS * DAY_NS), LAB_DAYS)
    _write_lines(folder / "baseline.jsonl", tried)
    _write_lines(
        folder / "production.jsonl", nouns.outcomes(world, line, POLICY, Stage.PRODUCTION, began, AT_ONCE_DAYS)
    )
    _write_lines(folder / "truth.jsonl", [{"faults": asdict(wrong), "preset": preset, "seed": seed}])
    told_next = f"fieldloop diagnose folder {folder}; fieldloop plan folder {folder} --budget 40"
    return SimulatedCase(
        str(folder), preset, demonstrations, int(taught.kept.sum()), float(bench.succeeded.mean()),
        float(line.succeeded.mean()), fault, told_next,
    )  # fmt: skip


def picks(
    folder: Path,
    *,
    count: int = 8,
    preset: str = "covered_traps",
    shown: Literal["laboratory", "production"] = "production",
    camera_lag_ms: float = 0.0,
    seed: int = 0,
    track: Track = track_silently,
) -> SimulatedPicks:
    """Write MCAP logs of demonstrations on the picking floor: tool, gripper, force, wrist camera and depth.

    Arguments:
        folder: where to write them
        count: how many
        preset: broad, covered_traps, drift, unequal_cost or multi_site
        shown: what the laboratory practises, or what production asks for
        camera_lag_ms: how much older pictures are than their stamps say
        seed: another seed is another floor
    """
    if count < 1:
        raise BadInput(f"count = {count}; at least one demonstration is needed.")
    world = World(preset, seed)
    mix = world.laboratory() if shown == "laboratory" else world.production()
    taught = world.demonstrate(world.cells(mix, count, "picks"), "picks")
    folder.mkdir(parents=True, exist_ok=True)
    now, size = time.time_ns(), 0
    for i in track(range(count), "writing picks", count):
        start_ns = now - (count - i) * nouns.BETWEEN_NS
        made = record_demonstration(world, taught, i, start_ns, camera_lag_ms / 1e3, "picks")
        path = folder / f"pick-{seed}-{i:04d}.mcap"
        write_log(made, path)
        size += path.stat().st_size
    return SimulatedPicks(str(folder), count, size)


def _write_lines(file: Path, rows: Iterable[object]) -> None:
    write_whole(file, "".join(json.dumps(to_plain(row)) + "\n" for row in rows))

"""The picking floor: a policy really learnt, really failing; its story as files, its picks as logs."""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.loop.annotated_twice import annotated_twice
from fieldloop.loop.fault_words import LARGEST, refuse_beyond
from fieldloop.loop.picking_story import FILE, Story, Told, play, read_orders, read_story
from fieldloop.loop.whole_file import make_folder, write_whole
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.codec import to_plain
from fieldloop.model.policy import Stage
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import default_operations
from fieldloop.release.writers.mcap import write_log
from fieldloop.simulate.picking import map_text, nouns
from fieldloop.simulate.picking.recording import record_demonstration
from fieldloop.simulate.picking.world import World

Preset = Literal["broad", "covered_traps", "drift", "unequal_cost", "multi_site"]
DAY_NS = 86_400 * NS_PER_S
POLICY = "cloned"
TAUGHT_DAYS, LAB_DAYS = 30, 5
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
    rounds: int
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
    preset: Preset = "covered_traps",
    shown: Literal["laboratory", "production"] = "laboratory",
    demonstrations: int = 700,
    episodes: int = 1200,
    days: float = 21.0,
    fault: tuple[str, ...] = (),
    seed: int = 0,
) -> SimulatedCase:
    """Train a policy on the picking floor, let it work, and write its story as files to diagnose and plan from.

    Arguments:
        folder: a new one, for deployment.toml, skus.csv, demonstrations, baseline, production, and how far two
            annotators agree on a tenth of the demonstrations
        preset: broad, covered_traps, drift, unequal_cost or multi_site
        shown: what was demonstrated: what the laboratory practises, or what production asks for
        demonstrations: how many
        episodes: attempts in production
        days: over which production is spread
        fault: something wrong, such as camera_lag_s=0.06, latency_s=0.1, mount=home@1 (from week 1 on), or, where
            production is shown, never_shown=lighting=dim; extra_cycles=30000 with worn=home-1; may be repeated
        seed: another seed is another floor
    """
    for name, value in (("demonstrations", demonstrations), ("episodes", episodes), ("days", days)):
        if not value > 0:
            raise BadInput(f"{name} = {value}; it should be more than nothing.")
    return _tell(Story(preset, seed, shown, demonstrations, episodes, days, fault), folder)


def again(before: Path, folder: Path, *, budget: int | None = None) -> SimulatedCase:
    """Collect what the work orders beside a simulated case ask for, train again, let it work, and write that story.

    Arguments:
        before: a folder of `simulate case`, with the orders.csv of `plan folder --orders`
        folder: a new one, for the next story
        budget: more of the same instead of the orders: so many demonstrations of what was shown first
    """
    story = read_story(before)
    if budget is not None:
        if budget < 1:
            raise BadInput(f"budget = {budget}; at least one demonstration is needed.")
        return _tell(replace(story, demonstrations=story.demonstrations + budget), folder)
    return _tell(replace(story, rounds=(*story.rounds, read_orders(before))), folder)


def picks(
    folder: Path,
    *,
    count: int = 8,
    preset: Preset = "covered_traps",
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
    refuse_beyond("camera_lag_ms", camera_lag_ms, 1e3 * LARGEST["camera_lag_s"])
    world = World(preset, seed)
    mix = world.laboratory() if shown == "laboratory" else world.production()
    taught = world.demonstrate(world.cells(mix, count, "picks"), "picks")
    make_folder(folder)
    now, size = time.time_ns(), 0
    for i in track(range(count), "writing picks", count):
        start_ns = now - (count - i) * nouns.BETWEEN_NS
        made = record_demonstration(world, taught, i, start_ns, camera_lag_ms / 1e3, "picks")
        path = folder / f"pick-{seed}-{i:04d}.mcap"
        write_log(made, path)
        size += path.stat().st_size
    return SimulatedPicks(str(folder), count, size)


def _tell(story: Story, folder: Path) -> SimulatedCase:
    if folder.is_dir() and any(folder.iterdir()):
        what = "a case in it already" if (folder / FILE).is_file() else "files of somebody else in it"
        raise BadInput(f"{folder} has {what}, and nothing is written over; name a new folder.")
    told = play(story)
    make_folder(folder)
    _write(told, story, folder)
    made = sum(len(shown.cell) for shown in told.shown)
    told_next = f"fieldloop diagnose folder {folder}; fieldloop plan folder {folder} --orders {folder}/orders.csv"
    return SimulatedCase(
        str(folder), story.preset, made, sum(int(shown.kept.sum()) for shown in told.shown),
        float(told.laboratory.succeeded.mean()), float(np.mean(told.line.succeeded)), story.fault, len(story.rounds),
        told_next,
    )  # fmt: skip


def _write(told: Told, story: Story, folder: Path) -> None:
    world = told.world
    began = time.time_ns() // DAY_NS * DAY_NS - round(story.days * DAY_NS)
    write_whole(folder / "deployment.toml", map_text.deployment_text(world))
    write_whole(folder / "skus.csv", map_text.skus_text(world))
    taught = [
        episode
        for number, shown in enumerate(told.shown)
        for episode in nouns.episodes(world, shown, began - TAUGHT_DAYS * DAY_NS, f"round-{number}")
    ]
    _write_lines(folder / "demonstrations.jsonl", taught)
    least = int(default_operations()["diagnose"].number("min_compared_episodes"))
    compared = [to_plain(one) for one in annotated_twice(taught, least)]
    write_whole(folder / "agreements.json", json.dumps(compared, indent=2, ensure_ascii=False) + "\n")
    tried = nouns.outcomes(world, told.laboratory, POLICY, Stage.LAB, began - LAB_DAYS * DAY_NS, LAB_DAYS)
    _write_lines(folder / "baseline.jsonl", tried)
    worked = nouns.outcomes(world, told.line, POLICY, Stage.PRODUCTION, began, AT_ONCE_DAYS)
    _write_lines(folder / "production.jsonl", worked)
    write_whole(folder / FILE, story.written())


def _write_lines(file: Path, rows: Iterable[object]) -> None:
    write_whole(file, "".join(json.dumps(to_plain(row)) + "\n" for row in rows))

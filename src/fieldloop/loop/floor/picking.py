"""Commands of the simulated picking floor: a case as a folder of tables, the next case after a plan, logs of picks."""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.loop.floor.annotated_twice import compare_two_annotators
from fieldloop.loop.floor.limits import read_most_days, refuse_too_large_amount
from fieldloop.loop.floor.parse_faults import LARGEST, refuse_beyond_range
from fieldloop.loop.floor.picking_story import FILE, PlayedStory, Story, read_orders, read_story, simulate_story
from fieldloop.loop.work.atomic_files import make_folder, write_atomically
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.codec import to_plain
from fieldloop.model.policy import Stage
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol import default_operations
from fieldloop.release.writers.mcap import write_whole_log
from fieldloop.simulate.picking import map_text, nouns
from fieldloop.simulate.picking.recording import record_demonstration
from fieldloop.simulate.picking.world import World

Preset = Literal["broad", "covered_traps", "drift", "unequal_cost", "multi_site"]
POLICY = "cloned"
TAUGHT_DAYS, LAB_DAYS = 30, 5
AT_ONCE_DAYS = 0.01
"""Picks are spread over weeks already, so that outcomes of one week are written with almost one time."""


@dataclass(frozen=True, slots=True)
class SimulatedCase:
    """A simulated case in a folder: demonstrations, laboratory attempts and production of one policy."""

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


def simulate_case(
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
    """Simulate a case: train a policy on the picking floor, run it, and write tables to diagnose and plan from.

    Arguments:
        folder: a new folder for deployment.toml, skus.csv, demonstrations, baseline, production, and the agreement
            of two annotators on a tenth of the demonstrations
        preset: broad, covered_traps, drift, unequal_cost or multi_site
        shown: demonstrate the mix of the laboratory, or the mix of production
        demonstrations: number of demonstrations
        episodes: number of attempts in production
        days: how long production lasts
        fault: a fault to simulate, such as camera_lag_s=0.06, latency_s=0.1, mount=home@1 (from week 1 on), or, where
            production is shown, never_shown=lighting=dim; extra_cycles=30000 with worn=home-1; may be repeated
        seed: seed of the simulated floor; another seed gives another floor
    """
    refuse_too_large_amount("demonstrations", demonstrations)
    refuse_too_large_amount("episodes", episodes)
    refuse_too_large_amount("days", days, read_most_days())
    return _simulate_and_write_case(Story(preset, seed, shown, demonstrations, episodes, days, fault), folder)


def simulate_next_case(before: Path, folder: Path, *, budget: int | None = None) -> SimulatedCase:
    """Simulate the next case: collect what the work orders of a simulated case ask for, train again, run the policy.

    Arguments:
        before: a folder of `simulate case`, with the orders.csv of `plan folder --orders`
        folder: a new folder for the next case
        budget: ignore the orders and add this many demonstrations in the mix of the first case
    """
    story = read_story(before)
    if budget is not None:
        refuse_too_large_amount("budget", budget)
        return _simulate_and_write_case(replace(story, demonstrations=story.demonstrations + budget), folder)
    return _simulate_and_write_case(replace(story, rounds=(*story.rounds, read_orders(before))), folder)


def write_pick_logs(
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
        folder: the folder to write the logs to
        count: number of logs
        preset: broad, covered_traps, drift, unequal_cost or multi_site
        shown: demonstrate the mix of the laboratory, or the mix of production
        camera_lag_ms: how much older pictures are than their timestamps
        seed: seed of the simulated floor; another seed gives another floor
    """
    refuse_too_large_amount("count", count)
    refuse_beyond_range("camera_lag_ms", camera_lag_ms, 1e3 * LARGEST["camera_lag_s"])
    world = World(preset, seed)
    mix = world.laboratory() if shown == "laboratory" else world.production()
    taught = world.demonstrate(world.cells(mix, count, "picks"), "picks")
    make_folder(folder)
    now, size = time.time_ns(), 0
    for i in track(range(count), "writing picks", count):
        start_ns = now - (count - i) * nouns.BETWEEN_NS
        made = record_demonstration(world, taught, i, start_ns, camera_lag_ms / 1e3, "picks")
        path = folder / f"pick-{seed}-{i:04d}.mcap"
        write_whole_log(made, path)
        size += path.stat().st_size
    return SimulatedPicks(str(folder), count, size)


def _simulate_and_write_case(story: Story, folder: Path) -> SimulatedCase:
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is not a folder. Name a new folder.")
    if folder.is_dir() and any(folder.iterdir()):
        what = "a case in it already" if (folder / FILE).is_file() else "other files in it"
        raise BadInput(f"{folder} has {what}, and files are never overwritten. Name a new folder.")
    played = simulate_story(story)
    make_folder(folder)
    _write_case_folder(played, story, folder)
    made = sum(len(shown.cell) for shown in played.shown)
    next_command = f"fieldloop diagnose folder {folder}; fieldloop plan folder {folder} --orders {folder}/orders.csv"
    return SimulatedCase(
        str(folder), story.preset, made, sum(int(shown.kept.sum()) for shown in played.shown),
        float(played.laboratory.succeeded.mean()), float(np.mean(played.line.succeeded)), story.fault,
        len(story.rounds), next_command,
    )  # fmt: skip


def _write_case_folder(played: PlayedStory, story: Story, folder: Path) -> None:
    world = played.world
    began = time.time_ns() // NS_PER_DAY * NS_PER_DAY - round(story.days * NS_PER_DAY)
    write_atomically(folder / "deployment.toml", map_text.write_deployment_toml(world))
    write_atomically(folder / "skus.csv", map_text.write_catalogue_csv(world))
    taught = [
        episode
        for number, shown in enumerate(played.shown)
        for episode in nouns.make_episodes(world, shown, began - TAUGHT_DAYS * NS_PER_DAY, f"round-{number}")
    ]
    _write_lines(folder / "demonstrations.jsonl", taught)
    least = int(default_operations()["diagnose"].number("min_compared_episodes"))
    compared = [to_plain(one) for one in compare_two_annotators(taught, least)]
    write_atomically(folder / "agreements.json", json.dumps(compared, indent=2, ensure_ascii=False) + "\n")
    tried = nouns.make_outcomes(world, played.laboratory, POLICY, Stage.LAB, began - LAB_DAYS * NS_PER_DAY, LAB_DAYS)
    _write_lines(folder / "baseline.jsonl", tried)
    worked = nouns.make_outcomes(world, played.line, POLICY, Stage.PRODUCTION, began, AT_ONCE_DAYS)
    _write_lines(folder / "production.jsonl", worked)
    write_atomically(folder / FILE, story.write_json())


def _write_lines(file: Path, rows: Iterable[object]) -> None:
    write_atomically(file, "".join(json.dumps(to_plain(row)) + "\n" for row in rows))

"""Asks the diagnosis about a dressed world, and makes a row of its answers."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.answered.ask import read_reply
from bench.answered.row import COVERAGE, SHORT, UNKNOWN, Decoy, Reply, Row
from bench.answered.row import Planted as PlantedCause
from bench.planted.answers import evidence_of
from bench.planted.decoys.dressed import COUNTER, FOREIGN, LATENCY, Dress, draw_dress, dress, rename
from bench.planted.planted import Planted, planted
from bench.planted.played import Sizes
from bench.planted.written import Records
from fieldloop.diagnose import diagnose
from fieldloop.model.diagnosis import Gap
from fieldloop.model.identity import Ids
from fieldloop.protocol import default_operations

EPISODES = 1000
PLACES = {
    (Gap.ENVIRONMENT, "sites"): ("site=",),
    (Gap.ENVIRONMENT, "lights"): ("lighting=", "lux="),
    (Gap.ENVIRONMENT, "sites and lights"): ("site=", "lighting=", "lux="),
    (Gap.ENVIRONMENT, "mount"): ("site=",),
    (Gap.ENVIRONMENT, "mount and lamp"): ("site=", "lighting=", "lux="),
    (Gap.EDGE_CASES, "packaging"): ("packaging=",),
    (Gap.EDGE_CASES, "packaging and bin"): ("packaging=", "bin="),
    (Gap.LABELS, "grasp moment"): ("bin=",),
    (Gap.CONDITIONS, "operators"): ("operator=", "film="),
    (Gap.CONDITIONS, "operators and cold"): ("operator=", "film=", "temperature_c=", "humidity_percent=", "site="),
    (Gap.SIM_TO_REAL, "packaging"): ("packaging=",),
    (Gap.SIM_TO_REAL, "site"): ("site=",),
    (Gap.HARDWARE, "wear"): ("robot=", f"{COUNTER}="),
    (Gap.INFRASTRUCTURE, "hours"): (f"{LATENCY}=",),
    (Gap.INFRASTRUCTURE, "robots"): (f"{LATENCY}=", "robot="),
}
"""Columns of each variant of a fault; a lag of all cameras is in none."""


def answer_decoys(seed: int, sizes: Sizes | None = None, folder: Path | None = None) -> Row:
    """Run the world of a seed, dress it, and ask about it under known and under foreign headers."""
    world = planted(seed, sizes, folder)
    how = draw_dress(world)
    records = dress(world.records, how, seed)
    back = {foreign: name for name, foreign in FOREIGN.items()}
    true = world.truth
    return Row(
        seed,
        _name_kind(world, how),
        round(true.baseline, 4),
        round(true.production, 4),
        round(true.without, 4),
        true.is_weak,
        _list_faults(world, how),
        tuple(map(Decoy, how.decoys)),
        _ask(records, seed, {}),
        _ask(rename(records, FOREIGN), seed, back),
    )


def _name_kind(world: Planted, how: Dress) -> str:
    if not world.gaps:
        return "nothing, decoys" if how.decoys else "nothing"
    if how.hides_fault:
        return "unlogged"
    return "two" if len(world.gaps) > 1 else SHORT[str(world.gaps[0])]


def _list_faults(world: Planted, how: Dress) -> tuple[PlantedCause, ...]:
    made = []
    for gap, way in zip(world.gaps, world.ways, strict=True):
        short = SHORT[str(gap)]
        gaps = (UNKNOWN,) if how.hides_fault else COVERAGE if short in COVERAGE else (short,)
        places = () if how.hides_fault else PLACES.get((gap, way), ())
        made.append(PlantedCause(f"{short}: {way}", gaps, places, round(world.truth.shares[gap], 3)))
    return tuple(made)


def _ask(records: Records, seed: int, back: dict[str, str]) -> Reply:
    evidence = evidence_of(records)
    order = np.random.default_rng([seed, 77]).permutation(len(evidence.production))
    part = tuple(evidence.production[i] for i in np.sort(order[:EPISODES]))
    at_ns = part[-1].at_ns
    ids = Ids(lambda: at_ns, random.Random(seed).getrandbits)
    asked = replace(evidence, production=part)
    made = diagnose(asked, default_operations()["diagnose"], ids, at_ns, np.random.default_rng(seed))
    return read_reply(made, back)

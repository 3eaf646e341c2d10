"""Makes the row of a logistic world: drawn, written as a folder twice, and diagnosed twice."""

import tempfile
from pathlib import Path

from bench.answered.ask import ask_about_folder
from bench.answered.row import SHORT, Decoy, Planted, Row
from bench.logistic_worlds.case_folder import write_case
from bench.logistic_worlds.world import ATTEMPTS, World, draw_world


def answer_logistic(seed: int, attempts: int = ATTEMPTS) -> Row:
    """Draw the world of a seed and ask about it under known and under foreign headers."""
    world = draw_world(seed, attempts)
    with tempfile.TemporaryDirectory() as place:
        known = ask_about_folder(write_case(world, Path(place) / "known"), {})
        back = {foreign: name for name, foreign in world.headers.items()}
        foreign = ask_about_folder(write_case(world, Path(place) / "foreign", world.headers), back)
    truth = world.truth
    return Row(
        seed,
        world.kind,
        round(truth.baseline, 4),
        round(truth.production, 4),
        round(truth.without, 4),
        truth.is_weak,
        _list_faults(world),
        tuple(Decoy(kind, tuple(f"{column}={level}" for column, level in place)) for kind, place in world.decoys),
        known,
        foreign,
    )


def _list_faults(world: World) -> tuple[Planted, ...]:
    return tuple(
        Planted(
            fault.kind,
            tuple(SHORT[gap] for gap in fault.gaps),
            tuple(f"{column}={level}" for column, level in fault.place),
            round(share, 3),
        )
        for fault, share in zip(world.faults, world.truth.shares, strict=True)
    )

"""Ablation: success lost to camera lag and to label error, measured on the simulated picking floor.

The simulator has no penalty for lag or labels: the same demonstrations are paired with slightly earlier frames, or with
the grasp moments that annotators marked; a policy is trained on that, and picks. `python -m bench.ablation
--workers 2 --write docs` measures, and puts tables and pictures on the page.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.ablation_shown import AT_RUN, IN_BOTH, IN_DATA, LABELS, LABORATORY, LINE, Point, costs, draw, tables
from bench.doc_page import put
from bench.harness import Figure
from fieldloop.simulate.picking import pick
from fieldloop.simulate.picking.faults import NOTHING, Faults
from fieldloop.simulate.picking.world import World
from fieldloop.train.cloning import Cloned, train_by_cloning

SEEDS = range(500, 510)
LAGS_MS = (0, 20, 40, 60, 80, 100)
NOISES_MS = (0, 50, 100, 150, 200, 300)
PACES = {LINE: pick.LINE, LABORATORY: pick.LAB}
COMMAND = "python -m bench.ablation"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Number of demonstrations, training steps and picks."""

    demonstrations: int = 2000
    training: int = 2500
    picks: int = 3000


SHORT = Sizes(demonstrations=400, training=300, picks=400)


def points(seed: int, sizes: Sizes, lags: Sequence[int], noises: Sequence[int]) -> list[Point]:
    """Measure one floor: the same demonstrations and scenes under each fault."""
    world = World("broad", seed)
    asked = world.cells(world.production(), sizes.demonstrations, "asked")
    met = world.cells(world.production(), sizes.picks, "met")

    def learnt(faults: Faults) -> Cloned:
        shown = world.demonstrate(asked, "shown", faults)
        return train_by_cloning(shown.inputs, shown.actions, None, seed, steps=sizes.training)

    def picked(policy: Cloned, fault: str, amount: float, faults: Faults) -> list[Point]:
        tries = {name: world.attempt(policy.act, met, "met", faults, 0.0, pace) for name, pace in PACES.items()}
        return [Point(seed, fault, name, amount, float(t.succeeded.mean())) for name, t in tries.items()]

    sound = learnt(NOTHING)
    found: list[Point] = []
    for lag in lags:
        late = learnt(Faults(camera_lag_s=lag / 1e3)) if lag else sound
        running = Faults(run_lag_s=lag / 1e3)
        found += picked(late, IN_DATA, lag, NOTHING)
        found += picked(sound, AT_RUN, lag, running)
        found += picked(late, IN_BOTH, lag, running)
    for noise in noises:
        found += picked(learnt(Faults(label_noise=noise / 1e3)) if noise else sound, LABELS, noise, NOTHING)
    return found


def measured(seeds: Sequence[int], workers: int) -> list[Point]:
    """Measure every floor, one a core."""
    ask = partial(points, sizes=Sizes(), lags=LAGS_MS, noises=NOISES_MS)
    with ProcessPoolExecutor(max_workers=workers) as pool:
        return [point for part in pool.map(ask, seeds) for point in part]


def figures(found: Sequence[Point]) -> dict[str, Figure]:
    """Return what the largest amount costs on the line."""
    names = {"lag_in_data": IN_DATA, "lag_at_run": AT_RUN, "lag_in_both": IN_BOTH, "annotation_noise": LABELS}
    return {f"{name}_points_lost": list(costs(found, fault, LINE).values())[-1] for name, fault in names.items()}


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure on all floors; the short form uses two small ones, only to show that it works."""
    if not short:
        return figures(measured(SEEDS, 1))
    return figures([point for seed in SEEDS[:2] for point in points(seed, SHORT, LAGS_MS[::5], NOISES_MS[::5])])


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="two small floors")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--write", type=Path, default=None, help="folder of the docs: ablation.md and its pictures")
    chosen = parser.parse_args()
    if chosen.short:
        costs_found = measure(short=True)
    else:
        found = measured(SEEDS, chosen.workers)
        costs_found = figures(found)
        print(tables(found))
        if chosen.write:
            put(chosen.write / "ablation.md", COMMAND, tables(found))
            draw(found, (IN_DATA, AT_RUN, IN_BOTH), "camera lag, ms", chosen.write / "pictures" / "ablation-lag.svg")
            draw(found, (LABELS,), "annotators' standards apart, ms", chosen.write / "pictures" / "ablation-labels.svg")
    print(json.dumps({name: figure.plain() for name, figure in costs_found.items()}) if chosen.json else costs_found)


if __name__ == "__main__":
    main()

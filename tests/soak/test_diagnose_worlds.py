"""How often is the planted cause named first, how far off are shares, and how often is nothing called something?"""

import numpy as np
import pytest
from tests.diagnose.planted import CAUSES, World, draw, explain

from fieldloop.model.finding import Status

pytestmark = pytest.mark.soak
SEEDS = 4
LEAST_LOSS = 0.04


def test_planted_causes_are_named_first():
    right, off = [], []
    for number, gap in enumerate(CAUSES):
        for seed in range(SEEDS):
            other = CAUSES[(number + seed + 1) % len(CAUSES)]
            world = World((gap, other) if seed % 2 else (gap,), trials=300 + 150 * seed)
            found = explain(draw(world, 5000 + 100 * number + seed))
            if world.lost < LEAST_LOSS:
                continue
            first = found.causes[0].gap if found.causes else None
            most = max(world.truth.values())
            right.append(first is not None and world.truth.get(first, 0.0) >= most - 0.1)
            part = min(1.0, world.lost / max(found.loss, 1e-9))  # the rest of the loss is nobody's
            off += [abs(found.sum_gap_shares(g) - share * part) for g, share in world.truth.items()]
    assert np.mean(right) >= 0.85
    assert np.mean(off) <= 0.12


@pytest.mark.parametrize("episodes", [300, 1000])
def test_nothing_wrong_is_hardly_ever_called_wrong(episodes):
    found = [explain(draw(World(episodes=episodes, trials=300 + 20 * k), 7000 + k)) for k in range(30)]
    assert sum(d.status is Status.FAILED for d in found) <= 3

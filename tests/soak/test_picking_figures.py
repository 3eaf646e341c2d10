"""The story of the picking floor in figures: good in the laboratory, poor in production, a matter of data."""

import numpy as np
import pytest

from fieldloop.simulate.picking import pick
from fieldloop.simulate.picking.world import World
from fieldloop.train.cloning import train_by_cloning

pytestmark = pytest.mark.soak
LAB, MORE, PLENTY = 700, 160, 8_000
PICKS = 4_000
"""A thousand leave a standard error of a point, as much as the margin that is asked for."""


def success(world, policy, cells, pace=pick.LINE):
    return float(world.attempt(policy.act, cells, "picks", pace=pace).succeeded.mean())


@pytest.mark.parametrize("seed", [21, 22])
def test_the_laboratory_flatters_and_the_right_demonstrations_help(seed):
    world = World("covered_traps", seed)
    production, bench = world.production(), world.laboratory()
    floor, lab = world.cells(production, PICKS, "floor"), world.cells(bench, PICKS, "lab")
    first = world.demonstrate(world.cells(bench, LAB, "first"), "first")
    start = train_by_cloning(first.inputs, first.actions, None, seed)
    assert success(world, start, lab, pick.LAB) >= 0.88
    begun = success(world, start, floor)
    assert 0.50 <= begun <= 0.62

    def with_more(shares):
        more = world.demonstrate(world.cells(shares, MORE, "more"), "more")
        rows = (np.concatenate([getattr(d, name) for d in (first, more)]) for name in ("inputs", "actions"))
        return success(world, train_by_cloning(*rows, None, seed), floor)

    # what is deployed, was never shown and can be done
    missing = production * (bench == 0) * ~world.strata.where({"bin": "jammed"})
    helped, same = with_more(missing), with_more(bench)
    assert helped > begun + 0.05
    assert same - begun < 0.5 * (helped - begun)

    plenty = world.demonstrate(world.cells(production, PLENTY, "plenty"), "plenty")
    assert success(world, train_by_cloning(plenty.inputs, plenty.actions, None, seed, steps=10_000), floor) >= 0.785

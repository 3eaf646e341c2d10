"""A story of the picking floor is played by its words: a mix that drifts is met week by week."""

from types import SimpleNamespace

import numpy as np

from fieldloop.loop.floor import picking_story
from fieldloop.loop.floor.picking_story import Story, simulate_story

WEEKS = 24
PICKS = 1200


def line_of(monkeypatch, preset, days):
    """The strata of a line's picks; what the policy answers does not matter to them."""
    still = SimpleNamespace(act=lambda seen: np.zeros((len(seen), 8), dtype=np.float32))
    monkeypatch.setattr(picking_story, "train_policy", lambda *_: still)
    told = simulate_story(Story(preset, 5, "laboratory", 5, PICKS, days))
    return told.world, told.line.cell


def test_a_drifting_mix_is_met_week_by_week(monkeypatch):
    world, cells = line_of(monkeypatch, "drift", 7.0 * WEEKS)
    home = world.strata.code("site", np.arange(len(world.strata))) == 0
    for part, week in ((slice(None, PICKS // 24), 0.0), (slice(PICKS // 2, None), 12.0)):
        meant = world.production(week)[home].sum()
        met = home[cells[part]]
        assert abs(met.mean() - meant) < 4.0 * np.sqrt(meant * (1.0 - meant) / len(met))
    late = home[cells[PICKS // 2 :]].mean()
    assert late < world.production(0.0)[home].sum() - 0.08


def test_a_mix_that_stays_gives_the_same_strata_however_long_it_takes(monkeypatch):
    world, cells = line_of(monkeypatch, "covered_traps", 7.0 * WEEKS)
    assert (cells == world.cells(world.production(), PICKS, "line")).all()

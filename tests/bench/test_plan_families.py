"""The bench of planning on drawn maps: truths are what they claim, the oracle is an upper bound, figures add up."""

import ast
from pathlib import Path

import numpy as np
import pytest
from bench import plan_families
from bench.closed_loop import analytic, greedy, maps, truths
from bench.closed_loop.analytic import GREEDY, PLENTY, START, draw_world, run
from bench.closed_loop.maps import FAMILIES
from bench.closed_loop.truths import FORMS, HALF

from fieldloop.protocol import default_operations

SEEDS = range(900, 909)
WORLDS = [(family.name, seed) for family in FAMILIES for seed in SEEDS]


def test_every_form_meets_every_speed() -> None:
    met = {(world.form, world.speed) for world in (draw_world("few", seed) for seed in SEEDS)}
    assert len(met) == len(FORMS) * len(HALF)


@pytest.mark.parametrize(("family", "seed"), WORLDS)
def test_demonstrations_never_hurt_and_a_world_repeats(family: str, seed: int) -> None:
    world, again = draw_world(family, seed), draw_world(family, seed)
    assert world.place.strata == again.place.strata
    assert world.place.shares.sum() == pytest.approx(1.0)
    now = world.truth.success(world.laboratory)
    assert (now == again.truth.success(again.laboratory)).all()
    assert START[0] <= world.production(world.laboratory) <= START[1]
    later = world.truth.success(world.laboratory + PLENTY * world.place.shares)
    assert (later >= now - 1e-12).all()
    assert later.max() <= 1.0
    assert now.min() >= 0.0
    assert later[world.place.trap].max(initial=0.0) < 0.05, "what is impossible stays so"


@pytest.mark.parametrize(("family", "seed"), WORLDS[::5])
def test_no_other_spending_of_the_same_budget_wins_more_than_the_greedy_one(family: str, seed: int) -> None:
    world = draw_world(family, seed)
    settings = default_operations()["plan"].replace_values(draws=2)
    won = {name: run(world, name, 1, settings)[-1] for name in ("marginal", "frequency", "informed", GREEDY)}
    assert all(turn.spent <= world.budget + 1e-9 for turn in won.values())
    # the yield of operators is drawn, so that the best on average may lose a little
    assert won[GREEDY].production >= max(turn.production for turn in won.values()) - 0.01


def test_the_drawn_worlds_share_nothing_with_the_picking_floor() -> None:
    for module in (analytic, greedy, maps, truths):
        tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not any("simulate" in name or "plan_loop" in name for name in imported)
        if module is not analytic:
            assert not any(name.startswith("fieldloop.plan") for name in imported)


def test_figures_name_every_family_and_speed() -> None:
    rows = list(plan_families.play(range(2)))
    found = plan_families.figures(rows)
    assert {f"headroom_{family.name}" for family in FAMILIES} <= set(found)
    assert 0.0 <= found["held_all"].value <= 1.0
    written = plan_families.tabulate(rows)
    assert all(f"| {name} |" in written for name in plan_families.STRATEGIES)
    assert np.isfinite(found["greedy_beaten"].value)

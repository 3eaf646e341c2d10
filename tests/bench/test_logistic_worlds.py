"""Logistic worlds: the same for a seed, with a truth that adds up, decoys that cost nothing, and no code of others."""

import ast
import json
import pathlib
from collections import Counter

import numpy as np
import pytest
from bench.logistic_worlds import truth
from bench.logistic_worlds.case_folder import write_case
from bench.logistic_worlds.names import COUNTERS, FOREIGN, LATENCY, LEVELS, NUMBERS, TONGUES, foreign_headers
from bench.logistic_worlds.truth import Fault, compute_truth
from bench.logistic_worlds.turns import ROUND, TURNS, kind_of
from bench.logistic_worlds.world import draw_world

from fieldloop.loop.work.case_files import read_case
from fieldloop.protocol import default_operations

PACKAGE = pathlib.Path(truth.__file__).parent


def seed_of(kind, skip=0):
    return [seed for seed in range(400) if kind_of(seed) == kind][skip]


def files(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_the_generator_imports_nothing_of_the_house():
    """A world that used the simulator, the diagnosis or the other planted worlds could not show their blind spots."""
    for path in PACKAGE.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        ours = [name for name in names if name.split(".")[0] in ("fieldloop", "bench")]
        assert all(name.startswith("bench.logistic_worlds") for name in ours), path.name
        assert not any("importlib" in name for name in names)


def test_a_round_has_every_kind_as_often_as_planned():
    assert Counter(TURNS) == ROUND
    assert len(TURNS) == 40


@pytest.mark.parametrize("seed", [seed_of("new condition"), seed_of("two"), seed_of("unlogged")])
def test_the_same_seed_gives_the_same_folder(seed, tmp_path):
    first, again = (write_case(draw_world(seed, 200), tmp_path / name) for name in ("first", "again"))
    assert files(first) == files(again)
    other = write_case(draw_world(seed + 40, 200), tmp_path / "other")
    assert files(first)["production.csv"] != files(other)["production.csv"]


@pytest.mark.parametrize("kind", ROUND)
def test_shares_are_what_the_model_expects(kind):
    world = draw_world(seed_of(kind))
    true = world.truth
    assert sum(true.costs) == pytest.approx(true.without - true.production, abs=1e-9)
    assert 0.0 <= sum(true.shares) <= 1.0 + 1e-9
    observed = [float(np.mean(part)) for part in world.results]
    assert observed[0] == pytest.approx(true.baseline, abs=0.07)
    assert observed[1] == pytest.approx(true.production, abs=0.07)
    assert len(world.faults) == (0 if kind.startswith(("nothing", "mix")) else 2 if kind == "two" else 1)


def test_two_causes_share_what_only_both_together_cost():
    ease, all_rows = np.zeros(4), np.ones(4)
    one, other = (Fault(name, ("x",), (), all_rows, 0 * all_rows, size=1.0) for name in ("a", "b"))
    true = compute_truth(ease, ease, (one, other))
    assert true.costs[0] == pytest.approx(true.costs[1])
    assert sum(true.costs) == pytest.approx(0.5 - 1 / (1 + np.exp(2.0)))
    assert sum(true.shares) == pytest.approx(1.0)


def test_a_judge_turns_successes_into_failures():
    ease, half = np.full(10, 40.0), np.repeat([1.0, 0.0], 5)
    strict = Fault("judge", ("x",), (), half, 0 * half, flips=True, size=0.4)
    assert compute_truth(ease, ease, (strict,)).costs[0] == pytest.approx(0.2)


def test_sound_worlds_lose_nothing_to_their_decoys():
    for skip in range(4):
        world = draw_world(seed_of("nothing, decoys", skip))
        assert world.decoys
        assert not world.faults
        assert world.truth.production == world.truth.without
        assert not draw_world(seed_of("nothing", skip)).decoys


def test_decoys_are_of_the_stated_size():
    seen = Counter()
    for seed in range(160):
        world = draw_world(seed, 100)
        for kind, _ in world.decoys:
            seen[kind] += 1
            if kind == "lag":
                assert all(lag == 0 or 30 <= lag <= 60 for lag in world.setting.lags_ms.values())
            if kind == "disagreement":
                assert 0.6 <= world.setting.kappa <= 0.75
    assert set(seen) == {"lag", "disagreement", "wear", "shift"}


def test_a_new_condition_is_hardly_shown_and_frequent_in_production():
    for skip in range(6):
        world = draw_world(seed_of("new condition", skip))
        ((factor, level),) = world.faults[0].place
        assert world.shown.has(factor, level).mean() < 0.03
        assert world.after.has(factor, level).mean() > 0.15


def test_maps_are_drawn():
    worlds = [draw_world(seed, 50) for seed in range(40)]
    assert {len(world.setting.floor.sites) for world in worlds} == {1, 2, 3, 4}
    assert {len(world.setting.floor.conditions) for world in worlds} == {2, 3, 4}
    assert len({tuple(world.setting.floor.levels) for world in worlds}) > 30


def test_what_is_not_logged_is_in_no_table(tmp_path):
    worn = draw_world(seed_of("wear, not logged"), 100)
    header = (write_case(worn, tmp_path / "worn") / "production.csv").read_text().partition("\n")[0]
    assert not set(header.strip().split(",")) & set(COUNTERS)
    sites = dict(worn.setting.floor.robots)
    bad = {level for column, level in worn.faults[0].place if column == "robot"}
    assert all(any(sites[other] == sites[name] and other not in bad for other in sites) for name in bad)


def test_foreign_headers_change_headers_only(tmp_path):
    world = draw_world(seed_of("two"), 120)
    known, foreign = (
        write_case(world, tmp_path / name, headers) for name, headers in (("known", {}), ("foreign", world.headers))
    )
    for name in ("production.csv", "baseline.csv", "demonstrations.csv"):
        first, other = ((folder / name).read_text(encoding="utf-8").split("\n", 1) for folder in (known, foreign))
        assert first[1] == other[1]
        assert first[0] != other[0]
    case = read_case(foreign, default_operations())
    assert len(case.production) == 120
    factors = {condition.factor for outcome in case.production for condition in outcome.stratum.conditions}
    assert factors <= set(world.headers.values())
    stated = json.loads((known / "agreements.json").read_text()) if (known / "agreements.json").exists() else []
    assert len(stated) == len(case.agreements)


def test_every_header_has_a_name_in_every_language():
    renamed = {*LEVELS, *NUMBERS, *COUNTERS, LATENCY}
    assert set(FOREIGN) == renamed
    for tongue in range(TONGUES):
        headers = foreign_headers(tongue)
        assert len(set(headers.values()) | renamed) == 2 * len(renamed), "no foreign header is a known one"

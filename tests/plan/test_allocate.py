"""Where a budget goes: against exhaustive search, oracles that know the curves, and its own rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.worlds import Crossed, World, cover, splits

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.condition import Stratum
from fieldloop.model.note import note
from fieldloop.model.plan import Coverage, Demand
from fieldloop.plan.allocate import allocate_budget
from fieldloop.plan.demands import Asked
from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import make_table
from fieldloop.plan.strategies import STRATEGIES
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"].replace_values(draws=40)
BARE = SETTINGS.replace_values(exploration_floor=0, concentration_cap=1.0)


def rng():
    return np.random.default_rng(0)


def allocate(*request):
    return allocate_budget(*request).quotas


def amounts(quotas):
    return {q.stratum.level("cell"): q.demonstrations for q in quotas}


@pytest.mark.parametrize(("sharpness", "least"), [(SETTINGS["sharpness"], 0.93), (20.0, 0.995)])
def test_it_wins_nearly_what_exhaustive_search_finds(sharpness, least):
    cells = [cover("a", 0.5, 3, 40, 8), cover("b", 0.3, 0, 12, 9), cover("c", 0.2, 20, 30, 25)]
    chosen = BARE.replace_values(sharpness=sharpness, sharpening_rounds=60)
    model = Gain(make_table(cells), chosen)
    best = max(model.compute_gain_by_stratum(np.array(split, float)).sum() for split in splits(12, 3))
    found = amounts(allocate(cells, [], 12, chosen, rng()))
    assert model.compute_gain_by_stratum(np.array([found.get(name, 0) for name in "abc"], float)).sum() >= least * best


def test_with_transfer_too_it_wins_nearly_what_exhaustive_search_finds():
    rows = [
        ("n", "f", 0.4, 30, 60, 9),
        ("n", "b", 0.2, 0, 30, 12),
        ("s", "f", 0.2, 0, 30, 21),
        ("s", "b", 0.2, 0, 30, 27),
    ]
    cells = [Coverage(Stratum.of(site=s, bin=b), w, n, 0.0, a, f) for s, b, w, n, a, f in rows]
    chosen = BARE.replace_values(sharpness=20.0, sharpening_rounds=60)
    model = Gain(make_table(cells), chosen)
    best = max(model.compute_gain_by_stratum(np.array(split, float)).sum() for split in splits(8, 4))
    found = {q.stratum: q.demonstrations for q in allocate(cells, [], 8, chosen, rng())}
    assert model.compute_gain_by_stratum(np.array([found.get(c.stratum, 0) for c in cells], float)).sum() >= 0.98 * best


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.floats(0.01, 1), st.integers(0, 50), st.integers(0, 40), st.floats(0, 1)), min_size=1, max_size=12
    ),
    st.integers(0, 120),
    st.sampled_from(sorted(STRATEGIES)),
)
def test_the_budget_is_spent_to_the_last_demonstration(rows, budget, strategy):
    total = sum(r[0] for r in rows)
    cells = [cover(str(k), w / total, n, a, int(a * f)) for k, (w, n, a, f) in enumerate(rows)]
    found = allocate_budget(cells, [], budget, SETTINGS, rng(), strategy)
    assert sum(q.demonstrations for q in found.quotas) == budget == found.cost
    assert sum(q.gain for q in found.quotas) == pytest.approx(found.gain)
    assert 0.0 <= found.gain_low <= found.gain <= found.gain_high
    for q in found.quotas:
        assert 0.0 <= q.gain_low <= q.gain <= q.gain_high
        assert q.gain <= 1.0
        assert q.why


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0.2, 6.0), st.integers(0, 20), st.floats(0, 1)), min_size=1, max_size=10),
    st.integers(0, 60),
    st.sampled_from(sorted(STRATEGIES)),
)
def test_no_plan_costs_more_than_its_budget_and_little_is_left(rows, budget, strategy):
    cells = [
        cover(str(k), 1 / len(rows), 5, 10, 5, tried=tried and 5 + tried, cost=cost)
        for k, (cost, tried, _) in enumerate(rows)
    ]
    found = allocate_budget(cells, [], budget, SETTINGS, rng(), strategy)
    assert found.cost <= budget + 1e-6
    assert found.cost == pytest.approx(sum(q.cost for q in found.quotas))
    assert budget - found.cost < Gain(make_table(cells), SETTINGS).price.min() + 1e-6


def test_quotas_of_good_ones_cost_the_tries_that_they_take():
    cells = [
        Coverage(Stratum.of(site=s, bin=b), 1 / 40, 25, 0.0, 20, 10, tried=100) for s in "abcdefgh" for b in "vwxyz"
    ]
    found = allocate_budget(cells, [], 40, SETTINGS, rng())
    asked = sum(q.demonstrations for q in found.quotas)
    assert asked == pytest.approx(10, abs=1)
    for q in found.quotas:
        assert q.demonstrations >= 1
        assert q.cost == pytest.approx(4.0 * q.demonstrations, rel=0.05)
    demand = Demand("d1", Stratum.of(site="a"), 20, note("as_written", text="new lamp"), "diagnosis_1")
    answered = dict(allocate_budget(cells, [demand], 40, SETTINGS, rng()).answered)
    assert answered["d1"] == pytest.approx(5, abs=1)  # half the budget, at four tries each


def test_a_demand_gets_no_more_than_it_asks_for_however_cheap():
    dear = Coverage(Stratum.of(site="a", bin="x"), 0.01, 5, 0.0, 30, 2, cost=9.0)
    cheap = Coverage(Stratum.of(site="a", bin="y"), 0.5, 0, 0.0, 60, 40, cost=1.0)
    other = Coverage(Stratum.of(site="b", bin="x"), 0.49, 60, 0.0, 60, 2, cost=1.0)
    demand = Demand("d1", Stratum.of(site="a"), 10, note("as_written", text="new lamp"), "diagnosis_1")
    asked = Asked(Gain(make_table([dear, cheap, other]), SETTINGS, ()), 1000.0, rng())
    asked.grant_demand(demand)
    assert 9 <= asked.good.sum() <= 10
    assert asked.answered == [("d1", int(asked.good.sum()))]


def test_tries_that_were_not_counted_or_that_lag_behind_harm_nothing():
    def yields(*tried):
        cells = [cover(str(k), 1 / len(tried), 20, 50, 20, tried=t) for k, t in enumerate(tried)]
        return Gain(make_table(cells), SETTINGS).operators.share

    assert yields(0, 0, 0) == pytest.approx(1.0)
    assert yields(5, 0, 20) == pytest.approx(1.0)  # fewer judged than are in hand
    mixed = yields(100, 0, 20)
    assert mixed[0] == pytest.approx(0.2, abs=0.05)
    assert mixed[2] > 0.7


def test_the_same_seed_draws_the_same_plan():
    cells = World(3).cells
    assert allocate_budget(cells, [], 40, SETTINGS, rng()) == allocate_budget(cells, [], 40, SETTINGS, rng())


@pytest.mark.parametrize(("budget", "least"), [(40, 0.88), (200, 0.94), (1000, 0.95)])
def test_it_wins_most_of_what_an_oracle_wins_and_more_than_simpler_plans(budget, least):
    worlds = [World(seed) for seed in range(10)]
    mean = {name: np.mean([w.share_of_oracle(name, budget, SETTINGS) for w in worlds]) for name in STRATEGIES}
    assert mean["marginal"] > least
    assert mean["marginal"] > max(mean[name] for name in STRATEGIES if name != "marginal")


def after_rounds(strategy, seed, rounds=3, budget=24):
    world = Crossed(seed)
    for turn in range(rounds):
        world.collect(
            allocate_budget(world.coverages(), [], budget, SETTINGS, np.random.default_rng(turn), strategy).quotas
        )
    return world


def test_where_strata_share_levels_it_beats_frequency_and_leaves_the_trap():
    ends = {
        name: [after_rounds(name, seed) for seed in range(6)] for name in ("marginal", "frequency", "failure_index")
    }
    success = {name: np.mean([w.success() for w in worlds]) for name, worlds in ends.items()}
    assert success["marginal"] > success["frequency"] + 0.01
    assert success["marginal"] > success["failure_index"] + 0.01
    in_trap = {name: np.mean([w.tried[w.trap].sum() for w in worlds]) for name, worlds in ends.items()}
    assert in_trap["marginal"] < 0.7 * in_trap["failure_index"]


def test_no_stratum_takes_more_than_the_cap():
    cells = [cover("broken", 0.7, 0, 200, 190), *(cover(str(k), 0.1, 50, 50, 2) for k in range(3))]
    assert amounts(allocate(cells, [], 40, SETTINGS, rng()))["broken"] == 16


def test_every_deployed_level_is_shown_but_a_scarce_budget_is_not_eaten():
    sites = {"seen": (0.9, 300, 90), "unseen": (0.09, 100, 0), "rare": (0.01, 5, 0), "planned": (0.0, 0, 0)}
    cells = [
        Coverage(Stratum.of(site=site, bin=b), w / 2, 5 if site == "seen" else 0, 0.0, a // 2, f // 2)
        for site, (w, a, f) in sites.items()
        for b in "fb"
    ]
    quotas = allocate(cells, [], 60, SETTINGS, rng())
    by_site = {s: sum(q.demonstrations for q in quotas if q.stratum.level("site") == s) for s in sites}
    assert by_site["unseen"] >= 2
    assert by_site["rare"] >= 2
    assert by_site["planned"] == 0
    scarce = allocate(cells, [], 5, SETTINGS, rng())
    assert sum(q.demonstrations for q in scarce if q.stratum.level("site") == "rare") <= 1


WHY = note("respond.reported", what="gloss tape")
WHY = note("respond.reported", what="gloss tape")
ALL_FOR_DEMANDS = SETTINGS.replace_values(max_demand_share=1.0)


def test_a_loud_demand_leaves_the_rest_of_the_budget_to_expected_gain():
    cells = [cover("a", 0.5, 9, 50, 30), cover("b", 0.5, 9, 50, 30)]
    demand = Demand("d1", Stratum.of(cell="b"), 200, note("as_written", text="cold hall"), "diagnosis_1")
    found = amounts(allocate(cells, [demand], 40, SETTINGS.replace_values(concentration_cap=0.5), rng()))
    assert found == {"a": 20, "b": 20}


def test_demands_are_honoured_before_anything_else_and_named():
    cells = [cover("a", 0.9, 0, 100, 80), cover("b", 0.1, 100, 100, 1)]
    demand = Demand("d1", Stratum.of(cell="b"), 30, note("as_written", text="gloss tape"), "incident_1")
    quotas = allocate(cells, [demand], 40, ALL_FOR_DEMANDS, rng())
    assert amounts(quotas)["b"] >= 30
    answered = next(d for q in quotas for d in q.why.details if d.code == "plan.demand_answered")
    assert (answered["demonstrations"], answered["source"], answered.details) == (30, "incident_1", (demand.why,))


def test_older_demands_win_when_the_budget_does_not_last():
    demands = [
        Demand("d2", Stratum.of(cell="b"), 8, note("as_written", text="late"), "incident_2", at_ns=2),
        Demand("d1", Stratum.of(cell="a"), 8, note("as_written", text="early"), "incident_1", at_ns=1),
    ]
    quotas = allocate([cover("a", 0.5, 9), cover("b", 0.5, 9)], demands, 10, ALL_FOR_DEMANDS, rng())
    assert amounts(quotas) == {"a": 8, "b": 2}
    short = next(q for q in quotas if q.demonstrations == 2)
    (cut,) = (d for reason in short.why.details for d in reason.details if d.code == "plan.demand_cut")
    assert (cut["asked"], cut["got"]) == (8, 2)


def test_a_demand_of_one_condition_spreads_over_its_strata():
    cells = [Coverage(Stratum.of(light=x, bin=b), 0.25, 5, 0.25, 20, 4) for x in ("dim", "bright") for b in "fb"]
    quotas = allocate(cells, [Demand("d", Stratum.of(light="dim"), 10, WHY, "diagnosis_1")], 10, ALL_FOR_DEMANDS, rng())
    assert {str(q.stratum): q.demonstrations for q in quotas} == {"bin=b,light=dim": 5, "bin=f,light=dim": 5}


def test_a_demand_outside_the_map_is_collected_and_marked():
    quotas = allocate(
        [cover("a", 1.0, 5)], [Demand("d", Stratum.of(cell="x"), 3, WHY, "plan")], 4, ALL_FOR_DEMANDS, rng()
    )
    outside = quotas[-1]
    assert (outside.demonstrations, outside.gain) == (3, 0.0)
    assert outside.why.code == "plan.quota_outside_map"


def test_an_empty_map_or_budget_asks_for_nothing_and_warns():
    for found in (
        allocate_budget([], [], 10, SETTINGS, rng()),
        allocate_budget([cover("a", 1.0, 0)], [], 0, SETTINGS, rng()),
    ):
        assert found.quotas == ()
        assert found.warnings[0].code == "plan.nothing_planned"


@pytest.mark.parametrize(("failures", "code"), [(0, "plan.none_failed"), (200, "plan.all_failed")])
def test_no_failures_at_all_or_nothing_but_failures_still_make_a_plan(failures, code):
    cells = [cover(str(k), 0.25, 5 * k, 50, failures // 4) for k in range(4)]
    found = allocate_budget(cells, [], 20, SETTINGS, rng())
    assert sum(q.demonstrations for q in found.quotas) == 20
    assert (found.warnings[0].code, found.warnings[0]["attempts"]) == (code, 200)
    assert np.isfinite([found.gain, found.gain_low, found.gain_high]).all()


def test_where_nothing_failed_the_interval_holds_what_may_yet_be_won():
    found = allocate_budget(
        [cover(str(k), 0.25, 5, 150, 0) for k in range(4)], [], 40, SETTINGS.replace_values(draws=400), rng()
    )
    (warning,) = found.warnings
    assert [detail.code for detail in warning.details] == ["plan.budget_by_traffic"]
    assert warning["highest"] == pytest.approx(1 - 0.1 ** (1 / 600))
    assert found.gain_low <= found.gain < 5e-4, "what may yet be there, and no point outside of it"
    assert 5e-4 < found.gain_high < 0.005


def test_where_everything_failed_the_gain_is_anything_from_nothing_to_all():
    found = allocate_budget([cover(str(k), 0.25, 5, 150, 150) for k in range(4)], [], 40, SETTINGS, rng())
    assert found.warnings[0].code == "plan.all_failed"
    assert found.gain_low == 0.0
    assert found.gain_high == pytest.approx(1.0, abs=0.01)


def test_one_stratum_takes_the_whole_budget():
    assert amounts(allocate([cover("only", 1.0, 3, 10, 4)], [], 7, SETTINGS, rng())) == {"only": 7}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (cover("a", float("nan"), 0), "share of production of nan"),
        (cover("a", -0.1, 0), "share of production"),
        (cover("a", 1.0, -1), "number of demonstrations"),
        (cover("a", 1.0, 0, 5, 6), "6 failures in 5 attempts"),
        (cover("a", 1.0, 0, cost=0.0), "cost of a demonstration"),
        (cover("a", 1.0, 0, cost=float("inf")), "cost of a demonstration"),
        (cover("a", 1.3, 0), "add up to 1.3"),
    ],
)
def test_numbers_that_cannot_be_are_refused_by_name(cell, said):
    with pytest.raises(BadInput, match=said):
        allocate([cell], [], 10, SETTINGS, rng())


@pytest.mark.parametrize("budget", [-1, float("nan"), float("inf")])
def test_a_budget_that_cannot_be_spent_is_refused(budget):
    with pytest.raises(BadInput, match="budget"):
        allocate([cover("a", 1.0, 0)], [], budget, SETTINGS, rng())


def test_an_unknown_strategy_is_refused_with_what_was_meant():
    with pytest.raises(UnknownName, match="marginal"):
        allocate([cover("a", 1.0, 0)], [], 1, SETTINGS, rng(), "marginl")


def test_a_demand_where_demonstrations_cost_more_is_paid_for_at_its_price():
    cells = [cover("far", 0.5, 5, 50, 20, cost=4.0), cover("near", 0.5, 5, 50, 20)]
    demand = Demand("d1", Stratum.of(cell="far"), 5, note("as_written", text="new lamp"), "diagnosis_1")
    found = allocate_budget(cells, [demand], 40, SETTINGS, rng())
    assert found.answered == (("d1", 5),)
    assert found.cost <= 40.0
    far = next(q for q in found.quotas if q.stratum.level("cell") == "far")
    assert far.cost == 4.0 * far.demonstrations >= 20.0

"""How curves of the bench of planning are compared: planted curves with known answers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from bench.closed_loop.judge import Curves, Seen, headroom_share, paired, spent_ratio, spent_to, spent_to_level
from bench.closed_loop.tables import differences, tables
from bench.closed_loop.trials import BASELINE, INFORMED, OURS, Trial
from bench.plan import as_json, figures
from bench.plan_loop import DRIFTING, Floats
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from fieldloop.stats.multiple import adjust_by_holm

SPENT = np.array([0.0, 40.0, 80.0])
START = 0.5


def planted(**finals: Floats) -> Seen:
    """Strategies whose success rises in a straight line to a final level by seed; X is 0.6."""
    curves = {}
    for name, last in finals.items():
        success = START + np.outer(last - START, SPENT / SPENT[-1])
        curves[name] = Curves(np.tile(SPENT, (len(last), 1)), success, success, np.full_like(success, 0.9))
    seeds = len(next(iter(finals.values())))
    trial = Trial("covered_traps", "covered_traps", 40.0, seeds, rounds=2, furthest=2)
    return Seen(trial, tuple(range(seeds)), curves, np.full((seeds, 3), START), np.full((seeds, 3), 0.7))


def test_what_is_spent_is_read_between_rounds() -> None:
    seen = planted(marginal=np.array([0.9, 0.9]), frequency=np.array([0.7, 0.7]))
    assert spent_to_level(seen, OURS) == pytest.approx(20.0)
    assert spent_to_level(seen, BASELINE) == pytest.approx(40.0)
    ratio = spent_ratio(seen, OURS, BASELINE)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((0.5, 0.5, 0.5))


def test_on_a_floor_that_moves_the_level_moves_along() -> None:
    still = planted(marginal=np.array([0.7, 0.7]), frequency=np.array([0.7, 0.7]))
    sinking = np.array([0.0, -0.1, -0.2])
    curves = {name: replace(each, production=each.production + sinking) for name, each in still.curves.items()}
    trial = replace(still.trial, preset=DRIFTING)
    moved = Seen(trial, still.seeds, curves, still.start + sinking, still.reference + sinking)
    assert spent_to_level(moved, OURS) == pytest.approx(spent_to_level(still, OURS)) == pytest.approx(40.0)


def test_a_baseline_that_never_gets_there_counts_with_all_it_spent() -> None:
    seen = planted(marginal=np.array([0.9, 0.9]), frequency=np.array([0.55, 0.55]))
    assert spent_to_level(seen, BASELINE) == float("inf")
    assert spent_ratio(seen, OURS, BASELINE).value == pytest.approx(20.0 / 80.0)


def test_not_getting_there_is_no_success_of_ours() -> None:
    slow, fast = np.array([0.55, 0.55]), np.array([0.7, 0.7])
    assert spent_ratio(planted(marginal=slow, frequency=fast), OURS, BASELINE).value == float("inf")
    assert spent_ratio(planted(marginal=slow, frequency=slow), OURS, BASELINE).value == 1.0


@given(
    steps=st.lists(st.floats(0.0, 0.2), min_size=1, max_size=8),
    levels=st.tuples(st.floats(0.0, 2.0), st.floats(0.0, 2.0)),
)
def test_a_higher_level_never_costs_less(steps: list[float], levels: tuple[float, float]) -> None:
    success = np.cumsum([0.1, *steps])
    spent = np.arange(len(success)) * 40.0
    low, high = sorted(levels)
    assert spent_to(low, spent, success) <= spent_to(high, spent, success)


def test_headroom_is_one_for_the_oracle_and_nothing_for_the_baseline() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(0.6, 0.02, 12)
    oracle = base + rng.normal(0.05, 0.005, 12)
    assert headroom_share(oracle, base, oracle).value == pytest.approx(1.0)
    assert headroom_share(base, base, oracle).value == pytest.approx(0.0)
    half = headroom_share((base + oracle) / 2, base, oracle)
    assert half.low <= half.value <= half.high
    assert half.value == pytest.approx(0.5)


def test_an_oracle_that_loses_gives_no_share() -> None:
    base = np.array([0.6, 0.62, 0.61])
    assert np.isnan(headroom_share(base - 0.01, base, base - 0.02).value), "not half of the headroom"
    unsure = headroom_share(base + 0.01, base, base + np.array([0.03, -0.02, 0.02]))
    assert unsure.value == pytest.approx(1.0)
    assert unsure.high == float("inf")


def test_a_headroom_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(100):
        base = rng.normal(0.6, 0.02, 20)
        ours, oracle = base + rng.normal(0.03, 0.01, 20), base + rng.normal(0.04, 0.01, 20)
        found = headroom_share(ours, base, oracle)
        held += found.low <= 0.75 <= found.high
    assert 88 <= held <= 100, "95 are meant; a bootstrap of 20 seeds is a little narrow"


def test_a_paired_difference_is_student_s() -> None:
    rng = np.random.default_rng(2)
    ours, theirs = rng.normal(0.62, 0.02, 10), rng.normal(0.6, 0.02, 10)
    known = ttest_rel(ours, theirs)
    ends = known.confidence_interval(0.95)
    found = paired(ours, theirs)
    assert (found.low, found.high, found.p) == pytest.approx((ends.low, ends.high, known.pvalue))
    assert paired(ours[:1], theirs[:1]).p == 1.0, "one seed tells nothing"
    assert paired(ours, ours).p == 1.0


def test_holm_goes_over_contenders_and_leaves_the_oracle_out() -> None:
    rng = np.random.default_rng(3)
    finals = {name: rng.normal(0.65, 0.02, 8) for name in (OURS, BASELINE, "uniform", INFORMED)}
    seen = planted(**finals)
    found = differences([seen])
    raw = [found["covered_traps", name][0].p for name in (OURS, "uniform")]
    assert [found["covered_traps", name][1] for name in (OURS, "uniform")] == pytest.approx(adjust_by_holm(raw))
    assert np.isnan(found["covered_traps", INFORMED][1])
    assert ("covered_traps", BASELINE) not in found


def test_a_table_says_when_a_level_was_not_reached() -> None:
    written = tables([planted(marginal=np.array([0.9, 0.9]), frequency=np.array([0.55, 0.56]))])
    assert "| > 80 |" in written
    assert "X = 0.600" in written


def test_an_infinite_ratio_is_written_as_null() -> None:
    slow, fast = np.array([0.55, 0.55]), np.array([0.7, 0.7])
    found = json.loads(as_json(figures([planted(marginal=slow, frequency=fast, informed=fast)])))
    assert found["demos_ratio_to_frequency"] == {"value": None, "n": 2, "low": None, "high": None}
    assert found["informed_rule_share"]["value"] is None, "a rule that wins nothing has no headroom"

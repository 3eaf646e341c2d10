"""Evidence of a drop: an exact martingale while nothing is wrong, and quick when something is."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom, binom

from fieldloop.errors import BadInput
from fieldloop.stats import change
from fieldloop.stats.change import list_drop_sizes

evidence = partial(change.compute_drop_evidence, drop_size_count=6)


def expected_after_one_period(trials, baseline, spread, chances):
    values = [evidence([k], [trials], baseline, 0.05, spread)[0] for k in range(trials + 1)]
    return float(np.dot(chances, values))


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 60), st.floats(0.3, 0.95))
def test_one_period_adds_exactly_one_while_the_rate_is_the_baseline(trials, baseline):
    chances = binom.pmf(np.arange(trials + 1), trials, baseline)
    assert expected_after_one_period(trials, baseline, 0.0, chances) == pytest.approx(1.0, rel=1e-6)


def test_a_spread_is_allowed_for_exactly_and_costs_safety_nothing_when_there_is_none():
    trials, baseline, spread = 100, 0.8, 0.03
    size = baseline * (1 - baseline) / spread**2 - 1
    k = np.arange(trials + 1)
    varying = betabinom.pmf(k, trials, size * baseline, size * (1 - baseline))
    assert expected_after_one_period(trials, baseline, spread, varying) == pytest.approx(1.0, rel=1e-6)
    assert expected_after_one_period(trials, baseline, spread, binom.pmf(k, trials, baseline)) < 1.0


def test_periods_compound_as_shiryaev_and_roberts_say():
    good, tried, baseline = np.array([9, 5, 7]), np.array([10, 9, 10]), 0.8
    by_hand = []
    for drop in list_drop_sizes(baseline, 0.05, 6):
        ratio = binom.pmf(good, tried, max(baseline - drop, 1e-3)) / binom.pmf(good, tried, baseline)
        by_hand.append(ratio[0] * ratio[1] * ratio[2] + ratio[1] * ratio[2] + ratio[2])
    assert evidence(good, tried, baseline, 0.05)[-1] == pytest.approx(np.mean(by_hand))


def test_mean_time_to_a_false_alarm_is_at_least_the_threshold():
    rng = np.random.default_rng(3)
    threshold, waits = 20.0, []
    for _ in range(150):
        good = rng.binomial(50, 0.8, 400)
        crossed = np.flatnonzero(evidence(good, np.full(400, 50), 0.8, 0.05) >= threshold)
        waits.append(crossed[0] + 1 if len(crossed) else 400)
    assert np.mean(waits) > threshold


def test_a_drop_of_ten_points_is_found_within_days():
    rng = np.random.default_rng(4)
    waits = []
    for _ in range(100):
        after = evidence(rng.binomial(50, 0.7, 60), np.full(60, 50), 0.8, 0.05)
        waits.append(int(np.flatnonzero(after >= 90.0)[0]) + 1)
    assert np.mean(waits) < 5.0


def test_empty_days_say_nothing():
    assert evidence([], [], 0.8, 0.05).tolist() == []
    assert evidence([0], [0], 0.8, 0.05)[0] == pytest.approx(1.0)


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=20), st.sampled_from([0.0, 0.03]))
def test_evidence_is_never_negative_nor_infinite(failures, spread):
    found = evidence([30 - f for f in failures], [30] * len(failures), 1.0, 0.05, spread)
    assert np.all(found >= 0.0)
    assert np.all(np.isfinite(found))


@pytest.mark.parametrize("baseline", [0.02, 0.05, 0.06])
def test_a_baseline_below_the_drop_leaves_nothing_to_find(baseline):
    assert np.isfinite(evidence([0] * 50, [10] * 50, baseline, 0.05)[-1])


@pytest.mark.parametrize(
    ("successes", "trials", "baseline"), [([3], [2], 0.8), ([-1], [2], 0.8), ([1, 1], [2], 0.8), ([1], [2], 1.2)]
)
def test_counts_that_cannot_be_are_refused(successes, trials, baseline):
    with pytest.raises(BadInput):
        evidence(successes, trials, baseline, 0.05)

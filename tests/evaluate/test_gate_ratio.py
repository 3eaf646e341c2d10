"""Bounds on what is left of the base rate hold as often as they promise, in every world there is."""

from bisect import bisect_left

import numpy as np
import pytest
from scipy.stats import binom

from fieldloop.evaluate.comparison import judge_distractors
from fieldloop.evaluate.looks import Looks
from fieldloop.evaluate.ratio import (
    TwoRates,
    compute_chance_of_as_bad,
    compute_chance_of_as_good,
    compute_ratio_bounds,
    compute_score,
)
from fieldloop.model.finding import Status
from fieldloop.protocol import default_operations

GATE = default_operations()["gate"]
LOOKS = Looks.from_settings(GATE)


def judged_counts(outcome, base):
    (successes, trials), (base_successes, base_trials) = outcome, base
    arms = [[True] * k + [False] * (n - k) for k, n in ((successes, trials), (base_successes, base_trials))]
    return judge_distractors(*arms, GATE, LOOKS)


def judged(successes, base, trials=60):
    return judged_counts((successes, trials), (base, trials))


def passes(trials, alpha):
    """Every outcome that passes; with the base as seen, more successes never look worse."""
    table = np.zeros((trials + 1, trials + 1), bool)
    for b in range(1, trials + 1):
        enough = bisect_left(
            range(trials + 1),
            x=True,
            key=lambda k, b=b: (
                k > 0.85 * b and compute_chance_of_as_good(TwoRates(k, trials, b, trials), 0.85) <= alpha
            ),
        )
        table[enough:, b] = True
    return table


@pytest.fixture(scope="module")
def passing_at_20():
    return passes(20, 0.05)


def chance_of_passing(table, kept, base):
    n = len(table) - 1
    ours, theirs = binom.pmf(np.arange(n + 1), n, kept * base), binom.pmf(np.arange(n + 1), n, base)
    return float(ours @ table @ theirs)


def test_a_policy_that_keeps_just_the_limit_passes_no_more_often_than_allowed(passing_at_20):
    worst = max(chance_of_passing(passing_at_20, 0.85, base) for base in np.linspace(0.01, 1, 397))
    assert 0.03 < worst <= 0.0505  # the level, up to the grid over the base rate


def test_a_policy_that_keeps_less_passes_still_less_often(passing_at_20):
    for kept in (0.5, 0.7, 0.8):
        assert max(chance_of_passing(passing_at_20, kept, b) for b in np.linspace(0.01, 1, 100)) <= 0.05


def test_bounds_invert_the_tests():
    seen = TwoRates(38, 40, 39, 40)
    low, high = compute_ratio_bounds(seen, 0.95)
    assert low < seen.ratio < high
    assert compute_chance_of_as_good(seen, low - 1e-4) <= 0.05 < compute_chance_of_as_good(seen, low + 1e-3)
    assert compute_chance_of_as_bad(seen, high + 1e-4) <= 0.05 < compute_chance_of_as_bad(seen, high - 1e-3)


def test_the_score_is_zero_where_the_ratio_is_the_observed_one():
    assert compute_score(TwoRates(17, 20, 20, 20), 0.85) == pytest.approx(0, abs=1e-9)
    assert compute_score(TwoRates(19, 20, 20, 20), 0.85) > 0 > compute_score(TwoRates(10, 20, 20, 20), 0.85)


def test_chances_agree_with_counting_by_hand():
    # one trial each, limit 1/2: only (1, 0) and (1, 1) look at least as good as (1, 1); worst at p = 1: P = 1/2
    assert compute_chance_of_as_good(TwoRates(1, 1, 1, 1), 0.5) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("successes", "base", "status"),
    [(60, 60, Status.PASSED), (57, 57, Status.PASSED), (51, 57, Status.CANNOT_TELL), (30, 57, Status.FAILED)],
)
def test_the_rule_at_60_trials_each(successes, base, status):
    test = judged(successes, base)
    assert test.status is status
    assert (test.more_trials > 0) == (status is Status.CANNOT_TELL)
    assert test.low < successes / base < test.high


def test_operating_characteristics_of_the_planned_trials():
    table = passes(60, 1 - LOOKS.get_level(1))
    assert chance_of_passing(table, 1.0, 0.95) == pytest.approx(0.8804, abs=1e-3)
    assert chance_of_passing(table, 1.0, 0.90) == pytest.approx(0.6416, abs=1e-3)
    assert max(chance_of_passing(table, 0.85, b) for b in np.linspace(0.05, 1, 100)) <= 0.025


@pytest.mark.parametrize(("outcome", "base"), [((0, 0), (60, 60)), ((60, 60), (0, 0)), ((60, 60), (0, 60))])
def test_what_was_not_tried_or_never_succeeded_cannot_be_compared(outcome, base):
    test = judged_counts(outcome, base)
    assert test.status is Status.CANNOT_TELL
    assert test.more_trials >= 1


def test_incomplete_trials_cannot_pass_but_can_fail():
    assert judged_counts((30, 30), (60, 60)).more_trials == 30
    assert judged_counts((3, 30), (60, 60)).status is Status.FAILED


def test_trials_are_compared_in_complete_sets():
    test = judged_counts((60, 60), (60, 90))
    assert (test.successes, test.trials, test.message["base_trials"]) == (60, 60, 60)
    assert test.status is Status.PASSED
    undecided = judged(102, 114, trials=120)
    assert undecided.status is Status.CANNOT_TELL
    assert undecided.more_trials % 60 == 0

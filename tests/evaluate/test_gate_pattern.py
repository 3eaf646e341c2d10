"""Clusters and trends are found, and chance is taken for chance as often as promised."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.evaluate.comparison import judge_pattern
from fieldloop.evaluate.pattern import compute_drift_p_value, compute_runs_p_value, find_largest_excursion, find_pattern
from fieldloop.model.finding import Status
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

GATE = default_operations()["gate"]


def orders(trials, failures):
    for places in combinations(range(trials), failures):
        yield [n not in places for n in range(trials)]


def runs_of(row):
    return 1 + sum(a != b for a, b in pairwise(row))


@pytest.mark.parametrize(("trials", "failures"), [(6, 1), (8, 3), (9, 4), (10, 2)])
def test_both_distributions_equal_counting_every_order(trials, failures):
    every = list(orders(trials, failures))
    for row in every:
        fewer = np.mean([runs_of(other) <= runs_of(row) for other in every])
        more = np.mean([runs_of(other) >= runs_of(row) for other in every])
        assert compute_runs_p_value(runs_of(row), trials, failures) == pytest.approx(min(1, 2 * min(fewer, more)))
        farther = np.mean([find_largest_excursion(other)[0] >= find_largest_excursion(row)[0] for other in every])
        assert compute_drift_p_value(*find_largest_excursion(row), trials, failures) == pytest.approx(farther)


@pytest.mark.parametrize("failures", [2, 4, 6])
def test_chance_is_taken_for_a_pattern_no_more_often_than_promised(failures):
    p_values = np.array([find_pattern(row).p_value for row in orders(12, failures)])
    for alpha in (0.01, 0.05, 0.2):
        assert np.mean(p_values <= alpha) <= alpha


def row(trials=100, failing=()):
    return [n not in set(failing) for n in range(trials)]


@pytest.mark.parametrize(
    ("failing", "order"),
    [
        (range(92, 100), None),  # wears out at the end
        (range(40, 48), ("evaluate.order_runs", 3)),  # one bad stretch
        ([*range(0, 100, 2)], ("evaluate.order_runs", 100)),  # every other one
    ],
)
def test_planted_patterns_are_found(failing, order):
    test = judge_pattern(row(failing=failing), GATE)
    assert test.status is Status.FAILED
    assert test.message.code == "evaluate.pattern"
    (found,) = test.message.details
    assert order is None or (found.code, found["runs"]) == order
    assert test.low <= 0.01


@pytest.mark.parametrize("failing", [(), (50,), (3, 21, 38, 55, 77, 90), (10, 11, 40, 70)])
def test_scattered_failures_are_no_pattern(failing):
    assert judge_pattern(row(failing=failing), GATE).status is Status.PASSED


def test_a_slow_decline_is_found_with_its_place():
    found = find_pattern([True] * 60 + [True, True, False, True] * 10)
    assert found.p_value < 0.01
    assert write_sentence(found.order) == "0 failures came in the first 62 trials, 10 in the other 38."


def test_too_few_trials_cannot_tell_unless_the_pattern_shows_already():
    assert judge_pattern(row(50), GATE).status is Status.CANNOT_TELL
    assert judge_pattern(row(50), GATE).more_trials == 50
    assert judge_pattern([], GATE).status is Status.CANNOT_TELL
    assert judge_pattern([True] * 40 + [False] * 8, GATE).status is Status.FAILED


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_p_values_are_probabilities_and_do_not_depend_on_the_direction_of_time(succeeded):
    found = find_pattern(succeeded)
    assert 0 < found.p_value <= 1
    assert find_pattern(succeeded[::-1]).p_value == pytest.approx(found.p_value)

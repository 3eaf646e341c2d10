"""Association beyond chance: none between unrelated variables, however much neighbours resemble each other."""

import numpy as np
import pytest

from fieldloop.stats.association import assign_quantile_classes, compute_uncertainty_coefficient


def walk(random, count):
    """A slow random walk, in four classes: neighbours are alike."""
    return assign_quantile_classes(np.cumsum(random.normal(size=count)))


def test_unrelated_variables_are_not_associated():
    random = np.random.default_rng(0)
    false = 0
    for turn in range(200):
        clue, target = random.integers(0, 4, 120), random.integers(0, 2, 120)
        false += compute_uncertainty_coefficient(clue, target, np.arange(120) // 10, 0.95, 0.95, seed=turn).low > 0.0
    assert false <= 200 * 0.05


def test_drift_in_both_is_not_an_association():
    random = np.random.default_rng(1)
    block = np.arange(200) // 14
    drifting = [
        compute_uncertainty_coefficient(walk(random, 200), walk(random, 200) // 2, block, 0.95, 0.95, seed=turn)
        for turn in range(40)
    ]
    assert np.mean([found.low > 0.2 for found in drifting]) <= 0.05


def test_sessions_count_not_episodes():
    """Four sessions, each with its operator and its luck: a hundred episodes each prove nothing."""
    random = np.random.default_rng(2)
    session = np.repeat(np.arange(4), 100)
    found = [
        compute_uncertainty_coefficient(
            session,
            (random.random(400) < random.uniform(0.1, 0.9, 4)[session]).astype(int),
            session,
            0.95,
            0.95,
            seed=turn,
        )
        for turn in range(40)
    ]
    assert np.mean([one.low > 0.2 for one in found if one]) <= 0.05


def test_a_shortcut_is_found_and_sized():
    random = np.random.default_rng(3)
    target = random.integers(0, 2, 400)
    clue = np.where(random.random(400) < 0.9, target, 1 - target)  # right nine times in ten: 0.53 of a bit is known
    found = compute_uncertainty_coefficient(clue, target, np.arange(400) // 20, 0.999, 0.95)
    assert found.low < 0.53 < found.high
    assert found.low > 0.2
    assert found.chance < 0.01


def test_few_rows_leave_the_answer_open():
    random = np.random.default_rng(4)
    found = compute_uncertainty_coefficient(
        random.integers(0, 4, 24), random.integers(0, 2, 24), np.arange(24) // 4, 0.95, 0.95
    )
    assert found.low == 0.0
    assert found.high > 0.2


def test_a_target_that_does_not_vary_has_no_association():
    assert compute_uncertainty_coefficient(np.arange(10), np.zeros(10, dtype=int), np.arange(10), 0.95, 0.95) is None


def test_equal_numbers_share_a_class():
    assert set(assign_quantile_classes(np.asarray([0.0] * 90 + [1.0] * 10))) <= {0, 1}
    assert assign_quantile_classes(np.asarray([1.0, 1.0])).tolist() == pytest.approx([0, 0])

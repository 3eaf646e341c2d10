"""Behaviour cloning learns what can be learnt, gives the same bits, and refuses what it cannot use."""

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.protocol import default_operations
from fieldloop.train.cloning import train_by_cloning

SETTINGS = default_operations()["train"].replace_values(clone_hidden_units=[32], clone_steps=600)


def rows(count, seed=0):
    inputs = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    actions = np.column_stack([inputs[:, 0] - 2 * inputs[:, 1], np.abs(inputs[:, 2])]).astype(np.float32)
    return inputs, actions


def test_it_learns_a_function_from_examples():
    policy = train_by_cloning(*rows(1_000), None, 0, SETTINGS)
    inputs, actions = rows(200, seed=1)
    inside = (np.abs(inputs) < 2).all(axis=1)
    assert np.abs(policy.act(inputs) - actions)[inside].mean() < 0.12


def test_the_same_rows_and_seed_give_the_same_bits():
    first, again, other = (
        train_by_cloning(*rows(200), None, seed, SETTINGS, steps=50).act(rows(20)[0]) for seed in (1, 1, 2)
    )
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


def test_a_row_without_weight_teaches_nothing():
    inputs, actions = rows(400)
    actions[200:] += 50
    weights = np.repeat([1.0, 0.0], 200)
    policy = train_by_cloning(inputs, actions, weights, 0, SETTINGS)
    assert np.abs(policy.act(inputs[:200]) - actions[:200]).mean() < 0.3


def test_an_input_far_outside_saturates():
    policy = train_by_cloning(*rows(300), None, 0, SETTINGS, steps=50)
    far, further = (policy.act(np.array([[value, 0, 0]], dtype=np.float32)) for value in (30.0, 3_000.0))
    assert far == pytest.approx(further)


@pytest.mark.parametrize(
    ("inputs", "actions", "weights", "message"),
    [
        (np.zeros((0, 3)), np.zeros((0, 2)), None, "no rows"),
        (np.zeros((4, 3)), np.zeros((3, 2)), None, "row for each moment"),
        (np.zeros(4), np.zeros(4), None, "tables"),
        (np.full((4, 3), np.nan), np.zeros((4, 2)), None, "NaN"),
        (np.zeros((4, 3)), np.zeros((4, 2)), np.zeros(4), "not all 0"),
        (np.zeros((4, 3)), np.zeros((4, 2)), np.array([1.0, -1.0, 1.0, 1.0]), "from 0 up"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(inputs, actions, weights, message):
    with pytest.raises(BadInput, match=message):
        train_by_cloning(inputs, actions, weights, 0, SETTINGS)

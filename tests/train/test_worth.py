"""Worth of demonstrations: grasps and actions that were corrupted on purpose are worth least."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.train.cloned_loss import compute_demonstration_gradients, compute_demonstration_losses
from fieldloop.train.cloning import train_by_cloning
from fieldloop.train.grasp_worth import GraspLearner
from fieldloop.train.worth import estimate_worth, split_into_folds

WRONG = (11, 37)


def spoil(sample, number):
    """Put a grasp 15 cm beside what was done, each in another direction."""
    grasp, way = sample.grasp.copy(), np.pi / 2 * number
    grasp[:3] += (0.15 * np.cos(way), 0.15 * np.sin(way), 0.05)
    return replace(sample, grasp=grasp)


@pytest.fixture(scope="module")
def learner(samples, settings):
    spoilt = [spoil(sample, WRONG.index(i)) if i in WRONG else sample for i, sample in enumerate(samples)]
    return GraspLearner(spoilt, settings, 1.0)


def test_corrupted_grasps_are_worth_least(learner, samples):
    found = estimate_worth(learner, np.arange(len(samples)), np.random.default_rng(0))
    assert set(np.argsort(found.value)[: len(WRONG)]) == set(WRONG)
    assert (found.value[list(WRONG)] < 0).all()
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()


def test_learning_again_without_the_corrupted_grasps_answers_others_better(learner):
    learnt, judged = np.arange(0, 40), np.arange(40, 46)
    estimated = learner.estimate_rise(learnt, judged).mean(axis=1)
    again = learner.compute_losses(np.setdiff1d(learnt, WRONG), judged).mean()
    assert again < learner.compute_losses(learnt, judged).mean()
    assert estimated[list(WRONG)].sum() < 0


def test_each_judge_judges_once_and_is_not_learnt_from():
    judges = np.array([1, 4, 5, 8, 9])
    seen = []
    for learnt, judged in split_into_folds(np.arange(12), judges, 5, np.random.default_rng(2)):
        assert not set(learnt) & set(judged)
        assert len(learnt) + len(judged) == 12
        seen += judged.tolist()
    assert sorted(seen) == judges.tolist()


def test_too_few_judges_are_refused():
    with pytest.raises(BadInput, match="too few for 5 folds"):
        list(split_into_folds(np.arange(12), np.arange(3), 5, np.random.default_rng(0)))


def test_the_gradient_of_a_loss_is_its_slope():
    rng = np.random.default_rng(4)
    inputs = rng.normal(size=(30, 4)).astype(np.float32)
    actions = (inputs @ rng.normal(size=(4, 2))).astype(np.float32)
    owner = np.repeat(np.arange(6), 5)
    policy, knee = train_by_cloning(inputs, actions, None, 0, steps=60), 0.3
    losses = compute_demonstration_losses(policy, inputs, actions, owner, knee)
    slopes = compute_demonstration_gradients(policy, inputs, actions, owner, knee)
    bias = policy.layers[-1][1]
    moved = (policy.layers[-1][0], bias + np.array([1e-2, 0], np.float32))
    after = compute_demonstration_losses(
        replace(policy, layers=(*policy.layers[:-1], moved)), inputs, actions, owner, knee
    )
    assert after - losses == pytest.approx(1e-2 * slopes[:, -2], abs=5e-4)

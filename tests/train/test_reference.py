"""The reference learner learns to grasp, and knows what it has not seen."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.model.policy import Action
from fieldloop.protocol import default_operations
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata
from fieldloop.train import reference
from fieldloop.train.samples import ACTION_NAMES, CAMERA, DEPTH


class Learnt:
    def __init__(self, weights):
        self.weights = weights

    def act(self, observation):
        pictures = observation.pictures
        actions, sure = reference.predict_grasps(self.weights, pictures[CAMERA][None], pictures[DEPTH][None])
        return Action(ACTION_NAMES, actions[0], float(sure[0]))


@pytest.fixture(scope="module")
def weights(samples, settings):
    return reference.train_reference_policy(samples, settings, seed=1)


def tries(floor, weights, mix, count, purpose):
    strata = draw_strata(mix, count, floor.make_random_generator("try", purpose))
    return [
        floor.attempt_pick(Learnt(weights), s, floor.make_random_generator("try", purpose, i), 0)
        for i, s in enumerate(strata)
    ]


def test_most_picks_succeed_on_the_bench_it_learnt_on(floor, weights):
    tried = tries(floor, weights, floor.make_lab_mix(), 40, "lab")
    assert np.mean([each.succeeded for each in tried]) >= 0.7
    assert weights.validation_error < 0.015


def test_it_is_surer_on_the_bench_than_on_floors_it_never_saw(floor, weights):
    sure = [
        np.array([each.confidence for each in tries(floor, weights, mix, 30, purpose)])
        for mix, purpose in ((floor.make_lab_mix(), "sure"), (floor.make_production_mix(), "unsure"))
    ]
    assert np.mean(sure[0] >= 0.7) > 0.7
    assert np.mean(sure[1] >= 0.7) < np.mean(sure[0] >= 0.7) - 0.1


def test_the_same_demonstrations_give_the_same_weights_whatever_the_seed(samples, settings, weights):
    for seed in (1, 2):
        again = reference.train_reference_policy(samples, settings, seed=seed)
        assert all(
            np.array_equal(one.coefficients, two.coefficients)
            for one, two in zip(weights.processes, again.processes, strict=True)
        )


def test_the_error_without_validation_is_that_of_demonstrations_left_out(samples, settings, weights):
    held = reference.train_reference_policy(samples[8:], settings, 1, validation=samples[:8]).validation_error
    assert 0.3 * held < weights.validation_error < 3 * held


def test_demonstrations_without_weight_teach_nothing(samples, settings):
    wrong = [replace(s, grasp=s.grasp + np.eye(6)[0] * 0.2, weight=0.0, episode=f"{s.episode}x") for s in samples]
    right = samples[:30]
    weights = reference.train_reference_policy(right + wrong, settings, 1, validation=samples[30:])
    assert weights.validation_error < 0.02


def test_too_few_and_unlike_demonstrations_are_refused(samples, settings):
    with pytest.raises(BadInput, match="needs at least"):
        reference.train_reference_policy(samples[:3], settings, 0)
    small = [replace(s, pictures=s.pictures[:, ::2, ::2]) for s in samples[:10]]
    with pytest.raises(BadInput, match="different sizes"):
        reference.train_reference_policy(samples + small, settings, 0)
    with pytest.raises(BadInput, match="weight 0"):
        reference.train_reference_policy([replace(s, weight=0.0) for s in samples], settings, 0)


@pytest.mark.parametrize("yaw", [-1.5, -0.4, 0.0, 0.7, 1.5])
def test_a_grasp_survives_being_encoded(yaw):
    grasp = np.array([0.5, 0.1, 0.12, yaw, 0.07, 9.0])
    assert np.allclose(reference.decode_grasps(reference.encode_grasps(grasp)[None])[0], grasp)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [21, 22])
def test_the_story_good_in_the_lab_worse_outside_better_after(seed, demonstrate_many):
    floor, settings = Floor(seed), default_operations()["train"]
    lab = demonstrate_many(floor, floor.make_lab_mix(), 80, "lab")
    more = demonstrate_many(floor, floor.make_production_mix(), 50, "more")
    before, after = (
        reference.train_reference_policy(lab, settings, seed),
        reference.train_reference_policy(lab + more, settings, seed),
    )

    def rate(weights, mix, count):
        return np.mean([each.succeeded for each in tries(floor, weights, mix, count, "story")])

    at_home, outside = rate(before, floor.make_lab_mix(), 100), rate(before, floor.make_production_mix(), 200)
    assert at_home >= 0.8
    assert outside < at_home - 0.15
    assert rate(after, floor.make_production_mix(), 200) > outside + 0.1
    assert rate(after, floor.make_lab_mix(), 100) >= 0.8

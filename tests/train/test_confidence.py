"""Confidence: known answers by hand."""

import numpy as np
import pytest

from fieldloop.protocol import default_operations
from fieldloop.train import confidence
from fieldloop.train.confidence import Familiar

SETTINGS = default_operations()["train"]


def test_distance_is_the_mean_of_the_nearest_three():
    scenes = np.array([[0.0, 0], [3, 4], [0, 5], [100, 100]])
    assert confidence.distance(scenes, np.array([[0.0, 0]]))[0] == pytest.approx((0 + 5 + 5) / 3)
    assert confidence.distance(scenes[:1], np.array([[0.0, 2]]))[0] == pytest.approx(2.0)


def test_disagreement_is_zero_among_equals_and_grows_with_spread():
    same = np.ones((3, 2, 7))
    assert np.array_equal(confidence.disagreement(same), [0, 0])
    apart = np.stack([np.zeros((1, 7)), np.full((1, 7), 2.0)])
    assert confidence.disagreement(apart)[0] == pytest.approx(1.0)


def test_the_edge_of_the_usual_has_the_asked_level():
    familiar = Familiar(np.zeros((5, 2)), 1.0, 1.0, 1.0, 0.7)
    answers = np.zeros((2, 3, 7))
    inputs = np.array([[0.0, 0], [1, 0], [2, 0]])
    assert np.allclose(confidence.judge(familiar, inputs, answers), [1.0, 0.7, 0.7**4])


def test_the_asked_share_of_held_out_scenes_is_confident():
    rng = np.random.default_rng(0)
    scenes, held = rng.normal(size=(200, 6)), rng.normal(size=(400, 6))
    answers = rng.normal(size=(3, 400, 7)) * 0.1
    familiar = confidence.fit(scenes, held, answers, 400, SETTINGS)
    sure = confidence.judge(familiar, held, answers)
    assert np.mean(sure >= 0.7 - 1e-9) == pytest.approx(SETTINGS.number("confident_share"), abs=0.01)
    strange = confidence.judge(familiar, held + 5, answers)
    assert np.mean(strange >= 0.7) < 0.01

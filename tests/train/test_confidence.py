"""Confidence: known answers by hand."""

import numpy as np
import pytest

from fieldloop.protocol import default_operations
from fieldloop.train import confidence
from fieldloop.train.confidence import Familiar

SETTINGS = default_operations()["train"]


def test_strangeness_is_the_root_of_the_mean_excess():
    usual = np.array([1.0, 4.0])
    assert confidence.compute_relative_uncertainty(usual, np.array([[1.0, 4.0]]))[0] == pytest.approx(1.0)
    assert confidence.compute_relative_uncertainty(usual, np.array([[7.0, 4.0]]))[0] == pytest.approx(2.0)


def test_the_edge_of_the_usual_has_the_asked_level():
    familiar = Familiar(np.ones(3), 1.0, 0.7)
    variances = np.array([[0.0], [1.0], [4.0]]) * np.ones(3)
    assert np.allclose(confidence.compute_confidence(familiar, variances), [1.0, 0.7, 0.7**4])


def test_the_asked_share_of_demonstrations_left_out_is_confident():
    variances = np.random.default_rng(0).gamma(4.0, size=(400, 7))
    familiar = confidence.fit_confidence(variances, SETTINGS)
    sure = confidence.compute_confidence(familiar, variances)
    assert np.mean(sure >= 0.7 - 1e-9) == pytest.approx(SETTINGS.number("confident_share"), abs=0.01)
    assert np.mean(confidence.compute_confidence(familiar, 4 * variances) >= 0.7) < 0.1

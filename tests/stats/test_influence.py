"""Influence against learning again without each row: exact for ridge regression, to first order from gradients."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from fieldloop.stats.influence import estimate_loss_change, predict_without_each_row

RIDGE = 0.7


@pytest.fixture
def regression():
    rng = np.random.default_rng(3)
    rows, new = rng.normal(size=(40, 5)), rng.normal(size=(12, 5))
    truth = rng.normal(size=5)
    return rows, rows @ truth + rng.normal(size=40), new, new @ truth + rng.normal(size=12)


def fit(rows, targets):
    return np.linalg.solve(rows.T @ rows + RIDGE * np.eye(rows.shape[1]), rows.T @ targets)


def test_the_closed_form_equals_learning_again_without_each_row(regression):
    rows, targets, new, _ = regression
    inverse = np.linalg.inv(rows @ rows.T + RIDGE * np.eye(len(rows)))
    found = predict_without_each_row(inverse, inverse @ targets, new @ rows.T)
    for left_out in range(len(rows)):
        kept = np.arange(len(rows)) != left_out
        assert found[:, left_out] == pytest.approx(new @ fit(rows[kept], targets[kept]))


def test_gradients_order_rows_nearly_as_learning_again_does(regression):
    """Nearly: the curvature is that of the gradients themselves, which is the true one only on average."""
    rows, targets, new, wanted = regression
    weights = fit(rows, targets)
    learnt, judged = (np.asarray((x @ weights - y)[:, None] * x) for x, y in ((rows, targets), (new, wanted)))
    found = estimate_loss_change(learnt, judged, 1.0).mean(axis=1)
    again = [
        np.mean((new @ fit(np.delete(rows, i, 0), np.delete(targets, i)) - wanted) ** 2 / 2) for i in range(len(rows))
    ]
    exact = np.array(again) - np.mean((new @ weights - wanted) ** 2 / 2)
    assert spearmanr(found, exact).statistic > 0.7


def test_solving_by_rows_equals_solving_by_weights():
    rng = np.random.default_rng(1)
    learnt, judged = rng.normal(size=(7, 4)), rng.normal(size=(3, 4))
    ridge = 0.5 * np.trace(learnt @ learnt.T) / 7
    expected = learnt @ np.linalg.solve(learnt.T @ learnt + ridge * np.eye(4), judged.T)
    assert np.allclose(estimate_loss_change(learnt, judged, 0.5), expected)

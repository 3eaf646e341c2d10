"""Mutual information by nearest neighbours against the closed form of Gaussians."""

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.stats.shared_information import estimate_information_by_row


def draw_gaussians(rho, count=3000, seed=1):
    rng = np.random.default_rng(seed)
    first, noise = rng.normal(size=(2, count, 1))
    return first, rho * first + np.sqrt(1 - rho**2) * noise


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9, 0.99])
def test_gaussians_share_what_the_closed_form_says(rho):
    found = estimate_information_by_row(*draw_gaussians(rho), 5)
    assert found.mean() == pytest.approx(-0.5 * np.log(1 - rho**2), abs=0.04)


def test_two_pairs_share_the_sum_of_both():
    one, other = draw_gaussians(0.8, seed=2), draw_gaussians(0.5, seed=3)
    found = estimate_information_by_row(np.hstack([one[0], other[0]]), np.hstack([one[1], other[1]]), 5).mean()
    assert found == pytest.approx(-0.5 * np.log((1 - 0.64) * (1 - 0.25)), abs=0.06)


def test_it_is_symmetric_and_follows_its_rows():
    first, second = draw_gaussians(0.7, 400)
    found = estimate_information_by_row(first, second, 4)
    order = np.random.default_rng(0).permutation(400)
    assert np.allclose(found, estimate_information_by_row(second, first, 4))
    assert np.allclose(found[order], estimate_information_by_row(first[order], second[order], 4))


def test_rows_whose_pairing_is_broken_share_least():
    first, second = draw_gaussians(0.99, 1000)
    second[:50] = np.random.default_rng(5).normal(size=(50, 1))
    found = estimate_information_by_row(first, second, 5)
    assert found[:50].mean() < found[50:].mean() - 1


def test_too_few_rows_and_unlike_tables_are_refused():
    with pytest.raises(BadInput, match="5 neighbours"):
        estimate_information_by_row(np.ones((5, 1)), np.ones((5, 1)), 5)
    with pytest.raises(BadInput, match="same number of rows"):
        estimate_information_by_row(np.ones((5, 1)), np.ones((6, 1)), 2)

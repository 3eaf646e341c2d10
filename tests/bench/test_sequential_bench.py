"""What the bench of sequential tests compares with: bounds, the exact fixed test, and a library that may be absent."""

import subprocess
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from bench import sequential
from bench.harness import Missing, Skipped
from bench.two_rates import betting, fixed
from bench.two_rates.bound import compute_wald_bound, count_fixed_pairs
from bench.two_rates.drifting import simulate_false_verdicts

from fieldloop.stats.sequential import Boundary, Scenes, compute_sizes


@pytest.mark.parametrize(("rates", "pairs"), [((0.85, 0.80), 439), ((0.90, 0.80), 96), ((0.80, 0.70), 142)])
def test_the_bound_of_sequential_tests_is_walds(rates, pairs):
    assert compute_wald_bound(*rates, 0.05, 0.8) == pytest.approx(pairs, abs=0.5)


def test_correlation_saves_pairs_of_a_fixed_test():
    found = [count_fixed_pairs(0.85, 0.80, 0.05, 0.8, rho) for rho in (0.0, 0.2, 0.4, 0.6)]
    assert found == pytest.approx([711, 569, 428, 287], abs=1.5)


def test_barnards_test_keeps_its_error_and_has_its_power():
    region = fixed._find_region(30, 0.05)
    for rate in np.linspace(0.01, 0.99, 50):
        weights = fixed._weigh(30, rate)
        assert weights @ region @ weights <= 0.05 + 1e-4
    assert all(region[a, b] <= region[a + 1, b] for a, b in product(range(30), range(31)))
    assert fixed.compute_barnard_power(30, 0.9, 0.5, 0.05) > 0.9


@pytest.mark.parametrize("scenes", Scenes)
def test_simulated_walks_err_as_often_as_computed(scenes):
    boundary = Boundary(scenes, 20, 0.3, (0.1, 0.5), (1.8, 2.0))
    runs = simulate_false_verdicts(boundary, np.full(20, 0.7), 0.0, 20_000, seed=3)
    seen = 0.7 if scenes is Scenes.UNPAIRED else 2 * 0.7 * 0.3
    assert np.mean(runs) == pytest.approx(compute_sizes(boundary, np.array([seen]))[0], abs=0.006)


def test_a_library_that_cannot_be_installed_is_skipped_with_the_reason(monkeypatch):
    monkeypatch.setattr(betting.venv, "create", lambda *_, **__: None)
    failed = SimpleNamespace(returncode=1, stderr="no network\nNo matching distribution found for ville", stdout="")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(Missing, match="No matching distribution"):
        betting.run_betting_test([(0.9, 0.8)], 20, 2, 0.05)
    assert all(isinstance(figure, Skipped) for figure in sequential._measure_ville(2).values())

"""Control limits: as few false alarms as promised, also under drift and likeness of neighbours; jumps are found."""

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.stats.control import FEWEST, MEMORY, compute_control_chart, compute_share_control_chart

RATE, ROUNDS, BATCHES = 0.05, 200, 30
MOST = RATE * ROUNDS + 3 * (RATE * (1 - RATE) * ROUNDS) ** 0.5


def remembering(random, share):
    """A series in which each batch keeps a share of the one before."""
    series = np.zeros(BATCHES + 50)
    for at, shock in enumerate(random.normal(size=BATCHES + 50)):
        series[at] = share * series[at - 1] + shock
    return 3.0 * series[50:]


CALM = {
    "sampling alone": lambda random: random.normal(size=BATCHES),
    "batches differ by more than sampling": lambda random: 3.0 * random.normal(size=BATCHES),
    "neighbours alike": lambda random: remembering(random, 0.6),
    "neighbours very alike": lambda random: remembering(random, 0.9),
    "drift": lambda random: 3.0 * random.normal(size=BATCHES) + np.linspace(0.0, 20.0, BATCHES),
}


@pytest.mark.parametrize("name", CALM)
def test_false_alarms_in_thirty_batches_are_as_rare_as_promised(name):
    random = np.random.default_rng(0)
    alarms = sum(
        len(compute_control_chart(CALM[name](random), np.ones(BATCHES), RATE).alerts) > 0 for _ in range(ROUNDS)
    )
    assert alarms <= MOST


@pytest.mark.parametrize("rate", [0.02, 0.5, 0.95])
def test_false_alarms_of_shares_are_as_rare_as_promised(rate):
    random = np.random.default_rng(0)
    trials = np.full(BATCHES, 12)
    alarms = sum(
        len(compute_share_control_chart(random.binomial(12, rate, BATCHES), trials, RATE).alerts) > 0
        for _ in range(ROUNDS)
    )
    assert alarms <= MOST


def test_shares_that_vary_more_than_coins_widen_the_limits():
    random = np.random.default_rng(0)
    trials = np.full(BATCHES, 12)
    alarms = 0
    for _ in range(ROUNDS):
        rates = random.beta(6.4, 1.6, BATCHES)
        alarms += len(compute_share_control_chart(random.binomial(12, rates), trials, RATE).alerts) > 0
    assert alarms <= MOST


def test_a_jump_is_found_where_it_happens():
    random = np.random.default_rng(1)
    found = []
    for _ in range(50):
        values = random.normal(size=BATCHES)
        values[20:] += 10.0
        found.append(compute_control_chart(values, np.ones(BATCHES), RATE / 20).alerts.tolist())
    assert np.mean([20 in alerts for alerts in found]) > 0.9
    assert all(set(alerts) <= {20, 21, 22} for alerts in found)  # afterwards the new level is what is expected


def test_a_share_that_jumps_is_found():
    assert compute_share_control_chart([1] * 14 + [9] * 6, [12] * 20, RATE / 20).alerts[0] == 14


def test_long_series_and_equal_values():
    assert len(compute_control_chart(np.random.default_rng(2).normal(size=500), np.ones(500), RATE).alerts) == 0
    assert len(compute_control_chart(np.zeros(20), np.ones(20), RATE).alerts) == 0


def test_the_first_batches_and_short_series_have_no_limits():
    assert np.isnan(compute_control_chart(np.arange(20.0), np.ones(20), RATE).low[:MEMORY]).all()
    assert np.isnan(compute_control_chart(np.arange(FEWEST - 1.0), np.ones(FEWEST - 1), RATE).low).all()
    assert len(compute_control_chart(np.zeros(0), np.zeros(0), RATE).alerts) == 0


def test_what_cannot_be_is_refused():
    with pytest.raises(BadInput, match="standard error"):
        compute_control_chart(np.zeros(3), np.zeros(2), RATE)
    with pytest.raises(BadInput, match="false-alarm"):
        compute_control_chart(np.zeros(3), np.zeros(3), 0.0)
    with pytest.raises(BadInput, match="as many hits"):
        compute_share_control_chart([2], [1], RATE)

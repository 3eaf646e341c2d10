"""How often does the gate err? Computed exactly, not simulated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from fieldloop.evaluate import compute_verdict_chances
from fieldloop.evaluate.rates import Looks, judge_rate
from fieldloop.model.finding import Status
from fieldloop.protocol import default_operations
from fieldloop.say import sentence

GATE = default_operations()["gate"]
FIRST = Looks.at(1, GATE)


def consecutive(successes, trials=100, looks=FIRST):
    return judge_rate("consecutive", 0.85, (successes, trials), 100, looks)


@pytest.mark.parametrize(
    ("successes", "status"),
    [(100, Status.PASSED), (93, Status.PASSED), (92, Status.CANNOT_TELL), (85, Status.CANNOT_TELL),
     (78, Status.CANNOT_TELL), (77, Status.FAILED), (0, Status.FAILED)],
)  # fmt: skip
def test_the_rule_at_100_consecutive_trials(successes, status):
    assert consecutive(successes).status is status


def test_85_of_100_meet_the_letter_and_do_not_pass():
    test = consecutive(85)
    assert (test.message["successes"], test.message["trials"], test.message["required"]) == (85, 100, 0.85)
    assert test.message.details[0].code == "evaluate.more_near_limit"
    assert test.message.details[0]["more"] == test.more_trials
    assert sentence(test.message).startswith("85 of 100 trials succeeded (85.0 %; 85 % required).")
    assert test.low == pytest.approx(0.7647, abs=1e-4)  # exact one-sided 97.5 % bound


def test_the_letter_alone_would_pass_bad_policies():
    assert binom.sf(84, 100, 0.80) == pytest.approx(0.1285, abs=1e-4)  # one gate of eight, as the room's docstring says
    assert compute_verdict_chances(0.85, 0.80, (100,), GATE).passes < 0.001


# true rate: passes, fails, needs more, after one look at 100 trials
ONE_LOOK = {
    0.75: (0.0, 0.7136, 0.2864),
    0.80: (0.0003, 0.2611, 0.7387),
    0.85: (0.0122, 0.0221, 0.9657),
    0.90: (0.2061, 0.0001, 0.7938),
    0.95: (0.8720, 0.0, 0.1280),
}


@pytest.mark.parametrize(("rate", "expected"), ONE_LOOK.items())
def test_operating_characteristics_of_100_consecutive_trials(rate, expected):
    found = compute_verdict_chances(0.85, rate, (100,), GATE)
    assert (found.passes, found.fails, found.cannot_tell) == pytest.approx(expected, abs=1e-4)


def test_looking_again_passes_more_good_policies_and_no_more_bad_ones():
    looks = (100, 200, 300, 400, 500)
    at_limit = compute_verdict_chances(0.85, 0.85, looks, GATE)
    assert at_limit.passes == pytest.approx(0.0208, abs=1e-4)  # α is 0.05, however often one looks
    assert at_limit.fails == pytest.approx(0.0302, abs=1e-4)
    assert compute_verdict_chances(0.85, 0.80, looks, GATE).passes == pytest.approx(0.0003, abs=1e-4)
    assert compute_verdict_chances(0.85, 0.90, looks, GATE).passes == pytest.approx(0.7121, abs=1e-4)
    assert compute_verdict_chances(0.85, 0.95, looks, GATE).passes > 0.9999


def test_without_spending_the_error_looking_again_would_be_a_way_through():
    naive = default_operations()["gate"].replaced(confidence=0.90)  # its first look is the 95 % bound
    trials = range(100, 2001, 100)
    first, always = Looks.at(1, naive), []
    mass = np.ones(1)
    for _ in trials:
        mass = np.convolve(mass, binom.pmf(np.arange(101), 100, 0.85))
        kept = [judge_rate("", 0.85, (k, len(mass) - 1), 100, first).status is Status.PASSED for k in range(len(mass))]
        always.append(mass[kept].sum())
        mass = np.where(kept, 0, mass)
    assert sum(always) > 0.10  # twice the error that was allowed
    assert compute_verdict_chances(0.85, 0.85, tuple(trials), GATE).passes <= 0.05


@pytest.mark.parametrize(
    ("required", "trials", "good", "least"), [(0.7, 40, 0.9, 0.89), (0.5, 15, 0.9, 0.94), (0.5, 15, 0.8, 0.64)]
)
def test_planned_numbers_suffice_for_good_policies(required, trials, good, least):
    assert compute_verdict_chances(required, good, (trials,), GATE).passes >= least
    assert compute_verdict_chances(required, required, (trials,), GATE).passes <= 0.025


@given(st.floats(0.05, 0.95), st.integers(5, 60), st.floats(0.01, 1.0))
def test_a_policy_below_the_limit_passes_no_more_often_than_allowed(required, trials, share):
    found = compute_verdict_chances(required, required * share, (trials, 2 * trials), GATE)
    assert found.passes <= 0.05
    assert found.passes + found.fails + found.cannot_tell == pytest.approx(1.0)


@given(st.integers(100, 300), st.data())
def test_the_trials_asked_for_would_tell_at_the_observed_rate(trials, data):
    successes = data.draw(st.integers(0, trials))
    test = consecutive(successes, trials)
    if test.status is Status.CANNOT_TELL:
        total = trials + test.more_trials
        again = [consecutive(k, total, Looks.at(2, GATE)).status for k in {
            int(np.floor(successes / trials * total)), int(np.ceil(successes / trials * total))}]  # fmt: skip
        assert set(again) != {Status.CANNOT_TELL} or total >= GATE["max_trials"]
    else:
        assert test.more_trials == 0


def test_incomplete_trials_cannot_pass_but_can_fail():
    assert consecutive(60, 60).status is Status.CANNOT_TELL
    assert consecutive(60, 60).more_trials >= 40
    assert consecutive(20, 60).status is Status.FAILED


def test_nothing_tried_says_what_to_try():
    test = consecutive(0, 0)
    assert (test.status, test.more_trials) == (Status.CANNOT_TELL, 100)
    assert sentence(test.message) == "No trial was made yet. 100 trials are needed."

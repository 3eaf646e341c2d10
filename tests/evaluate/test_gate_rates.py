"""How often does the gate err? Computed exactly, not simulated."""

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from fieldloop.evaluate import compute_verdict_chances
from fieldloop.evaluate.looks import Looks
from fieldloop.evaluate.rates import Rule, judge_look, judge_rate
from fieldloop.model.finding import Status
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

GATE = default_operations()["gate"]
LOOKS = Looks.from_settings(GATE)
RULE = Rule(0.85, 100)


def consecutive(successes, trials=100):
    """Trials whose failures come first."""
    return judge_rate("consecutive", RULE, [False] * (trials - successes) + [True] * successes, LOOKS)


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
    assert write_sentence(test.message).startswith("85 of 100 trials succeeded (85.0 %; 85 % required).")
    assert test.low == pytest.approx(0.7647, abs=1e-4)  # exact one-sided 97.5 % bound


def test_the_letter_alone_would_pass_bad_policies():
    assert binom.sf(84, 100, 0.80) == pytest.approx(0.1285, abs=1e-4)  # one gate of eight, as the room's docstring says
    assert compute_verdict_chances(0.85, 0.80, 100, 1, GATE).passes < 0.001


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
    found = compute_verdict_chances(0.85, rate, 100, 1, GATE)
    assert (found.passes, found.fails, found.cannot_tell) == pytest.approx(expected, abs=1e-4)


def test_looking_again_passes_more_good_policies_and_no_more_bad_ones():
    at_limit = compute_verdict_chances(0.85, 0.85, 100, 5, GATE)
    assert at_limit.passes == pytest.approx(0.0202, abs=1e-4)  # α is 0.05, however often one looks
    assert at_limit.fails == pytest.approx(0.0272, abs=1e-4)
    assert compute_verdict_chances(0.85, 0.80, 100, 5, GATE).passes == pytest.approx(0.0003, abs=1e-4)
    assert compute_verdict_chances(0.85, 0.90, 100, 5, GATE).passes == pytest.approx(0.7316, abs=1e-4)
    assert compute_verdict_chances(0.85, 0.95, 100, 5, GATE).passes > 0.9999


def chance_to_pass_some_time(passing_from, rate, most):
    """Ask after every trial and stop as soon as it would pass: the exact chance, by dynamic programming.

    `passing_from(n)` is the fewest successes that pass after n trials; n + 1 where nothing does.
    """
    mass, passed = np.ones(1), 0.0
    for n in range(1, most + 1):
        mass = np.append(mass * (1 - rate), 0.0) + np.append(0.0, mass * rate)
        enough = passing_from(n)
        passed += float(mass[enough:].sum())
        mass[enough:] = 0.0
    return passed


def fewest_passing(required, trials, level):
    return bisect_left(
        range(trials + 1), x=True, key=lambda k: judge_look(k, trials, required, level).status is Status.PASSED
    )


@pytest.mark.parametrize(
    ("required", "planned"), [(0.85, 100), (0.7, 40), (0.5, 15), (0.9, 30), (0.95, 200), (0.6, 7), (0.3, 100)]
)
def test_asking_after_every_trial_passes_a_policy_at_the_limit_no_more_often_than_allowed(required, planned):
    def passing_from(n):
        look = LOOKS.count_complete_looks((n, planned))
        return fewest_passing(required, n, LOOKS.get_level(look)) if n == look * planned else n + 1

    for below in (0.0, 0.01, 0.03, 0.1):
        assert chance_to_pass_some_time(passing_from, required - below, LOOKS.max_trials) <= LOOKS.alpha


def test_judging_every_trial_anew_would_have_let_three_times_as_many_through():
    level = LOOKS.get_level(1)
    passed = chance_to_pass_some_time(lambda n: fewest_passing(0.85, n, level) if n >= 100 else n + 1, 0.85, 2000)
    assert passed == pytest.approx(0.1687, abs=1e-4)


@given(st.lists(st.booleans(), min_size=1, max_size=80), st.integers(5, 25), st.sampled_from((0.5, 0.7, 0.85)))
def test_whether_trials_pass_depends_on_complete_sets_alone(succeeded, planned, required):
    rule = Rule(required, planned)
    whole = succeeded[: len(succeeded) // planned * planned]
    passes = judge_rate("", rule, succeeded, LOOKS).status is Status.PASSED
    assert passes == (bool(whole) and judge_rate("", rule, whole, LOOKS).status is Status.PASSED)


@given(st.lists(st.booleans(), min_size=1, max_size=80), st.integers(5, 25), st.sampled_from((0.5, 0.7, 0.85)))
def test_what_fails_early_fails_at_the_next_look_whatever_comes(succeeded, planned, required):
    rule = Rule(required, planned)
    if len(succeeded) % planned and judge_rate("", rule, succeeded, LOOKS).status is Status.FAILED:
        missing = planned - len(succeeded) % planned
        last = judge_rate("", rule, succeeded[: len(succeeded) // planned * planned], LOOKS).status
        next_one = judge_rate("", rule, [*succeeded, *[True] * missing], LOOKS).status
        assert Status.FAILED in (last, next_one)


def test_trials_beyond_a_complete_set_wait_for_the_next():
    test = judge_rate("", RULE, [True] * 93 + [False] * 7 + [False] * 60, LOOKS)
    assert (test.status, test.successes, test.trials) == (Status.PASSED, 93, 100)
    (waiting,) = [d for d in test.message.details if d.code == "evaluate.waiting"]
    assert waiting["waiting"] == 60


def test_all_looks_together_spend_the_error_allowed():
    spent = [1 - LOOKS.get_level(look) for look in range(1, 1001)]
    assert sum(spent) == pytest.approx(LOOKS.alpha * 1000 / 1001)


@pytest.mark.parametrize(
    ("required", "trials", "good", "least"), [(0.7, 40, 0.9, 0.89), (0.5, 15, 0.9, 0.94), (0.5, 15, 0.8, 0.64)]
)
def test_planned_numbers_suffice_for_good_policies(required, trials, good, least):
    assert compute_verdict_chances(required, good, trials, 1, GATE).passes >= least
    assert compute_verdict_chances(required, required, trials, 1, GATE).passes <= 0.025


@given(st.floats(0.05, 0.95), st.integers(5, 60), st.floats(0.01, 1.0))
def test_a_policy_below_the_limit_passes_no_more_often_than_allowed(required, trials, share):
    found = compute_verdict_chances(required, required * share, trials, 2, GATE)
    assert found.passes <= 0.05
    assert found.passes + found.fails + found.cannot_tell == pytest.approx(1.0)


@given(st.integers(1, 3), st.data())
def test_the_trials_asked_for_would_tell_at_the_observed_rate(sets, data):
    trials = 100 * sets
    successes = data.draw(st.integers(0, trials))
    test = consecutive(successes, trials)
    if test.status is Status.CANNOT_TELL:
        total = trials + test.more_trials
        assert total % 100 == 0
        level = LOOKS.get_level(total // 100)
        again = [judge_look(k, total, 0.85, level).status for k in {
            int(np.floor(successes / trials * total)), int(np.ceil(successes / trials * total))}]  # fmt: skip
        assert set(again) != {Status.CANNOT_TELL} or total >= GATE["max_trials"]
    else:
        assert test.more_trials == 0


def test_incomplete_trials_cannot_pass_but_can_fail():
    assert consecutive(60, 60).status is Status.CANNOT_TELL
    assert consecutive(60, 60).more_trials == 40
    assert consecutive(20, 60).status is Status.FAILED
    assert consecutive(45, 60).status is Status.CANNOT_TELL  # 85 of 100 are still possible


def test_nothing_tried_says_what_to_try():
    test = consecutive(0, 0)
    assert (test.status, test.more_trials) == (Status.CANNOT_TELL, 100)
    assert write_sentence(test.message) == "No trial was made yet. 100 trials are needed."

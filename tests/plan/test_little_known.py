"""Where nothing failed the budget shows what was least shown; where nothing was tried the gain is an assumption."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Coverage
from fieldloop.plan.allocate import allocate_budget
from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import make_table
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"].replace_values(draws=200)
TRAFFIC = {"front": 0.6, "back": 0.39, "jammed": 0.01}


def sound(attempts=1200, failures=0, shown=0):
    """Two lights and three bins, only the front under bright light shown; hardly any jammed ones come by."""
    return [
        Coverage(
            Stratum.of(bin=bin_, light=light), share / 2, 60 if (bin_, light) == ("front", "bright") else shown, 0.0,
            round(attempts * share / 2), failures,
        )
        for (bin_, share), light in itertools.product(TRAFFIC.items(), ("bright", "dim"))
    ]  # fmt: skip


def given_to(cells, budget=40):
    found = allocate_budget(cells, [], budget, SETTINGS, np.random.default_rng(0))
    return {str(q.stratum): q.demonstrations for q in found.quotas}, found


def test_without_failures_traffic_decides_among_what_was_least_shown():
    amounts, found = given_to(sound())
    assert sum(amounts.values()) == 40
    jammed = sum(count for name, count in amounts.items() if "jammed" in name)
    assert jammed <= 2, "one in a hundred of production, and what explores"
    by_traffic = {str(c.stratum): amounts.get(str(c.stratum), 0) / c.exposure for c in sound()}
    assert by_traffic["bin=back,light=dim"] > by_traffic["bin=front,light=dim"] > by_traffic["bin=front,light=bright"]
    assert [detail.code for detail in found.warnings[0].details] == ["plan.budget_by_traffic"]
    reasons = [{detail.code for detail in q.why.details} for q in found.quotas]
    assert all("plan.for_coverage" in codes for codes in reasons)
    assert not any({"plan.estimated_failure", "plan.teaches"} & codes for codes in reasons)


def test_a_few_good_attempts_do_not_show_that_nothing_can_be_won():
    assert not Gain(make_table(sound(attempts=6)), SETTINGS).nothing_to_win
    assert not Gain(make_table(sound(failures=1)), SETTINGS).nothing_to_win
    assert not Gain(make_table(sound(attempts=0)), SETTINGS).nothing_to_win
    assert Gain(make_table(sound()), SETTINGS).nothing_to_win


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 60), st.integers(1, 80))
def test_without_failures_the_budget_is_spent_whatever_was_shown(shown, budget):
    amounts, _ = given_to(sound(shown=shown), budget)
    assert sum(amounts.values()) == budget


@pytest.mark.parametrize("budget", [10, 60, 400])
def test_what_was_never_tried_is_expected_to_win_what_the_draws_say(budget):
    _, found = given_to(sound(attempts=0), budget)
    assert found.gain_low < found.gain < found.gain_high
    assert found.gain == pytest.approx(sum(q.gain for q in found.quotas))
    assert all(q.gain_low <= q.gain <= q.gain_high for q in found.quotas)
    assert found.gain < 0.9 * found.gain_high, "not the top of its own interval"

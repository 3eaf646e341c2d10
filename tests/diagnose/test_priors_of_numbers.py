"""How suspicious a counter is, whether outcomes can show what late answers cost, and what an interval is of."""

import numpy as np
import pytest
from tests.diagnose.planted import SETTINGS

from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.explanations.numbers import Beyond, _doubt_wear, _has_contrast
from fieldloop.diagnose.inference.shares import _intervals
from fieldloop.model.diagnosis import Gap


def beyond(end, after, kind=Kind.STEP):
    return Beyond("grip_cycles", end, above=True, kind=kind, after=after, before=np.zeros(10, dtype=bool))


def test_a_counter_hardly_beyond_the_baseline_is_less_suspicious_than_one_far_beyond():
    past, values = np.linspace(0.0, 1000.0, 101), np.linspace(1000.0, 60_000.0, 101)
    near, far = (_doubt_wear(beyond(end, values > end), values, past, SETTINGS) for end in (1000.0, 40_000.0))
    assert near < -1.0
    assert far == 0.0
    assert _doubt_wear(beyond(1000.0, values > 1000.0), values, np.full(5, np.nan), SETTINGS) == 0.0


@pytest.mark.parametrize(("late", "shows"), [(0.1, False), (0.5, True), (0.9, False)])
def test_outcomes_show_what_lateness_costs_only_where_production_has_both_sides(late, shows):
    assert _has_contrast(beyond(50.0, np.arange(100) < 100 * late), SETTINGS) is shows


@pytest.mark.parametrize(("without", "guessed", "from_zero"), [(5, False, False), (5, True, True), (40, False, True)])
def test_an_interval_begins_at_zero_where_the_cause_is_a_guess_or_not_nearly_certain(without, guessed, from_zero):
    drawn = np.zeros((100, len(Gap)))
    drawn[without:, 0] = np.linspace(0.4, 0.6, 100 - without)
    middle, low, high = _intervals(drawn, 0.025, 0.8, {next(iter(Gap))} if guessed else set())[next(iter(Gap))]
    assert (low == 0.0) is from_zero
    assert low <= middle <= high
    assert middle == pytest.approx(drawn[:, 0].mean())

"""Demonstrations in hand that the version in production has not learnt from: expected, not yet seen."""

import numpy as np
import pytest
from tests.plan.worlds import cover

from fieldloop.errors import BadInput
from fieldloop.model.note import note
from fieldloop.model.plan import Plan, Quota
from fieldloop.plan.allocate import allocate_budget
from fieldloop.plan.gain import Gain
from fieldloop.plan.score import score_plan
from fieldloop.plan.strata import make_table
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"].replace_values(draws=40)


def model(*cells):
    return Gain(make_table(cells), SETTINGS)


def test_what_is_in_hand_is_expected_to_bring_what_a_plan_of_it_promised():
    before = model(cover("a", 1.0, 5, 200, 120))
    midway = model(cover("a", 1.0, 45, 200, 120, learnt=5))
    promised = before.compute_gain_by_stratum(np.array([40.0])).sum()
    assert midway.waiting == pytest.approx(promised)
    assert before.failure[0] - midway.failure[0] == pytest.approx(promised)
    assert before.waiting == 0.0


def test_a_gap_that_is_being_closed_is_neither_forgotten_nor_called_unmendable():
    late, taken = model(cover("a", 1.0, 45, 200, 120, learnt=5)), model(cover("a", 1.0, 45, 200, 120))
    assert late.why.lasting[0] < taken.why.lasting[0]
    # further ones start from what is in hand: they win less than the first forty were promised to
    more = np.array([40.0])
    assert (
        0.0
        < late.compute_gain_by_stratum(more).sum()
        < model(cover("a", 1.0, 5, 200, 120)).compute_gain_by_stratum(more).sum()
    )


def test_planning_again_midway_does_not_ask_for_the_same_once_more():
    def given(shown):
        cells = [cover("gap", 0.5, shown, 300, 210, learnt=2), cover("other", 0.5, 20, 300, 120, learnt=20)]
        found = allocate_budget(cells, [], 40, SETTINGS.replace_values(concentration_cap=1.0), np.random.default_rng(0))
        return {q.stratum.level("cell"): q.demonstrations for q in found.quotas}, found.warnings

    first, _ = given(2)
    again, warnings = given(2 + first["gap"])
    assert again["gap"] < first["gap"]
    assert [w["demonstrations"] for w in warnings if w.code == "plan.not_learnt_yet"] == [first["gap"]]


def test_a_score_counts_what_was_learnt_and_promises_what_was_in_hand():
    quota = Quota(cover("a", 1.0, 0).stratum, 20, 0.05, 0.02, 0.1, note("plan.quota"))
    plan = Plan("p", 20, "marginal", (quota,), (), 0.05, 0, "", gain_low=0.02, gain_high=0.1, in_hand_gain=0.2)
    before, after = cover("a", 1.0, 45, 900, 540, learnt=5), cover("a", 1.0, 70, 900, 315, learnt=65)
    found = score_plan(plan, [before], [after], SETTINGS, "new")
    assert (found.expected, found.demonstrations) == (pytest.approx(0.25), 60)
    assert (found.strata[0].demonstrations_before, found.strata[0].demonstrations_after) == (5, 65)


def test_learnt_from_more_than_is_in_hand_is_as_if_from_all_of_it_and_less_than_none_is_refused():
    assert model(cover("a", 1.0, 9, 50, 20, learnt=30)).failure == model(cover("a", 1.0, 9, 50, 20)).failure
    with pytest.raises(BadInput, match="demonstrations learnt"):
        model(cover("a", 1.0, 9, 50, 20, learnt=-1))

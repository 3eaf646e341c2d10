"""A plan against what came of it."""

import itertools

import numpy as np
import pytest
from tests.plan.worlds import cover

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.model.plan import Coverage, Plan, Quota
from fieldloop.plan.score import score_plan
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["plan"]


def plan(gain, name="a"):
    quota = Quota(cover(name, 1.0, 0).stratum, 20, gain, gain / 2, 2 * gain, note("plan.quota"))
    return Plan(
        "plan_1", 40, "marginal", (quota,), (), gain, 0, "", gain_low=gain / 2, gain_high=2 * gain, policy="old"
    )


def test_what_was_promised_and_came_passes():
    before = [cover("a", 0.5, 5, 500, 300), cover("b", 0.5, 50, 500, 50)]
    after = [cover("a", 0.5, 25, 500, 150), cover("b", 0.5, 50, 500, 50)]
    found = score_plan(plan(0.15), before, after, SETTINGS, "new")
    assert found.status is Status.PASSED
    assert found.measured == pytest.approx(0.15, abs=0.001)
    assert found.measured_low < 0.15 < found.measured_high
    assert (found.before, found.after, found.demonstrations, found.episodes) == ("old", "new", 20, 1000)
    assert write_sentence(found.message).startswith("+15.0 points gained (")
    assert found.message.details == ()
    first = found.strata[0]
    assert (first.demonstrations_before, first.demonstrations_after, first.failures_after) == (5, 25, 150)
    assert (first.expected_gain, first.measured_gain) == (0.15, pytest.approx(0.15))


def test_more_than_was_promised_is_reported():
    cells = [cover("a", 1.0, 5, 2000, 1000)], [cover("a", 1.0, 25, 2000, 200)]
    found = score_plan(plan(0.1), *cells, SETTINGS)
    assert found.status is Status.PASSED
    assert [detail.code for detail in found.message.details] == ["plan.score_above"]
    assert score_plan(plan(0.3), *cells, SETTINGS).message.details == ()


def test_less_than_was_promised_fails():
    cells = [cover("a", 1.0, 5, 2000, 1000)], [cover("a", 1.0, 25, 2000, 960)]
    found = score_plan(plan(0.2), *cells, SETTINGS)
    assert found.status is Status.FAILED
    assert [detail.code for detail in found.message.details] == ["plan.score_below"]


def test_a_changed_mix_is_no_gain():
    before = [cover("easy", 0.5, 5, 500, 50), cover("hard", 0.5, 5, 500, 400)]
    after = [cover("easy", 0.9, 9, 900, 90), cover("hard", 0.1, 5, 100, 80)]
    assert score_plan(plan(0.1, "easy"), before, after, SETTINGS).measured == pytest.approx(0.0, abs=0.005)


@pytest.mark.parametrize(
    ("after", "code"),
    [
        ([cover("a", 1.0, 5, 500, 100)], "plan.score_nothing_came"),
        ([cover("a", 1.0, 25, 0, 0)], "plan.score_too_few"),
        ([], "plan.score_nothing_came"),
        ([cover("a", 1.0, 25, 8, 3)], "plan.score_unclear"),
    ],
)
def test_it_cannot_tell_without_demonstrations_or_outcomes(after, code):
    found = score_plan(plan(0.1), [cover("a", 1.0, 5, 500, 250)], after, SETTINGS)
    assert found.status is Status.CANNOT_TELL
    assert code in {found.message.code, *(detail.code for detail in found.message.details)}
    assert np.isfinite([found.measured, found.measured_low, found.measured_high]).all()


def test_numbers_that_cannot_be_are_refused():
    with pytest.raises(BadInput, match="failures"):
        score_plan(plan(0.1), [cover("a", 1.0, 5, 5, 6)], [], SETTINGS)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    source, strata = np.random.default_rng(0), 60
    share = source.dirichlet(np.full(strata, 0.5))
    held = []
    for _ in range(80):
        rates = source.uniform(0.1, 0.9, strata), source.uniform(0.05, 0.6, strata)
        looks = []
        for rate, shown in zip(rates, (5, 9), strict=True):
            tries = source.multinomial(800, share)
            fails = source.binomial(tries, rate)
            looks.append([cover(str(k), float(share[k]), shown, int(tries[k]), int(fails[k])) for k in range(strata)])
        found = score_plan(plan(0.1), *looks, SETTINGS)
        held.append(found.measured_low <= share @ (rates[0] - rates[1]) <= found.measured_high)
    assert 0.85 <= np.mean(held) <= 0.96


def test_a_busier_easy_site_alone_is_no_gain_even_where_most_strata_are_small():
    """180 strata, 600 attempts a look: most have fewer than five; the best site's traffic doubles."""
    codes = np.array(list(itertools.product(range(4), range(5), range(9))))
    strata = [Stratum.of(site=f"s{a}", bin=f"b{b}", item=f"i{c}") for a, b, c in codes.tolist()]
    held, won, passed = [], [], 0
    for seed in range(40):
        source = np.random.default_rng(seed)
        share = np.prod([source.dirichlet(np.full(n, 2.0))[codes[:, k]] for k, n in enumerate((4, 5, 9))], axis=0)
        odds = np.sum([source.normal(0.0, 1.0, n)[codes[:, k]] for k, n in enumerate((4, 5, 9))], axis=0)
        rate = 1.0 / (1.0 + np.exp(0.5 - odds - source.normal(0.0, 0.4, len(odds))))
        site = min(range(4), key=lambda s: np.average(rate[codes[:, 0] == s], weights=share[codes[:, 0] == s]))
        later = share * np.where(codes[:, 0] == site, 2.0, 1.0)
        looks = []
        for traffic, shown in ((share, 5), (later / later.sum(), 9)):
            tries = source.multinomial(600, traffic)
            fails = source.binomial(tries, rate)
            rows = zip(strata, share.tolist(), tries.tolist(), fails.tolist(), strict=True)
            looks.append([Coverage(s, w, shown, 0.0, a, f) for s, w, a, f in rows])
        found = score_plan(plan(0.04), *looks, SETTINGS)
        held.append(found.measured_low <= 0.0 <= found.measured_high)
        won.append(found.measured)
        passed += found.status is Status.PASSED
    assert np.mean(held) >= 0.85
    assert abs(np.mean(won)) < 0.01
    assert passed <= 4


def test_the_gain_promised_for_a_recovery_belongs_to_its_stratum():
    stratum = Stratum.of(cell="a", recovery="slipped grasp")
    made = plan(0.1)
    made = Plan(
        "p", 40, "marginal", (*made.quotas, Quota(stratum, 2, 0.02, 0.0, 0.1, note("plan.quota"))), (), 0.12, 0, ""
    )
    found = score_plan(made, [cover("a", 1.0, 5, 500, 250)], [cover("a", 1.0, 25, 500, 200)], SETTINGS)
    assert found.strata[0].expected_gain == pytest.approx(0.12)
